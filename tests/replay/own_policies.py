"""Policies that are not the toolkit's own, each with rules that the paper's do not have."""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.policies import LeastRecentlyUsed
from teltheory.policies.policy import Conversation, Trim


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
        return conversation.first % 2 - (conversation.next is None) * 2 + conversation.last % 3


@dataclass(frozen=True)
class HalfKept(LeastRecentlyUsed):
    """Keep half of a past under pressure, by recency alone."""

    trim: Trim = "round-robin"

    def budget(self, conversation: Conversation) -> int:
        return conversation.past // 2


OWN = (
    LongestFirst(),
    ByRules(),
    ByRules(0),
    ByRules(trim="eager"),
    *(HalfKept(trim) for trim in ("round-robin", "least-recent", "eager")),
)
