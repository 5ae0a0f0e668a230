"""The hindsight problem of a strict cache over intervals, as an integer program.

One 0-1 variable for each unit v and each two consecutive requests s -> e through it: v is kept in between. It
takes a unit of room at the steps s + 1 ... e, and is worth 1 if e needs v. What the initial cache holds has s = 0.
A strict cache is closed towards the root: the requests through v went through its parent u as well, so between s
and e lie intervals of u, and

    y(v, s -> e)  <=  y(u, s' -> e')     for each of them.

Unlike in a cache with holes these rows are not redundant: a unit that nobody needs is kept for those below it.
It is strongly NP-hard (docs/proofs-limits.md), and nothing better than a general integer program is known.
"""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csc_array, vstack

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import BoolArray, IntArray, exact_sum
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.optimal.solver import packing, solve_whole
from teltheory.optimal.trees.intervals import first_steps, needs, rooms_beside
from teltheory.optimal.trees.judge import running_at
from teltheory.replay.trees.visits import Visits

HALF = 0.5


def strict_states(
    instance: ForestInstance, xi: int, time_limit: float | None = None
) -> tuple[list[set[int]], float]:
    """Return what a strict cache holds before each request, and the solver's bound on the TEL; both are its word.

    The nodes of the instance are units. `SolverError` if no plan was found in time.
    """
    visits = Visits.of(instance.requests, by_units=True)
    (again,) = np.nonzero((visits.previous >= 0) | (visits.end <= instance.begun[visits.request]))
    problem = _intervals(instance, visits, again, xi)
    if not problem.weight.any():
        return _held(instance, visits.piece[again], problem, np.zeros(len(again), np.bool_)), problem.unavoidable
    matrix, room = problem.matrix()
    rows = _precedence(visits, again)
    program = packing(
        vstack([matrix, rows], format="csc"),
        np.concatenate((room, np.zeros(rows.shape[0], np.int64))),
        problem.most,
        problem.weight.astype(np.float64),
        whole=len(again),
    )
    answer = solve_whole(program, time_limit)
    bound = problem.unavoidable - answer.bound
    if answer.values is None:
        raise SolverError(answer.status or NOT_WHOLE, None, bound if np.isfinite(bound) else None)
    return _held(instance, visits.piece[again], problem, answer.values > HALF), bound


def _intervals(instance: ForestInstance, visits: Visits, again: IntArray, xi: int) -> IntervalProblem:
    """Return an interval for every visit to a unit that was read before, worth 1 if it is needed."""
    turn, before = visits.request[again], np.append(visits.request, -1)[visits.previous[again]]
    needed = (visits.end[again] <= needs(instance.requests, xi)[turn]).astype(np.int64)
    first = first_steps(before, turn, instance.exempt)
    unavoidable = exact_sum(np.maximum(instance.total - xi, 0))
    room = np.append(0, rooms_beside(instance))
    return IntervalProblem(turn, first, turn + 1, np.ones_like(turn), room, unavoidable, needed)


def _precedence(visits: Visits, again: IntArray) -> csc_array:
    """Return the rows y(child) - y(parent) <= 0, one for each of the parent's intervals within the child's."""
    column = np.full(len(visits.piece), -1, np.int64)
    column[again] = np.arange(len(again))
    pairs = np.array(list(_within(visits, again.tolist())), np.int64).reshape(-1, 2)
    rows = np.repeat(np.arange(len(pairs)), 2)
    signs = np.tile([1.0, -1.0], len(pairs))
    return csc_array((signs, (rows, column[pairs].ravel())), shape=(len(pairs), len(again)))


def _within(visits: Visits, again: list[int]) -> Iterator[tuple[int, int]]:
    """Yield (visit to the child, visit to the parent) for every interval of the parent within one of the child."""
    start, request, previous = visits.start.tolist(), [*visits.request.tolist(), -1], visits.previous.tolist()
    for j in again:
        above = j - 1
        if above < start[request[j]]:
            continue
        while request[above] > request[previous[j]]:
            yield j, above
            above = previous[above]


def _held(instance: ForestInstance, unit: IntArray, problem: IntervalProblem, chosen: BoolArray) -> list[set[int]]:
    """Return what is held before each request, running paths included."""
    held = [set(running_at(instance, k)) for k in range(len(instance))]
    for v, first, last in zip(unit[chosen], problem.first[chosen], problem.last[chosen], strict=True):
        for step in range(first, last + 1):
            held[step - 1].add(int(v))
    return held
