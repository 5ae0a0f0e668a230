"""What requests may reuse of their items, as plans and programs read it, in one pass over all requests.

The reuses of a request stand in the order of the last use of their items, most recent first. Items of one request
are touched in ascending order, so of two that were used last by the same request the larger number is first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled


class Reuses(NamedTuple):
    """Reuse j is of the item at `place[j]` of all members; those of request k are `start[k]` to `start[k + 1]`.

    Attributes
    ----------
    start : ndarray of int64, shape (n + 1,)
        First reuse of each request.
    slot : ndarray of int64, shape (reuses,)
        The last request before that used the item.
    to : ndarray of int64, shape (reuses,)
        Units of the request's reuses up to this one.
    place : ndarray of int64, shape (reuses,)
        Where the item stands in `ModuleTrace.members`.
    """

    start: IntArray
    slot: IntArray
    to: IntArray
    place: IntArray

    @classmethod
    def of(cls, instance: ModuleInstance) -> Reuses:
        """Return the reuses of all requests; of whole items those alone that fit into the cache."""
        trace = instance.requests
        most = instance.capacity if instance.whole else trace.sizes.max(initial=0)
        columns = _find(trace.members, trace.offsets, trace.sizes, most)
        return cls(*columns)

    @property
    def turn(self) -> IntArray:
        """The request of each reuse."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def above(self) -> IntArray:
        """Units of the request's reuses before each one."""
        before = np.concatenate(([0], self.to))[:-1]
        before[self.start[:-1][np.diff(self.start) > 0]] = 0
        return before

    def within(self, kept: IntArray) -> IntArray:
        """Return what of each reuse lies within the first ``kept[k]`` units of its request."""
        return np.maximum(np.minimum(self.to, kept[self.turn]) - self.above, 0)

    def by_member(self, amounts: IntArray, members: int) -> IntArray:
        """Return amounts of reuses as amounts of all members."""
        kept = np.zeros(members, np.int64)
        kept[self.place] = amounts
        return kept


@compiled
def _find(
    members: IntArray, offsets: IntArray, sizes: IntArray, most: int
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return `start`, `slot`, `to` and `place` of the reuses of items of no more than `most` units."""
    last = np.full(len(sizes), -1, np.int64)
    start, slot = np.zeros(len(offsets), np.int64), np.empty(len(members), np.int64)
    to, place = np.empty(len(members), np.int64), np.empty(len(members), np.int64)
    user = np.empty(len(members), np.int64)
    found = 0
    for k in range(len(offsets) - 1):
        known = np.arange(offsets[k], offsets[k + 1])
        order = known[np.argsort(-last[members[known]])]
        reached = 0
        for j in order:
            item = members[j]
            user[j] = k
            if last[item] >= 0 and sizes[item] <= most:
                reached += sizes[item]
                slot[found], to[found], place[found] = user[last[item]], reached, j
                found += 1
        last[members[known]] = known
        start[k + 1] = found
    return start, slot[:found].copy(), to[:found].copy(), place[:found].copy()
