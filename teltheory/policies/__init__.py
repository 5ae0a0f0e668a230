"""Caching policies, each a small frozen value, and the reader of their short form on the command line."""

from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.node import (
    Node,
    Turn,
    all_but,
    choose,
    ended_first,
    furthest_first,
    larger,
    on_arrays,
    smaller,
)
from teltheory.policies.online import LRU, SLOTLRU, TLRU, ThresholdLRU
from teltheory.policies.policy import (
    AnyPolicy,
    CuttingPolicy,
    LeastRecentlyUsed,
    NotCompiledError,
    ObservingPolicy,
    Policy,
    TimedPolicy,
    WatchingPolicy,
    tel_safe_budget,
)

Conversation = Node
"""What `Node` is called on chains."""

__all__ = [
    "LRU",
    "SLOTLRU",
    "TLRU",
    "AdaptiveTLRU",
    "AnyPolicy",
    "Belady",
    "Conversation",
    "CuttingPolicy",
    "EndAwareTLRU",
    "LeastRecentlyUsed",
    "LengthAwareTLRU",
    "Node",
    "NotCompiledError",
    "ObservingPolicy",
    "Policy",
    "TailOptimizedBelady",
    "ThresholdLRU",
    "TimedPolicy",
    "Turn",
    "WatchingPolicy",
    "all_but",
    "choose",
    "ended_first",
    "furthest_first",
    "larger",
    "on_arrays",
    "smaller",
    "tel_safe_budget",
]
