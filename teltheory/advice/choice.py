"""The setting that would have served the first part of a trace best, and what it promises for the rest.

1. There is one number to choose, the margin xi - q_hat: T-LRU's budget depends on it alone, and a margin of 0 is
   LRU. Tried are twentieths of a scale, up to twice: of the SLO's threshold, or for a percentile of the uncached
   tokens there under LRU. And the SLO's threshold less percentiles of the prompts that continue a conversation:
   the budgets are then the least with which prompts up to that percentile keep the SLO. T-LRU trims the least
   recent surplus first, as the engines do. Its curve on the first part is asked at the capacity. Until the cache
   overflows for the first time policies cannot differ: those turns are left out.
2. A margin is allowed if it keeps the limits on what it costs (`goal.Limits`), on all turns of the first part and
   on those from the first overflow on.
3. A percentile improves up to the best margin and jumps back right behind it, and lengths drift. So a margin is
   worth the mean, over draws of blocks, of its gain and its neighbours', weighted by how far the percentile under
   LRU drifted from the first half of the part to the second (`neighbours`). Of those allowed the greatest mean is
   best, and the smallest margin of several.
4. What the gain promises for the rest is in `teltheory.advice.promise`. Its draws of other turns have each the
   margin that would have been chosen on a draw of its own, and with drift.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from teltheory.advice.goal import Cost, Goal, Limits
from teltheory.advice.promise import (
    MOST_BLOCKS,
    PIECES,
    QUARTERS,
    Grounds,
    beginnings,
    carriers,
    chance,
    conversations_of,
    errors_of,
    promised,
    spans,
    time_blocks,
    trend_of,
    weights_of,
)
from teltheory.base.progress import Report, nothing
from teltheory.cost.bootstrap import Blocks, Estimate, Values, groups, standard_error
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy, Trim
from teltheory.replay.curve import capacity_curve

TRIM: Trim = "least-recent"
"""How the engines trim."""
BLOCKS = 20
"""Of the rest; and fewest turns that a choice is made on."""
DRAWS = 1000
STEPS = 20
"""Margins in one scale of the goal."""
PROMPTS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
MARGINS = 2 * STEPS + 1 + len(PROMPTS)
"""Most margins that are tried."""
LEAST_SPREAD = 1e-6
"""Drift below which there is none."""


@dataclass(frozen=True)
class Tried:
    """A margin on the first part.

    `gain` is the share by which the goal is below LRU's, and `cost` that of the turns that count; `broken` has the
    limits that it does not keep.
    """

    margin: int
    gain: float
    cost: Cost
    broken: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether it keeps the limits."""
        return not self.broken


@dataclass(frozen=True)
class Choice:
    """The best margin on the first part.

    `margin` is xi - q_hat in tokens, 0 for LRU; `warm_up` the turns until the first overflow, which do not count;
    `here` the gain on the first part and `promise` that on the rest, None if nothing is promised; `grounds` is
    what that rests on, None if too few turns count; `freely` is what would have been chosen without limits.
    """

    margin: int
    warm_up: int
    here: Estimate
    promise: Estimate | None
    grounds: Grounds | None
    tried: tuple[Tried, ...]
    freely: Tried

    @property
    def helps(self) -> bool:
        """Whether there is a gain that chance does not explain, so that the first part recommends the margin."""
        return self.margin > 0 and self.here.above_zero

    @property
    def idle(self) -> bool:
        """Whether too few turns count for a choice."""
        return len(self.tried) == 1


def choose(
    first: Trace | Forest,
    rest_turns: int,
    capacity: int,
    goal: Goal,
    rng: np.random.Generator,
    policy: Callable[[int], AnyPolicy],
    limits: Limits,
    report: Report = nothing,
) -> Choice:
    """Choose the margin for a goal; capacity and policies are in the trace's unit, margins in tokens."""
    warm_up = first_overflow(first, capacity)
    base = capacity_curve(first, LRU()).outcome(capacity)
    counted = len(first) - warm_up
    if counted < BLOCKS:
        nothing = Tried(0, 0.0, Cost.of(base, goal))
        return Choice(0, warm_up, Estimate(0.0, 0.0, 0.0), None, None, (nothing,), nothing)
    comparison = Comparison.of(goal, limits, Replayed(base), conversations_of(first), warm_up, rest_turns, rng)
    candidates = margins(base.in_tokens().uncached[warm_up:], first.continued_prompts, goal)
    found: list[Compared] = []
    for done, margin in enumerate(candidates, start=1):
        outcome = capacity_curve(first, policy(margin)).outcome(capacity) if margin else base
        found.append(comparison.compared(Replayed(outcome)))
        report(done, len(candidates))
    best = select(comparison, found, neighbours(candidates, drift(goal, comparison.lru)), rng)
    tried = tuple(Tried(m, one.gain, one.cost, one.broken) for m, one in zip(candidates, found, strict=True))
    said = best.here, best.promise, best.grounds
    return Choice(candidates[best.place], warm_up, *said, tried, tried[best.freely])


class Run(Protocol):
    """What a setting did, on an idle server (`Replayed`) or in a queue."""

    def losses(self, goal: Goal) -> Values:
        """Return what counts of each turn."""

    def cost(self, goal: Goal) -> Cost:
        """Return what it costs."""

    def since(self, start: int) -> Run:
        """Return the turns from `start` on."""


@dataclass(frozen=True)
class Replayed:
    """An outcome of a replay."""

    outcome: Outcome

    def losses(self, goal: Goal) -> Values:
        """Return what counts of each turn."""
        return goal.losses(self.outcome)

    def cost(self, goal: Goal) -> Cost:
        """Return what it costs."""
        return Cost.of(self.outcome, goal)

    def since(self, start: int) -> Replayed:
        """Return the turns from `start` on."""
        return Replayed(rest_of(self.outcome, start))


@dataclass(frozen=True, eq=False)
class Compared:
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

    `conversation` and `lru`, what counts under LRU, have an entry for each turn that counts. Blocks of time should
    have `length` turns.
    """

    goal: Goal
    limits: Limits
    base: Run
    warm_up: int
    rest_turns: int
    conversation: IntArray
    lru: Values
    length: float
    blocks: Blocks
    draws: IntArray
    elsewhere: IntArray

    @classmethod
    def of(
        cls,
        goal: Goal,
        limits: Limits,
        base: Run,
        conversation: IntArray,
        warm_up: int,
        rest_turns: int,
        rng: np.random.Generator,
    ) -> Comparison:
        """Draw blocks of the turns that count, and what the rest may look like."""
        lru = base.since(warm_up).losses(goal)
        length, blocks = time_blocks(goal, lru)
        draws = blocks.draw(len(blocks), DRAWS, rng)
        elsewhere = blocks.draw_elsewhere(max(1, round(len(blocks) * rest_turns / len(lru))), DRAWS, rng)
        counted = conversation[warm_up:]
        return cls(goal, limits, base, warm_up, rest_turns, counted, lru, length, blocks, draws, elsewhere)

    def compared(self, run: Run) -> Compared:
        """Return a run next to LRU's."""
        counted = run.since(self.warm_up)
        losses, whole = counted.losses(self.goal), Blocks.of(len(self.lru), 1)
        cost = counted.cost(self.goal)
        pairs = ((self._costs[0], cost), (self._costs[1], run.cost(self.goal)))
        broken = (text for before, after in pairs for text in self.limits.broken(before, after, self.goal.slo))
        ends = beginnings(len(self.lru), self.rest_turns)
        pieces = Blocks.of(len(self.lru), PIECES)
        return Compared(
            float(self._gains(losses, whole, whole.all)[0]),
            cost,
            tuple(dict.fromkeys(broken)),
            self._gains(losses, self.blocks, self.draws),
            self._gains(losses, self.blocks, self.elsewhere),
            self._gains(losses, pieces, spans([(0, start) for start, _ in ends])),
            self._gains(losses, pieces, spans(ends)),
            losses,
        )

    @cached_property
    def _costs(self) -> tuple[Cost, Cost]:
        return self.base.since(self.warm_up).cost(self.goal), self.base.cost(self.goal)

    def _gains(self, losses: Values, blocks: Blocks, draws: IntArray) -> FloatArray:
        return self.goal.gain(self.lru, losses, blocks, draws)

    def by_conversation(self, run: Compared, rng: np.random.Generator) -> tuple[FloatArray, int]:
        """Return the gain in draws of conversations, and of how many groups of them."""
        order, blocks = groups(self.conversation, MOST_BLOCKS, rng)
        draws = blocks.draw(len(blocks), DRAWS, rng)
        return self.goal.gain(self.lru[order], run.losses[order], blocks, draws), len(blocks)

    def grounds(self, run: Compared, spread: float, errors: FloatArray) -> Grounds:
        """Return what a promise for a run rests on, whose gain has a standard error."""
        quarters = Blocks.of(len(self.lru), QUARTERS)
        gains = self._gains(run.losses, quarters, np.eye(QUARTERS, dtype=np.int64))
        error = float(np.sqrt(np.mean(errors**2)))
        heavy = carriers(weights_of(self.goal, self.lru), self.conversation)
        return Grounds(tuple(gains.tolist()), trend_of(gains, spread), error, *heavy, self.length)


@dataclass(frozen=True)
class Selected:
    """The best of some runs by its place, the best without limits, and what the first part shows and promises."""

    place: int
    freely: int
    here: Estimate
    promise: Estimate | None
    grounds: Grounds


def select(
    comparison: Comparison, found: Sequence[Compared], near: FloatArray, rng: np.random.Generator
) -> Selected:
    """Return the best of runs, LRU's first; `near` says which of them each may turn out to be (`neighbours`)."""
    gains, later, before, after = (
        np.array([getattr(one, name) for one in found]) for name in ("gains", "later", "before", "after")
    )
    barred = np.where([one.allowed for one in found], 0.0, -np.inf)
    worth = near @ gains
    allowed = worth + barred[:, None]
    freely, place = (int(np.argmax(each.mean(axis=1))) for each in (worth, allowed))
    again = [rng.choice(len(found), p=near[place]) for place in np.argmax(allowed, axis=0)]
    best, blocks = found[place], len(comparison.blocks)
    time, people = (gains[place], blocks), comparison.by_conversation(best, rng)
    here = chance(best.gain, time, people)
    spread = max(standard_error(*each) for each in (time, people))
    grounds = comparison.grounds(best, spread, errors_of(before, after, barred, near))
    promise = None
    if place and here.above_zero:
        alike = chance(best.gain, (later[again, np.arange(DRAWS)], blocks), people)
        promise = promised(alike, grounds, comparison.rest_turns / len(comparison.lru))
    return Selected(place, freely, here, promise, grounds)


def rest_of(outcome: Outcome, start: int) -> Outcome:
    """Return the turns from `start` on."""
    written, inputs = (None if one is None else one[start:] for one in (outcome.written, outcome.inputs))
    return Outcome(outcome.cached[start:], outcome.uncached[start:], written, inputs, outcome.block_size)


def first_overflow(trace: Trace | Forest, capacity: int) -> int:
    """Return the first turn after which all pasts together are above the capacity; the number of turns if none."""
    over = np.flatnonzero(_held(trace) > capacity)
    return int(over[0]) if len(over) else len(trace)


def _held(trace: Trace | Forest) -> IntArray:
    """Return all pasts together after each turn; of a forest, all blocks that were there so far."""
    if not isinstance(trace, Forest):
        return trace.held
    new = np.zeros(len(trace) + 1, np.int64)
    np.add.at(new, trace.first, trace.length)
    return np.cumsum(new[:-1])


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
