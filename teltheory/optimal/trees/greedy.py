"""Tail-Optimized Belady on a forest, over reuse intervals, with a proof that it is optimal, in O(n log n).

Step by step what begins is added; while more is held than there is room, what is needed furthest away goes. Of
what one request needs the deepest goes first, which is what was read longest ago: so all that is kept for a
request is a prefix of its path, and only its length counts. Blocks that no request needs are never held.

The log of evictions gives the set P of steps as in `teltheory.optimal.chains.greedy`, whose proof holds for
several intervals a turn word by word: its lemma speaks of ends alone, and part 2 of a single interval that lost
something.
"""

import numpy as np

from teltheory.model.numbers import IntArray
from teltheory.optimal.chains.greedy import looked_at
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.replay.bitset import clear_bit, largest_bit, new_bitset, set_bit
from teltheory.replay.compiled import compiled


def furthest_goes(problem: IntervalProblem) -> tuple[IntArray, IntArray]:
    """Return what is kept for each turn, and the steps P that prove that nothing is better."""
    n, m = len(problem.room) - 1, len(problem.turn)
    order = np.argsort(problem.first, kind="stable")
    begins, ends, most = (column[order] for column in (problem.first, problem.last, problem.most))
    dropped, log = np.zeros(n + 1, np.int64), np.empty((m + n, 2), np.int64)
    evictions = _drop(begins, ends, most, problem.room, dropped, log)
    steps = np.empty(n, np.int64)
    count = looked_at(log[:evictions], steps)
    return problem.reused(problem.most, n) - dropped[1:], steps[:count][::-1].copy()


@compiled
def _drop(
    begins: IntArray, ends: IntArray, most: IntArray, room: IntArray, dropped: IntArray, log: IntArray
) -> int:
    """Write what is dropped by its end, and each eviction: its step less 2, its end less 1; return how many."""
    held = entered = evictions = 0
    alive, waiting = np.zeros(len(room), np.int64), new_bitset(len(room))
    for step in range(1, len(room)):
        while entered < len(begins) and begins[entered] <= step:
            end = ends[entered]
            if begins[entered] <= end:
                alive[end] += most[entered]
                held += most[entered]
                set_bit(waiting, end)
            entered += 1
        while held > room[step]:
            end = largest_bit(waiting)
            taken = min(alive[end], held - room[step])
            alive[end] -= taken
            dropped[end] += taken
            held -= taken
            if alive[end] == 0:
                clear_bit(waiting, end)
            log[evictions, 0], log[evictions, 1] = step - 2, end - 1
            evictions += 1
        held -= alive[step]
        alive[step] = 0
        clear_bit(waiting, step)
    return evictions
