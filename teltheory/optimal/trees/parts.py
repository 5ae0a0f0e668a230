"""What each request may reuse of its path, in parts with one last request each: facts for checks and judges.

This module walks every path block by block, in plain Python, and uses nothing of what makes plans or certificates.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray


class Parts(NamedTuple):
    """What turns may reuse: part k is `units[k]` units below the first `above[k]` of what turn `turn[k]` reads.

    They can be kept from step `first[k]` to the turn's own, turn + 1; `first` is turn + 2 if they take no room at
    any step. The parts of a turn follow each other without a gap, from 0 on.
    """

    turn: IntArray
    above: IntArray
    units: IntArray
    first: IntArray

    def within(self, most: IntArray) -> IntArray:
        """Return how much of each part lies within the first ``most[turn]`` units."""
        return np.asarray(np.clip(most[self.turn] - self.above, 0, self.units))


def parts_of(instance: ForestInstance) -> Parts:
    """Return the parts of all requests of a forest."""
    rows = np.array(list(_shared(instance.forest)), np.int64).reshape(-1, 4)
    turn, above, units, before = rows.T.copy()
    return Parts(turn, above, units, np.minimum(before + 2 + instance.exempt, turn + 2))


def _shared(forest: Forest) -> Iterator[tuple[int, int, int, int]]:
    """Yield (request, depth above, units, last request before) of every run of nodes with one last request."""
    parent, depth = forest.parent.tolist(), [*forest.depth.tolist(), 0]
    last = [-1] * forest.nodes
    for k, leaf in enumerate(forest.leaf.tolist()):
        found = []
        node = bottom = leaf
        before = -1
        while node >= 0:
            if last[node] != before:
                found.append((before, node, bottom))
                before, bottom = last[node], node
            last[node] = k
            node = parent[node]
        found.append((before, node, bottom))
        for request, top, bottom in reversed(found):
            if request >= 0:
                yield k, depth[top], depth[bottom] - depth[top], request


def needs(forest: Forest, xi: int) -> IntArray:
    """Return how many leading units of its path lower each request's excess: min(ask, max(0, total - xi))."""
    return np.minimum(forest.ask, np.maximum(forest.total - xi, 0))


def rooms_beside(instance: ForestInstance) -> IntArray:
    """Return the room at each step 1 ... n, at index 0 ... n - 1: what exempt paths leave of the capacity."""
    room = np.full(len(instance.forest), instance.capacity, np.int64)
    room[1:] -= instance.pinned[:-1]
    return room
