"""The row on verdicts under a second latency, on runs that were made up: what turns it, and what is no case."""

from dataclasses import replace

import pytest
from claims.test_table_rows import table_runs

from proofs_checks.tail_optimized import second_latency
from proofs_checks.tail_optimized.instances import paper_runs
from proofs_checks.tail_optimized.second_latency import Again, under
from proofs_checks.tail_optimized.tables_1_to_6 import table_2, table_4
from teltheory.claims.search import decide
from teltheory.paper.grid import SECOND_LATENCY
from teltheory.paper.printed import TABLE_2, TABLE_4


def decided(monkeypatch, claims, runs):
    """Decide the row over some claims; `runs` has those of each latency and workload."""
    monkeypatch.setattr(
        paper_runs, "replayed", lambda workload, latency: runs[latency == SECOND_LATENCY, workload]
    )
    cases = tuple(map(Again, claims))
    row = second_latency.second_latency
    return decide(replace(row, space=replace(row.space, listed=cases)))


def off(table):
    """Runs of a table whose printed improvements are all turned."""
    cells = [(i, j) for i, row in enumerate(table.rows) for j in range(len(row))]
    return table_runs(table, {(i, j): -float(table.rows[i][j]) for i, j in cells})


def test_a_table_that_turns_is_counted_and_named(monkeypatch):
    near = table_runs(TABLE_4, {(0, 0): 0.2})
    runs = {(False, "wildchat"): table_runs(TABLE_2), (True, "wildchat"): off(TABLE_2)}
    runs |= {(False, "sharegpt"): table_runs(TABLE_4), (True, "sharegpt"): near}
    verdict = decided(monkeypatch, (table_2, table_4), runs)
    assert (verdict.verdict, verdict.numbers["counts"]) == ("not reproduced", {"rows": 2, "other verdicts": 1})
    shown = {cell["row"]: cell["shown"].split(" (")[0] for cell in verdict.numbers["cells"]}
    assert shown == {"table-2": "reproduced / not reproduced", "table-4": "reproduced / reproduced"}


def test_the_same_verdict_on_other_numbers_keeps_the_row(monkeypatch):
    runs = {(False, "wildchat"): table_runs(TABLE_2), (True, "wildchat"): table_runs(TABLE_2, {(0, 0): 1.3})}
    assert decided(monkeypatch, (table_2,), runs).verdict == "reproduced"


def test_the_same_numbers_under_both_latencies_decide_nothing(monkeypatch):
    same = table_runs(TABLE_2)
    runs = {(False, "wildchat"): same, (True, "wildchat"): same}
    assert decided(monkeypatch, (table_2,), runs).verdict == "undecided"


@pytest.mark.parametrize("claim", [*second_latency.TABLES, *second_latency.FIGURES], ids=lambda claim: claim.id)
def test_every_cell_is_moved_to_the_second_latency(claim):
    assert {cell.latency for cell in claim.space.listed} == {paper_runs.LATENCY}
    assert {cell.latency for cell in under(claim, SECOND_LATENCY).space.listed} == {SECOND_LATENCY}


def test_all_rows_on_tables_and_figures_5_and_6_are_decided_again():
    from proofs_checks import all_claims

    wanted = {claim.id for claim in all_claims() if claim.id.startswith(("table-", "figure-5", "figure-6"))}
    assert {claim.id for claim in (*second_latency.TABLES, *second_latency.FIGURES)} == wanted
