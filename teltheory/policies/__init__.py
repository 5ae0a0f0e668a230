"""Caching policies, each a small frozen value, and the reader of their short form on the command line."""

from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.online import LRU, SLOTLRU, TLRU, ThresholdLRU
from teltheory.policies.policy import (
    AnyPolicy,
    Conversation,
    CuttingPolicy,
    LeastRecentlyUsed,
    ObservingPolicy,
    Policy,
    TimedPolicy,
    Turn,
    tel_safe_budget,
)

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
    "ObservingPolicy",
    "Policy",
    "TailOptimizedBelady",
    "ThresholdLRU",
    "TimedPolicy",
    "Turn",
    "tel_safe_budget",
]
