import csv
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from experiments.paper import assumptions, grid
from experiments.paper.assumptions_report import changed_lines, chosen_lines
from experiments.paper.grid import Q_HAT, Run, Setting, read_runs, runs, samples, write_runs
from experiments.paper.printed import CAPACITIES, TABLE_1, TABLE_2, TABLE_4, TABLES, Column
from experiments.paper.tables import Runs, agreement, compare, compare_cell, half_width, same_sign, summarise
from experiments.paper.tables import main as tables_main
from teltheory.sweep import TraceFile

SMALL = Setting(capacities=(1000, 4000), xi_ms=(100, 200), q_hat=200)


@pytest.fixture(scope="module")
def found():
    return runs(samples("wildchat", range(3), turns=300), SMALL)


def test_the_printed_tables_have_their_shape():
    for table in TABLES:
        assert len(table.rows) == len(CAPACITIES)
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert len(set(table.columns)) == len(table.columns)
    assert [len(table.columns) for table in TABLES] == [11, 10, 11, 10, 10, 10]
    assert TABLE_1.at(10000, Column(300, "p95", "lru")) == Fraction("23.9")
    assert TABLE_2.at(10000, Column(200, "above", "threshold-lru")) == Fraction("38.9")
    assert max(max(row) for row in TABLE_1.rows) == Fraction("27.5")
    assert TABLE_4.at(6000, Column(500, "p90", "lru")) == 10


def test_a_run_is_a_replay(found):
    trace = grid.samples("wildchat", [1], turns=300)[0].load()
    xi = tt.A100_LLAMA2_7B.threshold(Fraction(1, 10))
    outcomes = {
        "lru": tt.replay(trace, tt.LRU(), 4000, engine="reference"),
        "threshold-lru": tt.replay(trace, tt.ThresholdLRU(1024), 4000, engine="reference"),
        "tlru": tt.replay(trace, tt.TLRU(xi, 200), 4000, engine="reference"),
        "end-aware": tt.replay(trace, tt.EndAwareTLRU(xi, 200), 4000, engine="reference"),
        "length-aware": tt.replay(trace, tt.LengthAwareTLRU(xi), 4000, engine="reference"),
        "tail-optimized-belady": tt.replay(trace, tt.TailOptimizedBelady(xi), 4000, engine="reference"),
    }
    of_seed = {
        run.policy: run
        for run in found
        if (run.trace, run.capacity, run.xi_ms) == ("seed 1, 300 turns", 4000, 100)
    }
    assert of_seed.keys() == outcomes.keys()
    for name, outcome in outcomes.items():
        milliseconds = np.sort(outcome.uncached) * 0.0717
        run = of_seed[name]
        assert run.tel == tt.tail_excess_latency(outcome, xi)
        assert run.above == int((milliseconds > 200).sum())
        assert [run.p50, run.p90, run.p95, run.p99] == pytest.approx(milliseconds[[149, 269, 284, 296]])


def test_runs_are_the_same_on_two_processes_and_in_a_file(found, tmp_path):
    assert runs(samples("wildchat", range(3), turns=300), SMALL, workers=2) == found
    write_runs(found, tmp_path / "runs.csv")
    assert read_runs(tmp_path / "runs.csv") == found


def test_any_trace_has_its_table(found, tmp_path):
    trace = samples("wildchat", [1], turns=300)[0].load()
    columns = zip(trace.conversation.tolist(), trace.prompt.tolist(), trace.response.tolist(), strict=True)
    (tmp_path / "trace.csv").write_text(
        "conversation,prompt,response\n" + "".join(f"{c},{q},{a}\n" for c, q, a in columns)
    )
    alone = runs([TraceFile(str(tmp_path / "trace.csv"))], SMALL)
    assert {run.trace for run in alone} == {str(tmp_path / "trace.csv")}
    of_seed = [run for run in found if run.trace.startswith("seed 1")]
    assert [replace(run, trace="") for run in alone] == [replace(run, trace="") for run in of_seed]


def _runs(lru, tlru):
    rest = {"capacity": 1000, "xi_ms": 100, "p50": 1.0, "p95": 1.0, "p99": 1.0, "above": 1, "tel": 1}
    return Runs(
        [
            Run(trace=str(i), policy=policy, p90=value, **rest)
            for policy, values in (("lru", lru), ("tlru", tlru))
            for i, value in enumerate(values)
        ]
    )


def test_improvements_by_hand():
    column = Column(100, "p90", "lru")
    assert _runs([200.0, 100.0], [150.0, 110.0]).improvements(column, 1000) == pytest.approx([25.0, -10.0])
    assert _runs([0.0, 0.0], [0.0, 5.0]).improvements(column, 1000).tolist() == [0.0, -math.inf]


def test_a_cell_by_hand():
    column = Column(100, "p90", "lru")
    cell = compare_cell(1, 1000, column, 4.5, np.array([1.0, 2.0, 3.0]))
    assert cell.ours == 2
    assert (cell.low, cell.high) == pytest.approx((1.05, 2.95))
    assert cell.mean_high - cell.ours == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert cell.agreement == "same sign"
    assert compare_cell(1, 1000, column, 2.9, np.array([1.0, 2.0, 3.0])).agreement == "inside"
    assert compare_cell(1, 1000, column, -0.1, np.array([1.0, 2.0, 3.0])).agreement == "off"
    assert math.isnan(half_width(np.array([1.0])))


@pytest.mark.parametrize(
    ("printed", "ours", "same"), [(0.0, 0.04, True), (0.0, 0.06, False), (-0.1, -3.0, True), (0.1, -0.06, False)]
)
def test_signs_are_those_of_rounded_numbers(printed, ours, same):
    assert same_sign(printed, ours) is same
    assert agreement(printed, ours, ours, ours) == ("same sign" if same else "off")


def test_a_table_made_of_our_own_numbers_agrees(found):
    of = Runs(found)
    columns = tuple(
        Column(xi, metric, against) for xi in (100, 200) for metric in ("p90", "above") for against in ("lru",)
    )
    rows = [
        tuple(Fraction(float(of.improvements(column, capacity).mean())) for column in columns)
        for capacity in (1000, 4000)
    ]
    table = replace(TABLE_1, columns=columns, rows=(rows[0], rows[0], rows[1]))
    summary = summarise(compare(table, of))
    assert (summary.cells, summary.inside) == (8, 8)
    assert summary.rmse == pytest.approx(0, abs=1e-9)
    wrong = replace(table, rows=tuple(tuple(value + 3 for value in row) for row in table.rows))
    assert summarise(compare(wrong, of)).rmse == pytest.approx(3)


def test_the_tables_command_prints_a_line_a_table(tmp_path, capsys):
    whole = runs(samples("sharegpt", range(2), turns=60), Setting(q_hat=Q_HAT["sharegpt"]))
    write_runs(whole, tmp_path / "runs.csv")
    tables_main([str(tmp_path / "runs.csv"), str(tmp_path / "cells.csv"), "--workload", "sharegpt"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["Table 4", "Table 5", "Table 6"]
    with (tmp_path / "cells.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 180


def test_a_missing_trace_is_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        grid.main([str(tmp_path / "none.csv"), str(tmp_path / "runs.csv"), "--workers", "1"])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "runs.csv").exists()


def test_the_frozen_assumptions_are_on_the_grid_and_reach_the_percentiles():
    seeds = grid.SEEDS
    for workload in ("wildchat", "sharegpt"):
        frozen = assumptions.under_lru(assumptions.Tried(workload, (), seeds).chats, grid.TURNS, seeds)
        assert assumptions.within(workload, frozen)
        assert assumptions.distance(workload, frozen) < 0.15
        chats = assumptions.Tried(workload, (), seeds).chats
        assert any(tried.chats == chats for tried in assumptions.grid(workload, seeds))


def test_the_distance_by_hand():
    paper = assumptions.LRU_AT_1000_MS["wildchat"]
    assert assumptions.distance("wildchat", paper) == 0
    double = {name: 2 * value for name, value in paper.items()}
    assert assumptions.distance("wildchat", double) == pytest.approx(math.log(2))
    assert not assumptions.within("wildchat", {**paper, "p50": 48.1})
    assert assumptions.within("wildchat", {**paper, "p50": 47.9, "p99": 580.0})


def test_what_was_tried_is_shown_as_the_page_has_it():
    near = {"gaps": "exponential 400 s", "longest": 10, "longer": "left out", "p50": 44.4, "p90": 1221.0}
    near |= {"p95": 314.0, "p99": 540.0, "distance": 0.0774, "within": True}
    far = {**near, "longest": 8, "longer": "cut", "distance": 0.2, "within": False}
    other = {**near, "gaps": "exponential 30 s", "distance": 0.3}
    said = list(chosen_lines([far, near, other]))
    assert said[0] == "3 settings, 2 within"
    nearest, of_gaps, _ = (line for line in said if line.startswith("\n"))
    assert (
        said[said.index(nearest) + 3]
        == "| exponential 400 s | 10 | left out | 44 | 1,221 | 314 | 540 | 0.077 | yes |"
    )
    slices = said[said.index(of_gaps) :]
    assert [line.split(" | ")[0] for line in slices if line.endswith((" yes |", " no |"))] == [
        "| exponential 400 s",
        "| exponential 30 s",
        "| more than 10 turns left out",
        "| cut after 8",
    ]


def test_changes_are_shown_as_the_page_has_them():
    row = {"changed": "as frozen", "turns": 2000, "p50": 1.0, "p90": 2.0, "p95": 3.0, "p99": 4.0, "within": False}
    row |= {"distance": 0.1, "table 2 signs": 59, "table 2 inside": 53, "table 2 rmse": 3.22}
    assert list(changed_lines([row])) == [
        "| changed | turns | P50 | P90 | P95 | P99 | within | Table 2 |",
        "|---|---|---|---|---|---|---|---|",
        "| as frozen | 2,000 | 1 | 2 | 3 | 4 | no | 59, 53, 3.2 |",
    ]


def test_what_if_changes_one_assumption_at_a_time():
    tried = assumptions.changes("wildchat", 2)
    assert str(tried[0]) == "as frozen"
    assert [str(t) for t in tried].count("gaps pareto 400 s, shape 1.5") == 1
    row = assumptions.changed_row(assumptions.Tried("wildchat", (), 2, turns=100))
    assert {"p50", "within", "table 1 signs", "table 2 inside", "table 3 rmse"} <= row.keys()
