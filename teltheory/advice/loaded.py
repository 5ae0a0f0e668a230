"""Advice for a loaded server: the setting is chosen in the queue, on the first part, and judged there on the rest.

The steps are those of `teltheory.advice.choice`, on seconds to the first token, waits included: TEL is the sum of
the seconds above the SLO. A setting may run T-LRU in some tiers and LRU in the others. All policies are served at
the same speed: the trace's own, or the one at which LRU would keep the replicas busy for the load that is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from teltheory.advice.choice import BLOCKS, Comparison, drift, margins, select
from teltheory.advice.engines import EngineSetting, cautions_of, engine_settings
from teltheory.advice.frontier import Frontier, Point, Side
from teltheory.advice.goal import Cost, Goal, Limits
from teltheory.advice.held_in_queue import HeldInQueue, hold_in_queue, named
from teltheory.advice.overflow import first_overflow_of
from teltheory.advice.promise import Grounds, conversations_of
from teltheory.advice.reasons import reasons_of
from teltheory.advice.search import Candidate, explore, near_of
from teltheory.advice.sentences_in_queue import card_of, headline, queue_lines
from teltheory.advice.server import Server, in_units
from teltheory.advice.settings import as_set, start_of_rest, t_lru
from teltheory.base.progress import Count, Report
from teltheory.cost.bootstrap import Estimate
from teltheory.cost.given import scarce
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.display import in_sentences
from teltheory.model.forest import Forest
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.future import ahead
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate, in_blocks
from teltheory.serving.serve import Serving, stretch_for

MORE = (
    "T-LRU can have more TEL than LRU even if nobody waits; in the last tier alone, with scaled budgets, it can't."
)
UNKNOWN = "What is proved of T-LRU in tiers is proved for private conversations, most of it in exclusive tiers."
OVERLAPPED = "With loading beside computing T-LRU can have more TEL than LRU even if nobody waits."
IN_A_QUEUE = "In a queue nothing is guaranteed, even for an exact Q̂: others wait for what T-LRU computes more."
"""What somebody should know who follows advice that was given in a queue."""


@dataclass(frozen=True)
class QueueTried:
    """A candidate on the first part: gain and cost on the turns that count, and the limits that it breaks."""

    candidate: Candidate
    gain: float
    cost: Cost
    broken: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether it keeps the limits."""
        return not self.broken


@dataclass(frozen=True)
class QueueChoice:
    """The best candidate on the first part; the other fields are those of `Choice`."""

    candidate: Candidate
    warm_up: int
    here: Estimate
    promise: Estimate | None
    grounds: Grounds | None
    tried: tuple[QueueTried, ...]
    freely: QueueTried

    @property
    def helps(self) -> bool:
        """Whether there is a gain that chance does not explain, so that the first part recommends it."""
        return not self.candidate.is_lru and self.here.above_zero

    @property
    def idle(self) -> bool:
        """Whether too few turns count for a choice."""
        return len(self.tried) == 1


@in_sentences(headline, queue_lines, card_of)
@dataclass(frozen=True)
class QueueAdvice:
    """A setting for replicas with queues, and what is known of it.

    Attributes
    ----------
    goal : Goal
        What was to be small.
    capacity : int or Tiers
        Of each replica, in tokens.
    serving : Serving
        Replicas, router, and the stretch at which everything was served.
    load : float or None
        The load that was asked for; None for the trace's own speed, times a stretch that was given.
    kind : str
        What is tried next to LRU: T-LRU, or the name of another policy's class.
    turns, start : int
        Turns of the trace, and the first of the rest.
    estimate : int or None
        As in `Advice`.
    choice : QueueChoice
        How the setting was chosen on the first part, and what it promises.
    tried : Candidate
        What was served on the rest: what was chosen; or else what would have been without limits; or else the
        SLO's threshold with the mean prompt, in all tiers.
    policies : Policy or tuple of Policy
        The same as a policy, or one for each tier; their lengths are in the unit of the requests.
    held_out : HeldInQueue
        What it did there.
    limits : Limits
        What a recommendation may cost.
    warnings : tuple of str
        What somebody who follows the advice should know.
    block_size : int or None
        Tokens per block of a forest; None for a trace.
    shape : KVSize or None
        Size of a token, if the model is known.
    """

    goal: Goal
    capacity: int | Tiers
    serving: Serving
    load: float | None
    kind: str
    turns: int
    start: int
    estimate: int | None
    choice: QueueChoice
    tried: Candidate
    policies: Any
    held_out: HeldInQueue
    limits: Limits
    warnings: tuple[str, ...] = ()
    block_size: int | None = None
    shape: KVSize | None = field(default=None, compare=False)

    @property
    def xi(self) -> int:
        """The threshold that was tried on the rest, in tokens."""
        return self.as_set(self.tried.margin)[0]

    @property
    def q_hat(self) -> int:
        """The prompt estimate that was tried on the rest, in tokens."""
        return self.as_set(self.tried.margin)[1]

    @property
    def policy(self) -> str:
        """The policy that was tried; of tiers one for each."""
        return self.name(self.tried)

    def name(self, candidate: Candidate) -> str:
        """Return what a candidate's policies are called."""
        return named(candidate, self.kind)

    @property
    def recommended(self) -> bool:
        """Whether it is recommended: each part shows a gain that chance does not explain, within the limits."""
        return self.choice.helps and self.held_out.gain.above_zero and not self.held_out.broken

    @property
    def kept_promise(self) -> bool | None:
        """Whether the gain on the rest is in the interval that was promised; None if nothing was."""
        promise = self.choice.promise
        return None if promise is None else promise.holds(self.held_out.gain.value)

    def as_set(self, margin: int) -> tuple[int, int]:
        """Return a margin as a threshold and a prompt estimate."""
        return as_set(margin, self.goal.xi, self.estimate)

    @property
    def frontier(self) -> Frontier:
        """What more gain costs: all settings on the first part; LRU and the one that was tried on the rest too."""
        points = tuple(self._point(one) for one in self.choice.tried)
        places = [one.candidate for one in self.choice.tried]
        chosen = points[places.index(self.choice.candidate)]
        advised = chosen if self.recommended else points[0]
        return Frontier(points, chosen, advised, self.limits, self.goal.slo, "s")

    def _point(self, one: QueueTried) -> Point:
        held, rest = self.held_out, None
        served = {self.choice.tried[0].candidate: held.rows[0], self.tried: held.rows[1]}.get(one.candidate)
        if served is not None:
            cost = Cost(served.prefilled, served.hit_rate, served.p50, served.p95, served.tel)
            rest = Side(served.gain.value, cost, held.broken if served is held.rows[1] else ())
        side = Side(one.gain, one.cost, one.broken)
        return Point(self.name(one.candidate), *self.as_set(one.candidate.margin), side, rest)

    @property
    def why(self) -> tuple[str, ...]:
        """Facts that speak for LRU; none if the setting is recommended."""
        return () if self.recommended else tuple(reasons_of(self.held_out, self.goal, self.choice.idle))

    @property
    def engines(self) -> tuple[EngineSetting, ...]:
        """The setting for the engines; none unless T-LRU in the first tier is recommended."""
        usable = self.recommended and self.kind == "T-LRU" and self.tried.on[0]
        return engine_settings(self.xi, self.q_hat) if usable else ()


class Options(NamedTuple):
    """Options of `teltheory.advise` that an idle and a loaded server share."""

    goal: str
    work_cost: Fraction | None
    median_cost: Fraction | None
    policy: Callable[[int, int], AnyPolicy] | None
    q_hat: int | None
    first: Fraction
    seed: int


def advise_in_queue(
    trace: Trace | Forest,
    capacity: int | Tiers,
    slo: Fraction,
    latency: Latency,
    serving: Serving,
    load: float | Fraction | None,
    options: Options,
    report: Report,
) -> QueueAdvice:
    """Choose a setting on the first part of a trace in the queue; arguments as in `teltheory.advise`."""
    aim = Goal.of(options.goal, slo, latency)
    limits, policy, q_hat = Limits(options.work_cost, options.median_cost), options.policy, options.q_hat
    start, unit = start_of_rest(trace, options.first), trace.block_size
    memory = in_units(capacity if isinstance(capacity, Tiers) else whole_number("capacity", capacity), unit)
    estimate = None if q_hat is None else whole_number("q_hat", q_hat)
    if estimate is None and policy is not None:
        estimate = default_estimate(trace[:start])

    def make(margin: int) -> AnyPolicy:
        made: AnyPolicy = in_blocks((policy or t_lru)(*as_set(margin, aim.xi, estimate)), unit)
        return made

    serving = at_load(trace, memory, latency, serving, load)
    server = Server(trace, memory, latency, serving, make, Count(report))
    rng = np.random.default_rng(options.seed)
    choice = choose_in_queue(server, start, aim, limits, rng)
    tried = _to_try(choice, max(aim.xi - default_estimate(trace[:start]), 0), len(server.tiers))
    kind = "T-LRU" if policy is None else type(make(tried.margin)).__name__
    held = hold_in_queue(server, start, aim, limits, tried, kind, rng)
    blocks, asked = unit if isinstance(trace, Forest) else None, None if load is None else float(load)
    parts = (choice, tried, server.policies(tried), held, limits)
    found = QueueAdvice(
        aim, capacity, serving, asked, kind, len(trace), start, estimate, *parts, block_size=blocks
    )
    margin = tried.margin if kind == "T-LRU" else 0
    cautions = cautions_of(trace, aim, margin, None, found.q_hat, found.recommended)
    followed = found.recommended and bool(margin)
    minds = (*((IN_A_QUEUE,) if followed else ()), *(unproved(trace, tiers_of(memory), tried) if followed else ()))
    scant = scarce(trace, [sum(tiers_of(capacity).capacities)])
    return replace(found, warnings=(*scant, *ahead(kind, make(tried.margin)), *minds, *cautions))


def unproved(trace: Trace | Forest, tiers: Tiers, tried: Candidate) -> Iterator[str]:
    """Yield sentences if T-LRU so in tiers can, or may, have more TEL than LRU even on an idle server."""
    if len(tiers) > 1 and (isinstance(trace, Forest) or tiers.mode != "exclusive"):
        yield UNKNOWN
    if tiers.loading == "overlapped" and len(tiers) > 1:
        yield OVERLAPPED
    elif any(tried.on[1:]) and tried.flat:
        yield f"With flat budgets {MORE}"
    elif len(tiers) > 2 and any(tried.on[:-1]):
        yield f"In three tiers or more {MORE}"


def at_load(trace: Trace | Forest, memory: int | Tiers, latency: Latency, serving: Serving, load: Any) -> Serving:
    """Return how requests are served if LRU is to have a load; memory in the trace's unit."""
    if load is None:
        return serving
    if serving.stretch != 1:
        raise ArgumentError("load", str(load), f"none with a stretch, {serving.stretch}")
    return replace(serving, stretch=stretch_for(trace, memory, latency, serving.replicas, load, serving.ticks))


def choose_in_queue(
    server: Server, start: int, goal: Goal, limits: Limits, rng: np.random.Generator
) -> QueueChoice:
    """Choose a candidate on the turns before `start`."""
    lru = Candidate((False,) * len(server.tiers), False, 0)
    base, first = server.served(lru, turns=start), server.requests[:start]
    sizes, nowhere = server.tiers.capacities, np.zeros_like(base.served.replica)
    warm_up = first_overflow_of(first, base.served.replica, sizes[0])
    if server.serving.shared:
        warm_up = min(warm_up, first_overflow_of(first, nowhere, sizes[-1]))
    if start - warm_up < BLOCKS:
        nothing = QueueTried(lru, 0.0, base.cost(goal))
        return QueueChoice(lru, warm_up, Estimate(0.0, 0.0, 0.0), None, None, (nothing,), nothing)
    rest = len(server.requests) - start
    comparison = Comparison.of(goal, limits, base, conversations_of(first), warm_up, rest, rng)
    counted = base.since(warm_up)
    grid = margins(counted.inputs - counted.reused, first.continued_prompts, goal)
    found = explore(
        lambda one: comparison.compared(base if one.is_lru else server.served(one, turns=start)),
        grid,
        len(server.tiers),
        every=len(server.tiers) == 1 and isinstance(first, Trace),
        loads=any(server.tiers.loads),
    )
    candidates = list(found)
    near = near_of(candidates, drift(goal, comparison.lru))
    best = select(comparison, list(found.values()), near, rng)
    tried = tuple(QueueTried(key, one.gain, one.cost, one.broken) for key, one in found.items())
    said = best.here, best.promise, best.grounds
    return QueueChoice(candidates[best.place], warm_up, *said, tried, tried[best.freely])


def _to_try(choice: QueueChoice, usual: int, tiers: int) -> Candidate:
    """Return what is served on the rest next to LRU."""
    for one in (choice.candidate, choice.freely.candidate):
        if not one.is_lru:
            return one
    return Candidate((True,) * tiers, False, usual)
