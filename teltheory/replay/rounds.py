"""Round-robin trimming by whole rounds: surpluses in a segment tree over conversations in order of first arrival.

A leaf is *active* while its conversation has surplus. Every node knows how many active leaves are below it, the
least surplus among them, and what was taken from all of them together (`owed`), which is not pushed down. One
round takes one from every active leaf; r rounds, r at most the least surplus, are one subtraction at the root.
The last, unfinished round takes one from the first j active leaves: a subtraction at the O(log) nodes that make
up that prefix. A leaf that reaches 0 is deactivated, which can happen once for every time it was inserted.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.replay.compiled import compiled

Tree: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

NONE = 1 << 60
"""Least surplus where no leaf is active; no trace owes so much."""


@compiled
def new_tree(leaves: int) -> Tree:
    """Return (active, least, owed) for a number of conversations; node 1 is the root."""
    size = 1
    while size < leaves:
        size *= 2
    return np.zeros(2 * size, np.int64), np.full(2 * size, NONE, np.int64), np.zeros(2 * size, np.int64)


@compiled
def _owed_above(tree: Tree, leaf: int) -> int:
    active, _least, owed = tree
    node = (len(active) // 2 + leaf) >> 1
    debt = 0
    while node:
        debt += owed[node]
        node >>= 1
    return debt


@compiled
def _update_above(tree: Tree, node: int) -> None:
    active, least, owed = tree
    node >>= 1
    while node:
        active[node] = active[2 * node] + active[2 * node + 1]
        least[node] = min(least[2 * node], least[2 * node + 1]) - owed[node] if active[node] else NONE
        node >>= 1


@compiled
def insert(tree: Tree, leaf: int, surplus: int) -> None:
    """Activate a leaf with a surplus above 0."""
    active, least, _owed = tree
    node = len(active) // 2 + leaf
    active[node] = 1
    least[node] = surplus + _owed_above(tree, leaf)
    _update_above(tree, node)


@compiled
def deactivate(tree: Tree, leaf: int) -> None:
    """Deactivate a leaf, active or not."""
    active, least, _owed = tree
    node = len(active) // 2 + leaf
    if active[node]:
        active[node] = 0
        least[node] = NONE
        _update_above(tree, node)


@compiled
def surplus_of(tree: Tree, leaf: int) -> int:
    """Return a leaf's surplus, 0 where it is not active."""
    active, least, _owed = tree
    node = len(active) // 2 + leaf
    return least[node] - _owed_above(tree, leaf) if active[node] else 0


@compiled
def trim_rounds(tree: Tree, overflow: int) -> int:
    """Trim in rounds until the overflow or the surplus is gone; return the overflow that is left."""
    active, least, owed = tree
    while overflow > 0 and active[1] > 0:
        rounds = min(overflow // active[1], least[1])
        if rounds > 0:
            owed[1] += rounds
            least[1] -= rounds
            overflow -= rounds * active[1]
        else:
            _take_from_first(tree, overflow)
            overflow = 0
        while active[1] > 0 and least[1] == 0:
            deactivate(tree, _least_leaf(tree))
    return overflow


@compiled
def _take_from_first(tree: Tree, count: int) -> None:
    """Take one from each of the first `count` active leaves; there are more than that."""
    active, least, owed = tree
    size = len(active) // 2
    node = 1
    while node < size:
        node *= 2
        if active[node] <= count:
            count -= active[node]
            if active[node]:
                owed[node] += 1
                least[node] -= 1
            node += 1
    _update_above(tree, node)


@compiled
def _least_leaf(tree: Tree) -> int:
    """Return an active leaf with the least surplus."""
    active, least, _owed = tree
    size = len(active) // 2
    node = 1
    while node < size:
        node *= 2
        if not active[node] or (active[node + 1] and least[node + 1] < least[node]):
            node += 1
    return node - size
