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

from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.replay.compiled import compiled

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

    @classmethod
    def of(cls, forest: Forest) -> Runs:
        """Return the runs of a forest, found once: they are kept with the forest's other cached values."""
        kept = vars(forest)
        if KEPT_AT not in kept:
            kept[KEPT_AT] = cls(*map(readonly, _find_runs(forest.parent, forest.length, forest.leaf)))
        runs: Runs = kept[KEPT_AT]
        return runs


@compiled
def _find_runs(
    parent: IntArray, length: IntArray, leaf: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return `end`, `start`, `slot` and `to`."""
    n = len(leaf)
    depth, through = _depths(parent, length), np.full(len(parent), -1, np.int64)
    end, start = np.zeros(n, np.int64), np.zeros(n + 1, np.int64)
    top, taken, thief = np.full(n, -1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    slot, to = np.empty(n, np.int64), np.empty(n, np.int64)
    found = 0
    for k in range(n):
        node = leaf[k]
        end[k] = depth[node] if node >= 0 else 0
        while node >= 0 and through[node] < 0:
            through[node] = k
            node = parent[node]
        while node >= 0:
            s, reached = through[node], depth[node]
            while taken[s] >= reached:
                s = thief[s]
            if found == len(slot):
                slot, to = np.append(slot, np.empty_like(slot)), np.append(to, np.empty_like(to))
            slot[found], to[found] = s, reached
            found += 1
            through[node], thief[s], taken[s] = k, k, reached
            node, top[s] = top[s], node
        start[k + 1] = found
        low, high = start[k], found - 1
        while low < high:
            slot[low], slot[high], to[low], to[high] = slot[high], slot[low], to[high], to[low]
            low, high = low + 1, high - 1
    return end, start, slot[:found].copy(), to[:found].copy()


@compiled
def _depths(parent: IntArray, length: IntArray) -> IntArray:
    depth = length.copy()
    for node in range(len(parent)):
        if parent[node] >= 0:
            depth[node] += depth[parent[node]]
    return depth


@compiled
def highest(runs: Runs, reached: IntArray) -> IntArray:
    """Turn how far each request reaches into its path into how far any so far did; in place.

    A run was last reached by its slot, with which it shares all units above it.
    """
    _, start, slot, to = runs
    for k in range(len(reached)):
        for j in range(start[k], start[k + 1]):
            reached[k] = max(reached[k], min(to[j], reached[slot[j]]))
    return reached
