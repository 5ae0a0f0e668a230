"""HiGHS on the choice of reuse intervals: the relaxation with rows and cuts as they are violated, and the MILP.

Nothing here is believed: the relaxation ends in prices that `teltheory.optimal.prices` evaluates exactly, and what
the MILP chooses is checked in whole numbers by whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import highspy
import numpy as np
from scipy.sparse import csc_array, csr_array

from teltheory.errors import SolverError
from teltheory.numbers import BoolArray, FloatArray, IntArray
from teltheory.optimal.cuts import violated_cuts
from teltheory.optimal.deadline import seconds_left
from teltheory.optimal.prices import Cut, Prices
from teltheory.optimal.selection import Selection
from teltheory.optimal.solver import INTERRUPTED, Engine, GrowingProgram, Vertex, expect, packing

CHUNKS = 512
CUTS = 200
CUT_ROUNDS = 40
TOLERANCE = 1e-7
GAIN = 1e-3
PRECISION = 2**44


class PricedRow(NamedTuple):
    """An inequality over intervals that cover a row, sum of weights <= most, and the numerator of its price.

    The weights are the needs where it is the row itself, and whole numbers of a cut otherwise.
    """

    row: int
    intervals: IntArray
    weights: IntArray
    most: int
    is_cut: bool
    price: int = 0


@dataclass(frozen=True)
class Relaxation:
    """What the linear relaxation says.

    Attributes
    ----------
    share : ndarray of float64, shape (m,)
        Of each interval.
    rows : list of PricedRow
        Rows and cuts with a price; over `PRECISION`.
    prices : Prices
        The same for `violations_bound`.
    """

    share: FloatArray
    rows: list[PricedRow]
    prices: Prices


@dataclass(frozen=True)
class Milp:
    """What the MILP says: a choice or None, the solver's bound on the number chosen, and how it ended."""

    chosen: BoolArray | None
    most: int
    status: str


class SharesProgram:
    """The relaxation with the rows and cuts found so far.

    Parameters
    ----------
    problem : Selection
        The intervals.
    """

    def __init__(self, problem: Selection) -> None:
        self._problem = problem
        self._room = problem.room[problem.rows]
        self._program: GrowingProgram | None = None
        self._known = np.zeros(len(self._room), np.bool_)
        self._rows: list[PricedRow] = []
        self._vertex = Vertex(np.ones(len(problem)), np.zeros(0))
        self._open = True

    def add_rows(self, deadline: float) -> None:
        """Solve with every row that its solution violates, or until the deadline."""
        self._unless_stopped(self._solve, deadline)

    def add_cuts(self, deadline: float, rounds: int = CUT_ROUNDS) -> None:
        """Add cuts in rounds, until they gain little or the deadline comes."""
        before = np.inf
        while self._open and rounds and before - self._vertex.values.sum() > GAIN:
            before, rounds = float(self._vertex.values.sum()), rounds - 1
            cuts = violated_cuts(self._problem, self._vertex.values)[:CUTS]
            self._add([PricedRow(cut.row, cut.intervals, cut.weights, cut.most, is_cut=True) for cut in cuts])
            self._unless_stopped(self._solve, deadline)

    def relaxation(self) -> Relaxation:
        """Return the shares of the last solve and its prices."""
        rows = [
            row._replace(price=int(max(price, 0.0) / _scale(row) * PRECISION))
            for row, price in zip(self._rows, self._vertex.prices, strict=False)
        ]
        rows = [row for row in rows if row.price > 0]
        return Relaxation(self._vertex.values, rows, _prices(self._problem, rows))

    def _unless_stopped(self, solve: Callable[[float], None], deadline: float) -> None:
        try:
            solve(deadline)
        except SolverError as error:
            if error.status == INTERRUPTED:
                raise KeyboardInterrupt from None
            self._open = False

    def _solve(self, deadline: float) -> None:
        while True:
            taken = self._problem.occupied(self._problem.need * self._vertex.values)
            over = taken / np.maximum(self._room, 1) - 1
            over[self._known] = 0
            violated = _most_violated(over)
            self._add([self._row(row) for row in violated.tolist()])
            self._known[violated] = True
            if self._program is None or len(self._vertex.prices) == len(self._rows):
                return
            self._vertex = self._program.solve(seconds_left(deadline))

    def _row(self, row: int) -> PricedRow:
        items = self._problem.covering(row)
        return PricedRow(row, items, self._problem.need[items], int(self._room[row]), is_cut=False)

    def _add(self, rows: list[PricedRow]) -> None:
        """Add rows, divided by what they allow."""
        if not rows:
            return
        if self._program is None:
            self._program = GrowingProgram(np.ones(len(self._problem), np.int64))
        values = np.concatenate([row.weights / _scale(row) for row in rows])
        columns = np.concatenate([row.intervals for row in rows])
        pointer = np.cumsum([0, *(len(row.intervals) for row in rows)])
        matrix = csr_array((values, columns, pointer), shape=(len(rows), len(self._problem)))
        self._program.add_rows(matrix, np.array([row.most / _scale(row) for row in rows]))
        self._rows += rows


def choose(
    problem: Selection,
    start: BoolArray,
    time_limit: float | None = None,
    target: int | None = None,
) -> Milp:
    """Solve the MILP from a feasible choice.

    Parameters
    ----------
    problem : Selection
        The intervals.
    start : ndarray of bool, shape (m,)
        The choice to begin with.
    time_limit : float, optional
        Seconds.
    target : int, optional
        Ask only whether as many can be chosen; the bound is then ``target - 1`` where they can't.
    """
    engine = Engine(mip_rel_gap=0.0, mip_abs_gap=0.999, presolve="off")
    highs = engine.highs
    expect(highs.passModel(_columns(problem)), "model")
    if target is None:
        solution = highspy.HighsSolution()
        solution.col_value = start.astype(np.float64).tolist()
        expect(highs.setSolution(solution), "start")
    else:
        columns = np.arange(len(problem), dtype=np.int32)
        expect(highs.addRow(target, highspy.kHighsInf, len(columns), columns, np.ones(len(columns))), "target")
        expect(highs.setOptionValue("objective_target", float(target)), "objective_target")
    status = engine.run(time_limit)
    if status == INTERRUPTED:
        raise KeyboardInterrupt
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


def _columns(problem: Selection) -> Any:
    """Return the MILP by columns."""
    room, binding = problem.room[problem.rows], needed_rows(problem)
    low, high = np.searchsorted(binding, problem.begin), np.searchsorted(binding, problem.end)
    pointer = np.concatenate(([0], np.cumsum(high - low)))
    rows = np.arange(pointer[-1]) - np.repeat(pointer[:-1] - low, high - low)
    needs = np.repeat(problem.need.astype(np.float64), high - low)
    matrix = csc_array((needs, rows, pointer), (len(binding), len(problem)))
    return packing(matrix, room[binding], np.ones(len(problem)), whole=len(problem))


def needed_rows(problem: Selection) -> IntArray:
    """Return the rows that can bind and that the row before does not imply, ascending.

    Where no interval begins, the row before has the same intervals and more: with the same room throughout, the
    rows that are left are the maximal cliques.
    """
    room = problem.room[problem.rows]
    begun = np.bincount(problem.begin[problem.begin < problem.end], minlength=len(room)) > 0
    needed = begun | (np.diff(room, prepend=0) < 0)
    return np.flatnonzero(needed & (problem.occupied(problem.need) > room))


def _most_violated(over: FloatArray) -> IntArray:
    """Return the most violated row of each chunk of rows."""
    violated = np.flatnonzero(over > TOLERANCE)
    if len(violated) <= CHUNKS:
        return violated
    chunk = violated * CHUNKS // len(over)
    order = np.lexsort((-over[violated], chunk))
    leads = np.flatnonzero(np.diff(chunk[order], prepend=-1))
    return np.sort(violated[order[leads]])


def _scale(row: PricedRow) -> float:
    return float(max(row.most, 1))


def _prices(problem: Selection, rows: list[PricedRow]) -> Prices:
    steps = problem.rows.tolist()
    of_room = sorted((steps[row.row], row.price) for row in rows if not row.is_cut)
    cuts = [
        Cut(steps[row.row], tuple(problem.turn[row.intervals].tolist()), tuple(row.weights.tolist()), row.price)
        for row in rows
        if row.is_cut
    ]
    return Prices(tuple(s for s, _ in of_room), tuple(v for _, v in of_room), PRECISION, tuple(cuts))
