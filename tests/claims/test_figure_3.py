import json
from fractions import Fraction

import numpy as np
import pytest

from proofs_checks.tail_optimized import figure_3
from proofs_checks.tail_optimized.figure_3 import explained, vllm_cpu
from teltheory.calibration.cells import MedianCells
from teltheory.claims.search import decide_safely
from teltheory.cli import main


def test_the_share_explained_is_that_of_least_squares():
    rng = np.random.default_rng(0)
    n, c, y = rng.integers(50, 90, 30), rng.integers(0, 50, 30), rng.random(30)
    u = (n - c).astype(float)
    line = np.polynomial.Polynomial.fit(u, y, 1)(u)
    expected = 1 - ((y - line) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert float(explained(MedianCells(n, c, y, np.ones(30, np.int64)))) == pytest.approx(expected)


def test_a_line_is_linear_and_a_square_is_not():
    n, nothing = np.arange(1, 101), np.zeros(100, np.int64)
    assert explained(MedianCells(n, nothing, 0.25 * n + 3, nothing)) == 1
    assert 0.9 < explained(MedianCells(n, nothing, 1.0 * n**2, nothing)) < Fraction(99, 100)


@pytest.mark.long
def test_without_the_files_nothing_is_decided_and_verify_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    verdict = decide_safely(vllm_cpu)
    assert (verdict.verdict, verdict.expected, verdict.scope.instances) == ("not decidable here", True, 0)
    target = tmp_path / "ledger.json"
    with pytest.raises(SystemExit) as stop:
        main(["verify", "--section", "figure_3", "--workers", "1", "--json", str(target)])
    assert stop.value.code == 0
    assert "not decidable here" in capsys.readouterr().out
    for row in json.loads(target.read_text())["claims"]:
        assert row["verdict"] == "not decidable here"
        assert row["counterexample"] is None
        assert row["problem"].endswith(".csv is not in the data folder (TELTHEORY_DATA names it)")


def test_a_file_that_is_there_and_no_table_is_an_error_and_not_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("TELTHEORY_DATA", str(tmp_path))
    (tmp_path / "vllm_cpu_ttft.csv").write_text("nothing\n")
    assert decide_safely(vllm_cpu).verdict == "error"
    assert figure_3.is_linear({"R^2": Fraction(99, 100)})
    assert not figure_3.is_linear({"R^2": Fraction(98, 100)})
