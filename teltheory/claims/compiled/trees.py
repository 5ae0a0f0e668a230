"""Optima and greedy policies of a small forest, compiled: what is cached is a set of bits, one for each block.

`least` is written from the problem's description alone, and tries every content of the cache: a request finds the
leading blocks of its path that are cached; afterwards its whole path is at hand; any part of what is at hand may
stay that fits (in a strict cache: that is closed towards the root; under forced caching: with the paths of the
latest requests). What a request loses depends on how many leading blocks it finds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import BoolArray, IntArray
from teltheory.replay.compiled import compiled

NEVER = 1 << 40
"""The cost of a content that cannot come up."""


class BlockTree(NamedTuple):
    """A forest of B blocks and n requests, and facts of the 2^B sets of blocks.

    `path` has the blocks of each request, root first, shape (n, B), of which `end` counts; `mask` is their set.
    `parent` is -1 for a root. `number` and `closed` are of sets: how many blocks, and whether all parents are in.
    """

    path: IntArray
    end: IntArray
    mask: IntArray
    parent: IntArray
    depth: IntArray
    number: IntArray
    closed: BoolArray


def tree_of(parent: Sequence[int], paths: Sequence[Sequence[int]]) -> BlockTree:
    """Return a forest from parents, each a smaller number than the block's own, and the paths of requests."""
    blocks, end = len(parent), [len(path) for path in paths]
    rows = [[*path, *[0] * (blocks - len(path))] for path in paths]
    mask = [sum(1 << block for block in path) for path in paths]
    depth: list[int] = []
    for above in parent:
        depth.append(1 + (depth[above] if above >= 0 else 0))
    sets = np.arange(1 << blocks)
    held = (sets[:, None] >> np.arange(blocks)) & 1
    above_held = np.column_stack([held[:, above] if above >= 0 else np.ones(len(sets)) for above in parent])
    path, ends, masks, parents, depths = (
        np.array(column, np.int64) for column in (rows, end, mask, list(parent), depth)
    )
    closed = np.asarray((held <= above_held).all(axis=1))
    return BlockTree(path, ends, masks, parents, depths, held.sum(axis=1), closed)


@compiled
def losses(tree: BlockTree, need: IntArray) -> IntArray:
    """Return what each request loses if it finds 0 ... B leading blocks: what is left of its need; (n, B + 1)."""
    loss = np.zeros((len(need), len(tree.parent) + 1), np.int64)
    for k in range(len(need)):
        for found in range(need[k]):
            loss[k, found] = need[k] - found
    return loss


@compiled
def leading(tree: BlockTree, k: int, held: int) -> int:
    """Return how many leading blocks of a path are held."""
    count = 0
    while count < tree.end[k] and (held >> tree.path[k, count]) & 1:
        count += 1
    return count


@compiled
def staying(tree: BlockTree, k: int, running: int) -> int:
    """Return the set of blocks that the latest requests walk, request k the last of them."""
    stay = 0
    for j in range(max(k + 1 - running, 0), k + 1):
        stay |= tree.mask[j]
    return stay


@compiled
def least(tree: BlockTree, loss: IntArray, capacity: int, running: int, strict: bool, start: int) -> int:
    """Return the least sum of losses, from a set that is cached at first; `running` is 0 if not forced."""
    requests = len(tree.end)
    values = np.full(len(tree.number), NEVER, np.int64)
    values[start] = 0
    for k in range(requests):
        after = np.full(len(values), NEVER, np.int64)
        stay = staying(tree, k, running) if k < requests - 1 else 0
        for held in range(len(values)):
            if values[held] == NEVER:
                continue
            cost = values[held] + loss[k, leading(tree, k, held)]
            at_hand = held | tree.mask[k]
            kept = at_hand
            while kept >= 0:
                if tree.number[kept] <= capacity and kept & stay == stay and (tree.closed[kept] or not strict):
                    after[kept] = min(after[kept], cost)
                kept = (kept - 1) & at_hand if kept else -1
        values = after
    return int(values.min())


@compiled
def furthest_goes(tree: BlockTree, need: IntArray, capacity: int, running: int, strict: bool) -> int:
    """Return what requests lose if first goes what its next request needs not, then the furthest, deepest first.

    In a strict cache only a block goes that has no cached block below.
    """
    held = lost = 0
    for k in range(len(need)):
        lost += need[k] - min(need[k], leading(tree, k, held))
        held |= tree.mask[k]
        stay = staying(tree, k, running)
        while k < len(need) - 1 and tree.number[held] > capacity:
            held ^= 1 << _first_to_go(tree, need, k, held, held & ~stay, strict)
    return lost


@compiled
def _first_to_go(tree: BlockTree, need: IntArray, k: int, held: int, free: int, strict: bool) -> int:
    goes = largest = -1
    for block in range(len(tree.parent)):
        if not (free >> block) & 1 or (strict and _below(tree, block) & held):
            continue
        urgency = needed_at(tree, need, k, block) * (len(tree.parent) + 1) + tree.depth[block]
        if urgency > largest:
            goes, largest = block, urgency
    return goes


@compiled
def _below(tree: BlockTree, block: int) -> int:
    """Return the set of a block's children."""
    children = 0
    for child in range(len(tree.parent)):
        if tree.parent[child] == block:
            children |= 1 << child
    return children


@compiled
def needed_at(tree: BlockTree, need: IntArray, k: int, block: int) -> int:
    """Return the next request through a block after request k if that needs it, else the number of requests."""
    for later in range(k + 1, len(need)):
        if (tree.mask[later] >> block) & 1:
            return later if tree.depth[block] <= need[later] else len(need)
    return len(need)
