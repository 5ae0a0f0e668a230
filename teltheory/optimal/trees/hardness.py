"""Independent sets and unsplittable flows as questions about caches of a forest (proofs: docs/proofs-limits.md).

1. *Strict caches*: a vertex is a chain of two blocks u, v. All chains begin, and at the end all return; by then u
   is at hand, so that only v is in question, and who keeps v keeps u too. On each edge the vertices that are not
   its own have their u read twice. There is room for these, for the v of `wanted` vertices, and for one u more: of
   an edge's two vertices one at most is kept.
2. *Node-atomic caches*: a task of a flow is a document, a node of as many units as its demand. It is read when its
   first edge begins and when its last edge has ended, and then a unit is in question. Nothing is shared.

All lengths are 1 or more, and so is xi.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import readonly, whole_number
from teltheory.optimal.slo.path_flow import RETURNS, VISITS, PathFlow, meetings

XI = 2
"""The xi of the questions about strict caches: no first request exceeds it."""


@dataclass(frozen=True)
class VertexGraph:
    """Vertices 0, 1, ... and edges, each between two of them."""

    vertices: int
    edges: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        whole_number("vertices", self.vertices)
        for i, edge in enumerate(self.edges):
            one, other = (whole_number(f"edges[{i}]", end) for end in edge)
            if not (one != other and max(one, other) < self.vertices):
                raise ArgumentError(f"edges[{i}]", edge, f"two of the vertices 0 ... {self.vertices - 1}")

    def independent(self, chosen: Collection[int]) -> bool:
        """Whether no edge is between two of these vertices."""
        return not any(one in chosen and other in chosen for one, other in self.edges)


@dataclass(frozen=True)
class ForestQuestion:
    """A forest in which vertex or task k is tree k.

    ``returns[k]`` is the request, counted from 0, that exceeds xi unless all of tree k is cached.
    """

    forest: Forest
    capacity: int
    xi: int
    returns: tuple[int, ...]


def independence_question(graph: VertexGraph, wanted: int) -> ForestQuestion:
    """Return a forest whose TEL in a strict cache can be the vertices less `wanted` if so many are independent.

    If they are not, it is more, under optional and under forced caching.

    Parameters
    ----------
    graph : Graph
        The vertices and edges.
    wanted : int
        How many vertices are to be independent, from 1 to three less than all. (All but two or fewer are tried in
        no time.)
    """
    if not 1 <= whole_number("wanted", wanted) <= graph.vertices - 3:
        raise ArgumentError("wanted", wanted, f"1 to {graph.vertices - 3}, three less than the vertices")
    reads = list(_reads(graph))
    forest = Forest.from_paths([path for path, _ in reads], total=[total for _, total in reads])
    returns = range(len(reads) - 2 * graph.vertices + 1, len(reads), 2)
    return ForestQuestion(forest, graph.vertices + wanted - 1, XI, tuple(returns))


def contents_of(graph: VertexGraph, chosen: Collection[int]) -> Iterator[frozenset[int]]:
    """Yield what a cache holds after each request that keeps the chains of some vertices from end to end.

    Besides it holds the path just read, and each u that is read again on its edge or with its chain.
    """
    kept: set[int] = set()
    for path, total in _reads(graph):
        if path[0] // 2 in chosen:
            kept.update(path)
        yield frozenset(kept.union(path))
        if path[0] // 2 not in chosen:
            (kept.update if total == 1 else kept.difference_update)(path)


def _reads(graph: VertexGraph) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the path and the total of each request; vertex k has the blocks 2k, which is u, and 2k + 1."""
    vertices = range(graph.vertices)
    yield from (((2 * k, 2 * k + 1), 2) for k in vertices)
    for edge in graph.edges:
        others = [k for k in vertices if k not in edge]
        yield from (((2 * k,), 1) for k in others)
        yield from (((2 * k,), XI + 1) for k in others)
    for k in vertices:
        yield (2 * k,), 1
        yield (2 * k, 2 * k + 1), XI + 2


def documents_question(flow: PathFlow, forced: bool = False) -> ForestQuestion:
    """Return a forest of single nodes whose least TEL, if nodes go whole, is the tasks less the most that fit.

    Under forced caching each edge has a request of one more document, for which there is room besides.
    """
    met = list(meetings(flow, forced))
    tasks = len(flow.tasks)
    size = [*(task.demand for task in flow.tasks), *[flow.largest] * forced]
    leaf = [tasks if kind == VISITS else k for kind, k in met]
    ask = [size[k] for k in leaf]
    total = [flow.largest + 1 if kind == RETURNS else a for (kind, _), a in zip(met, ask, strict=True)]
    parent, length, leaves, asked, computed = (
        readonly(np.array(column, np.int64)) for column in ([-1] * len(size), size, leaf, ask, total)
    )
    forest = Forest(parent, length, leaves, asked, computed)
    returns = {k: request for request, (kind, k) in enumerate(met) if kind == RETURNS}
    capacity = flow.capacity + flow.largest * forced
    return ForestQuestion(forest, capacity, flow.largest, tuple(returns[k] for k in range(tasks)))
