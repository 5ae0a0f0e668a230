"""Sums over the slots that are more recent than one, as slots are added at the end and removed anywhere.

A binary tree over the slots; node 1 is the root, the leaf of slot s is node size + s. A node gets its sum when the
last slot below it is added, so adding takes amortised O(1), and what lies between a slot and the end is found and
removed in O(log distance): a reuse that is near costs little however long the trace.
"""

from __future__ import annotations

import numpy as np

from teltheory.numbers import IntArray
from teltheory.replay.compiled import compiled


def new_sums(slots: int) -> IntArray:
    """Return the tree of a number of slots that are still to be added; shape (2 size,)."""
    return np.zeros(2 << max(slots - 1, 0).bit_length(), np.int64)


@compiled
def add_slot(sums: IntArray, slot: int, weight: int) -> None:
    """Add the next slot."""
    node = len(sums) // 2 + slot
    sums[node] = weight
    while node & 1 and node > 1:
        node >>= 1
        sums[node] = sums[2 * node] + sums[2 * node + 1]


@compiled
def remove_weight(sums: IntArray, slot: int, weight: int, end: int) -> None:
    """Take a weight from a slot, where the slots before `end` were added."""
    node = len(sums) // 2 + slot
    last = len(sums) // 2 + end
    while node < last and node > 0:
        sums[node] -= weight
        node, last = node >> 1, last >> 1


@compiled
def sum_after(sums: IntArray, slot: int, end: int) -> int:
    """Return the sum of the slots after one, before `end`."""
    left = len(sums) // 2 + slot + 1
    right = len(sums) // 2 + end
    found = 0
    while left < right:
        if left & 1:
            found += sums[left]
            left += 1
        if right & 1:
            right -= 1
            found += sums[right]
        left, right = left >> 1, right >> 1
    return found
