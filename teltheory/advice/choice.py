"""The setting that would have served the first part of a trace best, and what it promises for the rest.

1. The budget max(0, L + q_hat - xi) depends on the margin xi - q_hat alone, and a margin of 0 is LRU. So there is
   one number to choose: the margins tried are twentieths, up to twice, of the SLO's threshold (goal TEL) or of the
   uncached tokens at the percentile under LRU (goal a percentile).
2. T-LRU trims the least recent surplus first, as the engines do. Its curve on the first part is asked at the
   capacity. Until the cache overflows for the first time policies cannot differ: those turns are left out.
3. A percentile improves up to the best margin and jumps back right behind it, and lengths drift. So a margin is
   worth the mean, over draws of blocks, of its gain and its neighbours', weighted by how far the percentile under
   LRU drifted from the first half of the part to the second (`neighbours`). The greatest mean is best, and the
   smallest margin of several.
4. The promise for the rest is the interval of the gain in other draws, each with the margin that would have been
   chosen on a draw of its own, and with drift. It holds if the rest is like the first part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from teltheory.advice.goal import Goal
from teltheory.bootstrap import Blocks, Estimate, Values, interval
from teltheory.metrics import ttft_quantiles
from teltheory.numbers import FloatArray
from teltheory.outcome import Outcome
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy, Trim
from teltheory.replay.curve import capacity_curve
from teltheory.trace import Trace

TRIM: Trim = "least-recent"
"""How the engines trim."""
STEPS = 20
"""Margins in one scale of the goal."""
MARGINS = 2 * STEPS + 1
LEAST_SPREAD = 1e-6
"""Drift below which there is none."""
BLOCKS = 20
DRAWS = 1000


@dataclass(frozen=True)
class Tried:
    """A margin on the first part.

    Attributes
    ----------
    margin : int
        xi - q_hat, in tokens.
    gain : float
        Share by which the goal is below LRU's.
    median : float
        P50 of TTFT, in seconds.
    """

    margin: int
    gain: float
    median: float


@dataclass(frozen=True)
class Choice:
    """The best margin on the first part.

    Attributes
    ----------
    margin : int
        xi - q_hat, in tokens; 0 stands for LRU.
    warm_up : int
        Turns until the cache overflows for the first time, which do not count.
    here : Estimate
        Gain on the first part, with the interval of its draws.
    promise : Estimate
        Interval for the gain on the rest.
    tried : tuple of Tried
        All margins, ascending.
    """

    margin: int
    warm_up: int
    here: Estimate
    promise: Estimate
    tried: tuple[Tried, ...]

    @property
    def helps(self) -> bool:
        """Whether there is a gain that chance does not explain."""
        return self.margin > 0 and self.here.above_zero

    @property
    def free(self) -> Tried:
        """The margin with the greatest gain of those that cost nothing at the median of the first part."""
        cheap = [tried for tried in self.tried if tried.median <= self.tried[0].median]
        return max(cheap, key=lambda tried: (tried.gain, -tried.margin))


def choose(
    first: Trace,
    rest_turns: int,
    capacity: int,
    goal: Goal,
    rng: np.random.Generator,
    policy: Callable[[int], AnyPolicy],
    progress: Callable[[], object] | None = None,
) -> Choice:
    """Choose the margin for a goal.

    Parameters
    ----------
    first : Trace
        The first part of the trace; at least one turn.
    rest_turns : int
        Turns of the rest, for which something is promised.
    capacity : int
        Capacity, in the trace's unit.
    goal : Goal
        What is to be small.
    rng : numpy.random.Generator
        Of the draws.
    policy : callable
        Makes a policy of a margin above 0.
    progress : callable, optional
        Called after each margin.
    """
    warm_up = first_overflow(first, capacity)
    base = capacity_curve(first, LRU()).outcome(capacity)
    if warm_up == len(first):
        return _nothing(warm_up, base, goal)
    lru = goal.losses(rest_of(base, warm_up))
    blocks = Blocks.of(len(lru), BLOCKS)
    rest_blocks = max(1, round(len(blocks) * rest_turns / len(lru)))
    draws = blocks.draw(len(blocks), DRAWS, rng)
    elsewhere = blocks.draw_elsewhere(rest_blocks, DRAWS, rng)
    candidates = margins(base, warm_up, goal)
    tried: list[Tried] = []
    gains, later = np.empty((2, len(candidates), DRAWS))
    for place, margin in enumerate(candidates):
        outcome = capacity_curve(first, policy(margin)).outcome(capacity) if margin else base
        losses = goal.losses(rest_of(outcome, warm_up))
        tried.append(Tried(margin, _whole(goal, lru, losses, blocks), median_of(goal, outcome, warm_up)))
        gains[place] = goal.gain(lru, losses, blocks, draws)
        later[place] = goal.gain(lru, losses, blocks, elsewhere)
        if progress is not None:
            progress()
    near = neighbours(candidates, drift(goal, lru))
    best = int(np.argmax(near @ gains.mean(axis=1)))
    again = [rng.choice(len(candidates), p=near[place]) for place in np.argmax(near @ gains, axis=0)]
    promise = interval(tried[best].gain, later[again, np.arange(DRAWS)], len(blocks))
    here = interval(tried[best].gain, gains[best], len(blocks))
    return Choice(candidates[best], warm_up, here, promise, tuple(tried))


def drift(goal: Goal, lru: Values) -> float:
    """Return how much the percentile under LRU changed from the first to the second half, as a logarithm.

    0 for TEL, whose gain depends smoothly on the margin.
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


def margins(lru: Outcome, warm_up: int, goal: Goal) -> list[int]:
    """Return the margins to try, ascending, 0 among them."""
    scale = goal.xi
    if goal.level is not None:
        scale = int(percentile_of(lru.uncached[warm_up:], goal)[0])
    return sorted({scale * step // STEPS for step in range(MARGINS)})


def percentile_of(values: Values, goal: Goal) -> FloatArray:
    """Return the goal's percentile of values, one a turn."""
    assert goal.level is not None
    blocks = Blocks.of(len(values), 1)
    return blocks.percentiles(values, blocks.all, goal.level)


def median_of(goal: Goal, outcome: Outcome, start: int) -> float:
    """Return P50 of TTFT on the turns from `start` on, in seconds."""
    return float(ttft_quantiles(rest_of(outcome, start), (0.5,), goal.latency)[0])


def rest_of(outcome: Outcome, start: int) -> Outcome:
    """Return the turns from `start` on."""
    return Outcome(outcome.cached[start:], outcome.uncached[start:])


def first_overflow(trace: Trace, capacity: int) -> int:
    """Return the first turn after which all pasts together are above the capacity; the number of turns if none."""
    before = np.where(trace.continuing, trace.past[trace.previous_turn], 0)
    over = np.flatnonzero(np.cumsum(trace.past - before) > capacity)
    return int(over[0]) if len(over) else len(trace)


def _whole(goal: Goal, lru: Values, losses: Values, blocks: Blocks) -> float:
    return float(goal.gain(lru, losses, blocks, blocks.all)[0])


def _nothing(warm_up: int, base: Outcome, goal: Goal) -> Choice:
    none = Estimate(0.0, 0.0, 0.0)
    return Choice(0, warm_up, none, none, (Tried(0, 0.0, median_of(goal, base, 0)),))
