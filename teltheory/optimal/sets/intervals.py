"""The hindsight problem of module sets over reuse intervals; see docs/module-sets.md.

Between the last use s of an item and its next use, by request e, only a prefix that is kept *all the way* is
reused. With y_ei what is kept of item i for e, at the steps s + 1 ... e, and g_e = max(0, total_e - xi), the
problem is

    max sum of y   subject to   0 <= y_ei <= size_i,
                                sum of y over the intervals that cover t  <=  C_t   for every step t,
                                sum of y_ei over the items of e           <=  g_e   for every request e.

All intervals into e end at e, so they are nested: what is kept of an item that was used earlier can be moved to
one that was used later, and takes less room. So g_e can be promised to the items that were used last first, as far
as it goes, and each interval has a cap of its own:

    cap_ei = min(size_i, max(0, g_e - sizes of the items of e that were used later)).

Caps of a request add up to g_e at most, so that its row is no longer needed, and what is left is the problem of
`teltheory.optimal.chains.intervals`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csc_array

from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray, exact_dot
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.optimal.sets.reuses import Reuses


def set_problem(instance: ModuleInstance, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    """Write an instance as a problem over reuse intervals with caps; `weight` is of the requests, else 1."""
    reuses, useful = Reuses.of(instance), np.maximum(instance.total - xi, 0)
    return _problem(instance, reuses, reuses.within(useful), useful, weight)


def uncapped_problem(instance: ModuleInstance, xi: int) -> IntervalProblem:
    """Write an instance as a problem over reuse intervals without caps; `group_rows` are to be added."""
    reuses, useful = Reuses.of(instance), np.maximum(instance.total - xi, 0)
    return _problem(instance, reuses, reuses.to - reuses.above, useful)


def naive_problem(instance: ModuleInstance, xi: int) -> IntervalProblem:
    """Write an instance with the naive caps min(size_i, g_e) and no rows of requests: not the hindsight problem.

    Its optimum counts more than there is of requests whose items exceed g_e together.
    """
    problem = uncapped_problem(instance, xi)
    useful = np.maximum(instance.total - xi, 0)[problem.turn]
    some = useful > 0
    columns = {name: getattr(problem, name)[some] for name in ("turn", "first", "last", "weight")}
    return replace(problem, most=np.minimum(problem.most, useful)[some], **columns)


def group_rows(problem: IntervalProblem, useful: IntArray) -> tuple[csc_array, IntArray]:
    """Return a row for each request that has intervals, the sum of what is kept for it, and the right sides g."""
    requests, row = np.unique(problem.turn, return_inverse=True)
    columns = np.arange(len(row))
    rows = csc_array((np.ones(len(row)), (row, columns)), shape=(len(requests), len(row)))
    return rows, useful[requests]


def _problem(
    instance: ModuleInstance, reuses: Reuses, most: IntArray, useful: IntArray, weight: IntArray | None = None
) -> IntervalProblem:
    weight = np.ones(len(instance), np.int64) if weight is None else weight
    turn = reuses.turn
    some = np.flatnonzero((most > 0) & (weight[turn] > 0))
    turn, room = turn[some], np.append(0, set_rooms(instance))
    first = np.minimum(reuses.slot[some] + 2 + instance.exempt, turn + 2)
    return IntervalProblem(turn, first, turn + 1, most[some], room, exact_dot(weight, useful), weight[turn])


def set_rooms(instance: ModuleInstance) -> IntArray:
    """Return the room at each step 1 ... n, at index 0 ... n - 1: what exempt items leave of the capacity."""
    room = np.full(len(instance), instance.capacity, np.int64)
    if instance.forced:
        room[1:] -= instance.asked[:-1]
    return room
