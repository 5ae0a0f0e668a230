"""The linear program in tiers, whose rows of (step, tier) are added where they are violated.

As in `teltheory.optimal.chains.lazy`: most steps never fill a tier. A round solves the program with the rows that
it has and adds, tier by tier, the rows of the steps where what is kept is most above the room. The last round
violates none. At first weights are less a small rent, so that nothing is kept for nothing; at last they are exact.
What the solver says is never believed: its prices prove a bound in whole numbers
(`teltheory.optimal.tiers.certificate`), and what it keeps is rounded to a plan that is checked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.errors import SolverError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.chains.lazy import ROWS_AN_INTERVAL, peaks_of
from teltheory.optimal.deadline import deadline_of, seconds_left
from teltheory.optimal.solver import OUT_OF_TIME, GrowingProgram
from teltheory.optimal.tiers.problem import TieredProblem

TOLERANCE = 1e-6
RENT = 1e-6
"""What a unit costs to hold over no step at all, in units that are not computed; twice that over all of them."""


@dataclass(frozen=True)
class TieredSolution:
    """What the solver says: what is kept, and prices of 0 or more.

    Attributes
    ----------
    kept : ndarray of float64, shape (tiers, pieces)
        Y of each tier and piece.
    saved : float
        What all turns save together, in parts of a unit.
    steps, tiers : ndarray of int64, shape (rows,)
        The rows of capacities that the program has.
    prices : ndarray of float64, shape (rows,)
        Of a unit of room, in parts.
    shares : ndarray of float64, shape (1 or 2, n)
        Of each turn, the price of a part that it saves; and of one that it loads, if loading is overlapped.
    """

    kept: FloatArray
    saved: float
    steps: IntArray
    tiers: IntArray
    prices: FloatArray
    shares: FloatArray


class LazyTieredSolver:
    """The linear program of a problem in tiers, with the rows found so far."""

    def __init__(self, problem: TieredProblem) -> None:
        self._problem, self._rooms = problem, problem.rooms()
        self._candidates = problem.pieces.needed_steps()
        begin, end = problem.pieces.places(self._candidates)
        usual = float(np.median(end - begin)) if len(begin) else 0.0
        self._stretch = max(1, int(usual) // ROWS_AN_INTERVAL)
        self._most, self._worth = problem.columns()
        self._values, self._prices = np.zeros(len(self._most)), np.empty(0)
        self._steps: IntArray = np.empty(0, np.int64)
        self._tiers: IntArray = np.empty(0, np.int64)
        self._links = problem.links()

    def solve(self, time_limit: float | None = None) -> TieredSolution:
        """Solve, in seconds at most; `SolverError` if the solver does not say "optimal" in time."""
        if not len(self._problem.pieces.turn):
            return self._solution()
        deadline = deadline_of(time_limit)
        worth = self._worth / self._problem.tiers.denominator
        program = GrowingProgram(self._most, worth)
        program.add_rows(*self._links)
        for weight in (worth - self._rent(), worth):
            program.weigh(weight)
            self._round(program, deadline)
            while self._add_violated(program):
                self._round(program, deadline)
        return self._solution()

    def _rent(self) -> FloatArray:
        """Return a small price of what each column holds: without it a vertex keeps what is of no use."""
        pieces = self._problem.pieces
        held = 1 + (pieces.last - pieces.first + 1) / len(pieces.room)
        rent = np.zeros(len(self._worth))
        rent[: held.size * len(self._rooms)] = RENT * np.tile(held, len(self._rooms))
        return rent

    def _round(self, program: GrowingProgram, deadline: float) -> None:
        left = seconds_left(deadline)
        if left == 0:
            raise SolverError(OUT_OF_TIME)
        self._values, prices = program.solve(left)
        self._prices = prices * self._problem.tiers.denominator

    def _add_violated(self, program: GrowingProgram) -> bool:
        """Add rows that are violated, and return whether there were any."""
        amounts, found = self._problem.amounts(self._values), False
        for tier, kept in enumerate(amounts):
            over = (self._problem.pieces.occupied(kept) - self._rooms[tier])[self._candidates]
            over[np.isin(self._candidates, self._steps[self._tiers == tier])] = 0
            over[over <= TOLERANCE * np.maximum(self._rooms[tier][self._candidates], 1)] = 0
            steps = self._candidates[peaks_of(over, self._stretch)]
            if len(steps):
                program.add_rows(self._problem.capacity_rows(steps, tier), self._rooms[tier][steps])
                self._steps = np.concatenate((self._steps, steps))
                self._tiers = np.concatenate((self._tiers, np.full(len(steps), tier)))
                found = True
        return found

    def _solution(self) -> TieredSolution:
        problem, bent = self._problem, self._problem.bent
        kept, links = problem.amounts(self._values), len(self._links[1])
        shares = np.ones((1, len(problem.total)))
        if problem.tiers.loading == "overlapped":
            shares = np.concatenate((shares, np.zeros_like(shares)))
        if len(self._prices):
            of_turns = self._prices[links - len(shares) * len(bent) : links]
            shares[:, bent] = of_turns.reshape(len(shares), -1)
        return TieredSolution(
            kept, float(self._worth @ self._values), self._steps, self._tiers, self._prices[links:], shares
        )
