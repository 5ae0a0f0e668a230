"""The hindsight problem of a forest over reuse intervals; see docs/forest-optimum.md, statement F.

Between a request s through a block and the next one e only a block that is kept *all the way* is hit at e, and it
lowers the excess of e if its depth is at most

    need_e = min(ask_e, max(0, total_e - xi)).

The path of e falls into runs, root first: run j has the blocks that request s_j was the last to read. So with

    0 <= y_ej <= how many blocks of run j lie within need_e,

which take y_ej of the room at the steps s_j + 1 ... e, the problem is that of
`teltheory.optimal.chains.intervals`, with several intervals a request. That a block is of use only beside its
ancestors need not be written down: an ancestor's interval into e begins no earlier and ends with it, so what is
kept of e can be moved up its path.

What the initial cache holds of the path below all these runs is one more run, with s = 0: nobody had it before e.
"""

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.initial import check_cuts
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray, exact_dot
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.replay.trees.runs import Runs


def forest_problem(instance: ForestInstance, xi: int, weight: IntArray | None = None) -> IntervalProblem:
    """Write an instance as a problem over reuse intervals; `weight` is of the requests, 1 if left out."""
    forest, n = instance.requests, len(instance.requests)
    weight = np.ones(n, np.int64) if weight is None else weight
    runs = runs_of(instance)
    request = np.repeat(np.arange(n), np.diff(runs.start))
    above = np.append(0, runs.to[:-1])
    above[runs.start[:-1][np.diff(runs.start) > 0]] = 0
    most = np.minimum(runs.to, needs(forest, xi)[request]) - above
    some = np.flatnonzero((most > 0) & (weight[request] > 0))
    turn, room = request[some], np.append(0, rooms_beside(instance))
    first = first_steps(runs.slot[some], turn, instance.exempt)
    unavoidable = exact_dot(weight, np.maximum(forest.total - xi, 0))
    return IntervalProblem(turn, first, turn + 1, most[some], room, unavoidable, weight[turn])


def runs_of(instance: ForestInstance) -> Runs:
    """Return the runs of all paths; the last one of a path may be of the initial cache, with -1 for its slot."""
    check_cuts(instance.requests, instance.initial, instance.running)
    runs = Runs.of(instance.requests)
    if not instance.initial:
        return runs
    known = np.where(np.diff(runs.start) > 0, np.append(runs.to, 0)[runs.start[1:] - 1], 0)
    (more,) = np.nonzero(instance.begun > known)
    place = runs.start[1:][more]
    slot, to = np.insert(runs.slot, place, -1), np.insert(runs.to, place, instance.begun[more])
    return Runs(runs.end, runs.start + np.append(0, np.cumsum(instance.begun > known)), slot, to)


def first_steps(before: IntArray, turn: IntArray, exempt: int) -> IntArray:
    """Return where intervals begin: of what was read by requests `before`, -1 for the initial cache."""
    return np.minimum(np.where(before < 0, 1, before + 2 + exempt), turn + 2)


def needs(forest: Forest, xi: int) -> IntArray:
    """Return how many leading units of its path lower each request's excess: min(ask, max(0, total - xi))."""
    return np.minimum(forest.ask, np.maximum(forest.total - xi, 0))


def rooms_beside(instance: ForestInstance) -> IntArray:
    """Return the room at each step 1 ... n, at index 0 ... n - 1: what exempt paths leave of the capacity."""
    room = np.full(len(instance.requests), instance.capacity, np.int64)
    room[1:] -= instance.pinned[:-1]
    return room
