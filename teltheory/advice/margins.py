"""The margins xi - q_hat that are tried.

T-LRU's budget depends on the margin alone, and a margin of 0 is LRU. Tried are twentieths of a scale, up to twice:
of the SLO's threshold, or for a percentile of the uncached tokens there under LRU. And the SLO's threshold less
percentiles of the prompts that continue a conversation: the budgets are then the least with which prompts up to
that percentile keep the SLO.
"""

from __future__ import annotations

import numpy as np

from teltheory.advice.goal import Goal
from teltheory.cost.bootstrap import Blocks, Values
from teltheory.model.numbers import FloatArray, IntArray

STEPS = 20
"""Margins in one scale of the goal."""
PROMPTS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
MARGINS = 2 * STEPS + 1 + len(PROMPTS)
"""Most margins that are tried."""


def margins(uncached: IntArray, prompts: IntArray, goal: Goal) -> list[int]:
    """Return the margins to try, ascending, 0 among them."""
    scale = goal.xi if goal.level is None else int(percentile_of(uncached, goal)[0])
    found = {scale * step // STEPS for step in range(2 * STEPS + 1)}
    if len(prompts):
        longest = np.quantile(prompts, PROMPTS, method="inverted_cdf")
        found.update(max(goal.xi - int(prompt), 0) for prompt in longest)
    return sorted(found)


def percentile_of(values: Values, goal: Goal) -> FloatArray:
    """Return the goal's percentile of values, one a turn."""
    assert goal.level is not None
    blocks = Blocks.of(len(values), 1)
    return blocks.percentiles(values, blocks.all, goal.level)


def drift(goal: Goal, lru: Values) -> float:
    """Return how much the percentile under LRU changed from the first to the second half, as a logarithm.

    0 for a sum over turns, whose gain depends smoothly on the margin.
    """
    if goal.level is None or len(lru) < 2:
        return 0.0
    earlier, later = (float(percentile_of(part, goal)[0]) for part in (lru[: len(lru) // 2], lru[len(lru) // 2 :]))
    return abs(np.log(later / earlier)) if earlier > 0 and later > 0 else 0.0


def neighbours(candidates: list[int], spread: float) -> FloatArray:
    """Return for each margin which margins it may turn out to be, if lengths drift by a lognormal factor.

    A margin on lengths that are all f times as long does what a margin f times smaller does here.
    """
    weights = np.eye(len(candidates))
    if spread > LEAST_SPREAD:
        logs = np.log(np.array(candidates[1:], np.float64)) / spread
        weights[1:, 1:] = np.exp(-((logs[:, None] - logs[None, :]) ** 2) / 2)
    found: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return found


LEAST_SPREAD = 1e-6
"""Drift below which there is none."""
