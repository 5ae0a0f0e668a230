"""Caching policies, each a small frozen value, and the reader of their short form on the command line.

A custom policy derives from `LeastRecentlyUsed` and overrides rules, which see a `Node`; docs/own-policies.md has
examples.
"""

from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.expiry import TTL
from teltheory.policies.hinted import Hint, Hinted, Told
from teltheory.policies.memory import Memory
from teltheory.policies.node import (
    NextTurn,
    Node,
    all_but,
    choose,
    ended_first,
    furthest_first,
    larger,
    on_arrays,
    smaller,
)
from teltheory.policies.online import LRU, SLOTLRU, TLRU, ThresholdLRU
from teltheory.policies.pgdsf import GDSF, PGDSF
from teltheory.policies.policy import (
    AnyPolicy,
    CuttingPolicy,
    LeastRecentlyUsed,
    ListeningPolicy,
    NotCompiledError,
    ObservingPolicy,
    Policy,
    RememberingPolicy,
    TimedPolicy,
    WatchingPolicy,
    tel_safe_budget,
)
from teltheory.policies.queues import S3FIFO, TwoQ
from teltheory.policies.residence import FIFO, LFU, SLRU, Priority
from teltheory.policies.retrieval import RetrievalPGDSF
from teltheory.policies.shared import SharedTLRU
from teltheory.policies.work_aware import WorkAwareTLRU

Conversation = Node
"""What `Node` is called on chains."""

__all__ = [
    "FIFO",
    "GDSF",
    "LFU",
    "LRU",
    "PGDSF",
    "S3FIFO",
    "SLOTLRU",
    "SLRU",
    "TLRU",
    "TTL",
    "AdaptiveTLRU",
    "AnyPolicy",
    "Belady",
    "Conversation",
    "CuttingPolicy",
    "EndAwareTLRU",
    "Hint",
    "Hinted",
    "LeastRecentlyUsed",
    "LengthAwareTLRU",
    "ListeningPolicy",
    "Memory",
    "NextTurn",
    "Node",
    "NotCompiledError",
    "ObservingPolicy",
    "Policy",
    "Priority",
    "RememberingPolicy",
    "RetrievalPGDSF",
    "SharedTLRU",
    "TailOptimizedBelady",
    "ThresholdLRU",
    "TimedPolicy",
    "Told",
    "TwoQ",
    "WatchingPolicy",
    "WorkAwareTLRU",
    "all_but",
    "choose",
    "ended_first",
    "furthest_first",
    "larger",
    "on_arrays",
    "smaller",
    "tel_safe_budget",
]
