"""HiGHS: called directly for the interval form, through Pyomo for the naive one.

A solver that stops early, or says anything but "optimal", is never read as an optimum, and "optimal" is its word:
whoever asks checks the point, and proves the optimum, in exact arithmetic. An interrupt (Ctrl-C) stops a solve of
the interval form, an early stop like any other; it is heard only at the end of a solve of the naive form, which is
for a few hundred turns.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cached_property
from threading import Event
from typing import Any, NamedTuple

import highspy
import numpy as np
from scipy.sparse import csc_array, csr_array

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.numbers import FloatArray, IntArray, exact_sum
from teltheory.optimal.chains.intervals import IntervalProblem

PYOMO_SOLVER = "highs"
GIVEN = {"presolve": "off", "mip_heuristic_run_feasibility_jump": False}
"""Of each solve: presolve reports wrong optima (docs/claims.md), the jump takes 8 ms of the smallest program."""
LARGEST_COST = 2**20
INTERRUPTED = "Interrupted by user"
OUT_OF_TIME = "Time limit reached"
HEARD_WITHIN = 0.1
"""Seconds of a wait for the solver: in one without an end Python hears no interrupt that came just before it."""


class Vertex(NamedTuple):
    """An optimum of a linear program: values of the columns, and prices of the rows."""

    values: FloatArray
    prices: FloatArray


class GrowingProgram:
    """max sum of weight y, 0 <= y <= most, with rows that are added between solves, each from the last basis.

    Weights beyond `LARGEST_COST` are divided by a power of two, and the prices multiplied by it.
    """

    def __init__(self, most: IntArray | FloatArray, weight: IntArray | FloatArray) -> None:
        beyond = (int(weight.max(initial=1)) - 1).bit_length() - LARGEST_COST.bit_length() + 1
        self._most, self._weight, self._scale = most, weight, 2.0 ** max(0, beyond)

    @cached_property
    def _engine(self) -> PackingSolver:
        no_rows = csc_array((0, len(self._most)))
        return PackingSolver(packing(no_rows, np.empty(0), self._most, self._weight / self._scale))

    def add_rows(self, matrix: csr_array, room: IntArray | FloatArray) -> None:
        """Add rows ``matrix @ y <= room``."""
        low, up = np.full(len(room), -highspy.kHighsInf), room.astype(np.float64)
        start, index = matrix.indptr[:-1].astype(np.int32), matrix.indices.astype(np.int32)
        status = self._engine.highs.addRows(len(room), low, up, matrix.nnz, start, index, matrix.data)
        expect(status, "rows")

    def weigh(self, weight: FloatArray) -> None:
        """Give the columns other weights, none beyond the largest before."""
        number = np.arange(len(weight), dtype=np.int32)
        expect(self._engine.highs.changeColsCost(len(weight), number, weight / self._scale), "weights")

    def solve(self, time_limit: float | None = None) -> Vertex:
        """Solve for the rows that are there, with prices of 0 or more; `SolverError` as of `PackingSolver`."""
        vertex = self._engine.optimum(time_limit)
        return Vertex(vertex.values, np.abs(vertex.prices) * self._scale)


class Silent(highspy.Highs):  # type: ignore[misc]
    """HiGHS that prints nothing: from 1.16 on it prints its version once callbacks are enabled, as it is made."""

    def enableCallbacks(self) -> None:  # noqa: N802 - the name is HiGHS's
        """Be silent before the first call that prints."""
        self.silent()
        super().enableCallbacks()


class PackingSolver:
    """HiGHS on a program of `packing`, in one thread, silent, and stopped by an interrupt."""

    def __init__(self, model: Any, **options: object) -> None:
        self.highs = Silent()
        self._stop = Event()
        self._pool = ThreadPoolExecutor(1)
        self._pool.submit(int).result()  # the thread is there before anything can interrupt its start
        for callback in (self.highs.cbSimplexInterrupt, self.highs.cbIpmInterrupt, self.highs.cbMipInterrupt):
            callback.subscribe(self._stop_if_asked)
        for name, value in {"output_flag": False, "threads": 1, **GIVEN, **options}.items():
            self._set(name, value)
        expect(self.highs.passModel(model), "model")

    def optimum(self, time_limit: float | None) -> Vertex:
        """Solve a linear program; `SolverError` unless the solver says "optimal"."""
        status = self.run(time_limit)
        if status is not None:
            raise SolverError(status)
        solution = self.highs.getSolution()
        return Vertex(np.array(solution.col_value), np.array(solution.row_dual))

    def run(self, time_limit: float | None) -> str | None:
        """Solve; return None if the solver says "optimal", and else its word for how it stopped."""
        used = self.highs.getRunTime()  # HiGHS counts the time of all runs together
        self._set("time_limit", highspy.kHighsInf if time_limit is None else used + time_limit)
        self._stop.clear()
        expect(self._run_in_thread(), "run")
        found = self.highs.getModelStatus()
        if self._stop.is_set():
            return INTERRUPTED
        return None if found == highspy.HighsModelStatus.kOptimal else str(self.highs.modelStatusToString(found))

    def _run_in_thread(self) -> Any:
        """Run the solver in a thread and wait here: Python hears no interrupt while compiled code runs."""
        running: Future[Any] | None = None
        while True:
            try:
                running = running or self._pool.submit(self.highs.run)
                while not running.done():
                    wait((running,), HEARD_WITHIN)
                return running.result()
            except KeyboardInterrupt:
                self._stop.set()

    def _stop_if_asked(self, event: Any) -> None:
        event.interrupt(self._stop.is_set())  # HiGHS remembers a True from one run to the next

    def _set(self, name: str, value: object) -> None:
        expect(self.highs.setOptionValue(name, value), f"option {name}")


class WholeAnswer(NamedTuple):
    """What HiGHS says of a whole program: a point it calls feasible or None, its worth, a bound, how it stopped.

    `status` is None if it says "optimal". All of it is the solver's word.
    """

    values: FloatArray | None
    worth: float
    bound: float
    status: str | None


def solve_whole(
    model: Any, time_limit: float | None = None, start: FloatArray | None = None, **options: object
) -> WholeAnswer:
    """Solve a program of `packing` by branch and bound, from a feasible point if there is one."""
    engine = PackingSolver(model, mip_rel_gap=0.0, **options)
    if start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = start.tolist()
        expect(engine.highs.setSolution(solution), "start")
    status, info = engine.run(time_limit), engine.highs.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(engine.highs.getSolution().col_value) if found else None
    return WholeAnswer(values, float(info.objective_function_value), float(info.mip_dual_bound), status)


def solve_intervals(problem: IntervalProblem, time_limit: float | None = None) -> tuple[IntArray, float, float]:
    """Maximise the reuse over intervals by the integer program; return an amount for each, its worth and a bound.

    The amounts are feasible in exact integers, or `SolverError` is raised; worth and bound are the solver's word.
    """
    m = len(problem.turn)
    if not m:
        return np.empty(0, np.int64), 0.0, 0.0
    answer = solve_whole(packing(*problem.matrix(), problem.most, whole=m), time_limit)
    bound = problem.unavoidable - answer.bound if np.isfinite(answer.bound) else None
    if answer.status is not None or answer.values is None:
        incumbent = None if answer.values is None else problem.unavoidable - answer.worth
        raise SolverError(answer.status or NOT_WHOLE, incumbent, bound)
    kept = np.rint(answer.values).astype(np.int64)
    if not problem.feasible(kept) or exact_sum(kept) + 0.5 < answer.bound:
        raise SolverError(NOT_WHOLE, float(problem.unavoidable - exact_sum(kept)), bound)
    return kept, answer.worth, answer.bound


def expect(status: Any, what: str) -> None:
    """Raise `SolverError` if HiGHS refuses what it was given."""
    if status == highspy.HighsStatus.kError:
        raise SolverError(f"{what} refused by HiGHS")


def packing(
    matrix: csc_array,
    room: IntArray | FloatArray,
    most: IntArray | FloatArray,
    worth: FloatArray | None = None,
    whole: int = 0,
    least: FloatArray | None = None,
) -> Any:
    """Return the program max worth @ y, matrix @ y <= room, least <= y <= most, as HiGHS takes it.

    `worth` is 1 and `least` is 0 if left out; the last `whole` of y are whole numbers.
    """
    rows, columns = matrix.shape
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = rows, columns
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = np.ones(columns) if worth is None else worth
    model.col_lower_ = np.zeros(columns) if least is None else least
    model.col_upper_ = most.astype(np.float64)
    model.row_lower_, model.row_upper_ = np.full(rows, -highspy.kHighsInf), room.astype(np.float64)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = matrix.indptr, matrix.indices
    model.a_matrix_.value_ = matrix.data
    kinds = highspy.HighsVarType
    if whole:
        model.integrality_ = [kinds.kContinuous] * (columns - whole) + [kinds.kInteger] * whole
    return model


def solve_model(model: Any, time_limit: float | None = None) -> tuple[float, float]:
    """Solve a Pyomo model with HiGHS and load its solution; return the solver's objective and bound, its word.

    `SolverError` if the solver does not prove an optimum; the model is then left without a solution.
    """
    from pyomo.contrib.solver.common.factory import SolverFactory
    from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition

    results = SolverFactory(PYOMO_SOLVER).solve(
        model,
        time_limit=time_limit,
        rel_gap=0.0,
        abs_gap=0.0,
        threads=1,
        solver_options=GIVEN,
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
