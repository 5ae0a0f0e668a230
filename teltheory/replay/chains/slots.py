"""A replay as arrays: one slot a turn, which is what the kernel works on.

Slot m + k belongs to turn k and holds what its conversation has cached since that turn; slots 0 ... m - 1
belong to the m conversations of the initial cache. A conversation's older slots are empty, so the order of the
slots is the order of recency. What a policy finds worth keeping depends only on the slot's turn and on the one
that follows, so that is given by arrays too (`teltheory.replay.chains.rules`).

The first cut that a slot comes under is the one after its own turn; under forced caching the one after the next
turn; for the initial cache the one after turn 0. A slot whose conversation is back before that cut, with the
next turn under forced caching or with turn 0 from the initial cache, never comes under any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray, readonly


@dataclass(frozen=True)
class Slots:
    """Arrays of a replay, closed for writing; n turns, m conversations in the initial cache.

    `past` and `before_first_cut` (m + n) are the past after the slot's turn, and what the slot holds before its
    first cut: the past, or what the initial cache holds. `previous` (n) is the slot that a turn's conversation had
    before, -1 if it had none; `following` (m + n) is the next turn of the slot's conversation, n if it never
    returns.
    """

    past: IntArray
    before_first_cut: IntArray
    previous: IntArray
    following: IntArray

    @classmethod
    def of(cls, instance: Instance) -> Slots:
        """Lay out an instance."""
        trace, m, n = instance.requests, len(instance.initial), len(instance.requests)
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
        """Return a turn's value for the turn that follows each slot, 0 if none does; shape (m + n,)."""
        return np.append(values, 0)[self.following]

    def never_cut(self, forced: bool) -> IntArray:
        """Return the slots that never come under a cut."""
        n = len(self.previous)
        m = len(self.past) - n
        early = np.flatnonzero(self.following[:m] == 0)
        if not forced:
            return early
        return np.concatenate((early, np.flatnonzero(self.following[m:] == np.arange(1, n + 1)) + m))


class Layout(NamedTuple):
    """What the loops read (see `Slots` and `SlotRules`), and `cached` and `uncached`, which they write."""

    history: IntArray
    prompt: IntArray
    full: IntArray
    previous: IntArray
    following: IntArray
    capacity: int
    cached: IntArray
    uncached: IntArray

    @property
    def sizes(self) -> tuple[int, int]:
        """How many turns and initial slots there are."""
        return len(self.history), len(self.full) - len(self.history)


def unless_never_cut(full: IntArray, least: IntArray, slots: Slots, forced: bool) -> tuple[IntArray, IntArray]:
    """Return both arrays, with what a slot holds before its first cut if it never comes under one."""
    never = slots.never_cut(forced)
    if len(never):
        full, least = _put(full, slots.before_first_cut, never), _put(least, slots.before_first_cut, never)
    return full, least


def _put(values: IntArray, replacement: IntArray, places: IntArray) -> IntArray:
    changed = np.array(values)
    changed[places] = replacement[places]
    return changed


def first_arrival_ranks(instance: Instance) -> IntArray:
    """Return each slot's conversation in order of first arrival, initial ones first; shape (m + n,)."""
    trace, m = instance.requests, len(instance.initial)
    if m == 0:
        return trace.code
    rank = np.full(trace.conversations + m, -1, np.int64)
    for slot, start in enumerate(instance.initial):
        rank[start.code] = slot
    unranked = np.flatnonzero(rank[: trace.conversations] < 0)
    rank[unranked] = np.arange(len(unranked)) + m
    return readonly(np.concatenate((np.arange(m), rank[trace.code])))
