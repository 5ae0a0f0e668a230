"""Rows on the paper's tables, on runs that were made up: what turns each of them."""

import math
from itertools import product

import pytest

from proofs_checks.tail_optimized import tables_1_to_6
from proofs_checks.tail_optimized.instances import paper_runs
from proofs_checks.tail_optimized.instances.paper_runs import constant
from teltheory.claims.search import decide
from teltheory.paper.grid import XI_MS
from teltheory.paper.printed import CAPACITIES, TABLES
from teltheory.paper.rows import POLICIES, RunRow
from teltheory.paper.tables import RunTable

AS_PRINTED = tuple(getattr(tables_1_to_6, f"table_{number}") for number in range(1, 7))
SPREAD = (-0.1, 0.0, 0.1)


def table_runs(table, change=None, read_as=None):
    """Runs on three traces whose improvements are the printed ones, but where `change` says otherwise."""
    change, read_as = change or {}, read_as or {}
    wanted = {
        (c, xi, metric, p): -50.0 for c in CAPACITIES for xi in XI_MS for metric in METRICS for p in POLICIES
    }
    for (i, capacity), (j, column) in product(enumerate(CAPACITIES), enumerate(table.columns)):
        place = (capacity, read_as.get(column.xi_ms, column.xi_ms), column.metric, column.against)
        wanted[place] = change.get((i, j), float(table.rows[i][j]))
    return RunTable(
        [
            RunRow(
                f"trace {k}", c, xi, p, 0.0, *(_value(wanted, c, xi, metric, p, extra) for metric in METRICS), 0
            )
            for (k, extra) in enumerate(SPREAD)
            for c, xi, p in product(CAPACITIES, XI_MS, POLICIES[:3])
        ]
    )


METRICS = ("p90", "p95", "p99", "above")


def _value(wanted, capacity, xi, metric, policy, extra):
    return 1e6 if policy == "tlru" else 1e6 / (1 - (wanted[capacity, xi, metric, policy] + extra) / 100)


def decided(claim, monkeypatch, found):
    monkeypatch.setattr(paper_runs, "replayed", lambda workload, latency: found)
    return decide(claim)


@pytest.mark.parametrize(("claim", "table"), list(zip(AS_PRINTED, TABLES, strict=True)))
def test_the_printed_numbers_themselves_are_reproduced(claim, table, monkeypatch):
    verdict = decided(claim, monkeypatch, table_runs(table))
    counts = verdict.numbers["counts"]
    assert verdict.verdict == "reproduced"
    assert counts["signs"] == counts["cells"] == counts["inside the samples' range"] == len(table.columns) * 6
    assert counts["RMSE"] == pytest.approx(0, abs=1e-3)


def turned(table, cells, by=None):
    """Cells with the other sign, or raised by some points."""
    return {
        (i, j): -float(table.rows[i][j]) if by is None else float(table.rows[i][j]) + by
        for i, j in cells
    }  # fmt: skip


PLACES = list(product(range(6), range(10)))
NOT_ZERO = {table.number: [(i, j) for i, j in PLACES if table.rows[i][j]] for table in TABLES}


@pytest.mark.parametrize(("number", "most_wrong_signs"), [(1, 2), (2, 2), (3, 2), (4, 0), (5, 0), (6, 2)])
def test_one_wrong_sign_too_many_turns_a_table(number, most_wrong_signs, monkeypatch):
    claim, table = AS_PRINTED[number - 1], TABLES[number - 1]
    smallest = sorted(NOT_ZERO[number], key=lambda at: abs(table.rows[at[0]][at[1]]))
    for wrong, word in ((most_wrong_signs, "reproduced"), (most_wrong_signs + 1, "not reproduced")):
        runs = table_runs(table, turned(table, smallest[:wrong]))
        assert decided(claim, monkeypatch, runs).verdict == word


@pytest.mark.parametrize(("number", "rmse"), [(1, 5.0), (2, 5.0), (4, 2.5), (5, 2.5)])
def test_a_larger_error_turns_a_table(number, rmse, monkeypatch):
    claim, table = AS_PRINTED[number - 1], TABLES[number - 1]
    nulls = decided(claim, monkeypatch, table_runs(table)).numbers["nulls"]
    limit = min(rmse**2, min(null["counts"]["mean squared error"] for null in nulls) / 2)
    at = max(NOT_ZERO[number], key=lambda at: table.rows[at[0]][at[1]])
    most = math.sqrt(limit * 6 * len(table.columns))
    for by, word in ((0.99 * most, "reproduced"), (1.01 * most, "not reproduced")):
        assert decided(claim, monkeypatch, table_runs(table, turned(table, [at], by))).verdict == word


def test_a_constant_is_the_mean_of_the_other_printed_numbers():
    cells = [
        {"printed": printed, "xi_ms": xi, "ours": 9.0, "low": 8.0, "high": 11.0, "mean_low": 8.5, "mean_high": 9.5}
        for printed, xi in ((1.0, 50), (3.0, 50), (5.0, 50), (20.0, 100), (-2.0, 100))
    ]
    by_column = constant("xi_ms", put=tables_1_to_6.with_ours)
    found = [cell["ours"] for cell in by_column(cells)]
    assert found == [4.0, 3.0, 2.0, -2.0, 20.0]
    assert constant(put=tables_1_to_6.with_ours)(cells)[0]["ours"] == 26 / 4
    moved = by_column(cells)[1]
    assert (moved["low"], moved["high"], moved["agreement"]) == (2.0, 5.0, "inside")


@pytest.mark.parametrize(("number", "cells"), [(1, 66), (2, 60), (3, 66), (6, 60)])
def test_one_cell_too_many_outside_the_range_turns_a_table(number, cells, monkeypatch):
    claim, table = AS_PRINTED[number - 1], TABLES[number - 1]
    positive = [at for at in NOT_ZERO[number] if table.rows[at[0]][at[1]] > 0]
    for outside, word in ((cells - 50, "reproduced"), (cells - 49, "not reproduced")):
        runs = table_runs(table, turned(table, positive[:outside], 0.3))
        verdict = decided(claim, monkeypatch, runs)
        assert verdict.numbers["counts"]["inside the samples' range"] == cells - outside
        assert verdict.verdict == word


@pytest.mark.parametrize(
    ("table", "printed", "headings"),
    [
        (TABLES[0], tables_1_to_6.table_1, tables_1_to_6.table_1_headings),
        (TABLES[2], tables_1_to_6.table_3, tables_1_to_6.table_3_headings),
    ],
)
def test_headings_are_told_from_the_numbers(table, printed, headings, monkeypatch):
    shifted = table_runs(table, read_as={200: 150, 300: 200})
    assert decided(headings, monkeypatch, shifted).verdict == "reproduced"
    assert decided(printed, monkeypatch, shifted).verdict == "not reproduced"
    assert decided(headings, monkeypatch, table_runs(table)).verdict == "not reproduced"
