"""A setting as the engines take it, and what somebody who follows it should know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from teltheory.advice.goal import Goal
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace

UNDER_ESTIMATED = 0.05
"""Share of prompts above the estimate from which on it is said."""
WHOLE_NODES = 0.05
"""Share of conversations that SGLang would not trim from which on it is said."""
NEARLY_ALL = 0.99
"""Share of pasts without a budget from which on it is said."""


class _Lengths(NamedTuple):
    """Inputs, pasts after them and what of an input was known before, in tokens, one entry a turn."""

    total: IntArray
    past: IntArray
    history: IntArray

    @classmethod
    def of(cls, trace: Trace | Forest) -> _Lengths:
        if isinstance(trace, Forest):
            return cls(trace.inputs, trace.past * trace.block_size, trace.known * trace.block_size)
        return cls(trace.total, trace.past, trace.history)


def cautions_of(
    trace: Trace | Forest, goal: Goal, margin: int, within: int | None, q_hat: int, followed: bool
) -> Iterator[str]:
    """Yield sentences on a setting of T-LRU: budgets of 0, and where it is followed what its guarantee leaves out.

    The margin is 0 for another policy; `within` as `HeldOut.within_budget`.
    """
    turns = _Lengths.of(trace)
    longest = int(turns.total.max())
    if longest <= goal.xi:
        yield (
            f"No turn computes for longer than the SLO of {float(goal.slo):g} s, whatever is cached: the "
            f"threshold is {goal.xi:,} tokens, and the longest input has {longest:,}."
        )
    safe = float(np.mean(turns.past <= margin))
    if margin and safe >= NEARLY_ALL:
        yield (
            f"ξ makes {'' if safe == 1 else 'nearly '}everything safe: after {100 * safe:.1f} % of the turns the "
            f"budget is 0, and among blocks outside budgets recency alone decides, as in LRU."
        )
    if followed and margin:
        yield from _uncovered(trace, goal, margin, within, q_hat)


def _uncovered(trace: Trace | Forest, goal: Goal, margin: int, within: int | None, q_hat: int) -> Iterator[str]:
    xi, prompts, turns = margin + q_hat, trace.continued_prompts, _Lengths.of(trace)
    longer = float(np.mean(prompts > q_hat))
    if longer > UNDER_ESTIMATED:
        above = ""
        if within is not None:
            above = f": {within:,} turns of the rest were above ξ = {xi:,} although their conversation "
            above += "had kept its whole budget"
        yield (
            f"Q̂ = {q_hat:,} is below {100 * longer:.0f} % of the prompts that continue a conversation. For them "
            f"the guarantee is void{above}."
        )
    if xi > goal.xi:
        yield (
            f"ξ = {xi:,} is above the SLO's own threshold of {goal.xi:,} tokens: it was chosen for the goal, "
            f"and a turn that keeps ξ may miss the SLO."
        )
    budgeted = turns.past > margin
    whole = float(np.mean((turns.past - turns.history)[budgeted] > margin)) if budgeted.any() else 0.0
    if whole > WHOLE_NODES:
        yield (
            f"SGLang evicts whole nodes of its tree, at least a turn each: after {100 * whole:.0f} % of the turns "
            f"with a budget the turn alone is longer than ξ - Q̂, and nothing of it goes first there."
        )
    if not goal.latency.cached_is_free:
        yield "TTFT depends on cached tokens too here; T-LRU's budget looks at uncached ones alone."


@dataclass(frozen=True)
class EngineSetting:
    """Arguments of an engine's server."""

    engine: str
    release: str
    arguments: str


def engine_settings(xi: int, q_hat: int) -> tuple[EngineSetting, ...]:
    """Return T-LRU with a threshold and a prompt estimate, in tokens, for SGLang and for vLLM."""
    if xi <= q_hat:
        raise ArgumentError("xi", xi, f"more than q_hat, {q_hat}")
    parameters = json.dumps({"threshold": xi, "next_prompt_estimate": q_hat})
    return (
        EngineSetting(
            "SGLang", "0.5.23", f"--radix-eviction-policy tlru --radix-eviction-policy-config '{parameters}'"
        ),
        EngineSetting(
            "vLLM",
            "pull request 37825, open: a proposal, in no release",
            f"--tlru-xi-tokens {xi} --tlru-qhat-tokens {q_hat}",
        ),
    )
