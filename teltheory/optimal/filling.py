"""Good plans of an interval problem at any size: fill in some order, then ruin and fill again.

1. *Fill*: go through the intervals in some order and give each one all that it can use, if that fits over its
   whole interval. If parts are worth something, once more, and give what is left, in part. (A part is seldom worth
   much if costs fall ever faster, hence the two passes.)
2. *Ruin and fill*: drop what is held in part and some of what is held over a random stretch of steps, fill in an
   order with noise, and keep the plan unless it costs more.
"""

from collections.abc import Callable
from time import monotonic

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.intervals import IntervalProblem
from teltheory.replay.compiled import compiled

ROUNDS = 2000
ROUNDS_PER_INTERVAL = 20


class Filling:
    """Plans of an interval problem, an amount per interval; `parts` says whether parts are worth something."""

    def __init__(self, problem: IntervalProblem, parts: bool) -> None:
        self._problem, self._passes = problem, (False, True) if parts else (False,)
        self._steps = problem.binding_steps()
        self._begin, self._end = problem.places(self._steps)

    def fill(self, plan: IntArray, order: IntArray) -> IntArray:
        """Return a feasible plan with more of some intervals."""
        plan, free = plan.copy(), (self._problem.room - self._problem.occupied(plan))[self._steps]
        for in_part in self._passes:
            _fill(order, self._begin, self._end, self._problem.most, free, plan, in_part)
        return plan

    def improve(
        self,
        plan: IntArray,
        score: FloatArray,
        cost: Callable[[IntArray], int],
        enough: int,
        rng: np.random.Generator,
        deadline: float,
        rounds: int = ROUNDS,
    ) -> IntArray:
        """Return a plan that costs no more than a feasible one; stop if it costs enough, or at the deadline.

        What scores most is filled first, except for the noise. There are no more rounds than `ROUNDS_PER_INTERVAL`
        for each interval either.
        """
        least = cost(plan)
        for _ in range(min(rounds, ROUNDS_PER_INTERVAL * len(plan))):
            if least <= enough or monotonic() >= deadline:
                break
            noise = rng.normal(size=len(plan)) * rng.random() * np.abs(score).mean()
            other = self.fill(self._ruined(plan, rng), np.argsort(noise - score))
            costs = cost(other)
            if costs <= least:
                plan, least = other, costs
        return plan

    def _ruined(self, plan: IntArray, rng: np.random.Generator) -> IntArray:
        width = max(1, int(len(self._steps) * rng.random() ** 2 / 2))
        low = int(rng.integers(-width, len(self._steps) + 1))
        hit = (self._begin < low + width) & (self._end > low)
        in_part = (plan > 0) & (plan < self._problem.most)
        return np.where(hit & (in_part | (rng.random(len(plan)) < rng.random())), 0, plan)


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
    """Add to the plan, in this order, what fits into what is free; plan and free change in place."""
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
