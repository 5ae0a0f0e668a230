"""The tables of cache contents in docs/counterexamples.md, followed step by step."""

import re

import pytest
from report.ledger_rows import DOCS

from proofs_checks.forest import strict
from teltheory.claims.forests import ForestCase
from teltheory.optimal.trees.judge import hits_of
from teltheory.policies import TailOptimizedBelady

pytestmark = pytest.mark.repository


def rows_under(title: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, its head left out."""
    text = (DOCS / "counterexamples.md").read_text().split(f"### {title}\n")[1]
    lines = re.findall(r"^\|.*\|$", text.split("\n##")[0], re.MULTILINE)[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def blocks(cell: str) -> list[int]:
    return [] if cell == "–" else list(map(int, cell.split()))


def case_of_table(rows: list[list[str]], capacity: int) -> ForestCase:
    return strict.of_needs([blocks(row[1]) for row in rows], [int(row[2]) for row in rows], capacity)


@pytest.mark.parametrize(
    ("title", "capacity", "caches"),
    [
        ("The smallest forest on which they differ", 2, ((True, 1), (False, 0))),
        ("Tail-Optimized Belady over leaves is not optimal", 2, ((True, 2), (True, 1))),
    ],
)
def test_a_table_of_contents_is_a_plan_with_the_hits_that_it_says(
    title: str, capacity: int, caches: tuple[tuple[bool, int], ...]
) -> None:
    rows = rows_under(title)
    case = case_of_table(rows, capacity)
    paths = zip((blocks(row[1]) for row in rows), case.shape.paths, strict=True)
    names = {block: node for path, nodes in paths for block, node in zip(path, nodes, strict=True)}
    for column, (closed, lost) in zip((3, 5), caches, strict=True):
        states = [[names[block] for block in blocks(row[column])] for row in rows]
        hits = hits_of(case.instance, states, closed)
        assert hits == [int(row[column + 1]) for row in rows]
        assert sum(max(need - found, 0) for need, found in zip(case.need, hits, strict=True)) == lost


def test_the_tables_are_those_of_the_rows() -> None:
    smallest = case_of_table(rows_under("The smallest forest on which they differ"), 2)
    assert smallest.shape == strict.gap(2).shape
    assert smallest.need == strict.gap(2).need
    leaf_first = case_of_table(rows_under("Tail-Optimized Belady over leaves is not optimal"), 2)
    assert leaf_first == strict.SEVEN


def test_the_hits_of_the_policy_are_those_of_its_replay() -> None:
    rows = rows_under("Tail-Optimized Belady over leaves is not optimal")
    policy = TailOptimizedBelady(strict.SEVEN.xi)
    assert strict.SEVEN.replay(policy, "strict") == [int(row[4]) for row in rows]
