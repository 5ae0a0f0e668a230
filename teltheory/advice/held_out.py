"""What a setting did on the rest of a trace, which had no part in choosing it.

Every policy is replayed on the whole trace, so that the rest begins with the cache that the policy has by then,
and only the turns of the rest count. The hindsight optimum of the rest is the least TEL that any plan for the
whole trace has there (`opening`): what is kept between two turns of the first part is worth nothing then, and
after a turn its whole past is available, so that of each conversation only the last turn before the rest matters.
On a forest the requests of the first part ask for nothing (`unasked`), and the optimum is that of a cache whose
blocks may outlive their parents: no cache has less.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from teltheory.advice.choice import BLOCKS, DRAWS, TRIM, rest_of
from teltheory.advice.goal import Cost, Goal, Limits, gain_interval
from teltheory.cost.bootstrap import Blocks, Estimate, interval
from teltheory.cost.metrics import tail_excess_latency, ttft_quantiles, ttft_violations
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, IntArray, exact_sum, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.optimal import hindsight_optimum
from teltheory.policies.clairvoyant import EndAwareTLRU
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import in_blocks
from teltheory.replay import replay
from teltheory.replay.curve import CapacityCurve, capacity_curve

LEVELS = (0.5, 0.9, 0.95, 0.99)
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Setting:
    """A policy as it is tried; its threshold and prompt estimate in tokens."""

    policy: AnyPolicy
    name: str
    xi: int
    q_hat: int

    @property
    def margin(self) -> int:
        """What both come to, in tokens."""
        return self.xi - self.q_hat


@dataclass(frozen=True)
class Row:
    """A policy on the rest.

    Percentiles of TTFT in seconds, turns above the SLO, TEL and regret, above the optimum of the rest, in tokens;
    of a forest TEL and regret in blocks.
    """

    policy: str
    hit_rate: float
    prefilled: int
    written: int
    p50: float
    p90: float
    p95: float
    p99: float
    slow: int
    tel: int
    regret: int


@dataclass(frozen=True)
class HeldOut:
    """What a setting did on the rest.

    The rows are LRU, T-LRU, End-Aware T-LRU. `gain` and `end_aware` are shares by which the goal is below that of
    the row before, `median` the difference of P50 in seconds. LRU does as well at `lru_capacity`, in tokens;
    `within_budget` counts turns above xi although their conversation kept its whole budget; None of a forest.
    """

    margin: int
    rows: tuple[Row, Row, Row]
    optimum: int
    gain: Estimate
    median: Estimate
    end_aware: Estimate
    lru_capacity: int
    within_budget: int | None
    broken: tuple[str, ...]


def hold_out(
    trace: Trace | Forest,
    start: int,
    capacity: int,
    goal: Goal,
    setting: Setting,
    rng: np.random.Generator,
    limits: Limits,
) -> HeldOut:
    """Replay a setting and measure it on the turns from `start` on; the capacity is in the trace's unit."""
    curve, unit = capacity_curve(trace, LRU()), trace.block_size
    lru = rest_of(curve.outcome(capacity), start)
    tried = rest_of(replay(trace, setting.policy, capacity), start)
    knowing = in_blocks(EndAwareTLRU(setting.xi, setting.q_hat, TRIM), unit)
    aware = rest_of(replay(trace, knowing, capacity), start)
    optimum, within, pasts = least_tel(trace, start, capacity, goal.xi // unit), None, 0
    if isinstance(trace, Trace):
        pasts = exact_sum(trace.past[start:])
        within = above_within_budget(trace, start, tried, setting)
    compared = _Compared(goal, rng, Blocks.of(len(trace) - start, BLOCKS))
    return HeldOut(
        setting.margin,
        (
            _row("LRU", lru, goal, optimum, pasts),
            _row(setting.name, tried, goal, optimum, pasts),
            _row("End-Aware T-LRU", aware, goal, optimum, pasts),
        ),
        optimum,
        compared.gain(lru, tried),
        compared.median(lru, tried),
        compared.gain(tried, aware),
        unit * capacity_for(curve, start, capacity, goal, tried),
        within,
        tuple(limits.broken(Cost.of(lru, goal), Cost.of(tried, goal), goal.slo)),
    )


def _row(name: str, outcome: Outcome, goal: Goal, optimum: int, pasts: int) -> Row:
    spent, tel = outcome.in_tokens(), tail_excess_latency(outcome, goal.xi // outcome.block_size)
    slow = ttft_violations(spent, goal.latency, goal.slo)
    p50, p90, p95, p99 = ttft_quantiles(spent, LEVELS, goal.latency).tolist()
    written = pasts - spent.reused if spent.written is None else exact_sum(spent.written)
    work = (float(spent.hit_rate), spent.prefilled, written)
    return Row(name, *work, p50, p90, p95, p99, slow, tel, tel - optimum)


@dataclass(frozen=True)
class _Compared:
    """Two policies on the same draws of blocks."""

    goal: Goal
    rng: np.random.Generator
    blocks: Blocks

    def gain(self, before: Outcome, after: Outcome) -> Estimate:
        lru, own = (self.goal.losses(outcome) for outcome in (before, after))
        return gain_interval(*self._drawn(lambda draws: self.goal.gain(lru, own, self.blocks, draws)))

    def median(self, before: Outcome, after: Outcome) -> Estimate:
        def of(draws: IntArray) -> FloatArray:
            first, second = (self.blocks.percentiles(x, draws, HALF) for x in ttft)
            return second - first

        spent = [outcome.in_tokens() for outcome in (before, after)]
        ttft = [self.goal.latency.ttft(outcome.uncached, outcome.cached) for outcome in spent]
        return interval(*self._drawn(of))

    def _drawn(self, of: Callable[[IntArray], FloatArray]) -> tuple[float, FloatArray, int]:
        draws = self.blocks.draw(len(self.blocks), DRAWS, self.rng)
        return float(of(self.blocks.all)[0]), of(draws), len(self.blocks)


def least_tel(trace: Trace | Forest, start: int, capacity: int, xi: int) -> int:
    """Return the least TEL from turn `start` on that any plan for the whole trace reaches; optional caching."""
    if isinstance(trace, Forest):
        return hindsight_optimum(unasked(trace, start), capacity, xi, cache="holes").lower
    rest, openings = opening(trace, start)
    unavoidable = exact_sum(np.maximum(rest.total[:openings] - xi, 0))
    return hindsight_optimum(rest, capacity, xi).objective - unavoidable


def unasked(forest: Forest, start: int) -> Forest:
    """Return a forest whose requests before `start` ask for nothing; what they leave is there for the others."""
    asks = np.arange(len(forest)) >= start
    return replace(forest, ask=readonly(forest.ask * asks), total=readonly(forest.total * asks))


def opening(trace: Trace, start: int) -> tuple[Trace, int]:
    """Return the rest of a trace behind one turn for each conversation that comes back, and how many those are.

    Such a turn is the conversation's last one before `start`, with its whole past for a prompt: what it computes
    does not depend on what is kept.
    """
    before = np.flatnonzero(trace.next_turn[:start] >= start)
    before = before[trace.next_turn[before] < len(trace)]
    rest = np.arange(start, len(trace))
    turns = np.concatenate((before, rest))
    prompt, response, history = trace.prompt[turns], trace.response[turns], trace.history[turns]
    opened = slice(0, len(before))
    prompt[opened], response[opened], history[opened] = trace.past[before], 0, 0
    return Trace.from_turns(trace.conversation[turns], prompt, response, history=history), len(before)


def capacity_for(lru: CapacityCurve, start: int, capacity: int, goal: Goal, reached: Outcome) -> int:
    """Return the least capacity, no less than the one given, at which LRU reaches on the rest what was reached.

    By bisection: LRU is a stack algorithm, so that a larger cache is never worse.
    """

    def worth(outcome: Outcome) -> float:
        blocks = Blocks.of(len(outcome), 1)
        return float(goal.worth(goal.losses(outcome), blocks, blocks.all)[0])

    low, high, wanted = capacity, max(capacity, lru.peak), worth(reached)
    while low < high:
        middle = (low + high) // 2
        enough = worth(rest_of(lru.outcome(middle), start)) <= wanted
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def above_within_budget(trace: Trace, start: int, tried: Outcome, setting: Setting) -> int:
    """Return how many turns of the rest are above xi although their conversation kept its whole budget."""
    turns = start + np.flatnonzero(trace.continuing[start:])
    budget = np.maximum(trace.past[trace.previous_turn[turns]] - setting.margin, 0)
    kept = tried.cached[turns - start] >= np.minimum(budget, trace.history[turns])
    return int(np.count_nonzero(kept & (tried.uncached[turns - start] > setting.xi)))
