"""A forest as the compiled loops read it: pieces of paths that always go together, and the visits to them.

A *piece* is a longest run of nodes with the same requests through them: its units differ in nothing but their
depth, so that a cache holds a prefix of it. A *visit* is a request's walk through one piece; the visits of request
k are `start[k]` to `start[k + 1]`, root first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.branching import NO_NODE
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.nodes import at_nodes
from teltheory.model.numbers import IntArray, readonly

KEPT_AT = "_visits"


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
        """Join the nodes of a forest to pieces, or make each unit one, and list the visits.

        Those by pieces are found once: they are kept with the forest's other cached values.
        """
        kept = vars(forest)
        if by_units or KEPT_AT not in kept:
            made = cls._made(forest.by_units() if by_units else forest, by_units)
            return made if by_units else kept.setdefault(KEPT_AT, made)
        visits: Visits = kept[KEPT_AT]
        return visits

    @classmethod
    def _made(cls, forest: Forest, by_units: bool) -> Visits:
        children = np.bincount(forest.parent[forest.parent >= 0], minlength=forest.nodes)
        joined = children == 1  # with the only child, unless a request ends here
        joined[forest.leaf[forest.leaf >= 0]] = False
        joined &= not by_units
        piece, *made = (np.empty(forest.nodes, np.int64) for _ in range(4))
        given = forest.parent, forest.length, forest.depth, joined
        pieces = call("join_nodes", forest.nodes, given, piece, *made)
        parent, above, length = (column[:pieces].copy() for column in made)
        leaf = at_nodes(piece, forest.leaf, NO_NODE)
        start = np.append(0, np.cumsum(at_nodes(levels(parent) + 1, leaf, 0)))
        visited, previous = np.empty(start[-1], np.int64), np.empty(start[-1], np.int64)
        sizes, last = (len(forest), pieces, len(visited)), np.full(pieces, -1, np.int64)
        call("walk_paths", sizes, parent, leaf, start, visited, previous, last)
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
    def by_recency(self) -> IntArray:
        """The visits, those of the least recent request first, of one path the deepest first; shape (visits,)."""
        first = self.start[self.request]
        return readonly(first + self.start[self.request + 1] - 1 - np.arange(len(first)))

    @cached_property
    def place(self) -> IntArray:
        """Place of each visit in the order of recency, the largest for the first; shape (visits,)."""
        place = np.empty(len(self.piece), np.int64)
        place[self.by_recency] = np.arange(len(place))[::-1]
        return readonly(place)

    @cached_property
    def end(self) -> IntArray:
        """Depth where the visited piece ends; shape (visits,)."""
        return readonly((self.above + self.length)[self.piece])


class TreeLayout(NamedTuple):
    """What the loops over visits read of a forest and of its requests, the capacity, and what they write.

    `exempt` is how many of the latest paths no cut touches.
    """

    parent: IntArray
    length: IntArray
    above: IntArray
    start: IntArray
    piece: IntArray
    ask: IntArray
    end: IntArray
    capacity: int
    exempt: int
    cached: IntArray
    written: IntArray

    @classmethod
    def of(cls, instance: ForestInstance, visits: Visits) -> TreeLayout:
        """Return the arrays of an instance."""
        forest, said = instance.requests, (visits.parent, visits.length, visits.above, visits.start, visits.piece)
        cached, written = (np.empty(len(forest), np.int64) for _ in range(2))
        return cls(*said, forest.ask, forest.past, instance.capacity, instance.exempt, cached, written)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many requests, pieces and visits."""
        return len(self.ask), len(self.parent), len(self.piece)


def levels(parent: IntArray) -> IntArray:
    """Return how many pieces lie above each on its path."""
    level = np.empty(len(parent), np.int64)
    call("measure_levels", len(parent), parent, level)
    return level
