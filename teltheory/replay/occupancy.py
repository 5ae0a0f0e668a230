"""Sums over the slots that are more recent than one, as slots are added at the end and removed anywhere.

A binary tree over the slots; node 1 is the root, the leaf of slot s is node size + s. A node gets its sum when
the last slot below it is added, and is not read before, so adding takes amortised O(1). What lies between a slot
and the end is found, and a weight taken from the slot, in one climb of O(log distance): a reuse that is near costs
little however long the trace.
"""

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled, inlined


def new_sums(slots: int, weights: int) -> IntArray:
    """Return the tree of slots that are still to be added, each with some weights; shape (2 size, weights)."""
    return np.empty((2 << max(slots - 1, 0).bit_length(), weights), np.int64)


@inlined
def add_slot(sums: IntArray, slot: int, weight: int) -> None:
    """Add the next slot, with one weight."""
    node = len(sums) // 2 + slot
    sums[node, 0] = weight
    while node & 1 and node > 1:
        node >>= 1
        sums[node, 0] = sums[2 * node, 0] + sums[2 * node + 1, 0]


@inlined
def take(sums: IntArray, slot: int, weight: int, end: int) -> int:
    """Take a weight from a slot; return the sum of the slots after it, before `end`, the next slot to be added."""
    node, last = len(sums) // 2 + slot, len(sums) // 2 + end
    found = 0
    while node + 1 < last:
        found += (sums[node | 1, 0] & _if_even(node)) + (sums[last & -2, 0] & _if_odd(last))
        sums[node, 0] -= weight
        node, last = node >> 1, last >> 1
    while 0 < node < last:
        sums[node, 0] -= weight
        node, last = node >> 1, last >> 1
    return found


@compiled
def _if_even(node: int) -> int:
    """Return a mask that keeps a value where the node is even, and makes it 0 elsewhere, without a branch."""
    return (node & 1) - 1


@compiled
def _if_odd(node: int) -> int:
    return -(node & 1)
