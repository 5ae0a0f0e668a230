"""HiGHS on the choice of staircases: the relaxation with rows and cuts as they are violated, and the MILP.

Nothing here is believed: the relaxation ends in prices that `teltheory.optimal.costs.prices` evaluates exactly,
and the caller checks in whole numbers what the MILP chooses.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from teltheory.errors import SolverError
from teltheory.model.numbers import BoolArray, FloatArray, IntArray
from teltheory.optimal.costs.prices import Cut, Prices
from teltheory.optimal.deadline import seconds_left
from teltheory.optimal.slo.cuts import CoverRow, violated_cuts
from teltheory.optimal.slo.selection import Selection
from teltheory.optimal.solver import INTERRUPTED, GrowingProgram, Vertex, packing, solve_whole

CHUNKS = 512
CUTS = 200
CUT_ROUNDS = 40
TOLERANCE = 1e-7
GAIN = 1e-3
PRECISION = 2**44
HALF = 0.5
INFEASIBLE = "Infeasible"


class Relaxation(NamedTuple):
    """What the linear relaxation says: each choice's share, and prices for `violations_bound`."""

    share: FloatArray
    prices: Prices


class Milp(NamedTuple):
    """What the MILP says: a choice or None, the solver's bound on the number chosen, and how it ended."""

    chosen: BoolArray | None
    most: int
    status: str


class SharesProgram:
    """The relaxation of a selection with the rows and cuts found so far."""

    def __init__(self, problem: Selection) -> None:
        self._problem, ones = problem, np.ones(len(problem), np.int64)
        self._program = GrowingProgram(ones, ones)
        self._known = np.zeros(len(problem.rows), np.bool_)
        self._rows: list[CoverRow] = []
        self._vertex = Vertex(np.ones(len(problem)), np.zeros(0))
        self._open = True

    def add_rows(self, deadline: float) -> None:
        """Solve with every row that its solution violates, or until the deadline."""
        try:
            self._solve(deadline)
        except SolverError as error:
            if error.status == INTERRUPTED:
                raise KeyboardInterrupt from None
            self._open = False

    def add_cuts(self, deadline: float, rounds: int = CUT_ROUNDS) -> None:
        """Add cuts in rounds, until they gain little or the deadline comes."""
        before = np.inf
        while self._open and rounds and before - self._vertex.values.sum() > GAIN:
            before, rounds = float(self._vertex.values.sum()), rounds - 1
            self._add(violated_cuts(self._problem, self._vertex.values)[:CUTS])
            self.add_rows(deadline)

    def relaxation(self) -> Relaxation:
        """Return the shares of the last solve and its prices."""
        priced = [
            (row, int(max(price, 0.0) / _scale(row) * PRECISION))
            for row, price in zip(self._rows, self._vertex.prices, strict=False)
        ]
        return Relaxation(self._vertex.values, _prices(self._problem, priced))

    def _solve(self, deadline: float) -> None:
        room = self._problem.room
        while True:
            over = self._problem.taken(self._vertex.values) / np.maximum(room, 1) - 1
            over[self._known] = 0
            violated = _most_violated(over)
            covering = {row: self._problem.covering(row) for row in violated.tolist()}
            choice, need = self._problem.choice, self._problem.need
            rows = [CoverRow(row, choice[i], need[i], int(room[row]), is_cut=False) for row, i in covering.items()]
            self._add(rows)
            self._known[violated] = True
            if len(self._vertex.prices) == len(self._rows):
                return
            self._vertex = self._program.solve(seconds_left(deadline))

    def _add(self, rows: list[CoverRow]) -> None:
        """Add rows, divided by what they allow."""
        if not rows:
            return
        values = np.concatenate([row.weights / _scale(row) for row in rows])
        columns = np.concatenate([row.choices for row in rows])
        pointer = np.cumsum([0, *(len(row.choices) for row in rows)])
        matrix = csr_array((values, columns, pointer), shape=(len(rows), len(self._problem)))
        self._program.add_rows(matrix, np.array([row.most / _scale(row) for row in rows]))
        self._rows += rows


def choose(
    problem: Selection, start: BoolArray, time_limit: float | None = None, target: int | None = None
) -> Milp:
    """Solve the MILP from a feasible choice.

    With a target ask only whether as many can be chosen; the bound is then ``target - 1`` if they can't.
    """
    m, room, point, options = len(problem), problem.room, None, {}
    matrix = problem.matrix()
    if target is None:
        point = start.astype(np.float64)
    else:
        matrix, room = csc_array(vstack((matrix, csc_array(-np.ones((1, m)))))), np.append(room, -target)
        options["objective_target"] = float(target)
    model = packing(matrix, room, np.ones(m), whole=m)
    answer = solve_whole(model, time_limit, point, mip_abs_gap=0.999, **options)
    if answer.status == INTERRUPTED:
        raise KeyboardInterrupt
    if target is not None and answer.status == INFEASIBLE:
        return Milp(None, target - 1, INFEASIBLE)
    most = min(m, int(np.floor(answer.bound + 1e-6))) if np.isfinite(answer.bound) else m
    return Milp(None if answer.values is None else answer.values > HALF, most, answer.status or "Optimal")


def _most_violated(over: FloatArray) -> IntArray:
    """Return the most violated row of each chunk of rows."""
    violated = np.flatnonzero(over > TOLERANCE)
    if len(violated) <= CHUNKS:
        return violated
    chunk = violated * CHUNKS // len(over)
    order = np.lexsort((-over[violated], chunk))
    leads = np.flatnonzero(np.diff(chunk[order], prepend=-1))
    return np.sort(violated[order[leads]])


def _scale(row: CoverRow) -> float:
    return float(max(row.most, 1))


def _prices(problem: Selection, priced: list[tuple[CoverRow, int]]) -> Prices:
    steps, turns = problem.rows.tolist(), problem.turn
    of_room = sorted((steps[row.row], price) for row, price in priced if price > 0 and not row.is_cut)
    cuts = tuple(
        Cut(steps[row.row], tuple(turns[row.choices].tolist()), tuple(row.weights.tolist()), price)
        for row, price in priced
        if price > 0 and row.is_cut
    )
    return Prices(tuple(step for step, _ in of_room), tuple(price for _, price in of_room), PRECISION, cuts)
