"""From a trace and an SLO to a setting: chosen on the first part of the trace, judged on the rest."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from teltheory.advice.choice import MARGINS, TRIM, Choice, choose
from teltheory.advice.engines import EngineSetting, cautions_of, engine_settings
from teltheory.advice.goal import MEDIAN_COST, WORK_COST, Goal, Limits
from teltheory.advice.held_out import HeldOut, Row, Setting, hold_out
from teltheory.cost.bootstrap import Estimate
from teltheory.cost.goals import TEL
from teltheory.cost.latency import A100_LLAMA2_7B, Latency
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import rational, whole_number
from teltheory.model.trace import Trace
from teltheory.policies.online import TLRU
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate, in_blocks

__all__ = [
    "MARGINS",
    "Advice",
    "Choice",
    "EngineSetting",
    "Estimate",
    "Goal",
    "HeldOut",
    "Limits",
    "Row",
    "advise",
]

LEAST_TURNS = 40
"""Turns that each part must have."""
HALF = Fraction(1, 2)


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
    warnings : tuple of str
        What somebody who follows the advice should know.
    block_size : int or None
        Tokens per block of a forest, whose TEL is in blocks; None for a trace.
    """

    goal: Goal
    capacity: int
    turns: int
    start: int
    estimate: int | None
    choice: Choice
    held_out: HeldOut
    limits: Limits
    warnings: tuple[str, ...] = ()
    block_size: int | None = None

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

    def as_set(self, margin: int) -> tuple[int, int]:
        """Return a margin as a threshold and a prompt estimate."""
        return as_set(margin, self.goal.xi, self.estimate)

    @property
    def engines(self) -> tuple[EngineSetting, ...]:
        """The setting for the engines; none if T-LRU is not what is recommended."""
        return engine_settings(self.xi, self.q_hat) if self.recommended and self.policy == "T-LRU" else ()


def advise(
    trace: Trace | Forest,
    capacity: int,
    slo: Fraction,
    latency: Latency = A100_LLAMA2_7B,
    *,
    goal: str = TEL,
    work_cost: Fraction | None = WORK_COST,
    median_cost: Fraction | None = MEDIAN_COST,
    policy: Callable[[int, int], AnyPolicy] | None = None,
    q_hat: int | None = None,
    first: Fraction = HALF,
    seed: int = 0,
    progress: Callable[[], object] | None = None,
) -> Advice:
    """Choose T-LRU's threshold on the first part of a trace, and judge it on the rest.

    Parameters
    ----------
    trace : Trace or Forest
        Turns in tokens, at least 40 in each part; or the requests that share prefixes, such as `Trace.forest`. Of
        a forest lengths are in tokens too and converted as `Trace.to_blocks` says; TEL is in blocks.
    capacity : int
        Capacity of the cache, in tokens.
    slo : Fraction
        Seconds to the first token.
    latency : Latency
        Turns tokens into seconds.
    goal : str
        What is to be small: ``"tel"``, TEL above the SLO; ``"slo"``, the number of turns above it; a percentile of
        TTFT such as ``"p95"``.
    work_cost : Fraction or None
        The most that a recommendation may prefill, in multiples of LRU's tokens, at least 1; None for no limit.
    median_cost : Fraction or None
        The largest P50 of TTFT, in multiples of LRU's, at least 1; None for no limit. Below half of the SLO every
        P50 will do.
    policy : callable, optional
        Makes a policy of a threshold above Q-hat and of Q-hat, in the place of T-LRU, such as ``MyPolicy`` or
        ``lambda xi, q_hat: MyPolicy(xi)``. There are no engines' settings for it then.
    q_hat : int, optional
        Prompt estimate, and the threshold is that plus the margin chosen. Left out, T-LRU's setting is the SLO's
        threshold with the estimate that this leaves (only xi - q_hat matters), and another policy's estimate is
        the mean prompt of the first part's turns that continue a conversation, rounded up.
    first : Fraction
        Share of the turns that are the first part, above 0 and below 1.
    seed : int
        Of the bootstrap's draws.
    progress : callable, optional
        Called after each replay of the first part.

    Returns
    -------
    Advice
        The setting, what it promises, and what it did on the rest.

    Raises
    ------
    ArgumentError
        Wrong arguments, a trace in blocks or one that is too short.
    """
    aim, limits = Goal.of(goal, slo, latency), Limits(work_cost, median_cost)
    start = _start(trace, first)
    beginning = trace.head(start) if isinstance(trace, Forest) else trace.first(start)
    unit, room = trace.block_size, whole_number("capacity", capacity) // trace.block_size
    estimate = None if q_hat is None else whole_number("q_hat", q_hat)
    if estimate is None and policy is not None:
        estimate = default_estimate(beginning)
    rng = np.random.default_rng(seed)
    make = policy or t_lru

    def of(margin: int) -> AnyPolicy:
        made: AnyPolicy = in_blocks(make(*as_set(margin, aim.xi, estimate)), unit)
        return made

    rest = len(trace) - start
    choice = choose(beginning, rest, room, aim, rng, of, limits, progress)
    margin = choice.margin or choice.freely.margin or max(aim.xi - default_estimate(beginning), 0)
    name = "T-LRU" if policy is None else type(of(margin)).__name__
    setting = Setting(of(margin), name, *as_set(margin, aim.xi, estimate))
    held = hold_out(trace, start, room, aim, setting, rng, limits)
    blocks = unit if isinstance(trace, Forest) else None
    found = Advice(aim, capacity, len(trace), start, estimate, choice, held, limits, block_size=blocks)
    return replace(found, warnings=tuple(cautions_of(trace, aim, held, found.q_hat, found.recommended)))


def as_set(margin: int, slo_xi: int, estimate: int | None) -> tuple[int, int]:
    """Return a margin as a threshold and a prompt estimate.

    With an estimate, that. Else the threshold is the SLO's, and the estimate what is left of it, the longest
    prompt with which a turn keeps the SLO; a margin above the SLO's threshold is a threshold by itself.
    """
    if estimate is None:
        estimate = max(slo_xi - margin, 0)
    return margin + estimate, estimate


def t_lru(xi: int, q_hat: int) -> TLRU:
    """Return T-LRU as the engines trim."""
    return TLRU(xi, q_hat, TRIM)


def _start(trace: Trace | Forest, first: Fraction) -> int:
    share = rational("first", first)
    if not 0 < share < 1:
        raise ArgumentError("first", str(first), "a share of the turns, above 0 and below 1")
    if isinstance(trace, Trace) and trace.block_size != 1:
        raise ArgumentError("trace", f"blocks of {trace.block_size} tokens", "a trace in tokens")
    start = int(share * len(trace))
    if min(start, len(trace) - start) < LEAST_TURNS:
        parts = f"{start} and {len(trace) - start} turns in its two parts"
        raise ArgumentError("trace", parts, f"at least {LEAST_TURNS} in each")
    return start
