"""The fast replay: compiled loops over slots, the same outcome as the reference turn by turn.

LRU and the T-LRU variants have the loops of `teltheory.replay.recency`, Belady and Tail-Optimized Belady that of
`teltheory.replay.furthest`. Both read the arrays of `teltheory.replay.slots`; lengths are int64 throughout, as
with int32 the loops were at most 8 % faster.
"""

from __future__ import annotations

import numpy as np

from teltheory.instance import Instance
from teltheory.numbers import IntArray, readonly
from teltheory.outcome import Outcome
from teltheory.policies.online import LRU, ThresholdLRU
from teltheory.policies.policy import Policy
from teltheory.replay.furthest import furthest_first
from teltheory.replay.recency import Layout, by_recency, in_rounds, untrimmed
from teltheory.replay.slots import BY_NEXT_TURN, Slots, first_arrival_ranks, settled, worth_keeping


def replay_kernel(instance: Instance, policy: Policy) -> Outcome:
    """Replay the instance's trace under one of the toolkit's own policies.

    Parameters
    ----------
    instance : Instance
        Trace, capacity, caching mode and initial cache.
    policy : Policy
        One of `teltheory.replay.slots.BY_RECENCY` or `BY_NEXT_TURN`.

    Returns
    -------
    Outcome
        What each turn reused and computed.
    """
    layout = _layout(instance, policy)
    if isinstance(policy, BY_NEXT_TURN):
        furthest_first(layout, _held_at_start(layout, len(instance.initial)))
    elif isinstance(policy, (LRU, ThresholdLRU)) or policy.trim == "eager":
        untrimmed(layout)
    elif policy.trim == "round-robin":
        in_rounds(layout, first_arrival_ranks(instance))
    else:
        by_recency(layout)
    return Outcome(readonly(layout.cached), readonly(layout.uncached))


def _held_at_start(layout: Layout, initial: int) -> IntArray:
    holds = np.zeros(len(layout.at_hand), np.int64)
    holds[:initial] = layout.at_hand[:initial]
    return holds


def _layout(instance: Instance, policy: Policy) -> Layout:
    """Return the arrays; the outcome's come from numpy, which asks for large pages."""
    slots, n = Slots.of(instance), len(instance.trace)
    if isinstance(policy, BY_NEXT_TURN):
        full, least = slots.at_hand, worth_keeping(policy, slots, instance)
    else:
        full, least = settled(policy, slots, instance)
    return Layout(
        instance.history,
        instance.total,
        slots.at_hand,
        full,
        least,
        slots.previous,
        slots.following,
        instance.capacity,
        instance.forced,
        cached=np.empty(n, np.int64),
        uncached=np.empty(n, np.int64),
    )
