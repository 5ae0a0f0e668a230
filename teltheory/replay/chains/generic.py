"""The compiled loop for policies with orders of their own.

What a slot holds is stored. A slot waits in two bitsets of places in the policy's orders, from its first cut on:
for trimming while it holds more than is worth keeping, for eviction while it holds anything. A slot whose
conversation came back holds nothing; it is passed over. O(log slots) for each slot that loses something.

If both orders are by recency alone the loops of `teltheory.replay.chains.tlru` are quicker, if they are by the
next use that of `teltheory.replay.chains.belady`, and round-robin trimming has no order:
`teltheory.replay.chains.dispatch` decides.
"""

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.replay.bitset import Bitset, clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.chains.slots import Layout
from teltheory.replay.chains.stored import serve
from teltheory.replay.compiled import compiled, inlined


@inlined
def _lower(
    holds: IntArray, floor: IntArray, waiting: Bitset, slots: IntArray, number: int, overflow: int
) -> tuple[int, int]:
    """Lower slots to the floor, in order, until the overflow is gone; return how many wait, and what is left."""
    while overflow > 0 and number > 0:
        place = largest_bit(waiting)
        slot = slots[place]
        above = max(holds[slot] - floor[slot], 0)
        taken = min(above, overflow)
        holds[slot] -= taken
        overflow -= taken
        if taken == above:
            clear_bit(waiting, place)
            number -= 1
    return number, overflow


@compiled
def replay_generic(
    layout: Layout, rules: tuple[IntArray, IntArray, IntArray, IntArray], holds: IntArray, forced: bool
) -> None:
    """Replay a policy by `full`, `least` (see `SlotRules`) and the places of slots in its two orders.

    `full` of the layout is what slots hold before their first cut, `holds` the initial cache and zeros.
    """
    full, least, trimming, eviction = rules
    n = len(layout.history)
    m = len(full) - n
    nothing = np.zeros(m + n, np.int64)
    trimmed, evicted = np.empty(m + n, np.int64), np.empty(m + n, np.int64)
    for s in range(m + n):
        trimmed[trimming[s]] = s
        evicted[eviction[s]] = s
    to_trim, to_evict = new_bitset(m + n), new_bitset(m + n)
    overflow = holds[:m].sum() - layout.capacity
    entered = surpluses = holding = 0
    for k in range(n):
        overflow += serve(layout, holds, k)
        while entered < (m + k if forced else m + k + 1):
            gone = max(holds[entered] - full[entered], 0)
            holds[entered] -= gone
            overflow -= gone
            if holds[entered] > least[entered]:
                set_bit(to_trim, trimming[entered])
                surpluses += 1
            if holds[entered] > 0:
                set_bit(to_evict, eviction[entered])
                holding += 1
            entered += 1
        surpluses, overflow = _lower(holds, least, to_trim, trimmed, surpluses, overflow)
        holding, overflow = _lower(holds, nothing, to_evict, evicted, holding, overflow)
