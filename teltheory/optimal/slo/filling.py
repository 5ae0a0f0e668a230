"""Good plans of an interval problem at any size: fill in some order, then ruin and fill again.

1. *Fill*: go through the intervals in some order and give each one all that it can use, if that fits over its
   whole interval. If parts are worth something, once more, and give what is left, in part. (A part is seldom worth
   much if costs fall ever faster, hence the two passes.)
   An interval may have treads that follow each other and hold ever more, and are filled together or not at all.
2. *Ruin and fill*: drop what is held in part and some of what is held over a random stretch of steps, fill in an
   order with noise, and keep the plan unless it costs more.
"""

from collections.abc import Callable
from time import monotonic

import numpy as np

from teltheory.base.loops import call
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.optimal.chains.intervals import IntervalProblem

ROUNDS = 2000
ROUNDS_PER_INTERVAL = 20


class Filling:
    """Plans of an interval problem, an amount per tread; `parts` says whether parts are worth something.

    The treads of interval k are ``start[k]`` to ``start[k + 1]``; each interval is one if left out, and has to be
    if parts are worth something. `steps` are those whose room implies that of the others, if they are known.
    """

    def __init__(
        self,
        problem: IntervalProblem,
        parts: bool,
        start: IntArray | None = None,
        steps: IntArray | None = None,
    ) -> None:
        self._problem, self._passes = problem, (False, True) if parts else (False,)
        self._start = np.arange(len(problem.turn) + 1) if start is None else start
        self._steps = problem.binding_steps() if steps is None else steps
        self._begin, self._end = problem.places(self._steps)
        self._interval = np.repeat(np.arange(len(self._start) - 1), np.diff(self._start))
        self._top = self._start[1:] - 1
        self._first, self._beyond = self._begin[self._start[:-1]], self._end[self._top]

    def fill(self, plan: IntArray, order: IntArray) -> IntArray:
        """Return a feasible plan with more of some intervals."""
        plan, free = plan.copy(), (self._problem.room - self._problem.occupied(plan))[self._steps]
        sizes = len(self._top), len(plan), len(free)
        treads = self._start, self._begin, self._end, self._problem.most
        for in_part in self._passes:
            call("fill_in_order", sizes, order, treads, free, plan, in_part)
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
        for _ in range(min(rounds, ROUNDS_PER_INTERVAL * len(score))):
            if least <= enough or monotonic() >= deadline:
                break
            noise = rng.normal(size=len(score)) * rng.random() * np.abs(score).mean()
            other = self.fill(self._ruined(plan, rng), np.argsort(noise - score))
            costs = cost(other)
            if costs <= least:
                plan, least = other, costs
        return plan

    def _ruined(self, plan: IntArray, rng: np.random.Generator) -> IntArray:
        width = max(1, int(len(self._steps) * rng.random() ** 2 / 2))
        low = int(rng.integers(-width, len(self._steps) + 1))
        hit = (self._first < low + width) & (self._beyond > low)
        in_part = ((plan > 0) & (plan < self._problem.most))[self._top]
        dropped = hit & (in_part | (rng.random(len(hit)) < rng.random()))
        return np.where(dropped[self._interval], 0, plan)
