"""A replay as arrays: one slot a turn, which is what the kernel works on.

Slot m + k belongs to turn k and holds what its conversation has cached since that turn; slots 0 ... m - 1
belong to the m conversations of the initial cache. A conversation's older slots are empty, so the order of the
slots is the order of recency. What a policy finds worth keeping depends only on the slot's turn and on the one
that follows, so budgets and droppings are arrays too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from teltheory.instance import Instance
from teltheory.numbers import IntArray
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.online import LRU, TLRU, ThresholdLRU
from teltheory.policies.policy import AnyPolicy

BY_RECENCY = (LRU, ThresholdLRU, TLRU, EndAwareTLRU, LengthAwareTLRU)
BY_NEXT_TURN = (Belady, TailOptimizedBelady)


@dataclass(frozen=True)
class Slots:
    """Arrays of a replay; n turns, m conversations in the initial cache.

    Attributes
    ----------
    held : ndarray of int64, shape (m,)
        What the initial cache holds.
    past : ndarray of int64, shape (m + n,)
        Past of the conversation after the slot's turn.
    previous : ndarray of int64, shape (n,)
        Slot that a turn's conversation had before, -1 where it had none.
    following : ndarray of int64, shape (m + n,)
        Next turn of the slot's conversation, n where it never returns.
    """

    held: IntArray
    past: IntArray
    previous: IntArray
    following: IntArray

    @classmethod
    def of(cls, instance: Instance) -> Slots:
        """Lay out an instance."""
        trace, m, n = instance.trace, len(instance.initial), len(instance.trace)
        previous = np.where(trace.continuing, trace.previous_turn + m, -1)
        following = np.concatenate((np.full(m, n, np.int64), trace.next_turn))
        first_turns = np.flatnonzero(~trace.continuing)
        for slot, start in enumerate(instance.initial):
            if start.code < trace.conversations:
                turn = first_turns[start.code]
                previous[turn], following[slot] = slot, turn
        return cls(
            held=np.array([start.cached for start in instance.initial], np.int64),
            past=np.concatenate((np.array([start.past for start in instance.initial], np.int64), instance.past)),
            previous=previous,
            following=following,
        )

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Whether the slot's conversation never returns; shape (m + n,)."""
        return np.asarray(self.following == len(self.previous))

    def of_following(self, values: IntArray) -> IntArray:
        """Return a turn's value for the turn that follows each slot, 0 where none does; shape (m + n,)."""
        return np.append(values, 0)[self.following]


def drops(policy: AnyPolicy, slots: Slots) -> NDArray[np.bool_]:
    """Return which slots the policy does not keep at all."""
    if isinstance(policy, ThresholdLRU):
        return np.asarray(slots.past <= policy.cutoff)
    if isinstance(policy, (EndAwareTLRU, LengthAwareTLRU)):
        return slots.ended
    return np.zeros(len(slots.past), np.bool_)


def budgets(policy: AnyPolicy, slots: Slots, instance: Instance) -> IntArray:
    """Return what the policy finds worth keeping in each slot; shape (m + n,)."""
    if isinstance(policy, TailOptimizedBelady):
        worth = np.maximum(instance.total - policy.xi, 0)
        return slots.of_following(np.minimum(instance.history, worth))
    if isinstance(policy, TLRU):
        return slots.past - np.minimum(slots.past, max(policy.xi - policy.q_hat, 0))
    if isinstance(policy, LengthAwareTLRU):
        short = np.maximum(policy.xi - slots.of_following(instance.trace.prompt), 0)
        return slots.past - np.minimum(slots.past, short)
    return slots.past


def first_arrival_ranks(instance: Instance) -> IntArray:
    """Return each slot's conversation in order of first arrival, initial ones first; shape (m + n,)."""
    trace, m = instance.trace, len(instance.initial)
    rank = np.full(trace.conversations + m, -1, np.int64)
    for slot, start in enumerate(instance.initial):
        rank[start.code] = slot
    unranked = np.flatnonzero(rank[: trace.conversations] < 0)
    rank[unranked] = np.arange(len(unranked)) + m
    return np.concatenate((np.arange(m), rank[trace.code]))
