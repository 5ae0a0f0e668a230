"""HiGHS on the choice of reuse intervals: the linear relaxation by rows as they are violated, and the MILP.

Nothing here is believed: the relaxation ends in prices that `teltheory.optimal.prices` evaluates exactly, and what
the MILP chooses is checked in whole numbers by whoever asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from teltheory.errors import SolverError
from teltheory.numbers import FloatArray, IntArray
from teltheory.optimal.prices import Prices
from teltheory.optimal.selection import BoolArray, Selection

CHUNKS = 512
TOLERANCE = 1e-7
PRECISION = 2**48


@dataclass(frozen=True)
class Relaxation:
    """What the linear relaxation says: a share of each interval, shape (m,), and prices of the rows."""

    share: FloatArray
    prices: Prices


@dataclass(frozen=True)
class Milp:
    """What the MILP says: a choice or None, the solver's bound on the number chosen, and how it ended."""

    chosen: BoolArray | None
    most: int
    status: str


def relax(problem: Selection, capacity: int, time_limit: float | None = None) -> Relaxation:
    """Solve the linear relaxation, adding violated rows in rounds; early stops give weaker prices.

    Parameters
    ----------
    problem : Selection
        The intervals.
    capacity : int
        Capacity; rows are divided by it.
    time_limit : float, optional
        Seconds.
    """
    scale = float(max(capacity, 1))
    need, room = problem.need / scale, problem.room[problem.rows] / scale
    highs = _highs(time_limit, solver="simplex")
    _expect(highs.passModel(_columns(len(problem), integer=False)), "model")
    share, added = np.ones(len(problem)), np.zeros(0, np.int64)
    duals: FloatArray = np.zeros(0)
    while True:
        over = problem.occupied(need * share) - room
        over[added] = 0
        rows = _most_violated(over)
        if not len(rows):
            break
        _add_rows(highs, problem, need, room, rows)
        added = np.concatenate((added, rows))
        _expect(highs.run(), "run")
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        solution = highs.getSolution()
        share, duals = np.array(solution.col_value), np.array(solution.row_dual)
    return Relaxation(share, _prices(problem.rows[added[: len(duals)]], duals, max(capacity, 1)))


def choose(
    problem: Selection,
    capacity: int,
    start: BoolArray,
    time_limit: float | None = None,
    target: int | None = None,
) -> Milp:
    """Solve the MILP from a feasible choice.

    Parameters
    ----------
    problem : Selection
        The intervals.
    capacity : int
        Capacity; rows are divided by it.
    start : ndarray of bool, shape (m,)
        The choice to begin with.
    time_limit : float, optional
        Seconds.
    target : int, optional
        Ask only whether as many can be chosen; the bound is then ``target - 1`` where they can't.
    """
    highs = _highs(time_limit, mip_rel_gap=0.0, mip_abs_gap=0.999)
    _expect(highs.passModel(_columns(len(problem), integer=True)), "model")
    scale = float(max(capacity, 1))
    need, room = problem.need / scale, problem.room[problem.rows] / scale
    binding = np.flatnonzero(problem.occupied(problem.need) > problem.room[problem.rows])
    _add_rows(highs, problem, need, room, binding)
    if target is None:
        solution = highspy.HighsSolution()
        solution.col_value = start.astype(np.float64).tolist()
        _expect(highs.setSolution(solution), "start")
    else:
        columns = np.arange(len(problem), dtype=np.int32)
        _expect(highs.addRow(target, highspy.kHighsInf, len(columns), columns, np.ones(len(columns))), "target")
        _expect(highs.setOptionValue("objective_target", float(target)), "objective_target")
    _expect(highs.run(), "run")
    return _said(highs, len(problem), target)


def _said(highs: Any, m: int, target: int | None) -> Milp:
    status, info = highs.getModelStatus(), highs.getInfo()
    if target is not None and status == highspy.HighsModelStatus.kInfeasible:
        return Milp(None, target - 1, "infeasible")
    bound = float(info.mip_dual_bound)
    most = min(m, int(np.floor(bound + 1e-6))) if np.isfinite(bound) else m
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Milp(None, most, highs.modelStatusToString(status))
    chosen = np.array(highs.getSolution().col_value) > 0.5
    return Milp(chosen, most, highs.modelStatusToString(status))


def _highs(time_limit: float | None, **more: Any) -> Any:
    highs = highspy.Highs()
    options: dict[str, Any] = {"output_flag": False, "threads": 1, **more}
    if time_limit is not None:
        options["time_limit"] = max(0.0, time_limit)
    for name, value in options.items():
        _expect(highs.setOptionValue(name, value), f"option {name}")
    return highs


def _columns(m: int, *, integer: bool) -> Any:
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = 0, m
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = np.ones(m)
    model.col_lower_, model.col_upper_ = np.zeros(m), np.ones(m)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.zeros(m + 1, np.int32)
    if integer:
        model.integrality_ = [highspy.HighsVarType.kInteger] * m
    return model


def _most_violated(over: FloatArray) -> IntArray:
    """Return the most violated row of each chunk of rows."""
    violated = np.flatnonzero(over > TOLERANCE)
    if len(violated) <= CHUNKS:
        return violated
    chunk = violated * CHUNKS // len(over)
    order = np.lexsort((-over[violated], chunk))
    leads = np.flatnonzero(np.diff(chunk[order], prepend=-1))
    return np.sort(violated[order[leads]])


def _add_rows(highs: Any, problem: Selection, need: FloatArray, room: FloatArray, rows: IntArray) -> None:
    """Add rows, given by their positions in ascending order."""
    low, high = np.searchsorted(rows, problem.begin), np.searchsorted(rows, problem.end)
    lengths = high - low
    columns = np.repeat(np.arange(len(need)), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    row = np.repeat(low, lengths) + within
    order = np.argsort(row, kind="stable")
    starts = np.searchsorted(row[order], np.arange(len(rows))).astype(np.int32)
    values, index = need[columns[order]], columns[order].astype(np.int32)
    lower = np.full(len(rows), -highspy.kHighsInf)
    _expect(highs.addRows(len(rows), lower, room[rows], len(values), starts, index, values), "rows")


def _prices(steps: IntArray, duals: FloatArray, scale: int) -> Prices:
    numerators = np.rint(np.maximum(np.abs(duals), 0.0) * PRECISION).astype(np.int64)
    order = np.argsort(steps)
    some = [(int(steps[i]), int(numerators[i])) for i in order if numerators[i] > 0]
    return Prices(tuple(s for s, _ in some), tuple(v for _, v in some), PRECISION * scale)


def _expect(status: Any, what: str) -> None:
    if status == highspy.HighsStatus.kError:
        raise SolverError(f"{what} refused by HiGHS")
