"""Which SLO violations are avoided together: a choice of reuse intervals, each taken whole or not at all.

Turn e violates its SLO if and only if it computes more than xi, so it keeps it if and only if at least

    need_e = total_e - xi

of its past are kept over its whole reuse interval (see `teltheory.optimal.intervals`). A turn with need <= 0 never
violates, one whose need is above its history (or above what the initial cache holds) always does. So the fewest
violations are a choice S of intervals,

    max |S|   subject to   sum of need_e over the e in S that cover t  <=  room_t   for every step t,

an unsplittable flow on a path with unit profits. That is strongly NP-hard (Folwarczny and Sgall, "General caching
is hard: even with small pages"); `teltheory.optimal.path_flow` and docs/limits.md have the reduction. The linear
relaxation takes shares 0 <= x_e <= 1 of the intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX, BoolArray, IntArray
from teltheory.optimal.intervals import IntervalProblem, Numbers, interval_problem, least_between


@dataclass(frozen=True)
class Selection:
    """The intervals that may be chosen, over the steps that can bind.

    ``intervals.most`` is what a turn keeps its SLO with. `rows` are steps whose room implies that of the others;
    interval k covers ``rows[begin[k]:end[k]]``. `above` counts the turns with total > xi, `within_history` those
    of them that need no more than was ever there: the avoidable violations.
    """

    intervals: IntervalProblem
    rows: IntArray
    begin: IntArray
    end: IntArray
    above: int
    within_history: int

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def need(self) -> IntArray:
        """What each interval holds at each step when it is chosen; shape (m,)."""
        return self.intervals.most

    @property
    def room(self) -> IntArray:
        """Room of the rows; shape (r,)."""
        return self.intervals.room[self.rows]

    def occupied(self, amounts: Numbers) -> Numbers:
        """Return what the intervals take of each row when interval k takes ``amounts[k]``; shape (r,)."""
        return self.intervals.occupied(amounts)[self.rows]

    def covering(self, row: int) -> IntArray:
        """Return the intervals that cover a row, ascending; as turns ascend, so do the ends."""
        some = slice(*np.searchsorted(self.end, [row, row + self._longest], side="right"))
        return np.asarray(np.flatnonzero((self.begin[some] <= row) & (self.end[some] > row)) + some.start)

    @cached_property
    def _longest(self) -> int:
        return int((self.end - self.begin).max(initial=0))

    def amounts(self, chosen: BoolArray) -> IntArray:
        """Return what each interval holds when some are chosen; shape (m,)."""
        return np.where(chosen, self.need, 0)


def selection(instance: Instance, xi: int) -> Selection:
    """Write an instance as a choice of reuse intervals; a turn violates its SLO if it computes more than xi."""
    problem = interval_problem(instance, xi)
    avoidable = problem.most == instance.total[problem.turn] - xi
    keep = avoidable & (problem.most <= least_between(problem.room, problem.first, problem.last, INT64_MAX))
    names = ("turn", "first", "last", "most", "weight")
    problem = replace(problem, **{name: getattr(problem, name)[keep] for name in names})
    rows = problem.binding_steps()
    above = int(np.count_nonzero(instance.total > xi))
    return Selection(problem, rows, *problem.places(rows), above, int(np.count_nonzero(avoidable)))
