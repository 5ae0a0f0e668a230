"""Custom policies, each with rules that the paper's do not have, written on arrays."""

from dataclasses import dataclass

import teltheory as tt
from teltheory.policies import LeastRecentlyUsed, Node, on_arrays
from teltheory.policies.policy import Trim


@dataclass(frozen=True)
class LFU(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, node):
        return node.hits


@dataclass(frozen=True)
class LongestFirst(LeastRecentlyUsed):
    """Evict the longest conversation first."""

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return -node.depth


@dataclass(frozen=True)
class ByRules(LeastRecentlyUsed):
    """Every rule at once: what has an odd code is dropped if short, budgets and both orders by what is seen."""

    least: int = 3
    trim: Trim = "least-recent"

    @on_arrays
    def drops(self, node: Node) -> bool:
        return (node.code % 2 == 1) & (node.past <= self.least)

    @on_arrays
    def budget(self, node: Node) -> int:
        return node.length * (1 + node.code % 3) // 4

    @on_arrays
    def trim_key(self, node: Node) -> int:
        return (node.past + node.coming.prompt) % 5

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return node.first % 2 + (node.coming.history + 3 * node.ended) % 5 + node.last % 3 + node.hits


@dataclass(frozen=True)
class HalfKept(LeastRecentlyUsed):
    """Keep half of a past under pressure, by recency alone."""

    trim: Trim = "round-robin"

    @on_arrays
    def budget(self, node: Node) -> int:
        return node.past // 2


@dataclass(frozen=True)
class LongestTrimmed(HalfKept):
    """Keep half of a past under pressure, the longest trimmed first; rounds know no such order."""

    @on_arrays
    def trim_key(self, node: Node) -> int:
        return -node.past


@dataclass(frozen=True)
class LongestBelady(tt.Belady):
    """Belady's class with another order."""

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return -node.past


@dataclass(frozen=True)
class LongestTrimmedBelady(tt.TailOptimizedBelady):
    """Tail-Optimized Belady's class with another order of trimming."""

    @on_arrays
    def trim_key(self, node: Node) -> int:
        return -node.past


@dataclass(frozen=True)
class KeepsWhatEnded(tt.TailOptimizedBelady):
    """Tail-Optimized Belady's class with a budget for what never returns."""

    @on_arrays
    def budget(self, node: Node) -> int:
        return node.past // 2


@dataclass(frozen=True)
class HalfTLRU(tt.TLRU):
    """T-LRU's class with another budget."""

    @on_arrays
    def budget(self, node: Node) -> int:
        return node.past // 2


@dataclass(frozen=True)
class WholeTLRU(tt.TLRU):
    """T-LRU's class without a surplus."""

    @on_arrays
    def budget(self, node: Node) -> int:
        return node.past


@dataclass(frozen=True)
class LessTLRU(tt.TLRU):
    """T-LRU's class with half of each budget, and a token."""

    @on_arrays
    def budget(self, node: Node) -> int:
        return super().budget(node) // 2 + 1


DERIVED = (
    LongestBelady(),
    LongestTrimmedBelady(3),
    KeepsWhatEnded(3),
    HalfTLRU(3, 1, "least-recent"),
    HalfTLRU(3, 1, "eager"),
    WholeTLRU(3, 1, "least-recent"),
    LessTLRU(3, 1),
)
OWN = (
    LFU(),
    LongestFirst(),
    ByRules(),
    ByRules(0, "eager"),
    *(kind(trim) for kind in (HalfKept, LongestTrimmed) for trim in ("round-robin", "least-recent", "eager")),
    *DERIVED,
)
