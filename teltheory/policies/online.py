"""Policies that know only the past: LRU, Threshold-LRU and Tail-Optimized LRU."""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.numbers import whole_number
from teltheory.policies.policy import Conversation, LeastRecentlyUsed, Trim, tel_safe_budget, trim_order


@dataclass(frozen=True)
class LRU(LeastRecentlyUsed):
    """Least Recently Used: on overflow the least recent conversation goes first, from the end of its prefix."""


@dataclass(frozen=True)
class ThresholdLRU(LeastRecentlyUsed):
    """Threshold-LRU (Zhang et al. 2025, Section 4.2): short conversations are not kept, otherwise LRU.

    Parameters
    ----------
    cutoff : int
        A conversation whose past is at most this is not kept, overflow or not; in the trace's unit.
    """

    cutoff: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "cutoff", whole_number("cutoff", self.cutoff))

    def drops(self, conversation: Conversation) -> bool:
        """Drop what is not longer than the cutoff."""
        return conversation.past <= self.cutoff


@dataclass(frozen=True)
class TLRU(LeastRecentlyUsed):
    """Tail-Optimized LRU (Zhang et al. 2025, Algorithm 1, trimming strictly above the budget).

    Parameters
    ----------
    xi : int
        Threshold, in the trace's unit.
    q_hat : int
        Estimate of the next prompt, in the trace's unit.
    trim : {"round-robin", "least-recent", "eager"}
        How surplus goes: rounds over the conversations in order of first arrival, one unit each, until the
        cache fits (Algorithm 1); whole surpluses, least recent first; all of it after every turn.
    """

    xi: int
    q_hat: int
    trim: Trim = "round-robin"

    def __post_init__(self) -> None:
        object.__setattr__(self, "xi", whole_number("xi", self.xi))
        object.__setattr__(self, "q_hat", whole_number("q_hat", self.q_hat))
        trim_order(self.trim)

    def budget(self, conversation: Conversation) -> int:
        """Return max(0, L + q_hat - xi), at most L."""
        return tel_safe_budget(conversation.past, self.q_hat, self.xi)
