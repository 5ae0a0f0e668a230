"""Policies that know something of the future: the variants of T-LRU (Appendix G.1), Belady, and the optimum."""

from __future__ import annotations

from dataclasses import dataclass, field

from teltheory.numbers import INT64_MAX, whole_number
from teltheory.policies.online import TLRU
from teltheory.policies.policy import Conversation, LeastRecentlyUsed, Trim, tel_safe_budget, trim_order


@dataclass(frozen=True)
class EndAwareTLRU(TLRU):
    """End-Aware T-LRU: T-LRU that drops a conversation right after its last turn (Appendix G.1).

    Parameters
    ----------
    xi, q_hat, trim
        As for `TLRU`.
    """

    def drops(self, conversation: Conversation) -> bool:
        """Drop what never returns."""
        return conversation.next is None


@dataclass(frozen=True)
class LengthAwareTLRU(LeastRecentlyUsed):
    """Length-Aware T-LRU: End-Aware, with the exact next prompt in its budgets (Appendix G.1).

    Parameters
    ----------
    xi : int
        Threshold, in the trace's unit.
    trim : {"round-robin", "least-recent", "eager"}
        As for `TLRU`.
    """

    xi: int
    trim: Trim = "round-robin"

    def __post_init__(self) -> None:
        object.__setattr__(self, "xi", whole_number("xi", self.xi))
        trim_order(self.trim)

    def drops(self, conversation: Conversation) -> bool:
        """Drop what never returns."""
        return conversation.next is None

    def budget(self, conversation: Conversation) -> int:
        """Return max(0, L + next prompt - xi), at most L; 0 for what never returns."""
        if conversation.next is None:
            return 0
        return tel_safe_budget(conversation.past, conversation.next.prompt, self.xi)


@dataclass(frozen=True)
class TailOptimizedBelady(LeastRecentlyUsed):
    """Tail-Optimized Belady, optimal for TEL in hindsight (Zhang et al. 2025, Theorem B.1).

    On overflow first what lies above the exact caps min(next h, max(0, next total - xi)) goes: conversations
    that never return (cap 0), then the least recent. Then the conversation whose next turn is furthest.

    Parameters
    ----------
    xi : int
        Threshold, in the trace's unit.
    """

    xi: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "xi", whole_number("xi", self.xi))

    def budget(self, conversation: Conversation) -> int:
        """Return the exact cap of the next turn."""
        if conversation.next is None:
            return 0
        _, history, prompt = conversation.next
        return min(history, max(0, history + prompt - self.xi))

    def trim_key(self, conversation: Conversation) -> int:
        """Let what never returns go first."""
        return 0 if conversation.next is None else 1

    def eviction_key(self, conversation: Conversation) -> int:
        """Let the furthest next turn go first; never is furthest of all."""
        return -INT64_MAX if conversation.next is None else -conversation.next.turn


@dataclass(frozen=True)
class Belady(TailOptimizedBelady):
    """Belady's policy: Tail-Optimized Belady with xi = 0, which maximises the reused tokens."""

    xi: int = field(default=0, init=False)
