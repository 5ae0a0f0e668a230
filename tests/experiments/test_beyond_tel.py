import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import teltheory as tt
from experiments import beyond_tel
from experiments.beyond_tel import MEASURES, main, measured, rows_at
from teltheory.workloads import ConversationModel

PAGE = Path(__file__).parents[2] / "docs" / "costs.md"
POLICIES = ("LRU", "T-LRU", "End-Aware T-LRU", "Tail-Optimized Belady")


@pytest.fixture
def sampled(tmp_path, monkeypatch):
    """A short trace in a file, with capacities and thresholds that fit it."""
    trace = tt.sample_conversations(ConversationModel(), 120, np.random.default_rng(5))
    file = tmp_path / "sampled.csv"
    tt.write_trace(tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response), file)
    monkeypatch.setattr(beyond_tel, "CAPACITIES", (2000, 4000))
    monkeypatch.setattr(beyond_tel, "SLO_SECONDS", (beyond_tel.Fraction(1, 20),))
    return file


@pytest.mark.long
def test_a_row_is_what_the_library_says(sampled, tmp_path):
    table = tmp_path / "table.csv"
    printed = list(main(str(sampled), str(table)))
    assert len(printed) == 1 + 2 * (1 + 2 + 8)
    trace, xi = tt.read_trace(sampled), 697
    with table.open(newline="") as file:
        rows = {(int(row["capacity"]), row["name"]): row for row in csv.DictReader(file)}
    assert len(rows) == 2 * 8
    few = tt.fewest_violations(trace, 2000, xi, time_limit=20)
    best = tt.best_percentile(trace, 2000, 0.95, time_limit=20)
    assert few.status == best.status == "optimal"
    outcome = tt.replay(trace, tt.LRU(), 2000)
    lru = measured(outcome, xi)
    assert lru["p95"] == sorted(outcome.uncached.tolist())[114 - 1]
    assert lru["violations"] == sum(uncached > xi for uncached in outcome.uncached.tolist())
    found = rows[2000, "LRU"]
    assert {name: int(found[name]) for name in MEASURES} == lru
    assert int(found["tel_regret"]) == lru["tel"] - tt.hindsight_optimum(trace, 2000, xi).objective
    assert int(found["violations_regret"]) == lru["violations"] - few.lower > 0
    assert int(found["p95_regret"]) == lru["p95"] - best.lower > 0
    assert rows[2000, "Tail-Optimized Belady"]["tel_regret"] == "0"
    for name, measure, status in (("fewest violations", "violations", few), ("best P95", "p95", best)):
        plan = rows[2000, name]
        assert (plan[f"{measure}_regret"], plan[f"{measure}_closed"], plan["tel"]) == ("0", "1.0", "")
        assert plan["status"] == status.status
    assert rows[2000, "bound, by prices"]["violations"] == str(few.proved)


@pytest.mark.long
def test_a_bound_by_the_solver_is_labelled(sampled, tmp_path, monkeypatch):
    fewest = tt.fewest_violations

    def by_solver(*arguments, **options):
        return replace(fewest(*arguments, **options), by_solver=True, status="optimal by solver")

    monkeypatch.setattr(tt, "fewest_violations", by_solver)
    printed = "\n".join(main(str(sampled), str(tmp_path / "table.csv")))
    assert printed.count("| bound, slow by solver |") == 2
    with (tmp_path / "table.csv").open(newline="") as file:
        status = {row["name"]: row["status"] for row in csv.DictReader(file)}
    assert (status["bound"], status["fewest violations"]) == ("slow by solver", "optimal by solver")


def test_a_trace_that_is_not_there_is_named(tmp_path):
    with pytest.raises(tt.FileError, match=r"nowhere\.csv"):
        list(main(str(tmp_path / "nowhere.csv"), str(tmp_path / "table.csv")))
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_search_writes_nothing(sampled, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("teltheory.optimal.slo.violations.packed", interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(main(str(sampled), str(tmp_path / "table.csv")))
    assert list(tmp_path.iterdir()) == [sampled]


@pytest.mark.long
@pytest.mark.repository
def test_the_policies_on_the_page_are_what_the_trace_says_today(mooncake_trace, monkeypatch):
    monkeypatch.setattr(beyond_tel, "SLO_SECONDS", (beyond_tel.Fraction(1),))
    trace = mooncake_trace
    monkeypatch.setattr(beyond_tel, "TIME_LIMIT", 0)
    rows = {row.name: row for row in rows_at(trace, 1_000_000)}
    lines = [line.strip("| ").split(" | ")[:4] for line in PAGE.read_text().splitlines()]
    for name in POLICIES:
        expected = [name, *(beyond_tel.shown(measure, getattr(rows[name], measure)) for measure in MEASURES)]
        assert next(line for line in lines if line[0] == name) == expected
