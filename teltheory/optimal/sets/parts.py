"""What each request may reuse of its items, one part for each: facts for checks and judges.

The items of a request stand one below another, those that were used last at the top. What is at the top can be
kept over the shorter interval, so of what is kept for a request the leading units count, as on a path of a forest
(docs/module-sets-optimum.md has the proof).

This module sorts all uses of all items at once, and uses nothing of what makes plans or certificates.
"""

from __future__ import annotations

import numpy as np

from teltheory.model.module_instance import ModuleInstance
from teltheory.model.numbers import IntArray
from teltheory.optimal.trees.parts import Parts


def set_parts(instance: ModuleInstance) -> Parts:
    """Return the parts of all requests: a part is an item that was used before."""
    return placed_parts(instance)[0]


def placed_parts(instance: ModuleInstance) -> tuple[Parts, IntArray]:
    """Return the parts, and the place of each among the members of the trace.

    Of whole items those larger than the capacity are no parts: no cache has room for them.
    """
    trace = instance.trace
    request, before, size = trace.request, trace.previous, trace.sizes[trace.members]
    known = np.flatnonzero((before >= 0) & ~(instance.whole & (size > instance.capacity)))
    place = known[np.lexsort((-before[known], request[known]))]
    turn, units = request[place], size[place]
    below = np.cumsum(units)
    above = below - units - (below - units)[np.searchsorted(turn, turn)]
    first = np.minimum(request[before[place]] + 2 + instance.exempt, turn + 2)
    return Parts(turn, above, units, first), place


def set_rooms(instance: ModuleInstance) -> IntArray:
    """Return the room at each step 1 ... n, at index 0 ... n - 1: what exempt items leave of the capacity."""
    room = np.full(len(instance), instance.capacity, np.int64)
    if instance.forced:
        room[1:] -= instance.asked[:-1]
    return room
