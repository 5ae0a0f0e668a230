"""What a claim on forests is given beside its space: the same cases, compiled, up to larger bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from teltheory.claims.comparison import Tally
from teltheory.claims.compiled.replays.checks import (
    FIRST,
    REFUTED,
    SECOND,
    Check,
    Ranges,
    judge,
    new_tiny,
    put_known,
    replayed,
    tally_shape,
)
from teltheory.claims.forests import ForestCase, Shape, SmallForests, any_ask, no_estimate, no_threshold, shapes
from teltheory.model.numbers import IntArray


@dataclass(frozen=True)
class CompiledReplays:
    """A compiled check of a claim and the small forests on which it is run.

    Of `worlds` the bounds, the caching mode, the least numbers, and whether there are thresholds and estimates
    count; asks are whole paths or `any_ask`, `tail` is the longest tail, estimates are `new_parts` below xi.
    """

    check: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], int]
    worlds: SmallForests
    chunk: int = 0
    renew: bool = True
    tail: int = 0

    def natural(self) -> CompiledReplays:
        """Return the same check on natural forests."""
        return replace(self, worlds=self.worlds.natural(), tail=0)

    @property
    def _check(self) -> Check:
        runs, relation = self.check
        caches, policies, rooms = (np.array(column, np.int64) for column in zip(*runs, strict=True))
        return Check(caches, policies, rooms, self.chunk, self.renew, relation)

    @property
    def _ranges(self) -> Ranges:
        worlds = self.worlds
        estimates, thresholds = worlds.estimates is not no_estimate, worlds.thresholds is not no_threshold
        return Ranges(worlds.asks is any_ask, self.tail, thresholds, estimates, worlds.forced, worlds.least)

    def tally(self, requests: int, blocks: int) -> Tally[ForestCase]:
        """Check every case of a class."""
        check, ranges = self._check, self._ranges
        total = Tally[ForestCase]()
        for shape in shapes(requests, blocks):
            if shape.is_growing or not self.worlds.least:
                counts, smallest = tally_shape(*_columns(shape), check, ranges)
                within, refuting, values = map(int, counts)
                case = _case_of(shape, smallest, self.worlds.forced) if refuting else None
                total += Tally(within, refuting, values % (1 << 64), case)
        return total

    def judged(self, case: ForestCase) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None if it lies outside the hypotheses; and its values."""
        tiny, numbers = new_tiny(*_columns(case.shape))
        tiny.ask[:], numbers.total[:] = case.ask, case.total
        numbers.parameters[:] = case.capacity, case.xi, case.q_hat
        put_known(tiny, numbers)
        level = case.xi - case.q_hat
        if not all(replayed(tiny, numbers, self._check, case.forced, run, level) for run in (FIRST, SECOND)):
            return None, []
        answer = judge(numbers, self._check)
        return answer == REFUTED, numbers.values.ravel().tolist()

    def weighed(self, case: ForestCase, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        weight = 1 + case.capacity + 31 * case.xi + 961 * case.q_hat
        return weight * sum(place * value for place, value in enumerate(values, start=1))


def _columns(shape: Shape) -> tuple[IntArray, IntArray]:
    return np.array(shape.parent, np.int64), np.array(shape.leaf, np.int64)


def _case_of(shape: Shape, smallest: IntArray, forced: bool) -> ForestCase:
    """Return a case from its row."""
    n = len(shape.leaf)
    _, capacity, xi, q_hat, *columns = smallest.tolist()
    return ForestCase(shape, tuple(columns[:n]), tuple(columns[n:]), capacity, xi, q_hat, forced)
