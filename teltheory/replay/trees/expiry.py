"""LRU with a time to live as LRU on another forest: a block that has expired is another block from then on.

The old block is never read again, so that it is among the least recent, goes before all that has not expired, and
takes room from nothing that LRU would keep. A block is read whenever one below it is, so what lies below an
expired block has expired too, and the new blocks are a forest again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import BoolArray, IntArray, readonly
from teltheory.replay.compiled import compiled
from teltheory.replay.trees.visits import Visits


def without_expired(instance: ForestInstance, seconds: float) -> ForestInstance:
    """Return the instance whose LRU is the given one's with a time to live."""
    forest = instance.requests
    if forest.arrival is None:
        raise ArgumentError("forest", "no arrival times", "arrival times, which the policy looks at")
    visits = Visits.of(forest)
    before = np.where(visits.previous < 0, 0, np.append(visits.request, 0)[visits.previous])
    silent = forest.arrival[visits.request] - forest.arrival[before] > seconds
    running = visits.request - before < instance.exempt
    fresh = (visits.previous < 0) | (silent & ~running)
    parent, piece, leaf = _renamed(visits.parent, visits.start, visits.piece, fresh)
    renamed = replace(forest, parent=readonly(parent), length=readonly(visits.length[piece]), leaf=readonly(leaf))
    return replace(instance, requests=renamed)


@compiled
def _renamed(
    parent: IntArray, start: IntArray, piece: IntArray, fresh: BoolArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the parent of each new block, the piece that it was, and the last one of each request."""
    above, old = np.empty(fresh.sum(), np.int64), np.empty(fresh.sum(), np.int64)
    name, leaf = np.full(len(parent), -1, np.int64), np.full(len(start) - 1, -1, np.int64)
    blocks = 0
    for k in range(len(leaf)):
        for j in range(start[k], start[k + 1]):
            p = piece[j]
            if fresh[j]:
                above[blocks] = leaf[k]
                old[blocks] = p
                name[p] = blocks
                blocks += 1
            leaf[k] = name[p]
    return above, old, leaf
