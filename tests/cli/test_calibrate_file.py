import json
from fractions import Fraction

import pytest

import teltheory as tt

LENGTHS, SHARES = (64, 128, 256, 512, 1024, 2048), (0, 0.25, 0.5, 0.75)


@pytest.fixture
def runs(tmp_path):
    """A run with attention, without noise."""
    file = tmp_path / "runs.csv"
    lines = ["prompt_tokens,cached_tokens,ttft_ms"]
    for n in LENGTHS:
        for c in (int(n * share) for share in SHARES):
            ms = 0.045 * (n - c) + 2.7e-5 * (n**2 - c**2) + 10
            lines += [f"{n},{c},{ms!r}"] * 3
    file.write_text("\n".join(lines))
    return file


def test_a_run_becomes_a_model_that_other_commands_read(output, runs, tmp_path):
    saved, report = tmp_path / "model.json", tmp_path / "report.json"
    told = output("calibrate", runs, "--save", saved, "--json", report)
    model = tt.read_latency(saved)
    assert float(model.per_pair) == pytest.approx(2.7e-8, rel=1e-4)
    assert float(model.ttft(1000, 500)) == pytest.approx(0.045 + 2.7e-8 * 2e6 + 0.01, rel=1e-4)
    data = json.loads(report.read_text())
    assert data["form"] == "attention"
    assert len(data["cells"]) == len(LENGTHS) * len(SHARES)
    assert max(abs(cell["residual_attention"]) for cell in data["cells"]) < 1e-6
    assert max(abs(cell["residual_linear"]) for cell in data["cells"]) > 1e-3
    assert Fraction(data["model"]["per_token"]) == model.per_token
    assert "chosen" in told
    assert "warning: a linear model is not good enough for budgets" in told


def test_what_is_wrong_is_one_line(refused, run_json, tmp_path):
    assert "none.csv" in refused("calibrate", tmp_path / "none.csv")
    cold = tmp_path / "cold.csv"
    cold.write_text("prompt_tokens,ttft_s\n" + "".join(f"{n},{n / 1000}\n" for n in range(1, 30)))
    assert "--cold" in refused("calibrate", cold)
    found = run_json("calibrate", cold, "--cold", "--from-tokens", "10")
    assert (found["requests"], found["form"]) == (20, "linear")
