"""The compiled loop for T-LRU with a threshold that changes between turns.

What a slot holds is stored, as the surplus of each changes with the threshold. A cut goes over the slots that hold
anything, least recent first: O(slots that do) for a cut that overflows, and for every cut with eager trimming.

A cut is made when the next turn arrives, not before: an update of the threshold then stands between the turn that
it follows and that turn's cut, and the cut after the last turn, which changes no outcome, is never made.
"""

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.policies.adaptive import AdaptiveTLRU
from teltheory.policies.policy import TRIMS
from teltheory.replay.chains.rounds import Tree, exchange, new_tree, trim_rounds
from teltheory.replay.chains.slots import Layout
from teltheory.replay.chains.stored import holding, serve
from teltheory.replay.compiled import compiled, inlined

ROUND_ROBIN, LEAST_RECENT, EAGER = map(TRIMS.index, ("round-robin", "least-recent", "eager"))


class SlotCache(NamedTuple):
    """What slots hold, their pasts, and the ranks of their conversations by first arrival; room to work in."""

    holds: IntArray
    past: IntArray
    rank: IntArray
    waiting: IntArray
    tree: Tree


class CutSlots(NamedTuple):
    """Slots that came under a cut; how many of them are in `waiting`; what is held above the capacity."""

    entered: int
    alive: int
    overflow: int


def follow_tail(
    policy: AdaptiveTLRU, layout: Layout, past: IntArray, rank: IntArray, holds: IntArray, forced: bool
) -> None:
    """Replay adaptive T-LRU; `full` of the layout is what slots hold before their first cut."""
    n, trim = len(layout.history), TRIMS.index(policy.trim)
    cache = SlotCache(holds, past, rank, np.empty(len(past), np.int64), new_tree(int(rank.max(initial=0)) + 1))
    place = CutSlots(0, 0, int(holds.sum()) - layout.capacity)
    xi, served = policy.xi, 0
    while served < n:
        end = min(n, policy.window if served < policy.window else served + policy.every)
        place = _between_updates(layout, cache, max(xi - policy.q_hat, 0), trim, forced, served, end, place)
        served = end
        if policy.updates_after(served):
            xi = policy.updated(xi, layout.uncached[served - policy.window : served])


@compiled
def _between_updates(
    layout: Layout, cache: SlotCache, safe: int, trim: int, forced: bool, first: int, end: int, place: CutSlots
) -> CutSlots:
    """Cut after the turn before each of the turns first, ..., end - 1, and serve it."""
    entered, alive, overflow = place
    m = len(cache.past) - len(layout.history)
    for k in range(first, end):
        if k > 0:
            while entered < m + k - (1 if forced else 0):
                cache.waiting[alive] = entered
                alive += 1
                entered += 1
            if overflow > 0 or trim == EAGER:
                alive = holding(cache.waiting, alive, cache.holds)
                overflow = _cut(cache, alive, safe, trim, overflow)
        overflow += serve(layout, cache.holds, k)
    return CutSlots(entered, alive, overflow)


@inlined
def _cut(cache: SlotCache, alive: int, safe: int, trim: int, overflow: int) -> int:
    """Trim what is above the budgets, all but `safe` of the pasts, then evict; return the overflow."""
    holds, past, rank, waiting, tree = cache
    if trim == ROUND_ROBIN:
        for i in range(alive):
            s = waiting[i]
            surplus = max(holds[s] - max(past[s] - safe, 0), 0)
            holds[s] -= surplus
            exchange(tree, rank[s], surplus)
        overflow = trim_rounds(tree, overflow)
        for i in range(alive):
            holds[waiting[i]] += exchange(tree, rank[waiting[i]], 0)
    else:
        for i in range(alive):
            s = waiting[i]
            surplus = max(holds[s] - max(past[s] - safe, 0), 0)
            taken = surplus if trim == EAGER else min(surplus, max(overflow, 0))
            holds[s] -= taken
            overflow -= taken
    for i in range(alive):
        taken = min(holds[waiting[i]], max(overflow, 0))
        holds[waiting[i]] -= taken
        overflow -= taken
    return overflow
