import sys

from experiments import ttft_residuals
from paper_figs import style
from paper_figs.ttft_residuals import draw
from teltheory.paper.rows import Residual
from teltheory.paper.tidy import read_rows


def test_the_residuals_of_every_form_are_drawn(tmp_path, monkeypatch):
    runs, table, figure = (tmp_path / name for name in ("runs.csv", "residuals.csv", "residuals.svg"))
    cells = [(n, n * share // 4) for n in (64, 128, 256, 512, 1024, 2048) for share in range(4)]
    lines = [f"{n},{c},{0.045 * (n - c) + 2.7e-5 * (n**2 - c**2) + 10}" for n, c in cells]
    runs.write_text("\n".join(["prompt_tokens,cached_tokens,ttft_ms", *lines]) + "\n")
    monkeypatch.setattr(sys, "argv", ["ttft_residuals", str(runs), str(table)])
    ttft_residuals.main()
    rows = read_rows(table, Residual)
    assert [(row.prompt_tokens, row.cached_tokens) for row in rows if row.form == "linear"] == cells
    assert {row.form for row in rows if row.chosen} == {"attention"}
    assert max(abs(row.residual_s) for row in rows if row.chosen) < 1e-6
    assert max(abs(row.residual_s) for row in rows if row.form == "linear") > 1e-3
    style.run(draw, None, [str(table), str(figure)])
    assert "svg" in figure.read_text()[:200]
