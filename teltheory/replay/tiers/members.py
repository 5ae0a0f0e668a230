"""Sets of whole numbers below n, side by side, that find their largest member from where it was last.

Each is a bitset with 64 children a node, as that of `teltheory.replay.bitset`: level 0 has a bit for each number,
a bit of a higher level says that the word below it is not 0. A search begins at the set's `high`, above which
there is no member, and climbs only as far as words are empty: the largest member seldom moves far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import inlined, leading_zeros

ALL = np.uint64(2**64 - 1)


class Members(NamedTuple):
    """Words of the sets, a row each; where a row's levels begin; the numbers above which there is no member."""

    words: NDArray[np.uint64]
    offsets: IntArray
    high: IntArray


def new_members(sets: int, n: int) -> Members:
    """Return empty sets of numbers below n."""
    widths = [max(-(-n // 64), 1)]
    while widths[-1] > 1:
        widths.append(-(-widths[-1] // 64))
    offsets = np.cumsum([0, *widths])
    return Members(np.zeros((sets, offsets[-1]), np.uint64), offsets, np.full(sets, -1, np.int64))


@inlined
def enter(members: Members, which: int, number: int) -> None:
    """Add a number to a set."""
    members.high[which] = max(members.high[which], number)
    for level in range(len(members.offsets) - 1):
        place = members.offsets[level] + (number >> 6)
        word = members.words[which, place]
        members.words[which, place] = word | (np.uint64(1) << np.uint64(number & 63))
        if word != 0:
            break
        number >>= 6


@inlined
def leave(members: Members, which: int, number: int) -> None:
    """Remove a member of a set."""
    for level in range(len(members.offsets) - 1):
        place = members.offsets[level] + (number >> 6)
        word = members.words[which, place] & ~(np.uint64(1) << np.uint64(number & 63))
        members.words[which, place] = word
        if word != 0:
            break
        number >>= 6


@inlined
def largest(members: Members, which: int) -> int:
    """Return the largest member of a set, -1 if there is none."""
    number, level, levels = members.high[which], 0, len(members.offsets) - 1
    while level < levels and number >= 0:
        below = ALL >> np.uint64(63 - (number & 63))
        word = members.words[which, members.offsets[level] + (number >> 6)] & below
        if word != 0:
            number = (number & ~63) | (63 - leading_zeros(word))
            break
        number = (number >> 6) - 1
        level += 1
    if level == levels:
        number = -1
    while number >= 0 and level > 0:
        level -= 1
        number = (number << 6) | (63 - leading_zeros(members.words[which, members.offsets[level] + number]))
    members.high[which] = number
    return int(number)
