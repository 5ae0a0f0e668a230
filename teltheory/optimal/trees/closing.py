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

from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray
from teltheory.optimal.trees.intervals import rooms_beside, runs_of
from teltheory.replay.compiled import compiled


def closed(instance: ForestInstance, need: IntArray, order: IntArray) -> IntArray:
    """Return how many leading units each request finds if those in `order`, one by one, find ``need`` if possible.

    `need` is of all requests, at most what an earlier request made available.
    """
    free = np.append(0, rooms_beside(instance))
    kept = np.zeros(len(instance), np.int64)
    _, start, slot, to = runs_of(instance)
    keep(order, need, start, slot, to, instance.exempt, free, kept, True)
    return kept


@compiled
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
    wanted, more = np.zeros(len(kept), np.int64), np.zeros(len(kept) + 2, np.int64)
    for e in order:
        deepest = start[e]
        while to[deepest] < need[e]:
            deepest += 1
        low, wanted[e] = slot[deepest], need[e]
        for r in range(e, low if strict else e - 1, -1):
            _read(r, low if strict else e, start, slot, to, exempt, kept, wanted, more)
        fits = _fits(low + 2, e + 2, more, free)
        for step in range(low + 2, e + 2):
            free[step] -= more[step] if fits else 0
        more[low + 2 : e + 3] = 0
        for r in range(low + 1, e + 1):
            kept[r] = max(kept[r], wanted[r]) if fits else kept[r]
            wanted[r] = 0


@compiled
def _read(
    r: int,
    low: int,
    start: IntArray,
    slot: IntArray,
    to: IntArray,
    exempt: int,
    kept: IntArray,
    wanted: IntArray,
    more: IntArray,
) -> None:
    """Want of the last requests after `low` what r reads of theirs; write where r begins and ends to hold more."""
    above = 0
    for j in range(start[r], start[r + 1]):
        if above >= wanted[r]:
            break
        until = min(to[j], wanted[r])
        if slot[j] > low:
            wanted[slot[j]] = max(wanted[slot[j]], until)
        first = slot[j] + 2 + (exempt if slot[j] >= 0 else 0)
        new = until - max(above, kept[r])
        if new > 0 and first <= r + 1:
            more[first] += new
            more[r + 2] -= new
        above = to[j]


@compiled
def _fits(begin: int, end: int, more: IntArray, free: IntArray) -> bool:
    """Add up what is held more at each step, and return whether there is room."""
    fits, held = True, 0
    for step in range(begin, end):
        held += more[step]
        more[step] = held
        fits = fits and held <= free[step]
    return fits
