"""Policies that know only the past: LRU, Threshold-LRU, Tail-Optimized LRU and its form for an SLO in seconds."""

from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.numbers import rational
from teltheory.policies.node import Node, on_arrays
from teltheory.policies.policy import (
    BUDGETS,
    Budgets,
    LeastRecentlyUsed,
    Length,
    Mark,
    Trim,
    check_parameters,
    given_budgets,
    tel_safe_budget,
)


@dataclass(frozen=True)
class LRU(LeastRecentlyUsed):
    """Least Recently Used: on overflow the least recent conversation goes first, from the end of its prefix."""

    name = "lru"


@dataclass(frozen=True)
class ThresholdLRU(LeastRecentlyUsed):
    """Threshold-LRU (Zhang et al. 2025, Section 4.2): short conversations are not kept, otherwise LRU.

    Parameters
    ----------
    cutoff : int
        A conversation whose past is at most this is not kept, overflow or not; in the trace's unit.
    """

    name = "threshold-lru"
    cutoff: Length

    def __post_init__(self) -> None:
        check_parameters(self)

    @on_arrays
    def drops(self, node: Node) -> bool:
        """Drop what is not longer than the cutoff."""
        short: bool = node.past <= self.cutoff
        return short


@dataclass(frozen=True)
class TLRU(LeastRecentlyUsed):
    """Tail-Optimized LRU (Zhang et al. 2025, Algorithm 1, trimming strictly above the budget).

    Parameters
    ----------
    xi : int or str
        Threshold, in the trace's unit; or text, ``"2.8k"`` tokens or ``"200ms"``, which whoever replays it reads.
    q_hat : int or str, optional
        Estimate of the next prompt, in the trace's unit or as text in tokens. Left out, the replay takes the mean
        prompt of the turns that continue a conversation, rounded up.
    trim : {"round-robin", "least-recent", "eager"} or None
        How surplus goes: rounds over the conversations in order of first arrival, one unit each, until the
        cache fits (Algorithm 1), which is an error where requests share prefixes; whole surpluses, least recent
        first; all of it after every turn. None is round-robin of private conversations, be they a trace or a
        forest that `is_chains`, and least-recent where requests share prefixes.
    mark : {"high-water", "resident", "last"}, optional
        On a forest, whose length is the past of a block: the longest request that ever went through it; the
        longest since the block was last computed (SGLang); the last one (vLLM). On chains all are the same. Left
        out, it is that of the rules of the replay, without any the first.
    budget : {"scaled", "flat"}
        In tiers of memory: whether more is kept of what loading makes worth less, as
        `teltheory.replay.tiers.budgets` has it, or as much as in the first tier. Read it as `budgets`. With
        scaled ones T-LRU is proved to be no worse than LRU in two tiers if the estimate stays the same; that is
        refuted for flat ones, three tiers, estimates that change and overlapped loading. There use LRU before and
        T-LRU in the last tier (docs/tiers.md, "What to use").
    """

    name = "tlru"
    xi: Length
    q_hat: Length = None
    trim: Trim | None = None
    mark: Mark | None = None
    budget: InitVar[Budgets] = BUDGETS[0]
    budgets: Budgets = field(default=BUDGETS[0], init=False, repr=False, metadata={"of": "tiers"})

    def __post_init__(self, budget: Any) -> None:
        check_parameters(self)
        object.__setattr__(self, "budgets", given_budgets(budget))


@on_arrays
def _budget(self: TLRU, node: Node) -> int:
    """Return max(0, L + q_hat - xi), at most L."""
    return tel_safe_budget(node.past, self.q_hat, self.xi)


# The rule has the name of a parameter: within the class it would be that parameter's default.
TLRU.budget = _budget  # type: ignore[assignment]


@dataclass(frozen=True)
class SLOTLRU(LeastRecentlyUsed):
    """T-LRU with the TEL-safe budget of a latency model: the least cached prefix with which TTFT keeps the SLO.

    A past L and a next prompt Q make an input of n = L + Q tokens, of which u may be uncached, the most with
    TTFT(u, n - u) <= slo; the budget is n - u, at most L. If cached tokens cost nothing this is
    TLRU(latency.threshold(slo), q_hat, trim). With attention u shrinks as n grows.

    Parameters
    ----------
    latency : Latency
        `LatencyModel` or `TableLatency`; TTFT from tokens.
    slo : Fraction
        Seconds, 0 or more.
    q_hat : int
        Estimate of the next prompt, in tokens.
    trim : {"round-robin", "least-recent", "eager"} or None
        As for `TLRU`.
    block_size : int
        Tokens per unit of the trace or forest; a budget is rounded up to whole units.
    """

    name = "slo-tlru"
    latency: Latency
    slo: Fraction
    q_hat: int
    trim: Trim | None = None
    block_size: int = 1

    def __post_init__(self) -> None:
        if not hasattr(self.latency, "safe_uncached"):
            raise ArgumentError("latency", self.latency, "a latency model such as A100_LLAMA2_7B")
        object.__setattr__(self, "slo", rational("slo", self.slo, 0))
        check_parameters(self)

    @on_arrays
    def budget(self, node: Node) -> int:
        """Return L + q_hat less what may be uncached of it, at most L; L if nothing keeps the SLO."""
        total = np.asarray(node.past * self.block_size + self.q_hat)
        tokens = total - np.maximum(self.latency.safe_uncached(total, self.slo), 0)
        needed = np.minimum(node.past, -(-tokens // self.block_size))
        return needed if needed.ndim else int(needed)
