"""A replay as arrays: one slot a turn, which is what the kernel works on.

Slot m + k belongs to turn k and holds what its conversation has cached since that turn; slots 0 ... m - 1
belong to the m conversations of the initial cache. A conversation's older slots are empty, so the order of the
slots is the order of recency. What a policy finds worth keeping depends only on the slot's turn and on the one
that follows, so that is given by arrays too.

The first cut that a slot comes under is the one after its own turn; under forced caching the one after the next
turn; for the initial cache the one after turn 0. A slot whose conversation is back before that cut, with the
next turn under forced caching or with turn 0 from the initial cache, never comes under any.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from teltheory.instance import Instance
from teltheory.numbers import IntArray, readonly
from teltheory.policies.clairvoyant import Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady
from teltheory.policies.online import LRU, SLOTLRU, TLRU, ThresholdLRU
from teltheory.policies.policy import AnyPolicy, Policy

BY_RECENCY = (LRU, ThresholdLRU, TLRU, SLOTLRU, EndAwareTLRU, LengthAwareTLRU)
BY_NEXT_TURN = (Belady, TailOptimizedBelady)


@dataclass(frozen=True)
class Slots:
    """Arrays of a replay, closed for writing; n turns, m conversations in the initial cache.

    Attributes
    ----------
    past : ndarray of int64, shape (m + n,)
        Past of the conversation after the slot's turn.
    at_hand : ndarray of int64, shape (m + n,)
        What the slot holds before its first cut: the past, or what the initial cache holds.
    previous : ndarray of int64, shape (n,)
        Slot that a turn's conversation had before, -1 where it had none.
    following : ndarray of int64, shape (m + n,)
        Next turn of the slot's conversation, n where it never returns.
    """

    past: IntArray
    at_hand: IntArray
    previous: IntArray
    following: IntArray

    @classmethod
    def of(cls, instance: Instance) -> Slots:
        """Lay out an instance."""
        trace, m, n = instance.trace, len(instance.initial), len(instance.trace)
        if m == 0:
            return cls(instance.past, instance.past, trace.previous_turn, trace.next_turn)
        previous = np.where(trace.continuing, trace.previous_turn + m, -1)
        following = np.concatenate((np.full(m, n, np.int64), trace.next_turn))
        first_turns = np.flatnonzero(~trace.continuing)
        for slot, start in enumerate(instance.initial):
            if start.code < trace.conversations:
                turn = first_turns[start.code]
                previous[turn], following[slot] = slot, turn
        past = np.array([start.past for start in instance.initial], np.int64)
        held = np.array([start.cached for start in instance.initial], np.int64)
        arrays = np.concatenate((past, instance.past)), np.concatenate((held, instance.past)), previous, following
        return cls(*map(readonly, arrays))

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Whether the slot's conversation never returns; shape (m + n,)."""
        return np.asarray(self.following == len(self.previous))

    def of_following(self, values: IntArray) -> IntArray:
        """Return a turn's value for the turn that follows each slot, 0 where none does; shape (m + n,)."""
        return np.append(values, 0)[self.following]

    def never_cut(self, forced: bool) -> IntArray:
        """Return the slots that never come under a cut."""
        n = len(self.previous)
        m = len(self.past) - n
        early = np.flatnonzero(self.following[:m] == 0)
        if not forced:
            return early
        return np.concatenate((early, np.flatnonzero(self.following[m:] == np.arange(1, n + 1)) + m))


def kept(policy: AnyPolicy, slots: Slots) -> IntArray:
    """Return what each slot holds where the policy's dropping has passed over it; shape (m + n,)."""
    if isinstance(policy, ThresholdLRU):
        return slots.at_hand * (slots.past > policy.cutoff)
    if isinstance(policy, (EndAwareTLRU, LengthAwareTLRU)):
        return slots.at_hand * ~slots.ended
    return slots.at_hand


def worth_keeping(policy: AnyPolicy, slots: Slots, instance: Instance) -> IntArray:
    """Return the budget or the exact cap of each slot; shape (m + n,)."""
    if isinstance(policy, TailOptimizedBelady):
        worth = instance.history + instance.trace.prompt
        worth -= policy.xi
        np.maximum(worth, 0, out=worth)
        return slots.of_following(np.minimum(instance.history, worth, out=worth))
    if isinstance(policy, TLRU):
        return _without(slots.past, max(policy.xi - policy.q_hat, 0))
    if isinstance(policy, SLOTLRU):
        return policy.budgets(slots.past)
    if isinstance(policy, LengthAwareTLRU):
        return _without(slots.past, np.maximum(policy.xi - slots.of_following(instance.trace.prompt), 0))
    return slots.past


def _without(past: IntArray, safe: int | IntArray) -> IntArray:
    budget: IntArray = np.subtract(past, safe)
    return np.maximum(budget, 0, out=budget)


def settled(policy: Policy, slots: Slots, instance: Instance) -> tuple[IntArray, IntArray]:
    """Return what each slot holds once it came under a cut, and what of that is no surplus; shape (m + n,).

    Both are what was at hand where a slot never comes under a cut, so that its next turn finds just that.
    """
    full = kept(policy, slots)
    least = full
    if not isinstance(policy, (LRU, ThresholdLRU)):
        budget = worth_keeping(policy, slots, instance)
        least = budget if full is slots.past else np.minimum(budget, full, out=budget)
    full, least = unless_never_cut(full, least, slots, instance.forced)
    return (least, least) if policy.trim == "eager" else (full, least)


def unless_never_cut(full: IntArray, least: IntArray, slots: Slots, forced: bool) -> tuple[IntArray, IntArray]:
    """Return both arrays with what is at hand where a slot never comes under a cut."""
    never = slots.never_cut(forced)
    if len(never):
        full, least = _put(full, slots.at_hand, never), _put(least, slots.at_hand, never)
    return full, least


def _put(values: IntArray, replacement: IntArray, places: IntArray) -> IntArray:
    changed = np.array(values)
    changed[places] = replacement[places]
    return changed


def first_arrival_ranks(instance: Instance) -> IntArray:
    """Return each slot's conversation in order of first arrival, initial ones first; shape (m + n,)."""
    trace, m = instance.trace, len(instance.initial)
    if m == 0:
        return trace.code
    rank = np.full(trace.conversations + m, -1, np.int64)
    for slot, start in enumerate(instance.initial):
        rank[start.code] = slot
    unranked = np.flatnonzero(rank[: trace.conversations] < 0)
    rank[unranked] = np.arange(len(unranked)) + m
    return readonly(np.concatenate((np.arange(m), rank[trace.code])))
