"""What advice on an idle server and in a queue share: a margin as a setting, and where the rest begins."""

from __future__ import annotations

from fractions import Fraction

from teltheory.advice.choice import TRIM
from teltheory.errors import ArgumentError, TraceError
from teltheory.model.forest import Forest
from teltheory.model.numbers import rational
from teltheory.model.trace import Trace
from teltheory.policies.online import TLRU

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


def start_of_rest(trace: Trace | Forest, first: Fraction) -> int:
    """Return the first turn of the rest, given the share of the turns that are the first part."""
    share = rational("first", first)
    if not 0 < share < 1:
        raise ArgumentError("first", str(first), "a share of the turns, above 0 and below 1")
    if isinstance(trace, Trace) and trace.block_size != 1:
        raise ArgumentError("trace", f"blocks of {trace.block_size} tokens", "a trace in tokens")
    start = int(share * len(trace))
    if min(start, len(trace) - start) < LEAST_TURNS:
        parts = f"at least {LEAST_TURNS} in each part, not {start} and {len(trace) - start}"
        raise TraceError("turns", None, len(trace), parts)
    return start
