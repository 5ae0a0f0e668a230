import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt
from teltheory.paper import grid
from teltheory.paper.grid import ReplaySetting, runs, samples
from teltheory.paper.printed import CAPACITIES, TABLE_1, TABLE_2, TABLE_4, TABLES, Column
from teltheory.paper.rows import RunRow
from teltheory.paper.tables import RunTable, agreement, compare, compare_cell, half_width, same_sign, summarise
from teltheory.paper.tidy import read_rows, write_rows
from teltheory.sweep import TraceFile

SMALL = ReplaySetting(capacities=(1000, 4000), xi_ms=(100, 200), q_hat=200)


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


def test_runs_are_the_same_in_a_file(found, tmp_path):
    write_rows(found, tmp_path / "runs.csv", RunRow)
    assert read_rows(tmp_path / "runs.csv", RunRow) == found


def test_any_trace_has_its_table(found, tmp_path):
    trace = samples("wildchat", [1], turns=300)[0].load()
    tt.write_trace(tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response), tmp_path / "trace.csv")
    alone = runs([TraceFile(str(tmp_path / "trace.csv"))], SMALL)
    assert {run.trace for run in alone} == {str(tmp_path / "trace.csv")}
    of_seed = [run for run in found if run.trace.startswith("seed 1")]
    assert [replace(run, trace="") for run in alone] == [replace(run, trace="") for run in of_seed]


def _runs(lru, tlru):
    rest = {"capacity": 1000, "xi_ms": 100, "p50": 1.0, "p95": 1.0, "p99": 1.0, "above": 1, "tel": 1}
    return RunTable(
        [
            RunRow(trace=str(i), policy=policy, p90=value, **rest)
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
    of = RunTable(found)
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
