"""Both sides of the best schedule; every plan is counted again, every side that is called proved is exact."""

from __future__ import annotations

import numpy as np

from teltheory.errors import ArgumentError, SolverError
from teltheory.optimal.deadline import deadline_of, seconds_left
from teltheory.optimal.schedules.bounds import (
    FINENESS,
    applications_of,
    horizon,
    least_by_chains,
    proved_by_prices,
)
from teltheory.optimal.schedules.dispatch import by_order, dispatched
from teltheory.optimal.schedules.problem import Plan, Scheduling, cost_of, ends_of
from teltheory.optimal.schedules.program import Program
from teltheory.optimal.sides import Optimum, lower_side

METHODS = ("milp", "lp", "pyomo")
ROUNDING = 1e-6


def best_schedule(problem: Scheduling, method: str = "milp", time_limit: float | None = None) -> Optimum:
    """Return the best assignment of tasks to servers and their order.

    Parameters
    ----------
    problem : Scheduling
        A small problem: some ten tasks and a few tens of units of time.
    method : {"milp", "lp", "pyomo"}
        A program in whole numbers; its relaxation alone, whose bound is exact; or the program once more, as
        Pyomo's model.
    time_limit : float, optional
        Seconds for the solver; then what was found is returned.

    Raises
    ------
    ArgumentError
        A wrong argument.
    SolverError
        A solver's answer fails the exact check.
    """
    if method not in METHODS:
        raise ArgumentError("method", method, "'milp', 'lp' or 'pyomo'")
    deadline = deadline_of(time_limit)
    upper, plan = min((_counted(problem, plan), plan) for plan in _listed(problem))
    proved, bound = least_by_chains(problem), None
    if proved < upper:
        program = Program(problem, horizon(problem, upper))
        proved = max(proved, _proved(program, seconds_left(deadline)))
        if method != "lp" and proved < upper:
            better, bound = _solved(program, method, seconds_left(deadline))
            upper, plan = min([(upper, plan), *((_counted(problem, one), one) for one in better)])
    lower = lower_side(proved, upper, bound)
    return Optimum(lower, upper, proved, None, None, method, plan, bound, what="cost")


def _counted(problem: Scheduling, plan: Plan) -> int:
    return cost_of(problem, ends_of(problem, plan))


def _listed(problem: Scheduling) -> list[Plan]:
    """Return plans in order of number, and of applications by their work, least first."""
    apps = applications_of(problem).values()
    by_work = sorted(apps, key=lambda tasks: sum(problem.tasks[j].work for j in tasks))
    orders = [list(range(len(problem.tasks))), [j for tasks in by_work for j in tasks]]
    return [dispatched(problem, by_order(order)) for order in orders]


def _proved(program: Program, time_limit: float | None) -> int:
    """Return what the prices of the relaxation prove, rounded to fractions and counted exactly."""
    from teltheory.optimal.solver import PackingSolver, packing

    matrix, sides = program.matrix()
    ones = np.ones(matrix.shape[1])
    try:
        vertex = PackingSolver(packing(matrix, sides, ones, program.worth.astype(float))).optimum(time_limit)
    except SolverError:
        return 0
    prices = np.rint(np.abs(vertex.prices) * FINENESS).astype(np.int64)
    return program.most - proved_by_prices(matrix, sides, program.worth, prices)


def _solved(program: Program, method: str, time_limit: float | None) -> tuple[list[Plan], float | None]:
    """Return the solver's plan, if it has one, and its bound on the cost."""
    if method == "pyomo":
        return _by_pyomo(program, time_limit)
    from teltheory.optimal.solver import packing, solve_whole

    matrix, sides = program.matrix()
    columns = matrix.shape[1]
    model = packing(matrix, sides, np.ones(columns), program.worth.astype(float), whole=columns)
    answer = solve_whole(model, time_limit, mip_abs_gap=ROUNDING)
    bound = program.most - answer.bound if np.isfinite(answer.bound) else None
    return ([] if answer.values is None else [program.plan(iter(answer.values))]), bound


def _by_pyomo(program: Program, time_limit: float | None) -> tuple[list[Plan], float | None]:
    from teltheory.optimal.schedules.formulation import plan_of, schedule_model
    from teltheory.optimal.solver import solve_model

    model = schedule_model(program.problem, program.horizon)
    _, bound = solve_model(model, time_limit)
    return [plan_of(model)], bound
