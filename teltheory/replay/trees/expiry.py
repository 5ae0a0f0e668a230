"""LRU with a time to live as LRU on another forest: a block that has expired is another block from then on.

The old block is never read again, so that it is among the least recent, goes before all that has not expired, and
takes room from nothing that LRU would keep. A block is read whenever one below it is, so what lies below an
expired block has expired too, and the new blocks are a forest again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import readonly
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
    parent, piece = (np.empty(fresh.sum(), np.int64) for _ in range(2))
    leaf, name = np.empty(len(forest), np.int64), np.empty(len(visits.parent), np.int64)
    sizes = len(forest), len(name), len(fresh), len(piece)
    call("rename_fresh", sizes, visits.start, visits.piece, fresh, parent, piece, leaf, name)
    renamed = replace(forest, parent=readonly(parent), length=readonly(visits.length[piece]), leaf=readonly(leaf))
    return replace(instance, requests=renamed)
