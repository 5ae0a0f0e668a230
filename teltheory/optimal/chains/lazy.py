"""The interval problem as a linear program whose rows are added where they are violated.

Most steps never fill the cache, so most rows never bind. A round solves the program with the rows that it has,
looks at what the solution keeps at every step, and adds the rows of the steps where that is most above the room:
one for each stretch of violated steps, and more where a stretch is long beside the intervals. The last round
violates none, so its optimum is that of all rows. Nothing of Tail-Optimized Belady is used.

**Proof of optimality.** Let row prices p >= 0 solve the dual, min sum of room p + sum of most max(0, 1 - p(I)),
with p(I) the sum of the prices that interval I covers. Walk over the steps, add the prices up, and take into P
each step at which the sum passes a whole number + theta. With theta drawn from (0, 1), a step is in P with
probability min(p, 1), and an interval covers no step of P with probability max(0, 1 - p(I)), as it covers one
exactly if the sum passes such a number within it. So the bound that P gives,

    sum of kept  <=  sum of the room at P  +  sum of the caps of the intervals that cover no step of P,

is on average at most what the prices give, and it is never below the optimum: with optimal prices it is the
optimum for almost every theta. (The prices of a vertex are 0 or 1, and P is where they are 1: a row with a price
above 0 has a one in a basic column, and the prices that a basic column covers add up to its cost of 1.) What P
proves is counted in whole numbers; no rounding error of the solver can make it prove too much.

**With whole weights** the dual is min sum of room p + sum of most max(0, weight - p(I)). Give each step as its
whole price P the number of times that the sum passes a whole number + theta there. On average P is p, and P(I),
the number of times that the sum passes one within I, is p(I) rounded down or up. Between two neighbouring whole
numbers max(0, weight - x) is a straight line, as its only kink, the weight, is whole. So on average the bound that
P gives,

    worth of what is kept  <=  sum of room P  +  sum of most max(0, weight - P(I)),

is what the prices give, and it is never below the optimum: with optimal prices it is the optimum for almost every
theta. A price above the largest weight can be cut to it: what covers that step costs more than it is worth before
and after. With weights of 1 that leaves the set P above.

An early stop has both sides: P of the last round bounds the optimum, and what the last round keeps, cut down in
proportion where a step holds too much, is feasible.
"""

from dataclasses import dataclass

import numpy as np

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.chains.intervals import IntervalProblem, least_between
from teltheory.optimal.deadline import deadline_of, seconds_left
from teltheory.optimal.solver import INTERRUPTED, LARGEST_COST, OUT_OF_TIME, GrowingProgram

ROWS_AN_INTERVAL = 4
ROUNDING = 1e-6


@dataclass(frozen=True)
class LazySolution:
    """An optimum of the interval problem: what each interval keeps, and whole prices of steps P that prove it.

    `rows` counts the rows of the program.
    """

    kept: IntArray
    steps: IntArray
    rows: int
    prices: IntArray


class LazyIntervalSolver:
    """The linear program of an interval problem, with the rows found so far."""

    def __init__(self, problem: IntervalProblem) -> None:
        self._problem = problem
        self._candidates = problem.needed_steps()
        begin, end = problem.places(self._candidates)
        usual = float(np.median(end - begin)) if len(begin) else 0.0
        self._stretch = max(1, int(usual) // ROWS_AN_INTERVAL)
        self._program = GrowingProgram(problem.most, problem.weight)
        self._rows: IntArray = np.empty(0, np.int64)
        self._prices: FloatArray = np.empty(0)
        self._kept = problem.most

    def solve(self, time_limit: float | None = None) -> LazySolution:
        """Solve, in seconds at most; `SolverError`, with incumbent and bound on the TEL, if nothing was proved."""
        deadline = deadline_of(time_limit)
        try:
            while len(violated := self._violated()):
                self._add(violated)
                self._round(deadline)
            return self._proved()
        except KeyboardInterrupt:
            raise self._stopped(INTERRUPTED) from None
        except SolverError as error:
            raise self._stopped(error.status) from None

    def _violated(self) -> IntArray:
        """Return steps to add, none if what is kept is feasible."""
        excess = (self._problem.occupied(self._kept) - self._problem.room)[self._candidates]
        if not np.any(excess > 0):
            return self._candidates[:0]
        excess[np.isin(self._candidates, self._rows)] = 0
        peaks = peaks_of(excess, self._stretch)
        if not len(peaks):
            raise SolverError(NOT_WHOLE)
        return self._candidates[peaks]

    def _add(self, steps: IntArray) -> None:
        self._program.add_rows(self._problem.rows(steps).tocsr(), self._problem.room[steps])
        self._rows = np.concatenate((self._rows, steps))
        self._prices = np.concatenate((self._prices, np.zeros(len(steps))))

    def _round(self, deadline: float) -> None:
        left = seconds_left(deadline)
        if left == 0:
            raise SolverError(OUT_OF_TIME)
        vertex = self._program.solve(left)
        self._kept, self._prices = np.rint(vertex.values).astype(np.int64), vertex.prices

    def so_far(self) -> LazySolution:
        """Return feasible amounts and prices of the last round, also after an early stop; they need not agree."""
        steps, prices = self._priced()
        return LazySolution(cut_to_room(self._problem, self._kept), steps, len(self._rows), prices)

    def _proved(self) -> LazySolution:
        problem, (steps, prices) = self._problem, self._priced()
        bound = problem.worth_upper_bound(steps, prices)
        if not problem.feasible(self._kept) or problem.worth(self._kept) != bound:
            raise SolverError(NOT_WHOLE)
        return LazySolution(self._kept, steps, len(self._rows), prices)

    def _priced(self) -> tuple[IntArray, IntArray]:
        """Return the steps P and their whole prices."""
        order = np.argsort(self._rows)
        passed, times = _passing(self._prices[order])
        return self._rows[order][passed], np.minimum(times, self._problem.weight.max(initial=1))

    def _stopped(self, status: str) -> SolverError:
        problem = self._problem
        best = problem.unavoidable - problem.worth(cut_to_room(problem, self._kept))
        bound = min(problem.worth(problem.most), problem.worth_upper_bound(*self._priced()))
        return SolverError(status, float(best), float(problem.unavoidable - bound))


def _passing(prices: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where the running sum of the prices passes whole numbers and a half, and how many there."""
    whole = np.rint(prices)
    near = np.abs(prices - whole) < ROUNDING * np.maximum(1.0, prices / LARGEST_COST)
    running = np.floor(np.cumsum(np.where(near, whole, prices)) + 0.5)
    times = np.diff(running, prepend=0.0).astype(np.int64)
    passed = np.flatnonzero(times > 0)
    return passed, times[passed]


def peaks_of(excess: IntArray, stretch: int) -> IntArray:
    """Return where the excess is largest in each run of positive entries, cut into runs of at most `stretch`."""
    above = np.flatnonzero(excess > 0)
    if not len(above):
        return above
    new_run = np.diff(above, prepend=-2) > 1
    begins = np.flatnonzero(new_run)
    offset = np.arange(len(above)) - np.repeat(begins, np.diff(np.append(begins, len(above))))
    begins = np.flatnonzero(offset % stretch == 0)
    piece = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(above))))
    largest = np.maximum.reduceat(excess[above], begins)
    at_peak = np.flatnonzero(excess[above] == largest[piece])
    return above[at_peak[np.unique(piece[at_peak], return_index=True)[1]]]


def cut_to_room(problem: IntervalProblem, kept: IntArray) -> IntArray:
    """Return feasible amounts: each is cut by the largest ratio that a step it covers is over-full by."""
    kept = np.clip(kept, 0, problem.most)
    occupied = problem.occupied(kept)
    share = np.minimum(np.nextafter(1.0, 0.0), problem.room / np.maximum(occupied, 1))
    share[problem.room >= occupied] = 1.0
    least = least_between(share, problem.first, problem.last, 1.0)
    # a hair below the ratio: rounding errors must not make the sum exceed the room
    return np.where(least < 1.0, np.floor(kept * (least * (1 - 2.0**-40))).astype(np.int64), kept)
