"""What a claim on forests is given beside its space in plain Python: the same cases in C (``forests.c``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.claims.comparison import Tally
from teltheory.claims.compiled.pace import Pace
from teltheory.claims.forests import ForestCase, Shape, SmallForests, shapes
from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray, readonly

CHECKS = ("greedy and optimum", "strict and holes", "leaf first and strict", "closed needs")
DEMANDS = ("any need", "no tail")
"""Every vector of needs up to what is known, at a threshold of the depth; or each excess is without a tail, at
thresholds from the least one to the depth."""
MOST_BLOCKS, MOST_REQUESTS = 16, 32
OUTSIDE, REFUTED = -1, 0
"""Answers of a check, beside true."""
MOST_VALUES = 3


class SmallForest(NamedTuple):
    """A shape as C has it: the numbers of requests and blocks, parents, and the last block of each path."""

    requests: int
    blocks: int
    parent: IntArray
    leaf: IntArray

    @classmethod
    @lru_cache(maxsize=2)
    def of(cls, shape: Shape) -> SmallForest:
        """Return a shape's; it is asked again for each of its cases."""
        requests, blocks = len(shape.leaf), len(shape.parent)
        if requests > MOST_REQUESTS or blocks > MOST_BLOCKS:
            expected = f"at most {MOST_REQUESTS} requests and {MOST_BLOCKS} blocks of a compiled forest"
            raise ArgumentError("shape", f"{requests} requests and {blocks} blocks", expected)
        return cls(requests, blocks, *(readonly(np.array(of, np.int64)) for of in (shape.parent, shape.leaf)))

    @property
    def room(self) -> IntArray:
        """Working room: four numbers for each set of blocks."""
        return np.empty(4 << self.blocks, np.int64)


def least_loss(case: ForestCase, losses: IntArray, start: Iterable[int] = (), *, strict: bool = False) -> int:
    """Return the least sum of what requests lose, of any policy, from a cache that holds some blocks.

    `losses` has what each request loses if it finds 0 ... B leading blocks.
    """
    forest, held = SmallForest.of(case.shape), sum(1 << block for block in start)
    numbers = (case.capacity, case.running * case.forced, strict, held)
    return int(call("least_loss_in_small_forest", numbers, forest, losses, forest.room))


@dataclass(frozen=True)
class CompiledForests:
    """A compiled check of a claim and the small forests on which it is run.

    `check` is a name in `CHECKS`, `demands` one in `DEMANDS` and stands for the ranges of asks, totals and
    thresholds. Of `worlds` bounds, caching mode and the range of thresholds count.
    """

    check: str
    worlds: SmallForests
    demands: str = "any need"

    def natural(self) -> CompiledForests:
        """Return the same check on natural forests."""
        return replace(self, worlds=self.worlds.natural(), demands="no tail")

    def tally(self, requests: int, blocks: int) -> Tally[ForestCase]:
        """Check every case of a class."""
        total, pace = Tally[ForestCase](), Pace()
        for shape in shapes(requests, blocks):
            if not self.worlds.least or shape.is_growing:
                total += self._of_shape(shape, pace)
        return total

    def _of_shape(self, shape: Shape, pace: Pace) -> Tally[ForestCase]:
        thresholds = self.worlds.thresholds_of(shape)
        if not thresholds:
            return Tally()
        codes = (CHECKS.index(self.check), DEMANDS.index(self.demands), self.worlds.running * self.worlds.forced)
        plan = (*codes, self.worlds.least, thresholds[-1])
        forest, known = SmallForest.of(shape), np.array(shape.known, np.int64)
        at = np.array((thresholds[0], *[0] * forest.requests), np.int64)
        totals, least = np.zeros(3, np.int64), np.zeros(2 + forest.requests, np.int64)
        more = (known, at, totals, least, forest.room)
        pace.until_done(lambda vectors: call("tally_small_forest", vectors, plan, forest, more))
        within, refuting, values = totals.tolist()
        return Tally(within, refuting, values % (1 << 64), self._case(shape, least) if refuting else None)

    def _case(self, shape: Shape, row: IntArray) -> ForestCase:
        capacity, xi, *totals = row.tolist()
        mode = (self.worlds.forced, self.worlds.running)
        return ForestCase(shape, shape.ends, tuple(totals), capacity, xi, 0, *mode)

    def judged(self, case: ForestCase) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None if it lies outside the hypotheses; and its values."""
        forest, values = SmallForest.of(case.shape), np.zeros(1 + MOST_VALUES, np.int64)
        plan = (CHECKS.index(self.check), case.capacity, case.running * case.forced)
        need = np.array(case.need, np.int64)
        answer = call("judge_small_forest", plan, forest, need, values, forest.room)
        return (None if answer == OUTSIDE else answer == REFUTED), values[1 : 1 + values[0]].tolist()

    def weighed(self, case: ForestCase, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.xi + sum(k * total for k, total in enumerate(case.total, start=2))
        return weight * sum(place * value for place, value in enumerate(values, start=1))
