"""What a claim on replays of forests is given beside its space: the same cases in C (``replays.c``), and more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise

import numpy as np

from teltheory.base.loops import call
from teltheory.claims.comparison import Tally
from teltheory.claims.compiled.pace import Pace
from teltheory.claims.forests import ForestCase, Shape, SmallForests, any_ask, no_estimate, no_threshold, shapes
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray

# What stands below is in the order of caches.h and replays.c.
CACHES = ("strict", "holes", "nodes")
POLICIES = ("LRU", "high-water", "last", "resident")
"""LRU, and T-LRU by its mark."""
ROOMS = ("C", "C + 1", "C - k + 1", "C / k")
"""In the last two, of chunks of k tokens, caching is optional, as paths may be longer."""
EXCESS_IN_ALL, EXCESSES, HITS = range(3)

MOST = 16
"""Most blocks, and most requests."""
AT_ONCE = 10_000
"""Shapes that are listed at once."""
OUTSIDE, REFUTED = -1, 0
"""Answers of a check, beside true."""


@dataclass(frozen=True)
class CompiledReplays:
    """A compiled check of a claim and the small forests on which it is run.

    `runs` are two, each a name in `CACHES`, `POLICIES` and `ROOMS`; `relation` is what is compared. Of `worlds`
    the bounds, the caching mode, the least numbers, and whether there are thresholds and estimates count; asks are
    whole paths or `any_ask`, `tail` is the longest tail, estimates are `new_parts` below xi.
    """

    runs: tuple[tuple[str, str, str], tuple[str, str, str]]
    relation: int
    worlds: SmallForests
    chunk: int = 0
    renew: bool = True
    tail: int = 0

    def natural(self) -> CompiledReplays:
        """Return the same check on natural forests."""
        return replace(self, worlds=self.worlds.natural(), tail=0)

    def _plan(self, forced: bool) -> IntArray:
        worlds, runs = self.worlds, (zip((CACHES, POLICIES, ROOMS), run, strict=True) for run in self.runs)
        codes = [listed.index(name) for run in runs for listed, name in run]
        check = (self.chunk, self.renew, self.relation, forced)
        thresholds, estimates = worlds.thresholds is not no_threshold, worlds.estimates is not no_estimate
        ranges = (worlds.asks is any_ask, self.tail, thresholds, estimates, worlds.least)
        return np.array((*codes, *check, *ranges), np.int64)

    def tally(self, requests: int, blocks: int) -> Tally[ForestCase]:
        """Check every case of a class."""
        total, plan, pace = Tally[ForestCase](), self._plan(self.worlds.forced), Pace()
        tried = (shape for shape in shapes(requests, blocks) if not self.worlds.least or shape.is_growing)
        while some := list(islice(tried, AT_ONCE)):
            total += self._of_shapes(some, plan, pace)
        return total

    def _of_shapes(self, some: list[Shape], plan: IntArray, pace: Pace) -> Tally[ForestCase]:
        """Check every case of shapes of one size."""
        requests, blocks, *columns = _columns(*some)
        at, totals = np.array((0, -1, *[0] * (2 * requests - 1)), np.int64), np.zeros(3, np.int64)
        smallest = np.zeros(5 + blocks + 3 * requests, np.int64)
        given = (plan, len(some), requests, blocks, *columns, at, totals, smallest)
        pace.until_done(lambda vectors: call("tally_replays", vectors, given))
        within, refuting, values = totals.tolist()
        case = _case_of(smallest, blocks, requests, self.worlds.forced) if refuting else None
        return Tally(within, refuting, values % (1 << 64), case)

    def judged(self, case: ForestCase) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None if it lies outside the hypotheses; and its values."""
        parameters, values = (case.capacity, case.xi, case.q_hat), [0] * (2 * len(case.ask))
        columns = [np.array(column, np.int64) for column in (case.ask, case.total, parameters, values)]
        answer = call("judge_replays", self._plan(case.forced), _columns(case.shape), *columns)
        return (None, []) if answer == OUTSIDE else (answer == REFUTED, columns[-1].tolist())

    def weighed(self, case: ForestCase, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.xi + 961 * case.q_hat
        return weight * sum(place * value for place, value in enumerate(values, start=1))


def _columns(*some: Shape) -> tuple[int, int, IntArray, IntArray]:
    """Return requests, blocks, parents and the last block of each path, of shapes of one size."""
    requests, blocks = len(some[0].leaf), len(some[0].parent)
    if max(requests, blocks) > MOST:
        expected = f"at most {MOST} requests and blocks of a compiled replay"
        raise ArgumentError("shape", f"{requests} requests and {blocks} blocks", expected)
    parents, leaves = zip(*((shape.parent, shape.leaf) for shape in some), strict=True)
    return requests, blocks, np.array(parents, np.int64), np.array(leaves, np.int64)


def _case_of(row: IntArray, blocks: int, requests: int, forced: bool) -> ForestCase:
    """Return a case from block reads, all totals, C, xi, q_hat, parents, leaves, asks and totals."""
    _, _, capacity, xi, q_hat, *numbers = row.tolist()
    ends = (0, *accumulate((blocks, requests, requests, requests)))
    parent, leaf, ask, total = (tuple(numbers[begin:end]) for begin, end in pairwise(ends))
    return ForestCase(Shape(parent, leaf), ask, total, capacity, xi, q_hat, forced)
