"""The steps of ``steps.h`` as servers inline them: private conversations in tiers.

Slot k has what turn k's conversation holds since then (`teltheory.replay.chains.slots`), in each tier. What a
policy says of it does not change until the conversation is back, so that its place in a tier's two orders does not
either. A slot *waits* in two sets of places a tier: for trimming while it may hold surplus there, for eviction
while it may hold anything; what came back since is passed over once it comes up. What a tier loses sinks as the
head of the slot's part of the next tier, which may make the slot wait there again. A slot's budget is counted from
the root: what the tiers before hold is part of it.

A step is O(tiers), and O(tiers + log slots) for each slot that loses something.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import inlined
from teltheory.replay.tiers.members import Members, enter, largest, leave, new_members
from teltheory.replay.tiers.rules import SAFE, WHOLE, Seen, Writes

TRIM, EVICT = 0, 1


class Stock(NamedTuple):
    """The tiers of some replicas.

    What slots hold in each tier, and how much of that sank there with this turn, both a row a slot; what each
    replica's tiers hold in all; who waits, two sets for each tier of each replica; and slots that changed.
    """

    held: IntArray
    sunk: IntArray
    used: IntArray
    waiting: Members
    changed: IntArray


class Budget(NamedTuple):
    """What a row says, in numbers: the row, and what of a past is safe, times `up` over `down`, for `SAFE`."""

    row: int
    safe: int
    up: int
    down: int


@inlined
def budget_of(layout: Seen, row: int, i: int) -> Budget:
    """Return what a row of tier i says."""
    return Budget(row, layout.safe[i], layout.up[i], layout.down[i])


@inlined
def worth(layout: Seen, budget: Budget, s: int) -> int:
    """Return how much of a slot's past a budget is; below 2^53 the quotient's whole part is exact in floats."""
    past = layout.past[s]
    if budget.row >= 0:
        past = layout.kept[budget.row, s]
    elif budget.row == SAFE:
        past = max(past - budget.safe, 0)
        if budget.up != budget.down:
            past = min(int((past * budget.up + budget.down - 1) / budget.down), layout.past[s])
    return int(past)


@inlined
def serve(layout: Seen, state: Stock, moved: Writes, r: int, k: int, before: int) -> None:
    """Serve turn k on replica r, where its conversation has slot `before`, -1 for none."""
    left = layout.history[k]
    for i in range(len(layout.capacity)):
        reused = 0
        if before >= 0:
            held = state.held[before, i]
            reused = min(held, left)
            state.used[r, i] -= held
            state.held[before, i] = 0
        moved.cached[i, k] = reused
        left -= reused
    moved.written[k] = layout.past[k] - (layout.history[k] - left)
    state.held[k, 0] = layout.past[k]
    state.used[r, 0] += layout.past[k]


@inlined
def _sink(state: Stock, r: int, i: int, s: int, units: int, number: int) -> int:
    """Take units of a slot out of a tier; return how many slots of the next one have changed."""
    state.held[s, i] -= units
    state.used[r, i] -= units
    if i + 1 < state.held.shape[1]:
        if state.sunk[s, i + 1] == 0:
            state.changed[(i + 1) & 1, number] = s
            number += 1
        state.sunk[s, i + 1] += units
        state.held[s, i + 1] += units
        state.used[r, i + 1] += units
    return number


@inlined
def _place(layout: Seen, i: int, way: int, s: int) -> int:
    row = layout.order[way, i]
    return int(layout.place[row, s] if row >= 0 else len(layout.history) - 1 - s)


@inlined
def _await(layout: Seen, state: Stock, r: int, i: int, s: int, above: int) -> None:
    """Let a slot wait in a tier for what it may lose there."""
    which = 2 * (r * len(layout.capacity) + i)
    least = layout.least[i]
    if least != WHOLE and state.held[s, i] > max(worth(layout, budget_of(layout, least, i), s) - above, 0):
        enter(state.waiting, which + TRIM, _place(layout, i, TRIM, s))
    if state.held[s, i] > 0:
        enter(state.waiting, which + EVICT, _place(layout, i, EVICT, s))


@inlined
def _above(state: Stock, i: int, s: int) -> int:
    """Return what tiers before a tier hold of a slot."""
    above = 0
    for j in range(i):
        above += state.held[s, j]
    return above


@inlined
def _receive(layout: Seen, state: Stock, r: int, i: int, number: int) -> int:
    """Bring slots that changed under a tier's cut; return how many change the next tier at once."""
    sinking = 0
    for j in range(number):
        s = state.changed[i & 1, j]
        above = _above(state, i, s)
        if layout.full[i] != WHOLE:
            gone = state.held[s, i] - max(worth(layout, budget_of(layout, layout.full[i], i), s) - above, 0)
            if gone > 0:
                sinking = _sink(state, r, i, s, gone, sinking)
        _await(layout, state, r, i, s, above)
    return sinking


@inlined
def _lose(layout: Seen, state: Stock, r: int, i: int, way: int, overflow: int, sinking: int) -> tuple[int, int]:
    """Trim or evict until the overflow is gone; return what is left, and how many slots change the next tier."""
    which = 2 * (r * len(layout.capacity) + i) + way
    row = layout.order[way, i]
    place = 0
    while overflow > 0 and place >= 0:
        place = largest(state.waiting, which)
        if place >= 0:
            s = layout.at[row, place] if row >= 0 else len(layout.history) - 1 - place
            there = state.held[s, i]
            if way == TRIM:
                least = worth(layout, budget_of(layout, layout.least[i], i), s) - _above(state, i, s)
                there -= min(max(least, 0), there)
            taken = min(there, overflow)
            overflow -= taken
            if taken == there:
                leave(state.waiting, which, place)
            if taken > 0:
                sinking = _sink(state, r, i, s, taken, sinking)
    return overflow, sinking


@inlined
def _settle(state: Stock, moved: Writes, i: int, k: int, number: int) -> None:
    """Write what sank to a tier and is still there."""
    copied = 0
    for j in range(number):
        s = state.changed[i & 1, j]
        copied += min(state.sunk[s, i], state.held[s, i])
        state.sunk[s, i] = 0
    moved.copied[i - 1, k] = copied


@inlined
def _rise(state: Stock, moved: Writes, k: int) -> None:
    """Write what inclusive tiers hold of turn k's conversation and did not before."""
    now, before = state.held[k, 0], moved.cached[0, k]
    for i in range(1, len(moved.cached)):
        now += state.held[k, i]
        before += moved.cached[i, k]
        moved.copied[i - 1, k] = max(now - before, 0)


@inlined
def cut(layout: Seen, state: Stock, moved: Writes, r: int, k: int, first: int) -> None:
    """Cut the tiers of replica r after turn k, the first cut of slot `first`, -1 for none.

    Under forced caching, which leaves out slot k, the last past may be too long; nothing is cut then.
    """
    if first != k and layout.past[k] > layout.capacity[0]:
        moved.copied[:, k] = 0
        return
    above = number = 0
    if first >= 0:
        state.changed[0, 0] = first
        number = 1
    for i in range(len(layout.capacity)):
        sinking = _receive(layout, state, r, i, number)
        overflow = state.used[r, i] - layout.capacity[i] + (above if layout.inclusive else 0)
        for way in range(TRIM if layout.least[i] != WHOLE else EVICT, 2):
            overflow, sinking = _lose(layout, state, r, i, way, overflow, sinking)
        above += state.used[r, i]
        if i > 0:
            _settle(state, moved, i, k, number)
        number = sinking
    if layout.inclusive:
        _rise(state, moved, k)


def empty(layout: Seen, replicas: int) -> Stock:
    """Return empty tiers; the arrays come from numpy, which asks for large pages."""
    n, tiers = len(layout.history), len(layout.capacity)
    held, sunk = (np.zeros((n, tiers), np.int64) for _ in range(2))
    used, changed = np.zeros((replicas, tiers), np.int64), np.empty((2, n), np.int64)
    return Stock(held, sunk, used, new_members(2 * tiers * replicas, n), changed)
