"""What a claim on forests is given beside its space in plain Python: the same cases compiled, and larger ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from teltheory.claims.comparison import Tally
from teltheory.claims.compiled.layout import OUTSIDE, REFUTED
from teltheory.claims.compiled.tree_checks import (
    CAPACITY,
    CHECKS,
    DEMANDS,
    MOST_VALUES,
    TOTALS,
    XI,
    ShapePlan,
    judge,
    tally,
    weighed,
)
from teltheory.claims.compiled.trees import tree_of
from teltheory.claims.forests import ForestCase, Shape, SmallForests, shapes
from teltheory.model.numbers import IntArray


@dataclass(frozen=True)
class CompiledForests:
    """A compiled check of a claim and the small forests on which it is run.

    `check` is a name in `tree_checks.CHECKS`, `demands` one in `DEMANDS` and stands for the ranges of asks, totals
    and thresholds. Of `worlds` bounds, caching mode and the range of thresholds count.
    """

    check: str
    worlds: SmallForests
    demands: str = "any need"

    def natural(self) -> CompiledForests:
        """Return the same check on natural forests."""
        return replace(self, worlds=self.worlds.natural(), demands="no tail")

    def tally(self, requests: int, blocks: int) -> Tally[ForestCase]:
        """Check every case of a class."""
        total = Tally[ForestCase]()
        for shape in shapes(requests, blocks):
            if shape.is_growing or not self.worlds.least:
                total += self._of_shape(shape)
        return total

    def _of_shape(self, shape: Shape) -> Tally[ForestCase]:
        thresholds, running = self.worlds.thresholds_of(shape), self.worlds.running * self.worlds.forced
        if not thresholds:
            return Tally()
        numbers = (CHECKS[self.check], DEMANDS[self.demands], running, self.worlds.least)
        plan = ShapePlan(*numbers, thresholds[0], thresholds[-1])
        counts, least = tally(plan, tree_of(shape.parent, shape.paths), np.array(shape.known, np.int64))
        within, refuting, values = counts.tolist()
        return Tally(within, refuting, values % (1 << 64), self._case(shape, least) if refuting else None)

    def _case(self, shape: Shape, row: IntArray) -> ForestCase:
        capacity, xi, *totals = row.tolist()
        mode = (self.worlds.forced, self.worlds.running)
        return ForestCase(shape, shape.ends, tuple(totals), capacity, xi, 0, *mode)

    def judged(self, case: ForestCase) -> tuple[bool | None, list[int]]:
        """Return whether a single case refutes, None if it lies outside the hypotheses; and its values."""
        out = np.zeros(1 + MOST_VALUES, np.int64)
        tree, need = tree_of(case.shape.parent, case.shape.paths), np.array(case.need, np.int64)
        answer = judge(CHECKS[self.check], tree, need, case.capacity, case.running * case.forced, out)
        return (None if answer == OUTSIDE else answer == REFUTED), out[1 : 1 + out[0]].tolist()

    def weighed(self, case: ForestCase, values: list[int]) -> int:
        """Return what the values of a case, in a row, add to the sum of a tally."""
        row = np.zeros(TOTALS + len(case.total), np.int64)
        row[CAPACITY], row[XI], row[TOTALS:] = case.capacity, case.xi, case.total
        return int(weighed(row, np.array(values, np.int64)))
