"""A forest as the compiled loops read it: pieces of paths that always go together, and the visits to them.

A *piece* is a longest run of nodes with the same requests through them: its units differ in nothing but their
depth, so that a cache holds a prefix of it. A *visit* is a request's walk through one piece; the visits of request
k are `start[k]` to `start[k + 1]`, root first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.replay.compiled import compiled


@dataclass(frozen=True)
class Visits:
    """Pieces, numbered so that a parent comes before its children, and the visits of all requests.

    Attributes
    ----------
    parent, above, length : ndarray of int64, shape (pieces,)
        Piece before each, -1 for a root; depth where it begins; its units.
    start : ndarray of int64, shape (n + 1,)
        First visit of each request.
    piece, request, previous : ndarray of int64, shape (visits,)
        What is visited, by which request, and the visit to the same piece before, -1 if there is none.
    """

    parent: IntArray
    above: IntArray
    length: IntArray
    start: IntArray
    piece: IntArray
    request: IntArray
    previous: IntArray

    @classmethod
    def of(cls, forest: Forest, *, by_units: bool = False) -> Visits:
        """Join the nodes of a forest to pieces, or make each unit one, and list the visits."""
        forest = forest.by_units() if by_units else forest
        children = np.bincount(forest.parent[forest.parent >= 0], minlength=forest.nodes)
        joined = children == 1  # with the only child, unless a request ends here
        joined[forest.leaf[forest.leaf >= 0]] = False
        joined &= not by_units
        piece = np.empty(forest.nodes, np.int64)
        pieces = _number(forest.parent, joined, piece)
        parent, above, length = (np.full(pieces, -1, np.int64) for _ in range(3))
        _measure(forest.parent, forest.length, forest.depth, piece, parent, above, length)
        leaf = np.append(piece, -1)[forest.leaf]
        start = np.zeros(len(forest) + 1, np.int64)
        np.cumsum(_steps(parent)[leaf], out=start[1:])
        visited, previous = np.empty(start[-1], np.int64), np.empty(start[-1], np.int64)
        _walk(parent, leaf, start, visited, previous)
        request = np.repeat(np.arange(len(forest)), np.diff(start))
        return cls(*map(readonly, (parent, above, length, start, visited, request, previous)))

    @cached_property
    def following(self) -> IntArray:
        """Next visit to the same piece, -1 if there is none; shape (visits,)."""
        following = np.full(len(self.piece), -1, np.int64)
        (later,) = np.nonzero(self.previous >= 0)
        following[self.previous[later]] = later
        return readonly(following)

    @cached_property
    def end(self) -> IntArray:
        """Depth where the visited piece ends; shape (visits,)."""
        return readonly((self.above + self.length)[self.piece])


@compiled
def _number(parent: IntArray, joined: IntArray, piece: IntArray) -> int:
    """Write the number of each node's piece; return how many pieces there are."""
    pieces = 0
    for v in range(len(parent)):
        p = parent[v]
        if p >= 0 and joined[p]:
            piece[v] = piece[p]
        else:
            piece[v] = pieces
            pieces += 1
    return pieces


@compiled
def _measure(
    parent: IntArray,
    size: IntArray,
    depth: IntArray,
    piece: IntArray,
    before: IntArray,
    above: IntArray,
    length: IntArray,
) -> None:
    """Write the parent, the begin and the length of each piece."""
    for v in range(len(parent)):
        at = piece[v]
        if above[at] < 0:
            before[at] = piece[parent[v]] if parent[v] >= 0 else -1
            above[at] = depth[v] - size[v]
            length[at] = 0
        length[at] += size[v]


@compiled
def _steps(parent: IntArray) -> IntArray:
    """Return the number of pieces on the path to each; one more entry, 0, for the empty path."""
    steps = np.zeros(len(parent) + 1, np.int64)
    for p in range(len(parent)):
        steps[p] = steps[parent[p]] + 1
    return steps


@compiled
def _walk(parent: IntArray, leaf: IntArray, start: IntArray, piece: IntArray, previous: IntArray) -> None:
    """Write the pieces of each request, root first, and the visit before to each."""
    last = np.full(len(parent), -1, np.int64)
    for k in range(len(leaf)):
        p = leaf[k]
        for j in range(start[k + 1] - 1, start[k] - 1, -1):
            piece[j] = p
            previous[j] = last[p]
            last[p] = j
            p = parent[p]
