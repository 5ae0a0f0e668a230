"""The compiled loop for policies of one's own, whose rules say what is worth keeping and what goes first.

The rules are asked once for each slot, before the loop: they see a conversation as it is after the slot's turn,
but not what is cached of it, which changes from cut to cut. That leaves four arrays: what a slot holds once it
came under a cut (less than all where the policy drops it or trims eagerly), what of that is no surplus, and the
orders of trimming and of eviction.

What a slot holds is stored. A slot waits in two bitsets of places in those orders, from its first cut on: for
trimming while it holds more than is worth keeping, for eviction while it holds anything. A slot whose
conversation came back holds nothing; it is passed over. O(log slots) for each slot that loses something.

Where both orders are by recency alone the loops of `teltheory.replay.recency` are quicker, and round-robin
trimming has no order: `teltheory.replay.kernel` sends those there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.instance import Instance
from teltheory.numbers import IntArray, readonly
from teltheory.policies.policy import Policy, Turn
from teltheory.replay.bitset import Bitset, clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.compiled import compiled, inlined
from teltheory.replay.recency import Layout
from teltheory.replay.slots import Slots, first_arrival_ranks
from teltheory.replay.stored import serve


@dataclass(frozen=True)
class AfterTurn:
    """A conversation after its turn, as a `Conversation` but for what is cached.

    Attributes
    ----------
    first, past, next, code, last
        As for `teltheory.policies.Conversation`.
    """

    first: int
    past: int
    next: Turn | None
    code: int
    last: int

    @property
    def cached(self) -> int:
        """Refuse: it changes from cut to cut."""
        raise ArgumentError("policy", "rules that look at what is cached", "engine='reference' for it")


@dataclass(frozen=True)
class Rules:
    """What a policy's rules say of every slot; arrays of shape (m + n,).

    Attributes
    ----------
    full, least : ndarray of int64
        What a slot holds once it came under a cut, and what of that is no surplus.
    trimming, eviction : ndarray of int64
        Place of each slot in the order: what has the greatest place goes first.
    by_recency : bool
        Whether both orders are by recency alone.
    """

    full: IntArray
    least: IntArray
    trimming: IntArray
    eviction: IntArray
    by_recency: bool

    @classmethod
    def of(cls, policy: Policy, instance: Instance, slots: Slots) -> Rules:
        """Ask a policy for its rules.

        Raises
        ------
        ArgumentError
            Where they look at what is cached, or keep less than 0.
        """
        seen = list(conversations_after_turns(instance, slots))
        dropped = np.fromiter((bool(policy.drops(c)) for c in seen), np.bool_, len(seen))  # type: ignore[arg-type]
        budget = np.fromiter((int(policy.budget(c)) for c in seen), np.int64, len(seen))  # type: ignore[arg-type]
        if budget.min(initial=0) < 0:
            raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
        full = np.where(dropped, 0, slots.at_hand)
        least = np.minimum(budget, full)
        evicting = [policy.eviction_key(c) for c in seen]  # type: ignore[arg-type]
        trimming = [policy.trim_key(c) for c in seen] if policy.trim == "least-recent" else [0] * len(seen)  # type: ignore[arg-type]
        constant = all(key == order[0] for order in (trimming, evicting) for key in order)
        full = least if policy.trim == "eager" else full
        return cls(readonly(full), readonly(least), places(trimming), places(evicting), constant)


def conversations_after_turns(instance: Instance, slots: Slots) -> Iterator[AfterTurn]:
    """Yield each slot's conversation after its turn."""
    n = len(instance.trace)
    m = len(slots.past) - n
    ranks, codes = first_arrival_ranks(instance).tolist(), [start.code for start in instance.initial]
    codes += instance.trace.code.tolist()
    turns: list[Turn | None] = [
        Turn(k, h, q)
        for k, (h, q) in enumerate(zip(instance.history.tolist(), instance.trace.prompt.tolist(), strict=True))
    ]
    turns.append(None)
    for slot, (past, following) in enumerate(zip(slots.past.tolist(), slots.following.tolist(), strict=True)):
        yield AfterTurn(ranks[slot], past, turns[following], codes[slot], max(slot - m, -1))


def places(keys: Sequence[Any]) -> IntArray:
    """Return the place of each slot, greatest for the smallest key and among equals for the least recent."""
    found = np.empty(len(keys), np.int64)
    found[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))[::-1]
    return readonly(found)


@inlined
def _lower(
    holds: IntArray, floor: IntArray, waiting: Bitset, slots: IntArray, number: int, overflow: int
) -> tuple[int, int]:
    """Lower slots to the floor, in order, until the overflow is gone; return how many wait, and what is left."""
    while overflow > 0 and number > 0:
        place = largest_bit(waiting)
        slot = slots[place]
        above = max(holds[slot] - floor[slot], 0)
        taken = min(above, overflow)
        holds[slot] -= taken
        overflow -= taken
        if taken == above:
            clear_bit(waiting, place)
            number -= 1
    return number, overflow


@compiled
def by_rules(
    layout: Layout, rules: tuple[IntArray, IntArray, IntArray, IntArray], holds: IntArray, forced: bool
) -> None:
    """Replay a policy by its rules: `full`, `least` and the two orders.

    `full` of the layout is what is at hand, `holds` the initial cache and zeros.
    """
    full, least, trimming, eviction = rules
    n = len(layout.history)
    m = len(full) - n
    nothing = np.zeros(m + n, np.int64)
    trimmed, evicted = np.empty(m + n, np.int64), np.empty(m + n, np.int64)
    for s in range(m + n):
        trimmed[trimming[s]] = s
        evicted[eviction[s]] = s
    to_trim, to_evict = new_bitset(m + n), new_bitset(m + n)
    overflow = holds[:m].sum() - layout.capacity
    entered = surpluses = holding = 0
    for k in range(n):
        overflow += serve(layout, holds, k)
        while entered < (m + k if forced else m + k + 1):
            gone = max(holds[entered] - full[entered], 0)
            holds[entered] -= gone
            overflow -= gone
            if holds[entered] > least[entered]:
                set_bit(to_trim, trimming[entered])
                surpluses += 1
            if holds[entered] > 0:
                set_bit(to_evict, eviction[entered])
                holding += 1
            entered += 1
        surpluses, overflow = _lower(holds, least, to_trim, trimmed, surpluses, overflow)
        holding, overflow = _lower(holds, nothing, to_evict, evicted, holding, overflow)
