"""Choices of intervals as linked lists that share their beginnings, in memory of a fixed size.

A link is an interval and the link before it, which was there earlier: 8 bytes, and 4 more while those that are no
longer needed are forgotten.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from teltheory.numbers import BoolArray
from teltheory.replay.compiled import compiled

NOTHING = -1
"""Before the first link."""

Numbers = NDArray[np.int32]


class Links:
    """Linked lists.

    Parameters
    ----------
    most : int
        Links to hold at a time.
    """

    def __init__(self, most: int) -> None:
        self._interval: Numbers = np.empty(most, np.int32)
        self._before: Numbers = np.empty(most, np.int32)
        self._count = 0

    def room_for(self, more: int) -> bool:
        """Whether so many links can be added."""
        return self._count + more <= len(self._before)

    def append(self, interval: int, before: Numbers) -> Numbers:
        """Choose an interval after other choices; return the new links."""
        new = slice(self._count, self._count + len(before))
        self._interval[new], self._before[new] = interval, before
        self._count = new.stop
        return np.arange(new.start, new.stop, dtype=np.int32)

    def chosen(self, link: int, intervals: int) -> BoolArray:
        """Return the choice that ends in a link."""
        chosen = np.zeros(intervals, np.bool_)
        for _ in range(intervals):
            if link == NOTHING:
                break
            chosen[self._interval[link]] = True
            link = int(self._before[link])
        return chosen

    def cleaned(self, ends: Numbers) -> Numbers:
        """Forget what leads to none of some ends; return the ends' new numbers."""
        number = np.full(self._count, NOTHING, np.int32)
        ends = ends.copy()
        self._count = _cleaned(self._interval, self._before, number, ends)
        return ends


@compiled
def _cleaned(interval: Numbers, before: Numbers, number: Numbers, ends: Numbers) -> int:
    """Move the links that are reached from the ends to the front, with new numbers; return how many."""
    for end in ends:
        if end != NOTHING:
            number[end] = 0
    for i in range(len(number) - 1, -1, -1):
        if number[i] != NOTHING and before[i] != NOTHING:
            number[before[i]] = 0
    count = 0
    for i in range(len(number)):
        if number[i] != NOTHING:
            number[i] = count
            interval[count] = interval[i]
            before[count] = NOTHING if before[i] == NOTHING else number[before[i]]
            count += 1
    for k in range(len(ends)):
        if ends[k] != NOTHING:
            ends[k] = number[ends[k]]
    return count
