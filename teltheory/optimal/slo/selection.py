"""The SLO of a turn, kept or not: a choice of *staircases*, and of reuse intervals on private conversations.

**Whole or not at all.** Turn e violates its SLO if and only if it computes more than xi, so it keeps it if and
only if at least need_e = total_e - xi of its past are kept over its whole reuse interval. A turn with need <= 0
never violates, one whose need is above its history (or above what the initial cache holds) always does. So the
fewest violations are a choice S of intervals,

    max |S|   subject to   sum of need_e over the e in S that cover t  <=  C_t   for every step t,

an unsplittable flow on a path with unit profits. That is strongly NP-hard (Folwarczny and Sgall, "General caching
is hard: even with small pages"); `teltheory.optimal.slo.path_flow` and docs/proofs-limits.md have the reduction.
The linear relaxation takes shares 0 <= x_e <= 1 of the intervals.

**Shared prefixes.** Request e of a forest keeps its SLO if and only if the first need_e blocks of its path are
kept for it, each from the last request before that read it (caches with holes; none may be beyond its input). The
deepest were read longest ago and are held first, so what e holds grows towards it:

    a_e(t)  =  how many of its first need_e blocks have their last request before e before step t

(and are no longer exempt, under forced caching). The problem is the same with a_e(t) in place of need_e. Nothing
is held for two requests: what is kept between two requests in a row that read it is kept for the second alone. The
staircase of a private conversation has a single *tread*.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array

from teltheory.model.numbers import INT64_MAX, BoolArray, FloatArray, IntArray
from teltheory.optimal.chains.intervals import IntervalProblem, Numbers, least_between
from teltheory.optimal.methods import AnyInstance, problem_of


@dataclass(frozen=True)
class Selection:
    """The staircases that may be chosen, over the steps that can bind.

    Choice k has the treads ``start[k]`` to ``start[k + 1]`` of `intervals`, each after the one before it; a tread
    holds its ``most`` at each of its steps, the last one what the turn keeps its SLO with. `rows` are steps whose
    room implies that of the others; tread i covers ``rows[begin[i]:end[i]]``. `above` counts the turns with total
    > xi, `within_history` those of them that need no more than was ever there: the avoidable violations.
    """

    intervals: IntervalProblem
    start: IntArray
    rows: IntArray
    begin: IntArray
    end: IntArray
    above: int
    within_history: int

    def __len__(self) -> int:
        return len(self.start) - 1

    @cached_property
    def choice(self) -> IntArray:
        """The choice of each tread; shape (treads,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def top(self) -> IntArray:
        """The last tread of each choice; shape (m,)."""
        return self.start[1:] - 1

    @property
    def turn(self) -> IntArray:
        """The turn of each choice; shape (m,)."""
        return self.intervals.turn[self.top]

    @property
    def need(self) -> IntArray:
        """What each tread holds at each of its steps when its choice is chosen; shape (treads,)."""
        return self.intervals.most

    @property
    def room(self) -> IntArray:
        """Room of the rows; shape (r,)."""
        return self.intervals.room[self.rows]

    def occupied(self, amounts: Numbers) -> Numbers:
        """Return what the treads take of each row when tread i takes ``amounts[i]``; shape (r,)."""
        return self.intervals.occupied(amounts)[self.rows]

    def taken(self, share: FloatArray) -> FloatArray:
        """Return what shares of the choices take of each row; shape (r,)."""
        return self.occupied(self.need * share[self.choice])

    def matrix(self) -> csc_array:
        """Return what each choice takes of each row when it is chosen (rows x choices)."""
        treads = self.intervals.rows(self.rows)
        values = np.repeat(self.need, np.diff(treads.indptr)).astype(np.float64)
        return csc_array((values, treads.indices, treads.indptr[self.start]), shape=(len(self.rows), len(self)))

    def covering(self, row: int) -> IntArray:
        """Return the treads that cover a row, ascending, one a choice; as turns ascend, so do the ends."""
        some = slice(*self.start[np.searchsorted(self.last_end, [row, row + self._longest], side="right")])
        return np.asarray(np.flatnonzero((self.begin[some] <= row) & (self.end[some] > row)) + some.start)

    @cached_property
    def last_end(self) -> IntArray:
        """Where among the rows each choice ends; shape (m,)."""
        return self.end[self.top]

    @cached_property
    def _longest(self) -> int:
        return int((self.last_end - self.begin[self.start[:-1]]).max(initial=0))

    def work(self) -> FloatArray:
        """Return what each choice takes of all rows together; shape (m,)."""
        taken = self.need * (self.end - self.begin).astype(np.float64)
        return np.asarray(np.add.reduceat(taken, self.start[:-1]) if len(self) else taken, np.float64)

    def amounts(self, chosen: BoolArray) -> IntArray:
        """Return what each tread holds when some are chosen; shape (treads,)."""
        return np.where(chosen[self.choice], self.need, 0)

    def fits(self, chosen: BoolArray) -> bool:
        """Whether some fit together, in exact integers."""
        return self.intervals.feasible(self.amounts(chosen))

    def reused(self, chosen: BoolArray, turns: int) -> IntArray:
        """Return what each of `turns` turns reuses when some are chosen."""
        cached = np.zeros(turns, np.int64)
        cached[self.turn] = np.where(chosen, self.need[self.top], 0)
        return cached


def selection(instance: AnyInstance, xi: int) -> Selection:
    """Write an instance as a choice of staircases; a turn violates its SLO if it computes more than xi."""
    turns = len(instance)
    parts = problem_of(instance, xi)
    avoidable = parts.reused(parts.most, turns) == instance.total - xi
    parts = _of_turns(parts, avoidable)
    treads, fits = _stacked(parts), np.ones(turns, np.bool_)
    fits[treads.turn[treads.most > least_between(treads.room, treads.first, treads.last, INT64_MAX)]] = False
    within_history, above = len(_starts(treads)) - 1, int(np.count_nonzero(instance.total > xi))
    treads, rows = _of_turns(treads, fits), _of_turns(parts, fits).binding_steps()
    return Selection(treads, _starts(treads), rows, *treads.places(rows), above, within_history)


def _of_turns(problem: IntervalProblem, some: BoolArray) -> IntervalProblem:
    keep, names = some[problem.turn], ("turn", "first", "last", "most", "weight")
    return replace(problem, **{name: getattr(problem, name)[keep] for name in names})


def _starts(problem: IntervalProblem) -> IntArray:
    """Return where the intervals of each turn begin, and how many there are."""
    return np.append(np.flatnonzero(np.diff(problem.turn, prepend=-1)), len(problem.turn))


def _stacked(parts: IntervalProblem) -> IntervalProblem:
    """Return the treads of parts that end at their turn; of a turn's parts the last ones begin first."""
    order = len(parts.turn) - 1 - np.argsort(parts.turn[::-1], kind="stable")
    treads = replace(parts, **{name: getattr(parts, name)[order] for name in ("turn", "first", "last", "weight")})
    start, amount, last = _starts(treads), parts.most[order], treads.last.copy()
    up_to = np.cumsum(amount)
    most = up_to - np.repeat((up_to - amount)[start[:-1]], np.diff(start))
    goes_on = np.flatnonzero(treads.turn[1:] == treads.turn[:-1])
    last[goes_on] = treads.first[goes_on + 1] - 1
    return replace(treads, most=most, last=last)
