"""When the memory of a replica overflows for the first time: until then no two policies differ."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray
from teltheory.model.requests import Requests
from teltheory.model.turns import consecutive_turns


def first_overflow(requests: Requests, replica: IntArray, capacity: int) -> int:
    """Return the first turn after which some replica was sent more than a capacity; the number of turns if none.

    `replica` says where each turn goes.
    """
    held = held_by(requests, replica) if replica.any() else requests.held
    over = np.flatnonzero(held > capacity)
    return int(over[0]) if len(over) else len(requests)


def held_by(requests: Requests, replica: IntArray) -> IntArray:
    """Return what the replica of each turn would hold after it if it had no end."""
    added, held = new_units(requests, replica), np.empty(len(requests), np.int64)
    for one in np.unique(replica):
        turns = np.flatnonzero(replica == one)
        held[turns] = np.cumsum(added[turns])
    return held


@singledispatch
def new_units(requests: Requests, replica: IntArray) -> IntArray:
    """Return how much longer each turn's past is than that of its session on its replica was."""
    before = np.zeros(len(requests), np.int64)
    earlier, later = consecutive_turns(requests.session * (int(replica.max(initial=0)) + 1) + replica)
    before[later] = requests.past[earlier]
    return requests.past - before


@new_units.register(Forest)
def _(forest: Forest, replica: IntArray) -> IntArray:
    """Return the units of each request's path that no earlier request of its replica had."""
    seen: dict[int, set[int]] = {one: set() for one in replica.tolist()}
    parent, length = forest.parent.tolist(), forest.length.tolist()
    new = np.zeros(len(forest), np.int64)
    for k, (leaf, one) in enumerate(zip(forest.leaf.tolist(), replica.tolist(), strict=True)):
        node = leaf
        while node >= 0 and node not in seen[one]:
            seen[one].add(node)
            new[k] += length[node]
            node = parent[node]
    return new
