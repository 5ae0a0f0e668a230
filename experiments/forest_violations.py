"""Fewest SLO violations and best P95 on shared prefixes, beside policies: a tidy table.

    python -m experiments.forest_violations TRACE CAPACITIES TABLE.csv

The trace has block hashes; capacities are in tokens, such as 300k,1M. A request of more than so many blocks to
compute violates the SLO of 1, 2 or 3 seconds. Caching is optional. Next to LRU, T-LRU and Tail-Optimized Belady,
leaf-first, stand the best plans that were found for a strict cache and for one with holes, and the bound that
neither passes. What ends a search is what it does, not time: the table is the same everywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np

import teltheory as tt
from experiments.block_hashes import forest_of
from teltheory.base.whole_files import check_place
from teltheory.model.units import read_tokens
from teltheory.paper import tidy
from teltheory.paper.script import markdown, run
from teltheory.policies.spec import default_estimate, in_blocks

SLO_SECONDS = (Fraction(1), Fraction(2), Fraction(3))
Q = 0.95
LATENCY = tt.A100_LLAMA2_7B
COLUMNS = ("tokens", "goal", "LRU", "T-LRU", "T-O Belady", "strict", "holes", "proved")


@dataclass(frozen=True)
class Row(tidy.TableRow):
    """A goal at one capacity: violations of an SLO, or P95 in blocks.

    Attributes
    ----------
    lru, tlru, belady : int
        Of policies in a strict cache.
    strict, holes : int
        Of the best plan that was found.
    proved : int
        No cache has less, as prices prove.
    """

    AXES: ClassVar = ("capacity", "goal")

    capacity: int
    goal: str
    lru: int
    tlru: int
    belady: int
    strict: int
    holes: int
    proved: int


def p95(outcome: tt.Outcome) -> int:
    """Return the P95 of uncached lengths, in blocks."""
    return int(np.quantile(outcome.uncached, Q, method="inverted_cdf"))


def rows_at(forest: tt.Forest, tokens: int) -> Iterator[Row]:
    """Yield the rows of one capacity."""
    capacity = tokens // forest.block_size
    for slo in SLO_SECONDS:
        xi = LATENCY.threshold(slo) // forest.block_size
        lru, tlru, belady = (tt.slo_violations(outcome, xi) for outcome in _replayed(forest, capacity, slo))
        strict = tt.fewest_violations(forest, capacity, xi, method="heuristic", cache="strict")
        holes = tt.fewest_violations(forest, capacity, xi, method="heuristic", cache="holes")
        found = (strict.upper, holes.upper, holes.proved)
        yield Row(tokens, f"> {slo} s", lru, tlru, belady, *found)
    lru, tlru, belady = (p95(outcome) for outcome in _replayed(forest, capacity, SLO_SECONDS[1]))
    best = tt.best_percentile(forest, capacity, Q, cache="holes")
    strict_best = tt.best_percentile(forest, capacity, Q, cache="strict")
    yield Row(tokens, "P95", lru, tlru, belady, strict_best.upper, best.upper, best.proved)


def _replayed(forest: tt.Forest, capacity: int, slo: Fraction) -> list[tt.Outcome]:
    """Return what LRU, T-LRU and Tail-Optimized Belady reuse in a strict cache."""
    threshold = LATENCY.threshold(slo)
    tlru = in_blocks(tt.TLRU(threshold, default_estimate(forest), "least-recent"), forest.block_size)
    belady = tt.TailOptimizedBelady(threshold // forest.block_size)
    return [tt.replay(forest, policy, capacity) for policy in (tt.LRU(), tlru, belady)]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a Markdown table."""
    yield from markdown(COLUMNS, map(_cells, rows), "rl" + 6 * "r")


def _cells(row: Row) -> list[str]:
    numbers = (row.lru, row.tlru, row.belady, row.strict, row.holes, row.proved)
    return [f"{row.capacity / 10**6:g} M", row.goal, *(f"{n:,}" for n in numbers)]


def main(trace_file: str, capacities: str, target: str) -> Iterator[str]:
    """Search, yield the table, and write it."""
    check_place(Path(target), "to write")
    asked = [read_tokens("capacities", text) for text in capacities.split(",")]
    forest = forest_of(trace_file)
    yield f"{len(forest):,} requests, blocks of {forest.block_size} tokens; P95 in blocks"
    yield ""
    rows = [row for capacity in asked for row in rows_at(forest, capacity)]
    yield from lines(rows)
    tidy.write_rows(rows, Path(target), Row)


if __name__ == "__main__":
    run(main, __doc__)
