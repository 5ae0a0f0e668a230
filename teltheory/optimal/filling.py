"""Better plans for costs that are not convex, at any size: drop the reuse of some turns, and fill the room again.

1. *Fill*: go through the turns in some order and give each one all the reuse that it can use, where that fits over
its
   whole interval; then once more, and give what is left, in part. A part is seldom worth much where costs fall
   ever faster, hence the two passes.
2. Order: what a turn's whole reuse gains above the room that it takes, at the prices of the linear relaxation.
3. *Ruin and fill*: drop what is reused in part and some of what is reused over a random stretch of rows, fill in
an
   order with noise, and keep the plan unless it costs more.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import numpy as np

from teltheory.numbers import FloatArray, IntArray
from teltheory.optimal.intervals import IntervalProblem
from teltheory.replay.compiled import compiled

ROUNDS = 2000
ROUNDS_A_TURN = 20


class Filling:
    """Plans of an interval problem, one interval a turn.

    Parameters
    ----------
    problem : IntervalProblem
        The turns.
    profit : ndarray of float64, shape (m,)
        What the whole reuse of each turn gains above its room, at some prices.
    cost : callable
        What a plan, an amount for each interval, costs.
    """

    def __init__(self, problem: IntervalProblem, profit: FloatArray, cost: Callable[[IntArray], int]) -> None:
        self._problem, self._profit, self._cost = problem, profit, cost
        steps = problem.needed_steps()
        self._steps = steps[problem.occupied(problem.most)[steps] > problem.room[steps]]
        self._begin, self._end = problem.places(self._steps)

    def improve(
        self, plan: IntArray, rng: np.random.Generator, enough: int, deadline: float, rounds: int = ROUNDS
    ) -> IntArray:
        """Return a plan that costs no more.

        Parameters
        ----------
        plan : ndarray of int64, shape (m,)
            A feasible one.
        rng : numpy.random.Generator
            For what is dropped, and in which order is filled.
        enough : int
            Cost at which to stop.
        deadline : float
            When to stop, on the clock of `time.monotonic`.
        rounds : int
            Most rounds; no more than `ROUNDS_A_TURN` for each turn either.
        """
        best, least = plan, self._cost(plan)
        for _ in range(min(rounds, ROUNDS_A_TURN * len(plan))):
            if least <= enough or monotonic() >= deadline:
                break
            other = self._ruined_and_filled(best, rng)
            cost = self._cost(other)
            if cost <= least:
                best, least = other, cost
        return best

    def _ruined_and_filled(self, plan: IntArray, rng: np.random.Generator) -> IntArray:
        width = max(1, int(len(self._steps) * rng.random() ** 2 / 2))
        low = int(rng.integers(-width, len(self._steps) + 1))
        hit = (self._begin < low + width) & (self._end > low)
        in_part = (plan > 0) & (plan < self._problem.most)
        dropped = hit & (in_part | (rng.random(len(plan)) < rng.random()))
        noise = rng.normal(size=len(plan)) * rng.random() * np.abs(self._profit).mean()
        return self._filled(np.where(dropped, 0, plan), np.argsort(-self._profit + noise))

    def _filled(self, plan: IntArray, order: IntArray) -> IntArray:
        free = (self._problem.room - self._problem.occupied(plan))[self._steps]
        for in_part in (False, True):
            _fill(order, self._begin, self._end, self._problem.most, free, plan, in_part)
        return plan


@compiled
def _fill(
    order: IntArray,
    begin: IntArray,
    end: IntArray,
    most: IntArray,
    free: IntArray,
    plan: IntArray,
    in_part: bool,
) -> None:
    """Add to each turn's reuse, in this order, what fits into what is free; plan and free change in place."""
    for k in order:
        more = most[k] - plan[k]
        for row in range(begin[k], end[k]):
            more = min(more, free[row])
            if more == 0:
                break
        if more > 0 and (in_part or plan[k] + more == most[k]):
            plan[k] += more
            for row in range(begin[k], end[k]):
                free[row] -= more
