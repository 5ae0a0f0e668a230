"""The setting that would have served the first part of a trace best, and what it promises for the rest.

There is one number to choose, the margin xi - q_hat: T-LRU's budget depends on it alone, and a margin of 0 is LRU.
Of tiers there is also which of them run T-LRU. Margins tried are twentieths of a scale, up to twice: of the SLO's
threshold, or for a percentile of the uncached tokens there under LRU. And the SLO's threshold less percentiles of
the prompts that continue a conversation: the budgets are then the least with which prompts up to that percentile
keep the SLO. Until a cache overflows for the first time policies cannot differ: those turns are left out.
`search` says which are run, `comparison` which is best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.advice.comparison import LEAST_COUNTED, Comparison, drift, percentile_of, select
from teltheory.advice.goal import Cost, CostLimits, Goal
from teltheory.advice.promise import Grounds
from teltheory.advice.search import Candidate, explore, near_of
from teltheory.advice.server import Server
from teltheory.cost.bootstrap import Estimate
from teltheory.model.clusters import cluster_of
from teltheory.model.numbers import IntArray

STEPS = 20
"""Margins in one scale of the goal."""
PROMPTS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
MARGINS = 2 * STEPS + 1 + len(PROMPTS)
"""Most margins that are tried."""
MOST_RUNS = 2 * MARGINS + 2
"""Runs where each margin is tried on both parts, and beside them a usual setting and End-Aware T-LRU."""


@dataclass(frozen=True)
class Tried:
    """A candidate on the first part.

    `gain` is the share by which the goal is below LRU's, and `cost` that of the turns that count; `broken` has the
    limits that it does not keep.
    """

    candidate: Candidate
    gain: float
    cost: Cost
    broken: tuple[str, ...] = ()

    @property
    def margin(self) -> int:
        """What threshold and estimate come to, xi - q_hat in tokens; 0 for LRU."""
        return self.candidate.margin

    @property
    def allowed(self) -> bool:
        """Whether it keeps the limits."""
        return not self.broken


@dataclass(frozen=True)
class Choice:
    """The best candidate on the first part.

    `warm_up` has the turns until the first overflow, which do not count; `here` is the gain on the first part and
    `promise` that on the rest, None if nothing is promised; `grounds` is what that rests on, None if too few turns
    count; `freely` is what would have been chosen without limits. `unsure` says why there is no interval.
    """

    candidate: Candidate
    warm_up: int
    here: Estimate
    promise: Estimate | None
    grounds: Grounds | None
    tried: tuple[Tried, ...]
    freely: Tried
    unsure: str | None = None

    @property
    def margin(self) -> int:
        """What threshold and estimate come to, xi - q_hat in tokens; 0 for LRU."""
        return self.candidate.margin

    @property
    def helps(self) -> bool:
        """Whether there is a gain that chance does not explain, so that the first part recommends it."""
        return not self.candidate.is_lru and self.here.above_zero

    @property
    def idle(self) -> bool:
        """Whether too few turns count for a choice."""
        return len(self.tried) == 1

    def to_try(self, usual: int) -> Candidate:
        """Return what is tried on the rest: the choice, or that without limits, or a usual margin everywhere."""
        lasting = (one for one in (self.candidate, self.freely.candidate) if not one.is_lru)
        return next(lasting, Candidate((True,) * len(self.candidate.on), False, usual))


def choose(
    server: Server,
    goal: Goal,
    limits: CostLimits,
    called: str,
    rng: np.random.Generator,
    among: Sequence[int] | None = None,
) -> Choice:
    """Choose a candidate on the first part, whose clusters are called so; `among` has other margins to try."""
    lru, first, start = server.lru, server.first, server.start
    base = server.early(lru)
    warm_up = server.warm_up(base)
    if start - warm_up < LEAST_COUNTED:
        nothing = Tried(lru, 0.0, base.cost(goal))
        return Choice(lru, warm_up, Estimate(0.0, 0.0, 0.0), None, None, (nothing,), nothing)
    rest = len(server.requests) - start
    comparison = Comparison.of(goal, limits, base, cluster_of(first), called, warm_up, rest, rng)
    counted = base.since(warm_up)
    usual = margins(counted.inputs - counted.reused, first.continued_prompts, goal)
    found = explore(
        lambda one: comparison.compared(base if one.is_lru else server.early(one)),
        usual if among is None else among,
        len(lru.on),
        every=server.tries_all,
        loads=any(server.tiers.loads),
    )
    best = select(comparison, list(found.values()), near_of(list(found), drift(goal, comparison.lru)), rng)
    tried = tuple(Tried(key, one.gain, one.cost, one.broken) for key, one in found.items())
    said = best.here, best.promise, best.grounds
    return Choice(tried[best.place].candidate, warm_up, *said, tried, tried[best.freely], best.drawn.unsure)


def margins(uncached: IntArray, prompts: IntArray, goal: Goal) -> list[int]:
    """Return the margins to try, ascending, 0 among them."""
    scale = goal.xi if goal.level is None else int(percentile_of(uncached, goal)[0])
    found = {scale * step // STEPS for step in range(2 * STEPS + 1)}
    if len(prompts):
        longest = np.quantile(prompts, PROMPTS, method="inverted_cdf")
        found.update(max(goal.xi - int(prompt), 0) for prompt in longest)
    return sorted(found)
