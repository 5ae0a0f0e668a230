"""The hindsight optimum of module sets, by every method that finds it; no answer of a solver is believed.

Divisible items have an exact optimum, which Tail-Optimized Belady finds with the caps of
`teltheory.optimal.sets.intervals`. Whole items have two sides: prices prove the lower one, and the upper one is a
plan that is checked step by step.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, vstack

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray, exact_sum, readonly
from teltheory.optimal.certificate import unweighted
from teltheory.optimal.methods import Answer, by_plan, by_relaxation, planned, proved_optimum
from teltheory.optimal.sets.intervals import group_rows, uncapped_problem
from teltheory.optimal.sets.reuses import Reuses
from teltheory.optimal.sides import Optimum


def set_optimum(instance: ModuleInstance, xi: int, method: str, time_limit: float | None) -> Optimum:
    """Return the optimum of divisible items; the arguments are those of `hindsight_optimum`, checked."""
    answer = _by(method, instance, xi, time_limit)
    return proved_optimum(instance, xi, answer, _by_item(instance, answer.outcome.cached))


def _by(method: str, instance: ModuleInstance, xi: int, time_limit: float | None) -> Answer:
    if method == "lp":
        return by_relaxation(instance, xi, unweighted(len(instance)), time_limit)
    if method == "milp":
        return _by_intervals(instance, xi, time_limit)
    if method == "pyomo":
        return by_pyomo(instance, xi, time_limit)[0]
    return by_plan(instance, xi)


def _by_item(instance: ModuleInstance, reused: IntArray) -> IntArray:
    """Return what is kept of each item, if of each request's items those that were used last are kept first."""
    reuses = Reuses.of(instance)
    return readonly(reuses.by_member(reuses.within(reused), len(instance.requests.members)))


def _by_intervals(instance: ModuleInstance, xi: int, time_limit: float | None) -> Answer:
    """Take the integer program over intervals without caps, with a row for each request."""
    from teltheory.optimal.solver import packing, solve_whole

    problem, useful = uncapped_problem(instance, xi), np.maximum(instance.total - xi, 0)
    if not len(problem.turn):
        return Answer("milp", planned(instance, np.zeros_like(useful)), (float(problem.unavoidable),))
    (matrix, room), (rows, most) = problem.matrix(), group_rows(problem, useful)
    together = csc_array(vstack([matrix, rows]))
    program = packing(together, np.concatenate((room, most)), problem.most, whole=len(problem.turn))
    answer = solve_whole(program, time_limit)
    bound = problem.unavoidable - answer.bound if np.isfinite(answer.bound) else None
    if answer.status is not None or answer.values is None or bound is None:
        raise SolverError(answer.status or NOT_WHOLE, None, bound)
    kept = np.rint(answer.values).astype(np.int64)
    if not problem.feasible(kept):
        raise SolverError(NOT_WHOLE, None, bound)
    said = (problem.unavoidable - answer.worth, bound)
    return Answer("milp", planned(instance, problem.reused(kept, len(instance))), said)


def by_pyomo(instance: ModuleInstance, xi: int, time_limit: float | None) -> tuple[Answer, IntArray]:
    """Take the problem as it is written, in Pyomo; return what is kept of each member too."""
    from teltheory.optimal.sets.formulation import kept_of, set_model
    from teltheory.optimal.solver import solve_model

    if not len(instance.requests.members):
        nothing = np.zeros(len(instance), np.int64)
        unavoidable = float(exact_sum(np.maximum(instance.total - xi, 0)))
        return Answer("pyomo", planned(instance, nothing), (unavoidable,)), nothing[:0]
    model = set_model(instance, xi)
    said = solve_model(model, time_limit)
    kept, reused = kept_of(model), np.zeros(len(instance), np.int64)
    np.add.at(reused, instance.requests.request, kept)
    return Answer("pyomo", planned(instance, reused), said), kept
