"""Tail-Optimized Belady on a forest, over reuse intervals, with a proof that it is optimal, in O(n log n).

Step by step what begins is added; while more is held than there is room, what is needed furthest away goes. Of
what one request needs the deepest goes first, which is what was read longest ago: so all that is kept for a
request is a prefix of its path, and only its length counts. Blocks that no request needs are never held.

The log of evictions gives the set P of steps as in `teltheory.optimal.chains.greedy`, whose proof holds for
several intervals a turn word by word: its lemma speaks of ends alone, and part 2 of a single interval that lost
something.
"""

import numpy as np

from teltheory.base.loops import call
from teltheory.model.numbers import IntArray
from teltheory.optimal.chains.greedy import looked_at
from teltheory.optimal.chains.intervals import IntervalProblem


def furthest_goes(problem: IntervalProblem) -> tuple[IntArray, IntArray]:
    """Return what is kept for each turn, and the steps P that prove that nothing is better."""
    n, m = len(problem.room) - 1, len(problem.turn)
    order = np.argsort(problem.first, kind="stable")
    intervals = tuple(column[order] for column in (problem.first, problem.last, problem.most))
    dropped, alive, log = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.empty((m + n + 1, 2), np.int64)
    waiting = np.empty((n + 1) // 63 + 12, np.uint64)
    evictions = call("furthest_goes", m, intervals, n + 1, problem.room, dropped, log, alive, waiting)
    steps = np.empty(n, np.int64)
    count = looked_at(log[:evictions], steps)
    return problem.reused(problem.most, n) - dropped[1:], steps[:count][::-1].copy()
