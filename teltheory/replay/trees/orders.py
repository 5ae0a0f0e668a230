"""The compiled loop for a forest under any orders: strict caches and caches with holes.

Each piece holds a prefix of its units. A piece *waits* in two bitsets of places in the policy's orders: for
trimming while it holds more than is worth keeping, for eviction while it holds anything; in a strict cache only
while no piece below it holds anything. A piece that loses its last unit may free its parent. O(log visits) for
each visit and each piece that loses something.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.model.numbers import IntArray
from teltheory.replay.bitset import Bitset, clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.compiled import compiled, inlined


class TreeLayout(NamedTuple):
    """What the loop reads of a forest (see `Visits`) and of its requests, the capacity, and what it writes.

    `exempt` is how many of the latest paths no cut touches.
    """

    parent: IntArray
    length: IntArray
    above: IntArray
    start: IntArray
    piece: IntArray
    ask: IntArray
    end: IntArray
    capacity: int
    exempt: int
    cached: IntArray
    written: IntArray


class Orders(NamedTuple):
    """What a policy says of every visit's piece.

    What of it is kept, overflow or not; what of that is no surplus; and its places in two orders, the largest
    first, with the visit at each place. `safe` is what T-LRU with resident marks calls safe of a past; otherwise
    it is -1.
    """

    full: IntArray
    least: IntArray
    trimming: IntArray
    trimmed: IntArray
    eviction: IntArray
    evicted: IntArray
    safe: int
    eager: bool


class WaitingPieces(NamedTuple):
    """A set of pieces by their places, who is in it, and how many."""

    places: Bitset
    waits: NDArray[np.bool_]
    number: IntArray


class HeldPieces(NamedTuple):
    """What each piece holds, its last visit, how many pieces below it hold anything, and who waits."""

    units: IntArray
    visit: IntArray
    children: IntArray
    mark: IntArray
    to_trim: WaitingPieces
    to_evict: WaitingPieces


@compiled
def _waiting(pieces: int, visits: int) -> WaitingPieces:
    return WaitingPieces(new_bitset(visits), np.zeros(pieces, np.bool_), np.zeros(1, np.int64))


@inlined
def _enter(waiting: WaitingPieces, p: int, place: int) -> None:
    if not waiting.waits[p]:
        set_bit(waiting.places, place)
        waiting.waits[p] = True
        waiting.number[0] += 1


@inlined
def _leave(waiting: WaitingPieces, p: int, place: int) -> None:
    if waiting.waits[p]:
        clear_bit(waiting.places, place)
        waiting.waits[p] = False
        waiting.number[0] -= 1


@inlined
def _await(held: HeldPieces, orders: Orders, p: int, j: int) -> None:
    """Let a piece wait that may lose units."""
    if held.units[p] > orders.least[j]:
        _enter(held.to_trim, p, orders.trimming[j])
    if held.units[p] > 0:
        _enter(held.to_evict, p, orders.eviction[j])


@inlined
def _mark_resident(layout: TreeLayout, orders: Orders, held: HeldPieces, k: int, j: int) -> None:
    """Set the mark of a piece of one unit, which forgets it if the unit was not cached, and what follows of it."""
    p = layout.piece[j]
    held.mark[p] = max(held.mark[p] if held.units[p] > 0 else 0, layout.end[k])
    kept = layout.above[p] < max(held.mark[p] - orders.safe, 0)
    orders.least[j] = min(orders.full[j], kept)
    if orders.eager:
        orders.full[j] = orders.least[j]


@inlined
def _serve(layout: TreeLayout, orders: Orders, held: HeldPieces, k: int) -> None:
    """Fill the path of request k; write what it hits and what it adds."""
    hits, added, leading = 0, 0, True
    for j in range(layout.start[k], layout.start[k + 1]):
        p = layout.piece[j]
        before, length = held.units[p], layout.length[p]
        if held.visit[p] >= 0:
            _leave(held.to_trim, p, orders.trimming[held.visit[p]])
            _leave(held.to_evict, p, orders.eviction[held.visit[p]])
        if orders.safe >= 0:
            _mark_resident(layout, orders, held, k, j)
        hits += before if leading else 0
        leading = leading and before == length
        if before == 0 and layout.parent[p] >= 0:
            held.children[layout.parent[p]] += 1
        added += length - before
        held.units[p] = length
        held.visit[p] = j
    layout.cached[k] = min(hits, layout.ask[k])
    layout.written[k] = added


@inlined
def _drop(layout: TreeLayout, orders: Orders, held: HeldPieces, ended: int, strict: bool) -> int:
    """Bring a path under its first cut, the deepest piece first; return the units that are dropped at once."""
    dropped = 0
    for j in range(layout.start[ended + 1] - 1, layout.start[ended] - 1, -1):
        p = layout.piece[j]
        if held.visit[p] != j or (strict and held.children[p] > 0):
            continue
        dropped += held.units[p] - orders.full[j]
        held.units[p] = orders.full[j]
        _await(held, orders, p, j)
        if held.units[p] == 0 and layout.parent[p] >= 0:
            held.children[layout.parent[p]] -= 1
    return dropped


@inlined
def _take(layout: TreeLayout, orders: Orders, held: HeldPieces, j: int, floor: int, overflow: int) -> int:
    """Take units of the piece that visit j left, down to the floor; return how many."""
    p = layout.piece[j]
    taken = min(held.units[p] - floor, overflow)
    held.units[p] -= taken
    if held.units[p] <= orders.least[j]:
        _leave(held.to_trim, p, orders.trimming[j])
    if held.units[p] == 0:
        _leave(held.to_evict, p, orders.eviction[j])
    return int(taken)


@inlined
def _free_parent(layout: TreeLayout, orders: Orders, held: HeldPieces, j: int, strict: bool, exempt: int) -> None:
    """Tell the parent of an empty piece; in a strict cache it may now wait."""
    above = layout.parent[layout.piece[j]]
    if above >= 0:
        held.children[above] -= 1
        i = held.visit[above]
        if strict and held.children[above] == 0 and i < exempt:
            _await(held, orders, above, i)


@compiled
def replay_orders(layout: TreeLayout, orders: Orders, strict: bool, last: int) -> None:
    """Replay a policy by what it says of every visit; the cut after request `last` is left out."""
    pieces, visits = len(layout.parent), len(layout.piece)
    held = HeldPieces(
        np.zeros(pieces, np.int64),
        np.full(pieces, -1, np.int64),
        np.zeros(pieces, np.int64),
        np.zeros(pieces, np.int64),
        _waiting(pieces, visits),
        _waiting(pieces, visits),
    )
    overflow = -layout.capacity
    for k in range(len(layout.ask)):
        _serve(layout, orders, held, k)
        overflow += layout.written[k]
        ended = k - layout.exempt
        if k == last or ended < 0:
            continue
        overflow -= _drop(layout, orders, held, ended, strict)
        exempt = layout.start[ended + 1]
        while overflow > 0:
            j, floor = 0, 0
            if held.to_trim.number[0] > 0:
                j = orders.trimmed[largest_bit(held.to_trim.places)]
                floor = orders.least[j]
            else:
                j = orders.evicted[largest_bit(held.to_evict.places)]
            overflow -= _take(layout, orders, held, j, floor, overflow)
            if held.units[layout.piece[j]] == 0:
                _free_parent(layout, orders, held, j, strict, exempt)
