"""Compiled loops for T-LRU with a threshold that changes between turns.

What a slot holds is stored in two parts: `base`, at most the budget, and its surplus. When the threshold changes,
every slot that holds something is split anew, O(slots that do); between changes the work is that of
`teltheory.replay.recency`. The surplus goes as the trim says:

- eager: it is not kept at all;
- least-recent: it is in `above`, and a pointer walks over the slots until the next change;
- round-robin: it is in the segment tree of `teltheory.replay.rounds`.

A cut is made when the next turn arrives, not before: an update of the threshold then stands between the turn that
it follows and that turn's cut, and the cut after the last turn, which changes no outcome, is never made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.policy import TRIMS
from teltheory.replay.compiled import compiled, inlined
from teltheory.replay.recency import Layout
from teltheory.replay.rounds import Tree, exchange, new_tree, trim_rounds

ROUND_ROBIN, LEAST_RECENT, EAGER = map(TRIMS.index, ("round-robin", "least-recent", "eager"))


class Held(NamedTuple):
    """What slots hold, whose pasts are `past` and whose conversations `rank` numbers by first arrival."""

    base: IntArray
    above: IntArray
    tree: Tree
    past: IntArray
    rank: IntArray


class Place(NamedTuple):
    """Room that is left; first slot not wholly evicted; first slot that may have surplus."""

    room: int
    tail: int
    trim: int


def follow_tail(policy: AdaptiveTLRU, layout: Layout, past: IntArray, rank: IntArray, forced: bool) -> None:
    """Replay adaptive T-LRU; `full` of the layout is what slots hold before their first cut."""
    n, m = len(layout.history), len(layout.full) - len(layout.history)
    base = np.zeros(m + n, np.int64)
    base[:m] = layout.full[:m]
    trim = TRIMS.index(policy.trim)
    leaves = int(rank.max(initial=0)) + 1 if trim == ROUND_ROBIN else 1
    held = Held(base, np.zeros(m + n, np.int64), new_tree(leaves), past, rank)
    place = Place(layout.capacity - int(base.sum()), 0, 0)
    xi, served = policy.xi, 0
    while served < n:
        end = min(n, policy.window if served < policy.window else served + policy.every)
        place = _between_updates(layout, held, _safe(policy, xi), trim, forced, served, end, place)
        served = end
        if policy.updates_after(served):
            before, xi = xi, policy.updated(xi, layout.uncached[served - policy.window : served])
            if xi != before:
                place = _split_anew(layout, held, _safe(policy, xi), trim, forced, served, place)


def _safe(policy: AdaptiveTLRU, xi: int) -> int:
    return max(xi - policy.q_hat, 0)


@inlined
def _split(held: Held, safe: int, trim: int, slot: int) -> int:
    """Split what a slot holds into base and surplus; return what of it is not kept."""
    content = held.base[slot] + held.above[slot]
    if trim == ROUND_ROBIN:
        content += exchange(held.tree, held.rank[slot], 0)
    base = min(content, max(held.past[slot] - safe, 0))
    held.base[slot] = base
    if trim == ROUND_ROBIN:
        exchange(held.tree, held.rank[slot], content - base)
    elif trim == LEAST_RECENT:
        held.above[slot] = content - base
    else:
        return int(content - base)
    return 0


@compiled
def _split_anew(
    layout: Layout, held: Held, safe: int, trim: int, forced: bool, served: int, place: Place
) -> Place:
    """Split all slots that came under a cut before; so many turns were served."""
    m = len(layout.full) - len(layout.history)
    room = place.room
    under_cut = m + served - (2 if forced else 1) if served > 1 else 0
    for slot in range(place.tail, under_cut):
        if layout.following[slot] >= served:
            room += _split(held, safe, trim, slot)
    return Place(room, place.tail, place.tail)


@inlined
def _arrive(layout: Layout, held: Held, trim: int, k: int) -> int:
    """Serve turn k from its conversation's old slot and fill its new one; return how much room that gives."""
    before, content = layout.previous[k], 0
    if before >= 0:
        content = held.base[before] + held.above[before]
        held.base[before] = held.above[before] = 0
        if trim == ROUND_ROBIN:
            content += exchange(held.tree, held.rank[before], 0)
    reused = min(content, layout.history[k])
    layout.cached[k] = reused
    layout.uncached[k] = layout.history[k] + layout.prompt[k] - reused
    slot = len(layout.full) - len(layout.history) + k
    held.base[slot] = layout.full[slot]
    return int(content - layout.full[slot])


@inlined
def _come_under_cut(layout: Layout, held: Held, safe: int, trim: int, forced: bool, k: int) -> int:
    """Split the slots that the cut after turn k is the first for; return what of them is not kept.

    One whose conversation is back already holds nothing, and its newer slot has no surplus yet.
    """
    m = len(layout.full) - len(layout.history)
    dropped = 0
    first = 0 if k == 0 else m + k - (1 if forced else 0)
    for slot in range(first, m + k + (0 if forced else 1)):
        dropped += _split(held, safe, trim, slot)
    return dropped


@compiled
def _between_updates(
    layout: Layout, held: Held, safe: int, trim: int, forced: bool, first: int, end: int, place: Place
) -> Place:
    """Cut after the turn before each of the turns first, ..., end - 1, and serve it."""
    room, tail, pointer = place
    under_cut = len(layout.full) - len(layout.history) - (1 if forced else 0)
    for k in range(first, end):
        if k > 0:
            room += _come_under_cut(layout, held, safe, trim, forced, k - 1)
            if trim == ROUND_ROBIN and room < 0:
                room = -trim_rounds(held.tree, -room)
            while trim == LEAST_RECENT and room < 0 and pointer < under_cut + k:
                taken = min(held.above[pointer], -room)
                held.above[pointer] -= taken
                room += taken
                pointer += 1 if room < 0 else 0
            while room < 0:
                taken = min(held.base[tail], -room)
                held.base[tail] -= taken
                room += taken
                tail += 1 if room < 0 else 0
        room += _arrive(layout, held, trim, k)
    return Place(room, tail, pointer)
