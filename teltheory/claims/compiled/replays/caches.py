"""A replay of a tiny forest block by block under LRU or T-LRU; written on its own, to be compared.

Blocks are numbered parents first. After each request (under forced caching: but the last) blocks go one at a time
while too many are cached, each found by a look at all of them.
"""

from typing import NamedTuple

import numpy as np

from teltheory.model.numbers import BoolArray, IntArray
from teltheory.replay.compiled import compiled

LRU, HIGH_WATER, LAST, RESIDENT = range(4)
"""LRU, and T-LRU by its mark."""


class Tiny(NamedTuple):
    """The parent and depth of each block; the last block and the length of each request's path, and its ask."""

    parent: IntArray
    depth: IntArray
    leaf: IntArray
    end: IntArray
    ask: IntArray


class HeldBlocks(NamedTuple):
    """Of each block: whether it is cached, its cached children, its last request and its mark."""

    cached: BoolArray
    children: IntArray
    last: IntArray
    mark: IntArray


@compiled
def replay_blocks(
    tiny: Tiny, policy: int, level: int, capacity: int, strict: bool, forced: bool, hits: IntArray
) -> None:
    """Write down what each request hits; `level` is xi - q_hat."""
    blocks, last = len(tiny.parent), len(tiny.leaf) - 1
    zeros, used = np.zeros((3, blocks), np.int64), 0
    held = HeldBlocks(np.zeros(blocks, np.bool_), zeros[0], zeros[1], zeros[2])
    for k in range(last + 1):
        hits[k] = _hits(tiny, held.cached, k)
        used += _take(tiny, held, policy, k)
        while used > capacity and not (forced and k == last):
            _lose(tiny, held, _victim(tiny, held, policy, level, strict, k if forced else -1))
            used -= 1


@compiled
def _hits(tiny: Tiny, cached: BoolArray, k: int) -> int:
    """Return how many leading blocks of a request's input are cached."""
    hits, block = tiny.ask[k], tiny.leaf[k]
    while block >= 0:
        if not cached[block]:
            hits = min(hits, tiny.depth[block] - 1)
        block = tiny.parent[block]
    return int(hits)


@compiled
def _take(tiny: Tiny, held: HeldBlocks, policy: int, k: int) -> int:
    """Cache a request's path and mark it; return how many blocks are new."""
    block, new = tiny.leaf[k], 0
    while block >= 0:
        forgets = policy == LAST or (policy == RESIDENT and not held.cached[block])
        held.mark[block] = tiny.end[k] if forgets else max(held.mark[block], tiny.end[k])
        held.last[block] = k
        if not held.cached[block]:
            new += 1
            if tiny.parent[block] >= 0:
                held.children[tiny.parent[block]] += 1
        held.cached[block] = True
        block = tiny.parent[block]
    return new


@compiled
def _victim(tiny: Tiny, held: HeldBlocks, policy: int, level: int, strict: bool, exempt: int) -> int:
    """Return what goes: surplus before the rest, then the least recent, then the deepest."""
    best, least, blocks = -1, 0, len(tiny.parent)
    for block in range(blocks):
        if held.cached[block] and held.last[block] != exempt and not (strict and held.children[block] > 0):
            kept = policy == LRU or tiny.depth[block] <= max(0, held.mark[block] - level)
            order = ((len(tiny.leaf) if kept else 0) + held.last[block]) * (blocks + 1) - tiny.depth[block]
            if best < 0 or order < least:
                best, least = block, order
    return best


@compiled
def _lose(tiny: Tiny, held: HeldBlocks, block: int) -> None:
    held.cached[block] = False
    if tiny.parent[block] >= 0:
        held.children[tiny.parent[block]] -= 1
