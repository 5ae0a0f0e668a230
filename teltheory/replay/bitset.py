"""A set of whole numbers below n that finds its largest member: a bitset with 64 children a node.

Level 0 has a bit for each number; a bit of a higher level says that the word below it is not 0. The last level
is one word, so the largest member is found by one look at each of the O(log n / 6) levels.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled, inlined, leading_zeros

Bitset: TypeAlias = tuple[NDArray[np.uint64], IntArray]


@compiled
def new_bitset(n: int) -> Bitset:
    """Return the empty set of numbers below n: its words, and where each level begins."""
    offsets = [0]
    words = 0
    width = n
    while True:
        width = (width + 63) // 64
        words += width
        offsets.append(words)
        if width <= 1:
            break
    return np.zeros(max(words, 1), np.uint64), np.array(offsets, np.int64)


@inlined
def set_bit(bitset: Bitset, number: int) -> None:
    """Add a number."""
    words, offsets = bitset
    for level in range(len(offsets) - 1):
        place = offsets[level] + (number >> 6)
        word = words[place]
        words[place] = word | (np.uint64(1) << np.uint64(number & 63))
        if word != 0:
            return
        number >>= 6


@inlined
def clear_bit(bitset: Bitset, number: int) -> None:
    """Remove a number, a member or not."""
    words, offsets = bitset
    for level in range(len(offsets) - 1):
        place = offsets[level] + (number >> 6)
        words[place] &= ~(np.uint64(1) << np.uint64(number & 63))
        if words[place] != 0:
            return
        number >>= 6


@inlined
def largest_bit(bitset: Bitset) -> int:
    """Return the largest member of a set that is not empty."""
    words, offsets = bitset
    number = 0
    for level in range(len(offsets) - 2, -1, -1):
        number = (number << 6) | (63 - leading_zeros(words[offsets[level] + number]))
    return number
