"""Policies that know something of the future: the variants of T-LRU (Appendix G.1), Belady, and the optimum."""

from dataclasses import dataclass, field

from teltheory.policies.node import Node, choose, ended_first, furthest_first, on_arrays
from teltheory.policies.online import TLRU
from teltheory.policies.policy import LeastRecentlyUsed, Length, Trim, check_parameters, tel_safe_budget


@dataclass(frozen=True)
class EndAwareTLRU(TLRU):
    """End-Aware T-LRU: T-LRU that drops a conversation right after its last turn (Appendix G.1).

    Parameters
    ----------
    xi, q_hat, trim, mark
        As for `TLRU`.
    """

    name = "end-aware"

    @on_arrays
    def drops(self, node: Node) -> bool:
        """Drop what never returns."""
        return node.ended


@dataclass(frozen=True)
class LengthAwareTLRU(LeastRecentlyUsed):
    """Length-Aware T-LRU: End-Aware, with the exact next prompt in its budgets (Appendix G.1).

    It does not know the next history: in tiers of memory its scaled budgets are at most L, as T-LRU's are. On a
    forest a block has the budget of the next request through it.

    Parameters
    ----------
    xi : int or str
        Threshold, in the trace's unit.
    trim : {"round-robin", "least-recent", "eager"} or None
        As for `TLRU`.
    """

    name = "length-aware"
    mark = "next"
    xi: Length
    trim: Trim | None = None

    def __post_init__(self) -> None:
        check_parameters(self)

    @on_arrays
    def drops(self, node: Node) -> bool:
        """Drop what never returns."""
        return node.ended

    @on_arrays
    def budget(self, node: Node) -> int:
        """Return max(0, L + next prompt - xi), at most L; 0 for what never returns."""
        return choose(node.ended, 0, tel_safe_budget(node.past, node.coming.prompt, self.xi))


@dataclass(frozen=True)
class TailOptimizedBelady(LeastRecentlyUsed):
    """Tail-Optimized Belady, optimal for TEL in hindsight (Zhang et al. 2025, Theorem B.1).

    On overflow first what lies above the exact caps min(next h, max(0, next total - xi)) goes: conversations
    that never return (cap 0), then the least recent. Then the conversation whose next turn is furthest.
    In slower tiers of memory the caps are scaled, and at most next h too (`teltheory.replay.tiers.budgets`).

    Parameters
    ----------
    xi : int or str
        Threshold, in the trace's unit.
    """

    name = "tail-optimized-belady"
    budgets = "next"
    xi: Length

    def __post_init__(self) -> None:
        check_parameters(self)

    @on_arrays
    def budget(self, node: Node) -> int:
        """Return the exact cap of the next turn."""
        return node.coming.need(self.xi)

    @on_arrays
    def trim_key(self, node: Node) -> int:
        """Let what never returns go first."""
        return ended_first(node)

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        """Let the furthest next turn go first; never is furthest of all."""
        return furthest_first(node)


@dataclass(frozen=True)
class Belady(TailOptimizedBelady):
    """Belady's policy: Tail-Optimized Belady with xi = 0, which maximises the reused tokens."""

    name = "belady"
    xi: int = field(default=0, init=False)
