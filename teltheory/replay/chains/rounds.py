"""Round-robin trimming by whole rounds: surpluses in a segment tree over conversations in order of first arrival.

A leaf is *active* while its conversation has surplus. Every node knows how many active leaves are below it, the
least surplus among them, and what was taken from all of them together (`owed`), which is not pushed down. One
round takes one from every active leaf; r rounds, r at most the least surplus, are one subtraction at the root.
The last, unfinished round takes one from the first j active leaves: a subtraction at the O(log) nodes that make
up that prefix. A leaf that reaches 0 is deactivated, which can happen once for every time it was inserted.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.model.numbers import INT64_MAX
from teltheory.replay.compiled import compiled, inlined

Tree: TypeAlias = NDArray[np.int64]
"""A row a node: whether a leaf, or how many leaves below, are active; least surplus; owed. Node 1 is the root."""

ACTIVE, LEAST, OWED = 0, 1, 2

NONE = INT64_MAX
"""Least surplus where no leaf is active. A surplus and all that was taken above its leaf add up to less."""


@compiled
def new_tree(leaves: int) -> Tree:
    """Return the tree of a number of conversations without surplus; it has less than four nodes for each."""
    size = 1
    while size < leaves:
        size *= 2
    tree = np.zeros((2 * size, 3), np.int64)
    tree[:, LEAST] = NONE
    return tree


@inlined
def exchange(tree: Tree, leaf: int, surplus: int) -> int:
    """Give a leaf a surplus, 0 or more, and return the one that it had."""
    node = len(tree) // 2 + leaf
    was_active = tree[node, ACTIVE]
    if not was_active and surplus == 0:
        return 0
    debt = 0
    above = node >> 1
    while above:
        debt += tree[above, OWED]
        above >>= 1
    before = tree[node, LEAST] - debt if was_active else 0
    tree[node, ACTIVE] = surplus > 0
    tree[node, LEAST] = surplus + debt if surplus > 0 else NONE
    _update_above(tree, node)
    return before


@inlined
def _update(tree: Tree, node: int) -> bool:
    """Make a node agree with its children; return whether it did not."""
    left, right = 2 * node, 2 * node + 1
    active = tree[left, ACTIVE] + tree[right, ACTIVE]
    least = min(tree[left, LEAST], tree[right, LEAST]) - tree[node, OWED] if active else NONE
    changed = active != tree[node, ACTIVE] or least != tree[node, LEAST]
    tree[node, ACTIVE] = active
    tree[node, LEAST] = least
    return bool(changed)


@inlined
def _update_above(tree: Tree, node: int) -> None:
    """Make the nodes above a changed one agree, as far up as anything changes."""
    node >>= 1
    while node and _update(tree, node):
        node >>= 1


@inlined
def trim_rounds(tree: Tree, overflow: int) -> int:
    """Trim in rounds until the overflow or the surplus is gone; return the overflow that is left."""
    while overflow > 0 and tree[1, ACTIVE] > 0:
        rounds = min(overflow // tree[1, ACTIVE], tree[1, LEAST])
        if rounds > 0:
            tree[1, OWED] += rounds
            tree[1, LEAST] -= rounds
            overflow -= rounds * tree[1, ACTIVE]
        else:
            _take_from_first(tree, overflow)
            overflow = 0
        while tree[1, ACTIVE] > 0 and tree[1, LEAST] == 0:
            _deactivate_least(tree)
    return overflow


@inlined
def _take_from_first(tree: Tree, count: int) -> None:
    """Take one from each of the first `count` active leaves; there are more than that."""
    size = len(tree) // 2
    node = 1
    while node < size:
        node *= 2
        if tree[node, ACTIVE] <= count:
            count -= tree[node, ACTIVE]
            if tree[node, ACTIVE]:
                tree[node, OWED] += 1
                tree[node, LEAST] -= 1
            node += 1
    while node > 1:
        node >>= 1
        _update(tree, node)


@inlined
def _deactivate_least(tree: Tree) -> None:
    """Deactivate an active leaf with the least surplus."""
    size = len(tree) // 2
    node = 1
    while node < size:
        node *= 2
        if not tree[node, ACTIVE] or (tree[node + 1, ACTIVE] and tree[node + 1, LEAST] < tree[node, LEAST]):
            node += 1
    tree[node, ACTIVE] = 0
    tree[node, LEAST] = NONE
    _update_above(tree, node)
