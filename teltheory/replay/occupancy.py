"""Sums over the slots that are more recent than one, as slots are added at the end and removed anywhere.

A binary tree over the slots; node 1 is the root, the leaf of slot s is node size + s. A node gets its sum when
the last slot below it is added, and is not read before, so adding takes amortised O(1). What lies between a slot
and the end is found, and a weight taken from the slot, in one climb of O(log distance): a reuse that is near costs
little however long the trace.

With two weights a slot, what a slot weighs is read off the trace, and a leaf of the tree is two slots.
"""

from typing import NamedTuple

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


class Live(NamedTuple):
    """Slots with two weights each, as a trace has them: what is past the first `safe` blocks, and at most those.

    `past` is both weights together, `following` the turn at which a slot is removed.
    """

    past: IntArray
    safe: int
    following: IntArray


@compiled
def both_weights(live: Live, slot: int, counts: bool) -> tuple[int, int]:
    """Return both weights of a slot, or 0 if it does not count."""
    weight = live.past[slot] if counts else 0
    return max(weight - live.safe, 0), min(weight, live.safe)


@inlined
def add_pair(sums: IntArray, live: Live, slot: int) -> None:
    """Add the next slot and the one before it, at the next slot's own turn; its number is odd."""
    node = len(sums) // 2 + (slot >> 1)
    one, two = both_weights(live, slot - 1, live.following[slot - 1] > slot)
    three, four = both_weights(live, slot, True)
    sums[node, 0], sums[node, 1] = one + three, two + four
    while node & 1 and node > 1:
        node >>= 1
        sums[node, 0] = sums[2 * node, 0] + sums[2 * node + 1, 0]
        sums[node, 1] = sums[2 * node, 1] + sums[2 * node + 1, 1]


@inlined
def take_both(sums: IntArray, live: Live, slot: int, now: int) -> tuple[int, int]:
    """Take both weights from the slot that turn `now` removes; return the sums of the slots between the two."""
    one, two = both_weights(live, slot, True)
    beside, newest = slot | 1, now & -2
    first, second = both_weights(live, beside, (beside < now) & (live.following[beside] > now))
    third, fourth = both_weights(live, newest, (beside < newest) & (newest < now))
    first, second = first + third, second + fourth
    node, last = len(sums) // 2 + (slot >> 1), len(sums) // 2 + (now >> 1)
    while node + 1 < last:
        first += (sums[node | 1, 0] & _if_even(node)) + (sums[last & -2, 0] & _if_odd(last))
        second += (sums[node | 1, 1] & _if_even(node)) + (sums[last & -2, 1] & _if_odd(last))
        sums[node, 0] -= one
        sums[node, 1] -= two
        node, last = node >> 1, last >> 1
    while node < last:
        sums[node, 0] -= one
        sums[node, 1] -= two
        node, last = node >> 1, last >> 1
    return first, second
