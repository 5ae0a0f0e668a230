"""What each turn reuses as a function of the capacity: clipped segments, found in one pass over the trace.

A segment (start, length) reuses clip(C - start, 0, length) at capacity C. `teltheory.replay.curve` says which
segments a turn has, and why; ``segments.c`` finds them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace

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
        call("segments_at", len(trace), *self, trace.total, capacity, cached, uncached)
        return Outcome(readonly(cached), readonly(uncached))

    def reuse_changes(self, trace: Trace, xi: int, rungs: Ladder) -> IntArray:
        """Return which segments begin (+) or end (-) at or before each capacity and after the one below it.

        Shape (capacities + 1, 3): how many, and the sum of where, its high part in units of 2**32 and its low
        part. Only what lowers a turn's excess above xi counts. The excess of all turns is in the first row too.
        """
        sizes = len(rungs.capacities)
        changes = np.zeros((sizes + 1, 3), np.int64)
        call("segments_reuse_changes", len(trace), *self, trace.total, xi, sizes, *rungs, changes)
        return changes

    def violation_ends(self, trace: Trace, xi: int, rungs: Ladder) -> IntArray:
        """Return how many turns no longer exceed xi from each capacity on; last, how many do at all of them."""
        sizes = len(rungs.capacities)
        ends = np.zeros(sizes + 1, np.int64)
        call("segments_violation_ends", len(trace), *self, trace.total, xi, sizes, *rungs, ends)
        return ends


def segments_by_budgets(trace: Trace, safe: int) -> Segments:
    """Find the segments of least-recent trim if budgets are all but `safe` of pasts that never shrink."""
    n = len(trace)
    first, second, split = (np.empty(n, np.int64) for _ in range(3))
    turns = trace.past, trace.next_turn, safe, trace.previous_turn, trace.history
    call("budget_distances", n, turns, np.empty(4 * n + 4, np.int64), first, second, split)
    return Segments(*map(readonly, (first, second, split, trace.history)))


def segments_by_weights(trace: Trace, weight: IntArray) -> Segments:
    """Find the segments of LRU where what a turn leaves behind weighs `weight`; shape (n,)."""
    n = len(trace)
    start, length = np.empty(n, np.int64), np.empty(n, np.int64)
    room = np.empty(4 * n + 4, np.int64), np.empty(n // 63 + 12, np.uint64)
    call("stack_distances", n, weight, trace.previous_turn, trace.history, room, start, length)
    return Segments(*map(readonly, (start, start, length, length)))


class Ladder(NamedTuple):
    """Capacities, ascending, and how many of them are below the smallest value of each cell.

    A cell has the values of one bit length with the same next 10 bits, so cells are as fine among small values as
    among large ones.
    """

    capacities: IntArray
    below: IntArray


def ladder(capacities: IntArray) -> Ladder:
    """Prepare ascending capacities for `rung`."""
    return Ladder(capacities, np.append(np.searchsorted(capacities, _smallest()), len(capacities)))


@cache
def _smallest() -> IntArray:
    """Return the smallest value of each cell."""
    lengths, next_bits = np.divmod(np.arange(63 << CELL_BITS, dtype=np.uint64), np.uint64(1 << CELL_BITS))
    leading = np.uint64(1 << CELL_BITS) + next_bits
    shift = lengths.astype(np.int64) - CELL_BITS
    edges = np.where(
        shift >= 0,
        leading << np.maximum(shift, 0).astype(np.uint64),
        leading >> np.maximum(-shift, 0).astype(np.uint64),
    )
    edges[0] = 0
    return readonly(edges.astype(np.int64))
