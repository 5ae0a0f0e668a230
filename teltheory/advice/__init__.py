"""From a trace and an SLO to a setting: chosen on the first part of the trace, judged on the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import overload

import numpy as np

from teltheory.advice.choice import MARGINS, Choice, choose
from teltheory.advice.engines import EngineSetting, cautions_of, engine_settings
from teltheory.advice.frontier import Frontier, Point, Side, points_of
from teltheory.advice.goal import MEDIAN_COST, WORK_COST, Goal, Limits
from teltheory.advice.held_out import HeldOut, Row, Setting, hold_out
from teltheory.advice.loaded import Options, QueueAdvice, QueueChoice, advise_in_queue
from teltheory.advice.planning import Plan, plan
from teltheory.advice.search import Candidate
from teltheory.advice.sentences import advice_lines, card_of, headline
from teltheory.advice.settings import HALF, as_set, start_of_rest, t_lru
from teltheory.base.progress import Progress, Report, halves_of, reporting
from teltheory.cost.bootstrap import Estimate
from teltheory.cost.given import LatencyGiven, Model, Size, Units, latency_of, refuse_file, scarce
from teltheory.cost.goals import TEL
from teltheory.cost.kv_cache import KVSize
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.display import in_sentences
from teltheory.model.forest import Forest
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.model.units import Seconds, seconds_of
from teltheory.policies.future import ahead
from teltheory.policies.named import maker_of
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate, in_blocks
from teltheory.serving.serve import Serving

__all__ = [
    "MARGINS",
    "Advice",
    "Candidate",
    "Choice",
    "EngineSetting",
    "Estimate",
    "Frontier",
    "Goal",
    "HeldOut",
    "Limits",
    "Plan",
    "Point",
    "QueueAdvice",
    "QueueChoice",
    "Row",
    "Side",
    "advise",
    "plan",
]


@in_sentences(headline, advice_lines, card_of)
@dataclass(frozen=True)
class Advice:
    """A setting for one capacity, and what is known of it.

    Attributes
    ----------
    goal : Goal
        What was to be small.
    capacity : int
        In tokens.
    turns : int
        Turns of the trace.
    start : int
        First turn of the rest.
    estimate : int or None
        The prompt estimate that goes with every margin; None if T-LRU's follows from the SLO (`in_slo`).
    choice : Choice
        How the setting was chosen on the first part, and what it promises.
    held_out : HeldOut
        What it did on the rest.
    limits : Limits
        What a recommendation may cost.
    points : tuple of Point
        All settings that were tried, on both parts, LRU first.
    warnings : tuple of str
        What somebody who follows the advice should know.
    block_size : int or None
        Tokens per block of a forest, whose TEL is in blocks; None for a trace.
    shape : KVSize or None
        Size of a token, if the model is known.
    """

    goal: Goal
    capacity: int
    turns: int
    start: int
    estimate: int | None
    choice: Choice
    held_out: HeldOut
    limits: Limits
    points: tuple[Point, ...]
    warnings: tuple[str, ...] = ()
    block_size: int | None = None
    shape: KVSize | None = field(default=None, compare=False)

    @property
    def xi(self) -> int:
        """The threshold that was tried on the rest, in tokens."""
        return self.as_set(self.held_out.margin)[0]

    @property
    def q_hat(self) -> int:
        """The prompt estimate that was tried on the rest, in tokens."""
        return self.as_set(self.held_out.margin)[1]

    @property
    def policy(self) -> str:
        """The policy that was tried: T-LRU, or the name of another one's class."""
        return self.held_out.rows[1].policy

    @property
    def recommended(self) -> bool:
        """Whether it is recommended: each part shows a gain that chance does not explain, within the limits."""
        return self.choice.helps and self.held_out.gain.above_zero and not self.held_out.broken

    @property
    def kept_promise(self) -> bool | None:
        """Whether the gain on the rest is in the interval that was promised; None if nothing was."""
        promise = self.choice.promise
        return None if promise is None else promise.holds(self.held_out.gain.value)

    @property
    def frontier(self) -> Frontier:
        """What more gain costs: all settings on both parts, what the first part chose, and what is advised."""
        chosen = next(point for point in self.points if point.margin == self.choice.margin)
        advised = chosen if self.recommended else self.points[0]
        unit = "tokens" if self.block_size is None else "blocks"
        return Frontier(self.points, chosen, advised, self.limits, self.goal.slo, unit)

    def as_set(self, margin: int) -> tuple[int, int]:
        """Return a margin as a threshold and a prompt estimate."""
        return as_set(margin, self.goal.xi, self.estimate)

    @property
    def engines(self) -> tuple[EngineSetting, ...]:
        """The setting for the engines; none if T-LRU is not what is recommended."""
        return engine_settings(self.xi, self.q_hat) if self.recommended and self.policy == "T-LRU" else ()


@overload
def advise(
    trace: Trace | Forest,
    capacity: Size,
    slo: Seconds,
    latency: LatencyGiven | None = ...,
    *,
    goal: str = ...,
    work_cost: Fraction | None = ...,
    median_cost: Fraction | None = ...,
    policy: Callable[[int, int], AnyPolicy] | str | None = ...,
    q_hat: Size | None = ...,
    first: Fraction = ...,
    seed: int = ...,
    progress: Progress = ...,
    model: Model | None = ...,
    serving: None = ...,
    load: None = ...,
) -> Advice: ...


@overload
def advise(
    trace: Trace | Forest,
    capacity: Size | Tiers,
    slo: Seconds,
    latency: LatencyGiven | None = ...,
    *,
    goal: str = ...,
    work_cost: Fraction | None = ...,
    median_cost: Fraction | None = ...,
    policy: Callable[[int, int], AnyPolicy] | str | None = ...,
    q_hat: Size | None = ...,
    first: Fraction = ...,
    seed: int = ...,
    progress: Progress = ...,
    model: Model | None = ...,
    serving: Serving,
    load: float | Fraction | None = ...,
) -> QueueAdvice: ...


def advise(
    trace: Trace | Forest,
    capacity: Size | Tiers,
    slo: Seconds,
    latency: LatencyGiven | None = None,
    *,
    goal: str = TEL,
    work_cost: Fraction | None = WORK_COST,
    median_cost: Fraction | None = MEDIAN_COST,
    policy: Callable[[int, int], AnyPolicy] | str | None = None,
    q_hat: Size | None = None,
    first: Fraction = HALF,
    seed: int = 0,
    progress: Progress = None,
    model: Model | None = None,
    serving: Serving | None = None,
    load: float | Fraction | None = None,
) -> Advice | QueueAdvice:
    """Choose T-LRU's threshold on the first part of a trace, and judge it on the rest.

    Parameters
    ----------
    trace, capacity, latency, model : as in `Problem`
        At least 40 turns in each part; tiers with `serving`; without any latency it is `A100_LLAMA2_7B`. Lengths
        that are found are in tokens, of a forest too; there TEL is in blocks.
    slo : int, float, Fraction or str
        Seconds to the first token, or text such as ``"200ms"``.
    goal : str
        What is to be small: ``"tel"``, TEL above the SLO; ``"slo"``, the number of turns above it; a percentile of
        TTFT such as ``"p95"``.
    work_cost, median_cost : Fraction or None
        The most that a recommendation may prefill, and the largest P50 of TTFT, in multiples of LRU's, at least 1;
        None for no limit. Below half of the SLO every P50 will do.
    policy : callable or str, optional
        In the place of T-LRU: makes a policy of a threshold above Q-hat and of Q-hat, or of the threshold alone,
        such as ``MyPolicy``; or the short form of one, such as ``"end-aware"``. No engine has a setting for it.
    q_hat : int or str, optional
        Prompt estimate, in the requests' unit, or as text in tokens; the threshold is that plus the margin chosen.
        Left out, T-LRU's setting is the SLO's threshold with the estimate that this leaves (only xi - q_hat
        matters), another policy's estimate the first part's mean prompt that continues a conversation, rounded up.
    first, seed : Fraction, int
        Share of the turns that are the first part, above 0 and below 1; of the bootstrap's draws.
    progress : callable or bool, optional
        Called with the replays (in a queue the runs) done and all of them, if known; True shows a bar.
    serving : Serving, optional
        How a loaded server serves the trace: the setting is chosen and judged in its queue then, TEL is in
        seconds, and of tiers it is said which should run T-LRU. An idle server when left out.
    load : float or Fraction, optional
        With `serving`: LRU's load, as `stretch_for` takes it, at whose speed all are served; else the trace's own.

    Raises
    ------
    ArgumentError, TraceError
        Wrong arguments, a trace in blocks, with `serving` one without arrivals; a trace that is too short.
    """
    refuse_file(trace)
    unit = trace.block_size if isinstance(trace, Forest) else 1
    units, within = Units.in_tokens(unit, model, latency), seconds_of("slo", slo)
    memory, q_hat = units.memory(capacity), None if q_hat is None else units.estimate(q_hat)
    served_by, make = latency_of(latency, model), None if policy is None else maker_of(policy)
    options = Options(goal, work_cost, median_cost, make, q_hat, first, seed)
    with reporting(progress, "Trying settings") as report:
        if serving is not None:
            queued = advise_in_queue(trace, memory, within, served_by, serving, load, options, report)
            return replace(queued, shape=units.shape)
        found = _on_an_idle_server(trace, memory, within, served_by, load, options, report)
        return replace(found, shape=units.shape)


def _on_an_idle_server(
    trace: Trace | Forest,
    capacity: int | Tiers,
    slo: Fraction,
    latency: Latency,
    load: float | Fraction | None,
    options: Options,
    report: Report,
) -> Advice:
    if isinstance(capacity, Tiers) or load is not None:
        argument, value = ("capacity", capacity) if load is None else ("load", load)
        raise ArgumentError(argument, str(value), "serving=Serving(...) with it")
    goal, work_cost, median_cost, policy, q_hat, first, seed = options
    aim, limits = Goal.of(goal, slo, latency), Limits(work_cost, median_cost)
    start = start_of_rest(trace, first)
    beginning = trace[:start]
    unit, room = trace.block_size, whole_number("capacity", capacity) // trace.block_size
    estimate = None if q_hat is None else whole_number("q_hat", q_hat)
    if estimate is None and policy is not None:
        estimate = default_estimate(beginning)
    rng = np.random.default_rng(seed)
    make = policy or t_lru

    def of(margin: int) -> Setting:
        xi, q_hat = as_set(margin, aim.xi, estimate)
        made: AnyPolicy = in_blocks(make(xi, q_hat), unit)
        return Setting(made, "T-LRU" if policy is None else type(made).__name__, xi, q_hat)

    half, other = halves_of(report)
    rest = len(trace) - start
    choice = choose(beginning, rest, room, aim, rng, lambda margin: of(margin).policy, limits, half)
    margin = choice.margin or choice.freely.margin or max(aim.xi - default_estimate(beginning), 0)
    setting = of(margin)
    held = hold_out(trace, start, room, aim, setting, rng, limits)
    points = points_of(trace, start, room, aim, limits, of, choice, other)
    blocks = unit if isinstance(trace, Forest) else None
    found = Advice(aim, capacity, len(trace), start, estimate, choice, held, limits, points, block_size=blocks)
    used = margin if setting.name == "T-LRU" else 0
    said = cautions_of(trace, aim, used, held.within_budget, found.q_hat, found.recommended)
    return replace(found, warnings=(*scarce(trace, [capacity]), *ahead(setting.name, setting.policy), *said))
