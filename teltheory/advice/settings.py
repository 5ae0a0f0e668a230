"""A margin as a setting, and where the rest begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.numbers import rational
from teltheory.model.requests import Requests
from teltheory.policies.online import TLRU
from teltheory.policies.policy import AnyPolicy, Trim
from teltheory.policies.spec import in_blocks

TRIM: Trim = "least-recent"
"""How the engines trim."""
LEAST_TURNS = 40
"""Turns that each part must have."""
HALF = Fraction(1, 2)


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


@dataclass(frozen=True)
class Settings:
    """How margins, in tokens, become policies.

    Attributes
    ----------
    slo_xi : int
        The SLO's threshold, in tokens.
    estimate : int or None
        The prompt estimate of every setting, in tokens; None for what the SLO leaves.
    unit : int
        Tokens per unit of the requests.
    policy : callable or None
        Makes a policy of a threshold and an estimate; None for T-LRU.
    """

    slo_xi: int
    estimate: int | None = None
    unit: int = 1
    policy: Callable[[int, int], AnyPolicy] | None = None

    def of(self, margin: int) -> tuple[int, int]:
        """Return a margin as a threshold and a prompt estimate, in tokens."""
        return as_set(margin, self.slo_xi, self.estimate)

    def made(self, margin: int) -> AnyPolicy:
        """Return the policy of a margin, its lengths in the unit of the requests."""
        found: AnyPolicy = in_blocks((self.policy or t_lru)(*self.of(margin)), self.unit)
        return found

    def kind(self, margin: int) -> str:
        """Return what such policies are called: T-LRU, or the name of another one's class."""
        return "T-LRU" if self.policy is None else type(self.made(margin)).__name__


def start_of_rest(trace: Requests, first: Fraction) -> int:
    """Return the first turn of the rest, given the share of the turns that are the first part."""
    share = rational("first", first)
    if not 0 < share < 1:
        raise ArgumentError("first", str(first), "a share of the turns, above 0 and below 1")
    if trace.block_size != trace.scale:
        raise ArgumentError("trace", f"blocks of {trace.block_size} tokens", "a trace in tokens")
    start = int(share * len(trace))
    if min(start, len(trace) - start) < LEAST_TURNS:
        parts = f"at least {LEAST_TURNS} in each part, not {start} and {len(trace) - start}"
        raise TraceError("turns", None, len(trace), parts)
    return start
