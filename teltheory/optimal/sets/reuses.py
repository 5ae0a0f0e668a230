"""What requests may reuse of their items, as plans and programs read it, in one pass over all uses.

The reuses of a request stand in the order of the last use of their items, most recent first. Items of one request
are touched in ascending order, so of two that were used last by the same request the larger number is first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray


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
        units = trace.sizes[trace.members]
        place = np.flatnonzero((trace.previous >= 0) & ~(instance.whole & (units > instance.capacity)))
        turn = trace.request[place]
        start = np.searchsorted(turn, np.arange(len(trace) + 1))
        place = place[np.argsort(turn * len(trace.members) - trace.previous[place], kind="stable")]
        below = np.cumsum(np.append(0, units[place]))
        to = below[1:] - below[start[turn]]
        return cls(start, trace.request[trace.previous[place]], to, place)

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
