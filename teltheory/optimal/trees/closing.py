"""Plans of strict caches: what requests find, with all that has to lie above it.

Request e finds the first d units of its path if they are cached at all steps from s + 1 to e, with s the last
request before it that read the deepest of them; s read them all. A request between the two that reads some of them
too must find those as well, so that nothing above what is held for e is ever missing:

1. From e down to s + 1: of what request r has to find, each run was last read by some request; if that is after s,
   it has to find the run too.
2. What these requests find beyond what they found before takes room from their last requests on.
3. If there is room, all of them find it; otherwise nothing changes.

Each unit is held for its next request alone, so nothing is counted twice, and what is held together is closed.
"""

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray
from teltheory.optimal.trees.intervals import rooms_beside, runs_of


def closed(instance: ForestInstance, need: IntArray, order: IntArray) -> IntArray:
    """Return how many leading units each request finds if those in `order`, one by one, find ``need`` if possible.

    `need` is of all requests, at most what an earlier request made available.
    """
    free = np.append(0, rooms_beside(instance))
    kept = np.zeros(len(instance), np.int64)
    _, start, slot, to = runs_of(instance)
    keep(order, need, start, slot, to, instance.exempt, free, kept, True)
    return kept


def keep(
    order: IntArray,
    need: IntArray,
    start: IntArray,
    slot: IntArray,
    to: IntArray,
    exempt: int,
    free: IntArray,
    kept: IntArray,
    strict: bool,
) -> None:
    """Write what is kept, and take its room from what is free; unless `strict`, without what lies above it."""
    n = len(kept)
    state = np.zeros(n, np.int64), np.zeros(n + 2, np.int64)
    asked = len(order), order, n, need, len(slot), start, slot, to
    call("keep_in_order", asked, exempt, free, kept, strict, state)
