"""From a trace and an SLO to a setting: chosen on the first part of the trace, judged on the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from teltheory.advice.cautions import cautions_of
from teltheory.advice.choice import MARGINS, TRIM, Choice, choose
from teltheory.advice.engines import EngineSetting, engine_settings
from teltheory.advice.goal import Goal
from teltheory.advice.held_out import HeldOut, Row, Setting, hold_out
from teltheory.bootstrap import Estimate
from teltheory.errors import ArgumentError
from teltheory.latency import A100_LLAMA2_7B, Latency
from teltheory.numbers import rational, whole_number
from teltheory.policies.online import TLRU
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate
from teltheory.trace import Trace

__all__ = ["MARGINS", "Advice", "Choice", "EngineSetting", "Estimate", "Goal", "HeldOut", "Row", "advise"]

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
    q_hat : int
        Prompt estimate, in tokens.
    choice : Choice
        How the setting was chosen on the first part, and what it promises.
    held_out : HeldOut
        What it did on the rest.
    warnings : tuple of str
        What somebody who follows the advice should know.
    """

    goal: Goal
    capacity: int
    turns: int
    start: int
    q_hat: int
    choice: Choice
    held_out: HeldOut
    warnings: tuple[str, ...] = ()

    @property
    def xi(self) -> int:
        """The threshold that was tried on the rest, in tokens."""
        return self.held_out.margin + self.q_hat

    @property
    def policy(self) -> str:
        """The policy that was tried: T-LRU, or the name of another one's class."""
        return self.held_out.rows[1].policy

    @property
    def recommended(self) -> bool:
        """Whether the policy is recommended: each part shows a gain that chance does not explain."""
        return self.choice.helps and self.held_out.gain.above_zero

    @property
    def kept_promise(self) -> bool:
        """Whether the gain on the rest lies in the interval that the first part promised."""
        return self.choice.promise.holds(self.held_out.gain.value)

    @property
    def engines(self) -> tuple[EngineSetting, ...]:
        """The setting for the engines; none where T-LRU is not what is recommended."""
        return engine_settings(self.xi, self.q_hat) if self.recommended and self.policy == "T-LRU" else ()


def advise(
    trace: Trace,
    capacity: int,
    slo: Fraction,
    quantile: Fraction | None = None,
    latency: Latency = A100_LLAMA2_7B,
    *,
    policy: Callable[[int, int], AnyPolicy] | None = None,
    q_hat: int | None = None,
    first: Fraction = HALF,
    seed: int = 0,
    progress: Callable[[], object] | None = None,
) -> Advice:
    """Choose T-LRU's threshold on the first part of a trace, and judge it on the rest.

    Parameters
    ----------
    trace : Trace
        Turns in tokens, at least 40 in each part.
    capacity : int
        Capacity of the cache, in tokens.
    slo : Fraction
        Seconds to the first token.
    quantile : Fraction, optional
        Level of the percentile of TTFT that is to be small, such as ``Fraction(95, 100)``; left out, TEL above
        the SLO.
    latency : Latency
        Turns tokens into seconds.
    policy : callable, optional
        Makes a policy of a threshold above Q-hat and of Q-hat, in the place of T-LRU, such as ``MyPolicy`` or
        ``lambda xi, q_hat: MyPolicy(xi)``. There are no engines' settings for it then.
    q_hat : int, optional
        Prompt estimate; left out, the mean prompt of the first part's turns that continue a conversation, rounded
        up. Only xi - q_hat matters to T-LRU.
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
    goal = Goal(slo, latency, quantile)
    start = _start(trace, first)
    beginning = trace.first(start)
    estimate = default_estimate(beginning) if q_hat is None else whole_number("q_hat", q_hat)
    rng = np.random.default_rng(seed)
    make = policy or t_lru

    def of(margin: int) -> AnyPolicy:
        return make(margin + estimate, estimate)

    rest = len(trace) - start
    choice = choose(beginning, rest, whole_number("capacity", capacity), goal, rng, of, progress)
    margin = choice.margin or max(goal.xi - estimate, 0)
    name = "T-LRU" if policy is None else type(of(margin)).__name__
    held = hold_out(trace, start, capacity, goal, Setting(of(margin), name, margin, estimate), rng)
    found = Advice(goal, capacity, len(trace), start, estimate, choice, held)
    return replace(found, warnings=tuple(cautions_of(trace, goal, held, estimate, found.recommended)))


def t_lru(xi: int, q_hat: int) -> TLRU:
    """Return T-LRU as the engines trim."""
    return TLRU(xi, q_hat, TRIM)


def _start(trace: Trace, first: Fraction) -> int:
    share = rational("first", first)
    if not 0 < share < 1:
        raise ArgumentError("first", str(first), "a share of the turns, above 0 and below 1")
    if trace.block_size != 1:
        raise ArgumentError("trace", f"blocks of {trace.block_size} tokens", "a trace in tokens")
    start = int(share * len(trace))
    if min(start, len(trace) - start) < LEAST_TURNS:
        parts = f"{start} and {len(trace) - start} turns in its two parts"
        raise ArgumentError("trace", parts, f"at least {LEAST_TURNS} in each")
    return start
