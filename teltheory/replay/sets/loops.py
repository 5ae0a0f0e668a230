"""Compiled loops for module sets: one slot a use, and a cut after the last use of each request.

What a slot holds is stored; a slot whose item came back holds nothing and is passed over. A slot enters at its
first cut, where it is lowered to `full`, which is what is kept of it; `least` of that is no surplus.

1. `replay_by_orders`: policies with fixed orders of trimming and eviction. A slot waits in a bitset of places for
   each while it may lose something there. O(log uses) for each slot that loses something.
2. `replay_in_rounds`: round-robin trimming of tokens, then eviction by recency. Surpluses are in a segment tree
   over the items (`teltheory.replay.chains.rounds`), the rest behind a pointer that only moves forward.
3. `replay_residence`: policies whose order depends on what happened since an item was added. Items wait in a heap
   by key, among equals the least recent first.

Whole items go at once, so that more may be freed than overflows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray
from teltheory.replay.bitset import Bitset, clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.chains.rounds import exchange, new_tree, trim_rounds
from teltheory.replay.compiled import compiled, inlined
from teltheory.replay.trees.heap import Heaps, new_heaps, pull, push

BY_ENTRY, BY_READS, PROTECTED, BY_VALUE = range(4)


class SetLayout(NamedTuple):
    """What the loops read, and `cached`, which they write.

    Use p is of item ``item[p]`` of size ``size[p]``, whose use before is ``previous[p]``; request k has the uses
    from ``offsets[k]`` to ``offsets[k + 1]``.
    """

    offsets: IntArray
    item: IntArray
    size: IntArray
    previous: IntArray
    capacity: int
    forced: bool
    whole: bool
    cached: IntArray


@inlined
def _serve(layout: SetLayout, holds: IntArray, k: int) -> int:
    """Serve request k from the old slots of its items, fill the new ones; return by how much the cache grows."""
    reused = grown = 0
    for p in range(layout.offsets[k], layout.offsets[k + 1]):
        before = layout.previous[p]
        if before >= 0:
            reused += holds[before]
            holds[before] = 0
        holds[p] = layout.size[p]
        grown += layout.size[p]
    layout.cached[k] = reused
    return int(grown - reused)


@inlined
def _lower(
    holds: IntArray,
    floor: IntArray | None,
    waiting: Bitset,
    slots: IntArray,
    number: int,
    overflow: int,
    whole: bool,
) -> tuple[int, int]:
    """Lower slots to the floor, in order, until there is no overflow; return how many wait, and what is left."""
    while overflow > 0 and number > 0:
        place = largest_bit(waiting)
        slot = slots[place]
        above = holds[slot] if floor is None else max(holds[slot] - floor[slot], 0)
        taken = above if whole else min(above, overflow)
        holds[slot] -= taken
        overflow -= taken
        if taken == above:
            clear_bit(waiting, place)
            number -= 1
    return number, overflow


@compiled
def _inverse(places: IntArray) -> IntArray:
    slots = np.empty(len(places), np.int64)
    for s in range(len(places)):
        slots[places[s]] = s
    return slots


@compiled
def replay_by_orders(layout: SetLayout, rules: tuple[IntArray, IntArray, IntArray, IntArray]) -> None:
    """Replay a policy by `full`, `least` and the places of slots in its two orders, the largest first."""
    full, least, trimming, eviction = rules
    uses = len(layout.size)
    holds = np.zeros(uses, np.int64)
    trimmed, evicted = _inverse(trimming), _inverse(eviction)
    to_trim, to_evict = new_bitset(uses), new_bitset(uses)
    overflow = -layout.capacity
    entered = surpluses = holding = 0
    for k in range(len(layout.cached)):
        overflow += _serve(layout, holds, k)
        while entered < layout.offsets[k if layout.forced else k + 1]:
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
        if layout.forced and k == len(layout.cached) - 1:
            break
        surpluses, overflow = _lower(holds, least, to_trim, trimmed, surpluses, overflow, layout.whole)
        holding, overflow = _lower(holds, None, to_evict, evicted, holding, overflow, layout.whole)


@compiled
def replay_in_rounds(layout: SetLayout, full: IntArray, least: IntArray, rank: IntArray) -> None:
    """Replay round-robin trimming; `rank` numbers each use's item by first use. A slot holds no surplus itself."""
    holds = np.zeros(len(layout.size), np.int64)
    tree = new_tree(rank.max() + 1 if len(rank) else 1)
    overflow = -layout.capacity
    entered = tail = 0
    for k in range(len(layout.cached)):
        trimmable = 0
        for p in range(layout.offsets[k], layout.offsets[k + 1]):
            trimmable += exchange(tree, rank[p], 0)
        overflow += _serve(layout, holds, k) - trimmable
        layout.cached[k] += trimmable
        while entered < layout.offsets[k if layout.forced else k + 1]:
            if holds[entered] > 0:
                overflow -= holds[entered] - full[entered]
                holds[entered] = least[entered]
                exchange(tree, rank[entered], full[entered] - least[entered])
            entered += 1
        if layout.forced and k == len(layout.cached) - 1:
            break
        if overflow > 0:
            overflow = trim_rounds(tree, overflow)
        while overflow > 0:
            taken = min(holds[tail], overflow)
            holds[tail] -= taken
            overflow -= taken
            tail += holds[tail] == 0


class Items(NamedTuple):
    """What is known of each item: tokens held, reads and first use since it was added, its place in the heap."""

    holds: IntArray
    reads: IntArray
    since: IntArray
    heaps: Heaps
    clock: FloatArray


@inlined
def _read(layout: SetLayout, items: Items, p: int) -> int:
    """Read an item; return what of it was held."""
    i = layout.item[p]
    held = items.holds[i]
    if held > 0:
        pull(items.heaps, 0, i)
        items.reads[i] += 1
    else:
        items.reads[i] = 1
        items.since[i] = p
    items.holds[i] = layout.size[p]
    items.heaps.turn[i] = p
    return int(held)


@inlined
def _release(kind: int, weight: FloatArray, items: Items, i: int) -> None:
    """Let an item wait for its eviction, by its key of now."""
    if kind == BY_ENTRY:
        items.heaps.key[i] = items.since[i]
    elif kind == BY_READS:
        items.heaps.key[i] = items.reads[i]
    elif kind == PROTECTED:
        items.heaps.key[i] = items.reads[i] >= 2
    else:
        items.heaps.key[i] = items.clock[0] + items.reads[i] * weight[i]
    push(items.heaps, 0, i)


@compiled
def replay_residence(layout: SetLayout, kind: int, weight: FloatArray) -> None:
    """Replay FIFO, LFU, SLRU or a greedy-dual policy of a weight for each item."""
    n = len(weight)
    count = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    items = Items(count[0], count[1], count[2], new_heaps(n), np.zeros(1, np.float64))
    overflow = -layout.capacity
    entered = 0
    for k in range(len(layout.cached)):
        reused = 0
        for p in range(layout.offsets[k], layout.offsets[k + 1]):
            held = _read(layout, items, p)
            reused += held
            overflow += layout.size[p] - held
        layout.cached[k] = reused
        while entered < layout.offsets[k if layout.forced else k + 1]:
            i = layout.item[entered]
            if items.heaps.turn[i] == entered:
                _release(kind, weight, items, i)
            entered += 1
        if layout.forced and k == len(layout.cached) - 1:
            break
        while overflow > 0:
            i = items.heaps.order[0, 0]
            if kind == BY_VALUE:
                items.clock[0] = max(items.clock[0], items.heaps.key[i])
            taken = items.holds[i] if layout.whole else min(items.holds[i], overflow)
            items.holds[i] -= taken
            overflow -= taken
            if items.holds[i] == 0:
                pull(items.heaps, 0, i)
