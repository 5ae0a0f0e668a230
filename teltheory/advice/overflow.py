"""When the memory of a replica overflows for the first time: until then no two policies differ."""

from __future__ import annotations

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace
from teltheory.model.turns import consecutive_turns


def first_overflow_of(requests: Trace | Forest, replica: IntArray, capacity: int) -> int:
    """Return the first turn after which some replica was sent more than a capacity; the number of turns if none.

    `replica` says where each turn goes; on one replica this is `teltheory.advice.choice.first_overflow`.
    """
    added = new_units(requests, replica) if isinstance(requests, Forest) else _growth(requests, replica)
    over = len(requests)
    for one in np.unique(replica):
        turns = np.flatnonzero(replica == one)
        above = np.flatnonzero(np.cumsum(added[turns]) > capacity)
        over = min(over, int(turns[above[0]])) if len(above) else over
    return over


def _growth(trace: Trace, replica: IntArray) -> IntArray:
    """Return how much longer each turn's past is than its conversation's past on that replica was."""
    before = np.zeros(len(trace), np.int64)
    earlier, later = consecutive_turns(trace.code * (int(replica.max(initial=0)) + 1) + replica)
    before[later] = trace.past[earlier]
    return trace.past - before


def new_units(forest: Forest, replica: IntArray) -> IntArray:
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
