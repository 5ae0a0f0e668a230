"""Least TEL is strongly NP-hard in strict caches, and in caches that lose whole nodes (ours).

`teltheory.optimal.trees.hardness` makes a forest of a graph, and of an unsplittable flow on a path;
docs/proofs-limits.md has the proofs. Here both sides are decided by trying everything, all sets on one side and
all caches on the other, and what is found on either side is carried over to the other.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from typing import TypeAlias

import numpy as np

from proofs_checks.tail_optimized.hardness import FlowCase, flows, most_that_fit
from proofs_checks.tail_optimized.theorem_b1 import all_equal
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.model.numbers import IntArray
from teltheory.optimal.trees.hardness import (
    ForestQuestion,
    VertexGraph,
    contents_of,
    documents_question,
    independence_question,
)

NEVER = 2**40
"""The excess of a cache that cannot be."""
Edges: TypeAlias = tuple[tuple[int, int], ...]
Cache: TypeAlias = Sequence[np.intp]
"""How many nodes of each tree are cached."""


class ChainCaches:
    """All caches, closed towards the root, of a forest whose trees are chains: how many nodes of each are cached.

    `least[k]` has for each of them, what is cut after request k left out, the least TEL so far.
    """

    def __init__(self, question: ForestQuestion, forced: bool) -> None:
        self.question, forest = question, question.forest
        roots = np.flatnonzero(forest.parent < 0).tolist()
        self.units = [np.array([0, *forest.depth[forest.root == root].tolist()]) for root in roots]
        self.trees = [roots.index(forest.path(k)[0]) for k in range(len(forest))]
        self.size = sum((self._along(tree, units) for tree, units in enumerate(self.units)), np.zeros(1, np.int64))
        start = np.full(self.size.shape, NEVER)
        start[(0,) * start.ndim] = 0
        self.least = [start]
        for k in range(len(forest)):
            self.least.append(self._after(k, forced))

    def _along(self, tree: int, numbers: IntArray) -> IntArray:
        """Return numbers, one for each count of cached nodes of a tree, so that they spread over all caches."""
        shape = [1] * len(self.units)
        shape[tree] = len(numbers)
        return numbers.reshape(shape)

    def _asked(self, k: int) -> tuple[int, int, IntArray]:
        """Return the tree of a request, the nodes of its path, and its excess for each count of cached ones."""
        forest = self.question.forest
        tree = self.trees[k]
        hits = np.minimum(self.units[tree], forest.ask[k])
        return tree, len(forest.path(k)), np.maximum(forest.total[k] - hits - self.question.xi, 0)

    def _after(self, k: int, forced: bool) -> IntArray:
        """Return the least TEL of each cache after a request and its cut.

        Of other trees less never costs less, as it may have gone at the cut before; but forced, of the tree that
        the request before read, of which nothing could go.
        """
        tree, end, excess = self._asked(k)
        by_count = (self.least[-1] + self._along(tree, excess)).swapaxes(0, tree)
        fetched = by_count.copy()
        fetched[:end] = NEVER
        fetched[end] = by_count[: end + 1].min(axis=0)
        fewest = end if forced else 0
        fetched[fewest:] = _of_larger(fetched[fewest:], 0)
        least, freed = fetched.swapaxes(0, tree), self.trees[k - 1] if forced and k else tree
        least = least if freed == tree else _of_larger(least, freed)
        return np.where(self.size > self.question.capacity, NEVER, least)

    @property
    def tel(self) -> int:
        """The least TEL of all plans."""
        return int(self.least[-1].min())

    def whole(self) -> set[int]:
        """Return the trees that are cached whole when they return, in a plan of least TEL."""
        after: Cache = np.unravel_index(self.least[-1].argmin(), self.size.shape)
        found = set()
        for k in reversed(range(len(self.question.forest))):
            tree, end, excess = self._asked(k)
            before = self._before(k, tree, end, excess, after)
            if k in self.question.returns and before[tree] == len(self.units[tree]) - 1:
                found.add(self.question.returns.index(k))
            after = before
        return found

    def _before(self, k: int, tree: int, end: int, excess: IntArray, after: Cache) -> Cache:
        """Return a cache before a request from which a plan of least TEL leads to the one after its cut."""
        fewest = [0 if axis == tree and count <= end else int(count) for axis, count in enumerate(after)]
        met = self.least[k] + self._along(tree, excess) == self.least[k + 1][tuple(after)]
        met = met[tuple(slice(count, None) for count in fewest)]
        more = np.unravel_index(int(met.argmax()), met.shape)
        return [count + one for count, one in zip(fewest, more, strict=True)]


def _of_larger(least: IntArray, axis: int) -> IntArray:
    """Return for each cache the least of all that hold as many nodes of one tree or more."""
    along: IntArray = np.minimum.accumulate(least.swapaxes(0, axis)[::-1])[::-1]
    return along.swapaxes(0, axis)


def tel_of_contents(question: ForestQuestion, contents: Iterable[frozenset[int]]) -> int:
    """Return the TEL of a strict cache that holds this after each request; `NEVER` if there is no such cache."""
    forest, held, tel = question.forest, frozenset[int](), 0
    for k, kept in enumerate(contents):
        path = forest.path(k)
        hits = next((i for i, node in enumerate(path) if node not in held), len(path))
        tel += max(int(forest.total[k]) - min(hits, int(forest.ask[k])) - question.xi, 0)
        closed = all(int(forest.parent[node]) in {-1, *kept} for node in kept)
        if not (closed and set(path) <= kept <= held.union(path) and len(kept) <= question.capacity):
            return NEVER
        held = kept
    return tel


@dataclass(frozen=True)
class GraphCase(ToldCase):
    """A graph, how many vertices are to be independent, and the caching mode."""

    vertices: int
    edges: Edges
    wanted: int
    forced: bool = False

    @property
    def graph(self) -> VertexGraph:
        """The graph."""
        return VertexGraph(self.vertices, self.edges)


def graphs(labelled: int, unlabelled: int, forced: bool) -> Iterator[Iterator[GraphCase]]:
    """Yield the graphs of 4 vertices to a limit; beyond the first limit graphs that differ by names are one."""

    def of(vertices: int) -> Iterator[GraphCase]:
        for edges in all_graphs(vertices) if vertices <= labelled else unlike_graphs(vertices):
            for wanted in range(min(2, vertices - 3), vertices - 2):
                yield GraphCase(vertices, edges, wanted, forced)

    return map(of, range(4, unlabelled + 1))


def all_graphs(vertices: int) -> Iterator[Edges]:
    """Yield all graphs, fewest edges first."""
    pairs = list(combinations(range(vertices), 2))
    for count in range(len(pairs) + 1):
        yield from combinations(pairs, count)


@lru_cache
def unlike_graphs(vertices: int) -> tuple[Edges, ...]:
    """Return one graph of all those that only differ by the names of their vertices."""
    seen: set[Edges] = set()
    unlike = []
    for edges in all_graphs(vertices):
        if edges not in seen:
            unlike.append(edges)
            seen.update(renamed(edges, names) for names in permutations(range(vertices)))
    return tuple(unlike)


def renamed(edges: Edges, names: Sequence[int]) -> Edges:
    """Return the edges of a graph whose vertices have other names."""
    pairs = (sorted((names[one], names[other])) for one, other in edges)
    return tuple(sorted((one, other) for one, other in pairs))


INDEPENDENT, POSSIBLE = "so many are independent", "so small a TEL is possible"
KEPT, READ_OFF = "by the plan that keeps such a set", "by the vertices that a best plan keeps"


def independence(case: GraphCase) -> Values:
    """Ask for the set by all sets, for the TEL by all caches, and carry what is found from each to the other."""
    graph, tel = case.graph, case.vertices - case.wanted
    question = independence_question(graph, case.wanted)
    independent = next(filter(graph.independent, combinations(range(case.vertices), case.wanted)), None)
    caches = ChainCaches(question, case.forced)
    return {
        INDEPENDENT: independent is not None,
        POSSIBLE: caches.tel <= tel,
        KEPT: independent is not None and tel_of_contents(question, contents_of(graph, independent)) == tel,
        READ_OFF: caches.tel <= tel and len(kept := caches.whole()) >= case.wanted and graph.independent(kept),
    }


FIT, KEEP, FITTING = "tasks that fit", "documents that keep the SLO", "those that a best plan keeps, if they fit"


def documents(case: FlowCase) -> Values:
    """Count what fits by all sets of tasks, and what keeps the SLO by all caches, and carry that back."""
    caches = ChainCaches(documents_question(case.flow, case.forced), case.forced)
    kept = caches.whole()
    return {
        FIT: most_that_fit(case.flow),
        KEEP: len(case.flow.tasks) - caches.tel,
        FITTING: len(kept) if case.flow.fits(kept) else -1,
    }


def graphs_within(forced: bool) -> Listed[GraphCase]:
    """Return all graphs within limits, as cases of optional or of forced caching."""
    note = "all graphs of 4 to {0[0]} vertices, to {0[1]} up to names, 2 to n - 3 to be found (of 4, one)"
    return Listed(lambda limits: graphs(limits[0], limits[1], forced), (5, 6), (5, 7), note)


row = rows(source="Beyond the paper: docs/limits.md", relation=all_equal)

strict = row(
    "forest.strict.np-hard",
    "Least TEL in strict caches is strongly NP-hard, even if all trees are chains of two blocks: a graph becomes "
    "a forest in which TEL can be n - K if and only if K of its n vertices are independent.",
    space=graphs_within(forced=False),
)(independence)

strict_forced = replace(
    strict,
    id="forest.strict.np-hard.forced",
    statement="The same under forced caching, with the same forests and capacities.",
    space=graphs_within(forced=True),
)

nodes = row(
    "forest.nodes.np-hard",
    "Least TEL in caches that lose whole nodes is strongly NP-hard, even if nothing is shared: an unsplittable "
    "flow on a path with unit profits becomes a forest of single nodes in which as many can be kept as tasks fit.",
    space=flows(((3, 3, 4), (3, 3, 4), (3, 3, 4), (2, 2, 3)), ((4, 3, 5), (4, 3, 5), (3, 3, 5), (3, 2, 4))),
)(documents)

nodes_forced = replace(
    nodes,
    id="forest.nodes.np-hard.forced",
    statement="The same under forced caching.",
    space=flows(((3, 3, 4), (3, 3, 4), (3, 3, 4)), ((4, 3, 5), (4, 3, 5), (3, 3, 4)), forced=True),
)
