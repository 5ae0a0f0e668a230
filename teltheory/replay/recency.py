"""Compiled loops for LRU and the T-LRU variants: slots in order of recency, and pointers that only move forward.

Every slot before the *tail* was evicted, so what a slot holds need not be stored: it follows from where the slot
stands.

1. Before the tail a slot holds nothing. The tail's own slot lost `gone`.
2. Trimming by recency has a pointer of its own: slots before it hold `least`, slots from it on hold `full`. The
   trim pointer's own slot lost `cut`. Only when the pointer has passed every slot under the cut does anything
   get evicted, so from the tail on what can be evicted is `least`.
3. A slot whose conversation came back holds nothing; `following` says so.

LRU and T-LRU with least-recent or eager trim take amortised O(1) a turn, and nothing but the outcome is written.
Round-robin trimming keeps the surpluses in a segment tree (`teltheory.replay.rounds`): O(log conversations) a
turn, amortised.

`room` is the capacity less all that is held. Under forced caching a slot is at hand, exempt, until the cut after
the next turn. The lines in which a turn arrives stand in each loop: as a function, inlined or not, they made the
loops about half as fast.
"""

from __future__ import annotations

from typing import NamedTuple

from teltheory.numbers import IntArray
from teltheory.replay.compiled import compiled
from teltheory.replay.rounds import exchange, new_tree, trim_rounds


class Layout(NamedTuple):
    """What the loops read (see `Slots` and `settled`), and `cached` and `uncached`, which they write."""

    history: IntArray
    total: IntArray
    at_hand: IntArray
    full: IntArray
    least: IntArray
    previous: IntArray
    following: IntArray
    capacity: int
    forced: bool
    cached: IntArray
    uncached: IntArray


@compiled
def _room_at_start(layout: Layout) -> int:
    """Return the capacity less what the initial cache holds once it came under a cut."""
    return layout.capacity - int(layout.full[: len(layout.full) - len(layout.history)].sum())


@compiled
def _exempt(at_hand: IntArray, full: IntArray, s: int, k: int) -> int:
    """Return what room changes by when slot s is exempt and the slot before it no longer."""
    change = -int(at_hand[s])
    if k > 0:
        change += at_hand[s - 1] - full[s - 1]
    return change


@compiled
def _evict(least: IntArray, following: IntArray, k: int, tail: int, gone: int, room: int) -> tuple[int, int]:
    """Evict from the tail on until there is room; return the tail and what its slot lost."""
    while room < 0:
        left = least[tail] - gone if following[tail] > k else 0
        room += left
        if room > 0:
            return tail, gone + left - room
        tail += 1
        gone = 0
    return tail, gone


@compiled
def _trim(
    full: IntArray, least: IntArray, following: IntArray, k: int, end: int, trim: int, cut: int, room: int
) -> tuple[int, int, int]:
    """Trim from the pointer on, before `end`, until there is room; return pointer, what its slot lost, room."""
    while room < 0 and trim < end:
        surplus = full[trim] - least[trim] - cut if following[trim] > k else 0
        room += surplus
        if room > 0:
            return trim, cut + surplus - room, 0
        trim += 1
        cut = 0
    return trim, cut, room


@compiled
def untrimmed(layout: Layout) -> None:
    """Replay LRU, Threshold-LRU and eager trimming: a slot is cut to `full` at once, then LRU."""
    history, total, at_hand, full, _least, previous, following, _, forced, cached, uncached = layout
    n, m = len(history), len(full) - len(history)
    room = _room_at_start(layout)
    tail = gone = 0
    for k in range(n):
        before = previous[k]
        content = 0
        if before >= tail:
            content = full[before]
            if before == tail:
                content -= gone
        reused = min(content, history[k])
        cached[k] = reused
        uncached[k] = total[k] - reused
        if forced:
            room += content + _exempt(at_hand, full, m + k, k)
            if k == n - 1:
                break
        else:
            room += content - full[m + k]
        if room < 0:
            tail, gone = _evict(full, following, k, tail, gone, room)
            room = 0


@compiled
def by_recency(layout: Layout) -> None:
    """Replay the T-LRU variants with least-recent trim."""
    history, total, at_hand, full, least, previous, following, _, forced, cached, uncached = layout
    n, m = len(history), len(full) - len(history)
    room = _room_at_start(layout)
    tail = gone = trim = cut = 0
    for k in range(n):
        before = previous[k]
        content = 0
        if before >= tail:
            content = least[before] if before < trim else full[before]
            if before == tail:
                content -= gone
            if before == trim:
                content -= cut
        reused = min(content, history[k])
        cached[k] = reused
        uncached[k] = total[k] - reused
        if forced:
            room += content + _exempt(at_hand, full, m + k, k)
            if k == n - 1:
                break
        else:
            room += content - full[m + k]
        if room < 0:
            end = m + k if forced else m + k + 1
            trim, cut, room = _trim(full, least, following, k, end, trim, cut, room)
            tail, gone = _evict(least, following, k, tail, gone, room)
            room = 0


@compiled
def in_rounds(layout: Layout, rank: IntArray) -> None:
    """Replay the T-LRU variants with round-robin trim; `rank` numbers each slot's conversation by first arrival.

    A slot holds `least`, and its surplus while that is in the tree.
    """
    history, total, at_hand, full, least, previous, following, _, forced, cached, uncached = layout
    n, m = len(history), len(full) - len(history)
    room = _room_at_start(layout)
    tree = new_tree(rank.max() + 1 if len(rank) else 1)
    for s in range(m):
        exchange(tree, rank[s], full[s] - least[s])
    tail = gone = 0
    for k in range(n):
        before = previous[k]
        content = 0
        if before >= tail:
            content = least[before]
            if before == tail:
                content -= gone
        content += exchange(tree, rank[m + k], 0 if forced else full[m + k] - least[m + k])
        reused = min(content, history[k])
        cached[k] = reused
        uncached[k] = total[k] - reused
        if forced:
            room += content + _exempt(at_hand, full, m + k, k)
            if k == n - 1:
                break
        else:
            room += content - full[m + k]
        if forced and k > 0 and following[m + k - 1] > k:
            exchange(tree, rank[m + k - 1], full[m + k - 1] - least[m + k - 1])
        if room < 0:
            room = -trim_rounds(tree, -room)
            tail, gone = _evict(least, following, k, tail, gone, room)
            room = 0
