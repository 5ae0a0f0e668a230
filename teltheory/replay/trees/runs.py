"""The forest as the fast loops read it: the runs of every request's path, and how far into a path a rule reaches.

A path falls into *runs*, root first: run j is what the path of request k shares with request `slot[j]`, its last
request before k, down to the depth `to[j]`. What no request had before k is no run. Requests before k through a
unit went through all units above it, so slots fall along a path, and what request s is still the last through
are the depths (taken[s], end[s]] of its path.

1. From the leaf, climb over the nodes that no request had; k is the last through each now.
2. The node that is reached had requests before. Of one of them, s, it remembers that it went through. If taken[s]
   is above the node, s was the last. Else the last request that took from s, its *thief*, went through the node as
   well: go on with it.
3. The run goes from the node up to taken[s]. Where it ends, at `top[s]`, the next run begins with step 2.

So a request costs its new nodes, its runs, and the thieves. A node meets each request through it at most once as a
thief, as it remembers the last one: all together is never more than a walk over all paths, and far less where
paths are long and what is new of them is short, as in conversations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly

KEPT_AT = "_runs"


class Runs(NamedTuple):
    """The runs of all requests; those of request k are `start[k]` to `start[k + 1]`, root first.

    Attributes
    ----------
    end : ndarray of int64, shape (n,)
        Length of each request's path.
    start : ndarray of int64, shape (n + 1,)
        First run of each request.
    slot, to : ndarray of int64, shape (runs,)
        The last request before through a run, and the depth where the run ends; it begins where the one above it
        ends.
    """

    end: IntArray
    start: IntArray
    slot: IntArray
    to: IntArray

    @property
    def sizes(self) -> tuple[int, int]:
        """How many requests, and how many runs."""
        return len(self.end), len(self.slot)

    @classmethod
    def of(cls, forest: Forest) -> Runs:
        """Return the runs of a forest, found once: they are kept with the forest's other cached values."""
        kept = vars(forest)
        if KEPT_AT not in kept:
            kept[KEPT_AT] = cls(*map(readonly, _find_runs(forest)))
        runs: Runs = kept[KEPT_AT]
        return runs


def _find_runs(forest: Forest) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return `end`, `start`, `slot` and `to`."""
    nodes, n = forest.nodes, len(forest)
    state = np.empty(nodes, np.int64), _none(nodes), _none(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
    end, start, at = np.zeros(n, np.int64), np.zeros(n + 1, np.int64), np.array([0, -2, 0])
    slot, to = np.empty(n, np.int64), np.empty(n, np.int64)
    asked = nodes, n, forest.parent, forest.length, forest.leaf, at, state, end, start
    while (found := call("find_runs", asked, len(slot), slot, to)) < 0:
        slot, to = np.append(slot, np.empty_like(slot)), np.append(to, np.empty_like(to))
    return end, start, slot[:found].copy(), to[:found].copy()


def _none(number: int) -> IntArray:
    return np.full(number, -1, np.int64)


def highest(runs: Runs, reached: IntArray) -> IntArray:
    """Turn how far each request reaches into its path into how far any so far did; in place."""
    call("raise_to_highest", runs.sizes, *runs[1:], reached)
    return reached
