"""Two queues of units that find their smallest and lose any: binary heaps by key, among equals by turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray
from teltheory.replay.compiled import compiled, inlined


class Heaps(NamedTuple):
    """Units in the order of each heap, how many, and each unit's place in its heap, -1 if it is in none."""

    order: IntArray
    number: IntArray
    place: IntArray
    key: FloatArray
    turn: IntArray


@compiled
def new_heaps(units: int) -> Heaps:
    """Return two empty heaps for units that have no keys yet."""
    return Heaps(
        np.empty((2, units), np.int64),
        np.zeros(2, np.int64),
        np.full(units, -1, np.int64),
        np.zeros(units, np.float64),
        np.zeros(units, np.int64),
    )


@inlined
def push(heaps: Heaps, heap: int, u: int) -> None:
    """Add a unit that is in neither heap."""
    heaps.number[heap] += 1
    _settle(heaps, heap, heaps.number[heap] - 1, u)


@compiled
def pull(heaps: Heaps, heap: int, u: int) -> None:
    """Remove a unit if it is there; its key must be what it was."""
    i = heaps.place[u]
    if i < 0:
        return
    heaps.number[heap] -= 1
    heaps.place[u] = -1
    last = heaps.order[heap, heaps.number[heap]]
    if last != u:
        _settle(heaps, heap, i, last)


@compiled
def _settle(heaps: Heaps, heap: int, i: int, u: int) -> None:
    """Put a unit at a place and move it up or down to where it belongs."""
    while i > 0 and _before(heaps, u, heaps.order[heap, (i - 1) // 2]):
        _put(heaps, heap, i, heaps.order[heap, (i - 1) // 2])
        i = (i - 1) // 2
    while True:
        child = 2 * i + 1
        if child + 1 < heaps.number[heap]:
            child += _before(heaps, heaps.order[heap, child + 1], heaps.order[heap, child])
        if child >= heaps.number[heap] or not _before(heaps, heaps.order[heap, child], u):
            break
        _put(heaps, heap, i, heaps.order[heap, child])
        i = child
    _put(heaps, heap, i, u)


@inlined
def _before(heaps: Heaps, u: int, v: int) -> bool:
    return bool((heaps.key[u], heaps.turn[u]) < (heaps.key[v], heaps.turn[v]))


@inlined
def _put(heaps: Heaps, heap: int, i: int, u: int) -> None:
    heaps.order[heap, i] = u
    heaps.place[u] = i
