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

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from teltheory.instance import Instance
from teltheory.numbers import INT64_MAX, BoolArray, FloatArray, IntArray
from teltheory.optimal.intervals import interval_problem, least_between

Amounts = TypeVar("Amounts", IntArray, FloatArray)


@dataclass(frozen=True)
class Selection:
    """The intervals that may be chosen, over the steps that can bind.

    Attributes
    ----------
    turn : ndarray of int64, shape (m,)
        Turn, counted from 0, that keeps its SLO when interval k is chosen.
    need : ndarray of int64, shape (m,)
        What the interval then holds at each step.
    first, last : ndarray of int64, shape (m,)
        First and last step of the interval; ``first > last`` where it covers none.
    room : ndarray of int64, shape (n + 1,)
        Room at step t; entry 0 is unused.
    rows : ndarray of int64, shape (r,)
        Steps whose room implies that of the others.
    begin, end : ndarray of int64, shape (m,)
        Interval k covers ``rows[begin[k]:end[k]]``.
    above : int
        Turns with total > xi: the violations without a cache.
    within_history : int
        How many of them need no more than was ever there: the avoidable violations.
    """

    turn: IntArray
    need: IntArray
    first: IntArray
    last: IntArray
    room: IntArray
    rows: IntArray
    begin: IntArray
    end: IntArray
    above: int
    within_history: int

    def __len__(self) -> int:
        return len(self.turn)

    def occupied(self, amounts: Amounts) -> Amounts:
        """Return what the intervals take of each row when interval k takes ``amounts[k]``; shape (r,)."""
        change = np.zeros(len(self.rows) + 1, amounts.dtype)
        some = self.begin < self.end
        np.add.at(change, self.begin[some], amounts[some])
        np.subtract.at(change, self.end[some], amounts[some])
        return np.cumsum(change)[:-1]

    def covering(self, row: int) -> IntArray:
        """Return the intervals that cover a row, ascending; as turns ascend, so do the ends."""
        some = slice(*np.searchsorted(self.end, [row, row + self._longest], side="right"))
        return np.asarray(np.flatnonzero((self.begin[some] <= row) & (self.end[some] > row)) + some.start)

    @cached_property
    def _longest(self) -> int:
        return int((self.end - self.begin).max(initial=0))

    def feasible(self, chosen: BoolArray) -> bool:
        """Whether the chosen intervals fit into the room of every step, in exact whole numbers."""
        free = self.room.tolist()
        change = [0] * (len(free) + 1)
        for k in np.flatnonzero(chosen & (self.first <= self.last)).tolist():
            change[int(self.first[k])] += int(self.need[k])
            change[int(self.last[k]) + 1] -= int(self.need[k])
        taken = 0
        for step in range(1, len(free)):
            taken += change[step]
            if taken > free[step]:
                return False
        return True

    def reused(self, chosen: BoolArray, turns: int) -> IntArray:
        """Return what each of `turns` turns reuses when the chosen intervals hold what they need."""
        cached = np.zeros(turns, np.int64)
        cached[self.turn[chosen]] = self.need[chosen]
        return cached


def selection(instance: Instance, xi: int) -> Selection:
    """Write an instance as a choice of reuse intervals.

    Parameters
    ----------
    instance : Instance
        Trace, capacity, caching mode and initial cache.
    xi : int
        Threshold: a turn violates its SLO where it computes more.
    """
    problem = interval_problem(instance, xi)
    need = instance.total[problem.turn] - xi
    avoidable = problem.most == need
    least_room = least_between(problem.room, problem.first, problem.last, INT64_MAX)
    keep = avoidable & (need <= least_room)
    rows = _rows(problem.room, problem.first[keep], problem.last[keep])
    position = np.searchsorted(rows, np.arange(len(problem.room) + 1))
    first, last = problem.first[keep], problem.last[keep]
    begin, end = position[first], position[last + 1]
    return Selection(
        problem.turn[keep],
        need[keep],
        first,
        last,
        problem.room,
        rows,
        begin,
        np.maximum(begin, end),
        int(np.count_nonzero(instance.total > xi)),
        int(np.count_nonzero(avoidable)),
    )


def _rows(room: IntArray, first: IntArray, last: IntArray) -> IntArray:
    """Return the covered steps but those whose next step has the same intervals and more, and no more room."""
    steps = np.arange(1, len(room))
    cover = np.zeros(len(room) + 1, np.int64)
    some = first <= last
    np.add.at(cover, first[some], 1)
    np.subtract.at(cover, last[some] + 1, 1)
    covered = np.cumsum(cover)[1:-1] > 0
    ends = np.isin(steps, last[some])
    tighter_next = np.append(room[2:] <= room[1:-1], False) if len(steps) else ends
    return steps[covered & (ends | ~tighter_next)]
