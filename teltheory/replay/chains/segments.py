"""What each turn reuses as a function of the capacity: clipped segments, found in one pass over the trace.

A segment (start, length) reuses clip(C - start, 0, length) at capacity C. `teltheory.replay.curve` says which
segments a turn has, and why.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.replay.bitset import clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.compiled import compiled, leading_zeros
from teltheory.replay.occupancy import Live, add_pair, add_slot, both_weights, new_sums, take, take_both

CELL_BITS = 10


class Segments(NamedTuple):
    """Two segments per turn: where they start, the length of the first (`split`), and that of both together.

    The second has length 0 if a policy has only one.
    """

    first: IntArray
    second: IntArray
    split: IntArray
    reusable: IntArray

    def outcome(self, trace: Trace, capacity: int) -> Outcome:
        """Return what each turn reuses and computes at one capacity."""
        cached, uncached = (np.empty(len(trace), np.int64) for _ in range(2))
        reused_at(self, trace.total, capacity, cached, uncached)
        return Outcome(readonly(cached), readonly(uncached))

    def reuse_changes(self, trace: Trace, xi: int, rungs: Ladder) -> IntArray:
        """Return where what lowers a turn's excess above xi begins and ends; see `reuse_changes`."""
        return reuse_changes(self, trace.total, xi, rungs)

    def violation_ends(self, trace: Trace, xi: int, rungs: Ladder) -> IntArray:
        """Return how many turns no longer exceed xi from each capacity on; see `violation_ends`."""
        return violation_ends(self, trace.total, xi, rungs)


def segments_by_budgets(trace: Trace, safe: int) -> Segments:
    """Find the segments of least-recent trim if budgets are all but `safe` of pasts that never shrink."""
    n = len(trace)
    first, second, split = (np.empty(n, np.int64) for _ in range(3))
    live = Live(trace.past, safe, trace.next_turn)
    sums = new_sums((n + 1) // 2, 2)
    budget_distances(live, trace.previous_turn, trace.history, sums, first, second, split)
    return Segments(*map(readonly, (first, second, split, trace.history)))


def segments_by_weights(trace: Trace, weight: IntArray) -> Segments:
    """Find the segments of LRU where what a turn leaves behind weighs `weight`; shape (n,)."""
    n = len(trace)
    start, length = np.empty(n, np.int64), np.empty(n, np.int64)
    stack_distances(readonly(weight), trace.previous_turn, trace.history, new_sums(n, 1), start, length)
    return Segments(*map(readonly, (start, start, length, length)))


@compiled
def stack_distances(
    weight: IntArray, previous: IntArray, history: IntArray, sums: IntArray, start: IntArray, length: IntArray
) -> None:
    """Find the segment of each turn under LRU of slots with weights.

    What a slot's conversation leaves when it comes back is a hole in the order of recency. The next arrivals fill
    the holes, the most recent hole first, and only then push what is less recent further down; see
    `teltheory.replay.curve`.
    """
    n = len(previous)
    holes = new_bitset(n)
    open_holes = 0
    for k in range(n):
        p = previous[k]
        need = weight[k]
        start[k] = 0
        length[k] = 0
        if p >= 0:
            fills = weight[p] if open_holes == 0 and need >= weight[p] else 0
            start[k] = take(sums, p, fills, k)
            length[k] = min(weight[p], history[k])
            if fills > 0:
                need = 0
            elif weight[p] > 0:
                set_bit(holes, p)
                open_holes += 1
        while need > 0 and open_holes > 0:
            hole = largest_bit(holes)
            size = sums[len(sums) // 2 + hole, 0]
            filled = min(size, need)
            take(sums, hole, filled, k)
            need -= filled
            if filled == size:
                clear_bit(holes, hole)
                open_holes -= 1
        add_slot(sums, k, weight[k])


@compiled
def budget_distances(
    live: Live,
    previous: IntArray,
    history: IntArray,
    sums: IntArray,
    first: IntArray,
    second: IntArray,
    split: IntArray,
) -> None:
    """Find both segments of each turn under T-LRU with least-recent trim, where no past ever shrinks."""
    all_budgets = 0
    for k in range(len(previous)):
        p = previous[k]
        within = start = length = 0
        if p >= 0:
            within, above = take_both(sums, live, p, k)
            budget, _ = both_weights(live, p, True)
            start = all_budgets + above
            length = min(budget, history[k])
            all_budgets -= budget
        first[k], second[k], split[k] = within, start, length
        all_budgets += both_weights(live, k, True)[0]
        if k & 1:
            add_pair(sums, live, k)


@compiled
def reused_at(segments: Segments, total: IntArray, capacity: int, cached: IntArray, uncached: IntArray) -> None:
    """Write what each turn reuses and computes at one capacity."""
    first, second, split, reusable = segments
    for k in range(len(first)):
        reused = min(max(capacity - first[k], 0), split[k])
        reused += min(max(capacity - second[k], 0), reusable[k] - split[k])
        cached[k] = reused
        uncached[k] = total[k] - reused


class Ladder(NamedTuple):
    """Capacities, ascending, and how many of them are below the smallest value of each cell.

    A cell has the values of one bit length with the same next 10 bits, so cells are as fine among small values as
    among large ones.
    """

    capacities: IntArray
    below: IntArray


def ladder(capacities: IntArray) -> Ladder:
    """Prepare ascending capacities for `rung`."""
    lengths, next_bits = np.divmod(np.arange(63 << CELL_BITS, dtype=np.uint64), np.uint64(1 << CELL_BITS))
    leading = np.uint64(1 << CELL_BITS) + next_bits
    shift = lengths.astype(np.int64) - CELL_BITS
    edges = np.where(
        shift >= 0,
        leading << np.maximum(shift, 0).astype(np.uint64),
        leading >> np.maximum(-shift, 0).astype(np.uint64),
    )
    edges[0] = 0
    below = np.searchsorted(capacities, edges.astype(np.int64))
    return Ladder(capacities, np.append(below, len(capacities)))


@compiled
def _cell(value: int) -> int:
    word = np.uint64(max(value, 1))
    zeros = leading_zeros(word)
    next_bits = (word << np.uint64(zeros + 1)) >> np.uint64(64 - CELL_BITS)
    return int(((63 - zeros) << CELL_BITS) + np.int64(next_bits))


@compiled
def rung(rungs: Ladder, value: int) -> int:
    """Return how many capacities are below a value."""
    capacities, below = rungs
    cell = _cell(value)
    low, high = int(below[cell]), int(below[cell + 1])
    while low < high:
        middle = (low + high) // 2
        if capacities[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def note_change(changes: IntArray, rungs: Ladder, value: int, sign: int) -> None:
    """Add (1) or take away (-1) what begins or ends at a value; see `reuse_changes`."""
    place = rung(rungs, value)
    changes[place, 0] += sign
    changes[place, 1] += sign * (value >> 32)
    changes[place, 2] += sign * (value & 0xFFFFFFFF)


@compiled
def excess_of_all(total: IntArray, xi: int) -> tuple[int, int]:
    """Return the sum of what exceeds xi where nothing is reused: its high part in units of 2**32, its low part."""
    high = low = 0
    for k in range(len(total)):
        excess = max(total[k] - xi, 0)
        high += excess >> 32
        low += excess & 0xFFFFFFFF
    return high, low


@compiled
def reuse_changes(segments: Segments, total: IntArray, xi: int, rungs: Ladder) -> IntArray:
    """Return which segments begin (+) or end (-) at or before each capacity and after the one below it.

    Shape (capacities + 1, 3): how many, and the sum of where, its high part in units of 2**32 and its low part.
    Only what lowers a turn's excess above xi counts: at most total - xi, of the first segment first.
    """
    first, second, split, reusable = segments
    changes = np.zeros((len(rungs.capacities) + 1, 3), np.int64)
    most = rungs.capacities[-1]
    for k in range(len(first)):
        excess = total[k] - xi
        if excess <= 0:
            continue
        low = min(split[k], excess)
        high = min(reusable[k] - split[k], excess - low)
        if low > 0 and first[k] < most:
            note_change(changes, rungs, first[k], 1)
            note_change(changes, rungs, first[k] + low, -1)
        if high > 0 and second[k] < most:
            note_change(changes, rungs, second[k], 1)
            note_change(changes, rungs, second[k] + high, -1)
    return changes


@compiled
def violation_ends(segments: Segments, total: IntArray, xi: int, rungs: Ladder) -> IntArray:
    """Return how many turns no longer exceed xi from each capacity on; last, how many exceed it at all of them."""
    first, second, split, reusable = segments
    ends = np.zeros(len(rungs.capacities) + 1, np.int64)
    for k in range(len(first)):
        excess = total[k] - xi
        if excess <= 0:
            continue
        place = len(rungs.capacities)
        if excess <= split[k]:
            place = rung(rungs, first[k] + excess)
        elif excess <= reusable[k]:
            place = rung(rungs, second[k] + excess - split[k])
        ends[place] += 1
    return ends
