"""Reuse intervals of a small forest, and linear programs over them, proved in fractions.

Step t is the cache at the start of request t, from 1. A block that request s reads and request e reads next is
kept from step s + 1 to step e; under forced caching with r requests that run it takes room from step s + r + 1 on,
as until then it is part of a path that no cut touches. A start is read by a request 0 that does not run.
"""

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from teltheory.claims.forests import ForestCase
from teltheory.optimal.exact import LinearProgram, proved_optimum


class Interval(NamedTuple):
    """A block at a depth between a request and the next one through it; it takes room from one step to another."""

    block: int
    depth: int
    begin: int
    end: int
    first: int


Worth = Callable[[Interval], int]
Pairs = Callable[[list[Interval]], Iterator[tuple[int, int]]]


def intervals(case: ForestCase, start: Collection[int] = ()) -> list[Interval]:
    """Return the intervals of all blocks of a case, by their end and depth."""
    before = dict.fromkeys(start, 0)
    found = []
    for k, path in enumerate(case.shape.paths, start=1):
        for depth, block in enumerate(path, start=1):
            if block in before:
                s = before[block]
                found.append(Interval(block, depth, s, k, s + 1 + case.forced * case.running * (s > 0)))
            before[block] = k
    return found


def rooms(case: ForestCase) -> list[int]:
    """Return the room at each step from 1 on: the capacity less the paths that no cut touches."""
    running = case.running if case.forced else 0
    paths = case.shape.paths
    latest = (paths[max(k - running, 0) : k] for k in range(len(paths)))
    return [case.capacity - len({block for path in some for block in path}) for some in latest]


def needed(case: ForestCase, most: Collection[int] | None = None) -> Worth:
    """Return the worth of an interval: 1 if its request needs the block, of at most so many leading ones."""
    need = case.need if most is None else tuple(map(min, case.need, most))
    return lambda one: int(one.depth <= need[one.end - 1])


def no_precedence(every: list[Interval]) -> Iterator[tuple[int, int]]:
    """Yield nothing."""
    return iter(())


def in_a_request(every: list[Interval]) -> Iterator[tuple[int, int]]:
    """Yield (child, parent) of each request: no more is kept of a child than of its parent."""
    for (i, parent), (j, child) in pairwise(enumerate(every)):
        if child.end == parent.end:
            yield j, i


def at_every_step(parent: tuple[int, ...]) -> Pairs:
    """Return the pairs of a strict cache: a child's interval, and each one of its parent within."""

    def pairs(every: list[Interval]) -> Iterator[tuple[int, int]]:
        for j, child in enumerate(every):
            for i, above in enumerate(every):
                within = child.begin <= above.begin and above.end <= child.end
                if above.block == parent[child.block] and within:
                    yield j, i

    return pairs


def most_kept(case: ForestCase, every: list[Interval], worth: Worth, pairs: Pairs = no_precedence) -> Fraction:
    """Return what a fractional choice of intervals is worth at most: y <= 1, the rooms, y(child) <= y(parent)."""
    if not every:
        return Fraction(0)
    covers = [[int(one.first <= t <= one.end) for one in every] for t in range(1, len(case.ask) + 1)]
    order = [[(i == child) - (i == parent) for i in range(len(every))] for child, parent in pairs(every)]
    matrix = csc_array(np.array(covers + order, float))
    room = np.array(rooms(case) + [0] * len(order), float)
    cost = np.array([-worth(one) for one in every], float)
    names = tuple(map(str, range(len(every))))
    low, high = np.zeros(len(every)), np.ones(len(every))
    return -proved_optimum(LinearProgram(names, cost, low, high, matrix, room)).objective
