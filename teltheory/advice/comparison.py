"""Runs next to LRU's on the first part of a trace, and the best of them.

1. A run is allowed if it keeps the limits on what it costs (`goal.CostLimits`), on all turns of the first part and
   on those from the first overflow on.
2. A percentile improves up to the best margin and jumps back right behind it, and lengths drift. So a margin is
   worth the mean, over draws of blocks, of its gain and its neighbours', weighted by how far the percentile under
   LRU drifted from the first half of the part to the second (`neighbours`). Of those allowed the greatest mean is
   best, and the smallest margin of several.
3. What the gain promises for the rest is in `teltheory.advice.promise`. Its draws of other turns have each the
   margin that would have been chosen on a draw of its own, and with drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from teltheory.advice.goal import Cost, CostLimits, Goal, share_below
from teltheory.advice.promise import (
    PIECES,
    QUARTERS,
    Grounds,
    beginnings,
    carriers,
    chance,
    errors_of,
    promised,
    spans,
    time_blocks,
    trend_of,
    weights_of,
)
from teltheory.advice.run import Run
from teltheory.cost.bootstrap import Blocks, Estimate, Values, standard_error
from teltheory.cost.standing import DRAWS, ClusterDraws, at_most_all
from teltheory.model.numbers import FloatArray, IntArray

LEAST_COUNTED = 20
"""Fewest turns that a choice is made on."""
LEAST_SPREAD = 1e-6
"""Drift below which there is none."""


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run next to LRU's: its gain on the turns that count, in draws of them, and in draws of other turns.

    `before` and `after` are its gains on beginnings and on what followed them, `losses` what counts of each turn.
    """

    gain: float
    cost: Cost
    broken: tuple[str, ...]
    gains: FloatArray
    later: FloatArray
    before: FloatArray
    after: FloatArray
    losses: Values

    @property
    def allowed(self) -> bool:
        """Whether it keeps the limits."""
        return not self.broken


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs next to LRU's on the first part of a trace, from the first overflow on, in the same draws.

    `cluster` and `lru`, what counts under LRU, have an entry for each turn that counts; a cluster is `called` so.
    Blocks of time should have `length` turns.
    """

    goal: Goal
    limits: CostLimits
    base: Run
    warm_up: int
    rest_turns: int
    cluster: IntArray
    called: str
    lru: Values
    length: float
    blocks: Blocks
    draws: FloatArray
    elsewhere: FloatArray

    @classmethod
    def of(
        cls,
        goal: Goal,
        limits: CostLimits,
        base: Run,
        cluster: IntArray,
        called: str,
        warm_up: int,
        rest_turns: int,
        rng: np.random.Generator,
    ) -> Comparison:
        """Draw blocks of the turns that count, and what the rest may look like."""
        lru = base.since(warm_up).losses(goal)
        length, blocks = time_blocks(goal, lru)
        draws = blocks.draw(len(blocks), DRAWS, rng)
        elsewhere = blocks.draw_elsewhere(max(1, round(len(blocks) * rest_turns / len(lru))), DRAWS, rng)
        counted = cluster[warm_up:]
        return cls(goal, limits, base, warm_up, rest_turns, counted, called, lru, length, blocks, draws, elsewhere)

    def compared(self, run: Run) -> ComparedRun:
        """Return a run next to LRU's."""
        counted = run.since(self.warm_up)
        losses, whole = counted.losses(self.goal), Blocks.of(len(self.lru), 1)
        drawn = (self.goal.worth(losses, self.blocks, draws) for draws in (self.draws, self.elsewhere))
        gains, later = map(share_below, self._under_lru, drawn)
        cost = counted.cost(self.goal)
        pairs = ((self._costs[0], cost), (self._costs[1], run.cost(self.goal)))
        broken = (text for before, after in pairs for text in self.limits.broken(before, after, self.goal.slo))
        ends = beginnings(len(self.lru), self.rest_turns)
        pieces = Blocks.of(len(self.lru), PIECES)
        return ComparedRun(
            float(self._gains(losses, whole, whole.all)[0]),
            cost,
            tuple(dict.fromkeys(broken)),
            gains,
            later,
            self._gains(losses, pieces, spans([(0, start) for start, _ in ends])),
            self._gains(losses, pieces, spans(ends)),
            losses,
        )

    @cached_property
    def _under_lru(self) -> list[FloatArray]:
        return [self.goal.worth(self.lru, self.blocks, draws) for draws in (self.draws, self.elsewhere)]

    @cached_property
    def _costs(self) -> tuple[Cost, Cost]:
        return self.base.since(self.warm_up).cost(self.goal), self.base.cost(self.goal)

    def _gains(self, losses: Values, blocks: Blocks, draws: FloatArray) -> FloatArray:
        return self.goal.gain(self.lru, losses, blocks, draws)

    def by_cluster(self, run: ComparedRun, drawn: ClusterDraws) -> FloatArray:
        """Return the gain in draws of clusters."""
        lru, losses = map(drawn.sorted, (self.lru, run.losses))
        return self.goal.gain(lru, losses, drawn.blocks, drawn.draws)

    def grounds(self, run: ComparedRun, spread: float, errors: FloatArray) -> Grounds:
        """Return what a promise for a run rests on, whose gain has a standard error."""
        quarters = Blocks.of(len(self.lru), QUARTERS)
        gains = self._gains(run.losses, quarters, np.eye(QUARTERS, dtype=np.int64))
        error = float(np.sqrt(np.mean(errors**2)))
        heavy = carriers(weights_of(self.goal, self.lru), self.cluster)
        return Grounds(tuple(gains.tolist()), trend_of(gains, spread), error, *heavy, self.length)


@dataclass(frozen=True)
class Selected:
    """The best of some runs by its place, the best without limits, and what the first part shows and promises.

    `drawn` are the clusters that the interval of what it shows is of.
    """

    place: int
    freely: int
    here: Estimate
    promise: Estimate | None
    grounds: Grounds
    drawn: ClusterDraws


def select(
    comparison: Comparison, found: Sequence[ComparedRun], near: FloatArray, rng: np.random.Generator
) -> Selected:
    """Return the best of runs, LRU's first; `near` says which of them each may turn out to be (`neighbours`)."""
    gains, later, before, after = (
        np.array([getattr(one, name) for one in found]) for name in ("gains", "later", "before", "after")
    )
    barred = np.where([one.allowed for one in found], 0.0, -np.inf)
    worth = near @ gains
    allowed = worth + barred[:, None]
    freely, place = (int(np.argmax(each.mean(axis=1))) for each in (worth, allowed))
    up_to = np.cumsum(near, axis=1)[np.argmax(allowed, axis=0)]
    again = (up_to / up_to[:, -1:] <= rng.random((DRAWS, 1))).sum(axis=1)
    best, blocks = found[place], len(comparison.blocks)
    drawn = ClusterDraws.of(comparison.cluster, comparison.called, rng)
    time, people = (gains[place], blocks), (comparison.by_cluster(best, drawn), len(drawn.blocks))
    here = at_most_all(drawn.interval(best.gain, people[0]))
    spread = max(standard_error(*each) for each in (time, people))
    grounds = comparison.grounds(best, spread, errors_of(before, after, barred, near))
    promise = None
    if place and here.above_zero:
        alike = chance(best.gain, (later[again, np.arange(DRAWS)], blocks), people)
        promise = promised(alike, grounds, comparison.rest_turns / len(comparison.lru))
    return Selected(place, freely, here, promise, grounds, drawn)


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
