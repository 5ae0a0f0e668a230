"""The fast replay: compiled loops over slots, the same outcome as the reference turn by turn.

Slots stand in order of recency (`teltheory.replay.slots`), so the least recent conversation that holds anything
is found by a pointer that only moves forward: slots behind it are empty and stay so. Trimming by recency has a
pointer of its own: slots behind it have no surplus, and new surplus appears only at the end. LRU and T-LRU with
least-recent or eager trim take amortised O(1) a turn.

Round-robin trimming keeps the surpluses in a segment tree (`teltheory.replay.rounds`): O(log conversations) a
turn, amortised. Belady and Tail-Optimized Belady find the furthest next turn in a bitset
(`teltheory.replay.bitset`).

A slot comes under the cut when it is not exempt: at its own turn, under forced caching at the next one. From
then on it is *settled*: what is not kept at all is gone, and its surplus, if any, can be trimmed.

The lines in which a turn arrives stand in each loop: as a function of the layout, inlined or not, they made LRU
and Tail-Optimized Belady about half as fast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.instance import Instance
from teltheory.numbers import IntArray
from teltheory.outcome import Outcome
from teltheory.policies.online import LRU, ThresholdLRU
from teltheory.policies.policy import Policy
from teltheory.replay.bitset import clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.compiled import compiled
from teltheory.replay.rounds import deactivate, insert, new_tree, surplus_of, trim_rounds
from teltheory.replay.slots import BY_NEXT_TURN, Slots, budgets, drops, first_arrival_ranks


class Layout(NamedTuple):
    """What every loop reads; see `Slots` for the arrays. `budget` is 0 in slots that are not kept at all."""

    history: IntArray
    past: IntArray
    previous: IntArray
    held: IntArray
    budget: IntArray
    capacity: int
    forced: bool


def replay_kernel(instance: Instance, policy: Policy) -> Outcome:
    """Replay the instance's trace under one of the toolkit's own policies.

    Parameters
    ----------
    instance : Instance
        Trace, capacity, caching mode and initial cache.
    policy : Policy
        One of `teltheory.replay.slots.BY_RECENCY` or `BY_NEXT_TURN`.

    Returns
    -------
    Outcome
        What each turn reused and computed.
    """
    slots = Slots.of(instance)
    dropped = drops(policy, slots)
    budget = np.where(dropped, 0, budgets(policy, slots, instance))
    layout = Layout(
        instance.history, slots.past, slots.previous, slots.held, budget, instance.capacity, instance.forced
    )
    if isinstance(policy, BY_NEXT_TURN):
        return Outcome.of(instance, furthest_first(layout, slots.following))
    if policy.trim == "round-robin":
        return Outcome.of(instance, in_rounds(layout, dropped, first_arrival_ranks(instance)))
    if isinstance(policy, (LRU, ThresholdLRU)) or policy.trim == "eager":
        return Outcome.of(instance, eagerly(layout))
    return Outcome.of(instance, by_recency(layout, dropped))


@compiled
def _first_holds(layout: Layout) -> IntArray:
    """Return what each slot holds before the first turn; shape (m + n,)."""
    holds = np.zeros(len(layout.past), np.int64)
    holds[: len(layout.held)] = layout.held
    return holds


@compiled
def _evict_oldest(holds: IntArray, tail: int, overflow: int) -> int:
    """Evict from the oldest slots on; return the oldest one that may still hold something."""
    while overflow > 0:
        taken = min(holds[tail], overflow)
        holds[tail] -= taken
        overflow -= taken
        if holds[tail] == 0:
            tail += 1
    return tail


@compiled
def _trim_oldest(holds: IntArray, budget: IntArray, trim: int, end: int, overflow: int) -> tuple[int, int]:
    """Trim surpluses from the oldest slots on; return the first that may have one, and the overflow left."""
    while overflow > 0 and trim < end:
        surplus = max(holds[trim] - budget[trim], 0)
        taken = min(surplus, overflow)
        holds[trim] -= taken
        overflow -= taken
        if taken == surplus:
            trim += 1
    return trim, overflow


@compiled
def eagerly(layout: Layout) -> IntArray:
    """Replay LRU, Threshold-LRU and eager T-LRU: every slot is cut to its budget when it settles, then LRU."""
    history, past, previous, held, budget, capacity, forced = layout
    n, m = len(history), len(held)
    cached = np.zeros(n, np.int64)
    holds = _first_holds(layout)
    total = held.sum()
    settled = tail = 0
    for k in range(n):
        before = previous[k]
        if before >= 0:
            cached[k] = min(holds[before], history[k])
            total -= holds[before]
            holds[before] = 0
        holds[m + k] = past[m + k]
        total += past[m + k]
        if forced and k == n - 1:
            break
        end = m + k if forced else m + k + 1
        while settled < end:
            if holds[settled] > budget[settled]:
                total -= holds[settled] - budget[settled]
                holds[settled] = budget[settled]
            settled += 1
        if total > capacity:
            tail = _evict_oldest(holds, tail, total - capacity)
            total = capacity
    return cached


@compiled
def by_recency(layout: Layout, dropped: np.ndarray) -> IntArray:
    """Replay the T-LRU variants with least-recent trim; return what is reused."""
    history, past, previous, held, budget, capacity, forced = layout
    n, m = len(history), len(held)
    cached = np.zeros(n, np.int64)
    holds = _first_holds(layout)
    total = held.sum()
    settled = trim = tail = 0
    for k in range(n):
        before = previous[k]
        if before >= 0:
            cached[k] = min(holds[before], history[k])
            total -= holds[before]
            holds[before] = 0
        holds[m + k] = past[m + k]
        total += past[m + k]
        if forced and k == n - 1:
            break
        end = m + k if forced else m + k + 1
        while settled < end:
            if dropped[settled]:
                total -= holds[settled]
                holds[settled] = 0
            settled += 1
        if total > capacity:
            trim, overflow = _trim_oldest(holds, budget, trim, end, total - capacity)
            tail = _evict_oldest(holds, tail, overflow)
            total = capacity
    return cached


@compiled
def in_rounds(layout: Layout, dropped: np.ndarray, rank: IntArray) -> IntArray:
    """Replay the T-LRU variants with round-robin trim; return what is reused.

    What a conversation holds is its slot's count, plus its surplus while that is in the tree.
    """
    history, past, previous, held, budget, capacity, forced = layout
    n, m = len(history), len(held)
    cached = np.zeros(n, np.int64)
    holds = _first_holds(layout)
    total = held.sum()
    tree = new_tree(rank.max() + 1 if len(rank) else 1)
    settled = tail = 0
    for k in range(n):
        before = previous[k]
        if before >= 0:
            holds[before] += surplus_of(tree, rank[m + k])
            deactivate(tree, rank[m + k])
            cached[k] = min(holds[before], history[k])
            total -= holds[before]
            holds[before] = 0
        holds[m + k] = past[m + k]
        total += past[m + k]
        if forced and k == n - 1:
            break
        end = m + k if forced else m + k + 1
        while settled < end:
            if holds[settled] > budget[settled]:
                if dropped[settled]:
                    total -= holds[settled]
                else:
                    insert(tree, rank[settled], holds[settled] - budget[settled])
                holds[settled] = budget[settled]
            settled += 1
        if total > capacity:
            tail = _evict_oldest(holds, tail, trim_rounds(tree, total - capacity))
            total = capacity
    return cached


@compiled
def furthest_first(layout: Layout, following: IntArray) -> IntArray:
    """Replay Belady and Tail-Optimized Belady; return what is reused.

    What never returns is kept only as a sum: it goes first, and nothing asks which of it went. A turn that has
    come stays in the set of those to come; it holds nothing any more and is passed over.
    """
    history, past, previous, held, budget, capacity, forced = layout
    n, m = len(history), len(held)
    cached = np.zeros(n, np.int64)
    holds = _first_holds(layout)
    total = held.sum()
    ended = settled = trim = 0
    waiting = new_bitset(n)
    for k in range(n):
        before = previous[k]
        if before >= 0:
            cached[k] = min(holds[before], history[k])
            total -= holds[before]
            holds[before] = 0
        holds[m + k] = past[m + k]
        total += past[m + k]
        if forced and k == n - 1:
            break
        end = m + k if forced else m + k + 1
        while settled < end:
            if following[settled] == n:
                ended += holds[settled]
                holds[settled] = 0
            elif holds[settled] > 0:
                set_bit(waiting, following[settled])
            settled += 1
        if total > capacity:
            gone = min(ended, total - capacity)
            ended -= gone
            trim, overflow = _trim_oldest(holds, budget, trim, end, total - capacity - gone)
            _evict_furthest(holds, previous, waiting, overflow)
            total = capacity
    return cached


@compiled
def _evict_furthest(
    holds: IntArray, previous: IntArray, waiting: tuple[np.ndarray, IntArray], overflow: int
) -> None:
    while overflow > 0:
        turn = largest_bit(waiting)
        slot = previous[turn]
        taken = min(holds[slot], overflow)
        holds[slot] -= taken
        overflow -= taken
        if holds[slot] == 0:
            clear_bit(waiting, turn)
