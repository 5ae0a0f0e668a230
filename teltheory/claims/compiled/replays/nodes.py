"""A replay of a tiny forest in a radix tree of whole nodes; written on its own, to be compared.

A node is told by its first block: each cached block knows the first block of its node, and what is known of a node
stands with that block.
"""

from typing import NamedTuple

import numpy as np

from teltheory.claims.compiled.replays.caches import HIGH_WATER, LAST, LRU, Tiny
from teltheory.model.numbers import IntArray
from teltheory.replay.compiled import compiled

NOWHERE = -1


class NodeTree(NamedTuple):
    """What is known of blocks and nodes.

    Of each block the first one of its node, -1 if it is not cached, and the longest path ever; of a node its stamp
    (2 k for what request k left unread, 2 k + 1 for what it read) and its mark.
    """

    first: IntArray
    longest: IntArray
    stamp: IntArray
    mark: IntArray


@compiled
def replay_nodes(
    tiny: Tiny, policy: int, level: int, capacity: int, chunk: int, renew: bool, hits: IntArray
) -> bool:
    """Write down what each request hits; return whether all fit. `chunk` is 0 for whole prompts."""
    blocks = len(tiny.parent)
    rows, path, used = np.zeros((4, blocks), np.int64), np.zeros(blocks, np.int64), 0
    tree = NodeTree(rows[0], rows[1], rows[2], rows[3])
    for block in range(blocks):
        tree.first[block] = NOWHERE
    for k in range(len(tiny.leaf)):
        end = _path(tiny, k, path)
        read = _read(tree, path, 0, tiny.ask[k])
        hits[k] = read
        _split(tiny, tree, policy, path, read, 2 * k if renew else -1)
        while used + end - read > capacity:
            victim = _victim(tiny, tree, policy, level, path, read)
            if victim < 0:
                return False
            used -= _evict(tree, victim)
        used += _insert(tiny, tree, policy, path, k, chunk, 2 * k if renew else -1)
        _use(tiny, tree, policy, path, k)
    return True


@compiled
def _evict(tree: NodeTree, node: int) -> int:
    """Evict a node; return how many blocks it had."""
    gone = 0
    for block in range(len(tree.first)):
        if tree.first[block] == node:
            tree.first[block] = NOWHERE
            gone += 1
    return gone


@compiled
def _path(tiny: Tiny, k: int, path: IntArray) -> int:
    """Write down a request's path; return its length."""
    block = tiny.leaf[k]
    while block >= 0:
        path[tiny.depth[block] - 1] = block
        block = tiny.parent[block]
    return int(tiny.end[k])


@compiled
def _read(tree: NodeTree, path: IntArray, start: int, limit: int) -> int:
    """Return down to where a path is cached, from a place on."""
    while start < limit and tree.first[path[start]] >= 0:
        start += 1
    return start


@compiled
def _split(tiny: Tiny, tree: NodeTree, policy: int, path: IntArray, depth: int, stamp: int) -> None:
    """Let a node end at a depth of a path; what it has below is a node of its own, with a stamp if given."""
    node = tree.first[path[depth - 1]] if depth > 0 else NOWHERE
    below = NOWHERE
    for block in range(len(tiny.parent)):
        if node >= 0 and tree.first[block] == node and tiny.depth[block] == depth + 1:
            below = block
    if below < 0:
        return
    for block in range(len(tiny.parent)):
        if tree.first[block] == node and tiny.depth[block] > depth:
            tree.first[block] = below
    tree.stamp[below] = tree.stamp[node] if stamp < 0 else stamp
    tree.mark[below] = tree.longest[below] if policy == HIGH_WATER else tree.mark[node]


@compiled
def _victim(tiny: Tiny, tree: NodeTree, policy: int, level: int, path: IntArray, read: int) -> int:
    """Return the node that goes, of those with none below them off the path that is read; -1 if there is none."""
    best, least = -1, 0
    for node in range(len(tiny.parent)):
        if tree.first[node] == node and _may_go(tiny, tree, node, path, read):
            kept = policy == LRU or tiny.depth[node] <= max(0, tree.mark[node] - level)
            order = (2 * len(tiny.leaf) if kept else 0) + tree.stamp[node]
            if best < 0 or order < least:
                best, least = node, order
    return best


@compiled
def _may_go(tiny: Tiny, tree: NodeTree, node: int, path: IntArray, read: int) -> bool:
    for depth in range(read):
        if tree.first[path[depth]] == node:
            return False
    for block in range(len(tiny.parent)):
        above = tiny.parent[block]
        if tree.first[block] == block and above >= 0 and tree.first[above] == node:
            return False
    return True


@compiled
def _insert(tiny: Tiny, tree: NodeTree, policy: int, path: IntArray, k: int, chunk: int, stamp: int) -> int:
    """Add the rest of a request's input, a node a chunk, then of its output what is not there; return how much."""
    ask, end = tiny.ask[k], tiny.end[k]
    depth = _read(tree, path, 0, ask)
    new = ask - depth
    while depth < ask:
        upto = min(ask, depth + chunk) if chunk > 0 else ask
        _add(tree, path, depth, upto)
        depth = upto
    depth = _read(tree, path, ask, end)
    _split(tiny, tree, policy, path, depth, stamp)
    _add(tree, path, depth, end)
    return int(new + end - depth)


@compiled
def _add(tree: NodeTree, path: IntArray, start: int, end: int) -> None:
    for depth in range(start, end):
        tree.first[path[depth]] = path[start]
    if start < end:
        tree.mark[path[start]] = 0


@compiled
def _use(tiny: Tiny, tree: NodeTree, policy: int, path: IntArray, k: int) -> None:
    """Make a request's nodes the most recent, and mark them."""
    end = tiny.end[k]
    for depth in range(end):
        block = path[depth]
        tree.longest[block] = max(tree.longest[block], end)
        if tree.first[block] == block:
            tree.stamp[block] = 2 * k + 1
            longest = tree.longest[block] if policy == HIGH_WATER else max(tree.mark[block], end)
            tree.mark[block] = end if policy == LAST else longest
