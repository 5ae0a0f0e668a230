"""What somebody who follows an advice should know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from teltheory.advice.goal import Goal
from teltheory.advice.search import Candidate
from teltheory.advice.settings import Settings
from teltheory.cost.given import scarce
from teltheory.model.requests import Requests
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.policies.future import ahead

if TYPE_CHECKING:
    from teltheory.advice.advice import Advice

UNDER_ESTIMATED = 0.05
"""Share of prompts above the estimate from which on it is said."""
NEARLY_ALL = 0.99
"""Share of pasts without a budget from which on it is said."""

MORE = (
    "T-LRU can have more TEL than LRU even if nobody waits; in the last tier alone, with scaled budgets, it can't."
)
UNKNOWN = "What is proved of T-LRU in tiers is proved for private conversations, most of it in exclusive tiers."
OVERLAPPED = "With loading beside computing T-LRU can have more TEL than LRU even if nobody waits."
IN_A_QUEUE = "In a queue nothing is guaranteed, even for an exact Q̂: others wait for what T-LRU computes more."
"""What somebody should know who follows advice that was given in a queue."""


def warnings_of(trace: Requests, advice: Advice, settings: Settings) -> Iterator[str]:
    """Yield what somebody should know who follows an advice, or wonders about it."""
    tiers, tried, held = tiers_of(advice.capacity), advice.tried, advice.held_out
    yield from scarce(trace, [sum(tiers.capacities)])
    yield from ahead(advice.kind, settings.made(tried.margin))
    margin = tried.margin if advice.kind == "T-LRU" else 0
    if advice.serving is not None and advice.recommended and margin:
        yield IN_A_QUEUE
        yield from unproved(trace, tiers, tried)
    yield from cautions_of(trace, advice.goal, margin, held.within_budget, advice.q_hat, advice.recommended)


def cautions_of(
    trace: Requests, goal: Goal, margin: int, within: int | None, q_hat: int, followed: bool
) -> Iterator[str]:
    """Yield sentences on a setting of T-LRU: budgets of 0, and where it is followed what its guarantee leaves out.

    The margin is 0 for another policy; `within` as `HeldOut.within_budget`.
    """
    longest = int(trace.inputs.max())
    if longest <= goal.xi:
        yield (
            f"No turn computes for longer than the SLO of {float(goal.slo):g} s, whatever is cached: the "
            f"threshold is {goal.xi:,} tokens, and the longest input has {longest:,}."
        )
    safe = float(np.mean(trace.past * trace.scale <= margin))
    if margin and safe >= NEARLY_ALL:
        yield (
            f"ξ makes {'' if safe == 1 else 'nearly '}everything safe: after {100 * safe:.1f} % of the turns the "
            f"budget is 0, and among blocks outside budgets recency alone decides, as in LRU."
        )
    if followed and margin:
        yield from _uncovered(trace, goal, margin, within, q_hat)


def _uncovered(trace: Requests, goal: Goal, margin: int, within: int | None, q_hat: int) -> Iterator[str]:
    xi, prompts = margin + q_hat, trace.continued_prompts
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
    if not goal.latency.cached_is_free:
        yield "TTFT depends on cached tokens too here; T-LRU's budget looks at uncached ones alone."


def unproved(trace: Requests, tiers: Tiers, tried: Candidate) -> Iterator[str]:
    """Yield sentences if T-LRU so in tiers can, or may, have more TEL than LRU even on an idle server."""
    if len(tiers) > 1 and (trace.shared or tiers.mode != "exclusive"):
        yield UNKNOWN
    if tiers.loading == "overlapped" and len(tiers) > 1:
        yield OVERLAPPED
    elif any(tried.on[1:]) and tried.flat:
        yield f"With flat budgets {MORE}"
    elif len(tiers) > 2 and any(tried.on[:-1]):
        yield f"In three tiers or more {MORE}"
