"""The only place that calls HiGHS: directly for the interval form, through Pyomo for the naive one.

A solve gives back whole numbers that were checked in exact arithmetic, or raises `SolverError`. A solver that
stops early, or says anything but "optimal", is never read as an optimum.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition

from teltheory.errors import SolverError
from teltheory.numbers import IntArray, exact_sum
from teltheory.optimal.intervals import IntervalProblem

PYOMO_SOLVER = "highs"


def solve_intervals(
    problem: IntervalProblem, *, relaxed: bool, time_limit: float | None = None
) -> tuple[IntArray, float]:
    """Maximise the reuse over intervals.

    Parameters
    ----------
    problem : IntervalProblem
        Bounds, intervals and room.
    relaxed : bool
        Solve the linear relaxation, whose vertices are integral, instead of the integer program.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    kept : ndarray of int64, shape (m,)
        An optimal amount for each interval, feasible in exact integers.
    bound : float
        The solver's upper bound on the sum.

    Raises
    ------
    SolverError
        Where the solver does not say "optimal", or its answer fails the exact check.
    """
    if not len(problem.turn):
        return np.empty(0, np.int64), 0.0
    highs = highspy.Highs()
    options: dict[str, Any] = {"output_flag": False, "mip_rel_gap": 0.0, "threads": 1}
    if time_limit is not None:
        options["time_limit"] = time_limit
    for name, value in options.items():
        _expect(highs.setOptionValue(name, value), f"option {name}")
    _expect(highs.passModel(_highs_model(problem, relaxed)), "model")
    _expect(highs.run(), "run")
    status, info = highs.getModelStatus(), highs.getInfo()
    objective = float(info.objective_function_value)
    bound = objective if relaxed else float(info.mip_dual_bound)
    if status != highspy.HighsModelStatus.kOptimal:
        raise SolverError(highs.modelStatusToString(status), *_so_far(problem, info, relaxed))
    kept = np.rint(np.array(highs.getSolution().col_value)).astype(np.int64)
    if not problem.feasible(kept) or exact_sum(kept) + 0.5 < bound:
        raise SolverError("optimal, but not in whole numbers", float(exact_sum(kept)), bound)
    return kept, bound


def _so_far(problem: IntervalProblem, info: Any, relaxed: bool) -> tuple[float | None, float | None]:
    """Return incumbent and bound on the TEL; an interrupted linear program has neither."""
    if relaxed:
        return None, None
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    incumbent = problem.unavoidable - float(info.objective_function_value) if found else None
    bound = problem.unavoidable - float(info.mip_dual_bound)
    return incumbent, bound if np.isfinite(bound) else None


def _expect(status: Any, what: str) -> None:
    if status == highspy.HighsStatus.kError:
        raise SolverError(f"{what} refused by HiGHS")


def _highs_model(problem: IntervalProblem, relaxed: bool) -> Any:
    matrix, room = problem.matrix()
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = np.ones(len(problem.turn))
    model.col_lower_ = np.zeros(len(problem.turn))
    model.col_upper_ = problem.most.astype(np.float64)
    model.row_lower_ = np.full(len(room), -highspy.kHighsInf)
    model.row_upper_ = room.astype(np.float64)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data
    if not relaxed:
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(problem.turn)
    return model


def solve_model(model: Any, time_limit: float | None = None) -> tuple[float, float]:
    """Solve a Pyomo model with HiGHS and load its solution.

    Parameters
    ----------
    model : pyomo.environ.ConcreteModel
        Changed in place: its variables take the optimal values.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    objective, bound : float
        The optimal value and the solver's bound on it.

    Raises
    ------
    SolverError
        Where the solver does not prove an optimum; the model is then left without a solution.
    """
    results = SolverFactory(PYOMO_SOLVER).solve(
        model,
        time_limit=time_limit,
        rel_gap=0.0,
        threads=1,
        load_solutions=False,
        raise_exception_on_nonoptimal_result=False,
    )
    optimal = (
        results.solution_status == SolutionStatus.optimal
        and results.termination_condition == TerminationCondition.convergenceCriteriaSatisfied
    )
    if not optimal:
        raise SolverError(results.termination_condition.name, results.incumbent_objective, results.objective_bound)
    results.solution_loader.load_vars()
    return float(results.incumbent_objective), float(results.objective_bound)
