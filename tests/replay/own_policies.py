"""Policies that are not the toolkit's own, each with rules that the paper's do not have."""

from __future__ import annotations

from dataclasses import dataclass

import teltheory as tt
from teltheory.policies import Conversation, LeastRecentlyUsed
from teltheory.policies.policy import Trim


@dataclass(frozen=True)
class LongestFirst(LeastRecentlyUsed):
    """Evict the longest conversation first."""

    def eviction_key(self, conversation: Conversation) -> int:
        return -conversation.past


@dataclass(frozen=True)
class ByRules(LeastRecentlyUsed):
    """Every rule at once: what has an odd code is dropped where short, budgets and both orders by what is seen."""

    least: int = 3
    trim: Trim = "least-recent"

    def drops(self, conversation: Conversation) -> bool:
        return conversation.code % 2 == 1 and conversation.past <= self.least

    def budget(self, conversation: Conversation) -> int:
        return conversation.past * (1 + conversation.code % 3) // 4

    def trim_key(self, conversation: Conversation) -> int:
        return conversation.past % 5

    def eviction_key(self, conversation: Conversation) -> int:
        following = conversation.next
        returns = -2 if following is None else (following.turn + 2 * following.history + 3 * following.prompt) % 5
        return conversation.first % 2 + returns + conversation.last % 3


@dataclass(frozen=True)
class HalfKept(LeastRecentlyUsed):
    """Keep half of a past under pressure, by recency alone."""

    trim: Trim = "round-robin"

    def budget(self, conversation: Conversation) -> int:
        return conversation.past // 2


@dataclass(frozen=True)
class LongestTrimmed(HalfKept):
    """Keep half of a past under pressure, the longest trimmed first; rounds know no such order."""

    def trim_key(self, conversation: Conversation) -> int:
        return -conversation.past


@dataclass(frozen=True)
class LongestBelady(tt.Belady):
    """Belady's class with another order."""

    has_kernel = True

    def eviction_key(self, conversation: Conversation) -> int:
        return -conversation.past


@dataclass(frozen=True)
class HalfTLRU(tt.TLRU):
    """T-LRU's class with another budget."""

    has_kernel = True

    def budget(self, conversation: Conversation) -> int:
        return conversation.past // 2


@dataclass(frozen=True)
class WholeTLRU(tt.TLRU):
    """T-LRU's class without a surplus."""

    has_kernel = True

    def budget(self, conversation: Conversation) -> int:
        return conversation.past


DERIVED = (
    LongestBelady(),
    HalfTLRU(3, 1, "least-recent"),
    HalfTLRU(3, 1, "eager"),
    WholeTLRU(3, 1, "least-recent"),
)
OWN = (
    LongestFirst(),
    ByRules(),
    ByRules(0),
    ByRules(trim="eager"),
    *(kind(trim) for kind in (HalfKept, LongestTrimmed) for trim in ("round-robin", "least-recent", "eager")),
    *DERIVED,
)
