"""Sums over the slots that are more recent than one, as slots are added at the end and removed anywhere.

A binary tree over the slots; node 1 is the root, the leaf of slot s is node size + s. A node gets its sum when
the last slot below it is added, and is not read before, so adding takes amortised O(1). What lies between a slot
and the end is found, and a weight taken from the slot, in one climb of O(log distance): a reuse that is near costs
little however long the trace.
"""

from __future__ import annotations

import numpy as np

from teltheory.numbers import IntArray
from teltheory.replay.compiled import compiled


def new_sums(slots: int, weights: int) -> IntArray:
    """Return the tree of slots that are still to be added, each with some weights; shape (2 size, weights)."""
    return np.empty((2 << max(slots - 1, 0).bit_length(), weights), np.int64)


@compiled
def add_slot(sums: IntArray, slot: int, weight: int) -> None:
    """Add the next slot, with one weight."""
    node = len(sums) // 2 + slot
    sums[node, 0] = weight
    while node & 1 and node > 1:
        node >>= 1
        sums[node, 0] = sums[2 * node, 0] + sums[2 * node + 1, 0]


@compiled
def add_pair(sums: IntArray, slot: int, one: int, two: int) -> None:
    """Add the next slot, with two weights."""
    node = len(sums) // 2 + slot
    sums[node, 0], sums[node, 1] = one, two
    while node & 1 and node > 1:
        node >>= 1
        sums[node, 0] = sums[2 * node, 0] + sums[2 * node + 1, 0]
        sums[node, 1] = sums[2 * node, 1] + sums[2 * node + 1, 1]


@compiled
def take(sums: IntArray, slot: int, weight: int, end: int) -> int:
    """Take a weight from a slot; return the sum of the slots after it, before `end`, the next slot to be added."""
    node, last = len(sums) // 2 + slot, len(sums) // 2 + end
    found = 0
    while node + 1 < last:
        if not node & 1:
            found += sums[node + 1, 0]
        if last & 1:
            found += sums[last - 1, 0]
        sums[node, 0] -= weight
        node, last = node >> 1, last >> 1
    while 0 < node < last:
        sums[node, 0] -= weight
        node, last = node >> 1, last >> 1
    return found


@compiled
def take_pair(sums: IntArray, slot: int, one: int, two: int, end: int) -> tuple[int, int]:
    """Take two weights from a slot; return the sums of the slots after it, before `end`."""
    node, last = len(sums) // 2 + slot, len(sums) // 2 + end
    first = second = 0
    while node + 1 < last:
        if not node & 1:
            first += sums[node + 1, 0]
            second += sums[node + 1, 1]
        if last & 1:
            first += sums[last - 1, 0]
            second += sums[last - 1, 1]
        sums[node, 0] -= one
        sums[node, 1] -= two
        node, last = node >> 1, last >> 1
    while 0 < node < last:
        sums[node, 0] -= one
        sums[node, 1] -= two
        node, last = node >> 1, last >> 1
    return first, second
