"""The scripts of docs/adaptive.md: two tables, and what they say."""

import pytest

from experiments import adaptive_report, adaptive_threshold, pareto_front
from teltheory.paper import adaptive, front, scenarios
from teltheory.paper.rows import Adapted, MarginRow
from teltheory.paper.tidy import read_rows, write_rows

SHARES = ((0.8, 6.0), (1.0, 4.0))
WINDOWS = (100, 200, 1000)


@pytest.mark.parametrize(
    ("script", "row"),
    [pytest.param(adaptive_threshold, Adapted, marks=pytest.mark.long), (pareto_front, MarginRow)],
)
def test_a_script_writes_the_table_of_the_workloads_that_are_asked_for(script, row, tmp_path, monkeypatch):
    for module in (adaptive, front):
        monkeypatch.setattr(module, "RATIOS", adaptive.RATIOS[:2])
    monkeypatch.setattr(scenarios.scenarios, "__defaults__", (None, 60, (3, 1)))
    (tmp_path / "t.csv").write_text("conversation,prompt,response\n0,9,9\n0,9,9\n")
    asked = ["--workload", "wildchat", "--seeds", "2", "--workers", "1", "--trace", str(tmp_path / "t.csv")]
    script.main([str(tmp_path / "table.csv"), *asked])
    rows = read_rows(tmp_path / "table.csv", row)
    assert {one.workload: one.samples for one in rows} == {"wildchat": 2, "mooncake": 1}


@pytest.mark.parametrize("script", [adaptive_threshold, pareto_front])
def test_an_unknown_workload_is_named(script, tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        script.main([str(tmp_path / "table.csv"), "--workload", "nothing"])
    assert stopped.value.code == 2
    assert "invalid choice: 'nothing'" in capsys.readouterr().err


def test_the_report_has_the_numbers_of_the_tables(tmp_path):
    settings = [
        ("fixed", 0.5, 0.0, 0, 1.0, 1.0),
        ("fixed", 0.7, 0.0, 0, 3.0, 1.0),
        ("best-fixed", 0.0, 0.0, 0, 8.0, 0.5),
        *(("adaptive", share, q, 500, x, 1.0) for q in (0.9, 0.95, 0.99) for share, x in SHARES),
        *(("adaptive", 0.8, 0.95, window, 7.0, 2.0) for window in WINDOWS),
    ]
    rows = [
        Adapted("w", 1000, *key, f"{kind}-{measure}", 9, mean + more, 0.0, mean + more + width * half)
        for measure in ("p50", "p90", "p95", "p99", "blocks", "tel")
        for *key, mean, half in settings
        for kind, more, width in (("improvement", 0, 1), ("regret", 90, 2))
    ]
    write_rows(rows, tmp_path / "a.csv", Adapted)
    ends = [(0.1, 1.0, 9.0, 90.0, 99.0, 1), (0.2, 2.0, 8.0, 95.0, 98.0, 1), (0.3, 3.0, 9.0, 97.0, 99.0, 0)]
    points = [MarginRow("w", 1000, "round-robin", m, 9, a, b, 9.0, x, y, on) for m, a, b, x, y, on in ends]
    write_rows(points, tmp_path / "p.csv", MarginRow)
    printed = list(adaptive_report.main(str(tmp_path / "a.csv"), str(tmp_path / "p.csv")))
    assert printed[2] == "| w | 1,000 | 8.0 ± 0.5 | 4.0 ± 1.0 | 6.0 ± 1.0 | 6.0 ± 1.0 | 0.8 | 96 ± 2 |"
    assert printed[10] == "| w | 1,000 | 0.7 | 0.72 | 0.8 | 0.8 | 0.8 | 6.0 ± 1.0 | 6.0 ± 1.0 |"
    assert printed[14] == "| w | 1,000 | 7.0 ± 2.0 | 7.0 ± 2.0 | 6.0 ± 1.0 | 7.0 ± 2.0 |"
    assert printed[18] == "| w | 1,000 | 2 of 3 | 0.1 | 90.0 | 99.0 | 0.2 | 95.0 | 98.0 |"
