"""The walk of a query through the graph of an HNSW index: which nodes it visits, in order.

1. It starts at the entry point. On each level above the bottom one it goes to the nearest neighbour as long as
   that is nearer than where it is.
2. On the bottom level it keeps the `width` nearest nodes that it has visited, and visits the neighbours of the
   nearest one that it has not opened yet, until all that it keeps are opened, or `enough` of them are nearer than
   the next.
3. A node is *visited* when its distance from the query is computed. What the search has found at any time are the
   nearest of the nodes that it has visited on the bottom level.

That is Faiss's own search (Malkov and Yashunin 2018, Algorithms 2 and 5; `HNSW.cpp`, with the bounded queue), node
by node. Squares are added up in another order here, so that their last bits can differ, and with them the order of
two documents at nearly the same distance.
"""

from typing import Any, NamedTuple

import numpy as np

from teltheory.model.numbers import BoolArray, IntArray
from teltheory.replay.compiled import compiled, inlined
from teltheory.systems.rag.vectors import VectorArray


class FaissGraph(NamedTuple):
    """A graph of Faiss; node v's neighbours on level l start at first[v] + skipped[l] in `links`, -1 ends them."""

    vectors: VectorArray
    links: IntArray
    first: IntArray
    skipped: IntArray
    entry: int
    top: int


@inlined
def _square(vectors: VectorArray, node: int, query: VectorArray) -> Any:
    """Return the square of the distance of a node."""
    total = np.float32(0)
    for i in range(len(query)):
        apart = vectors[node, i] - query[i]
        total += apart * apart
    return total


@compiled
def _descend(graph: FaissGraph, query: VectorArray) -> tuple[int, float, int]:
    """Return the nearest node above the bottom level, its distance, and how many nodes were visited."""
    here, square, visited = graph.entry, _square(graph.vectors, graph.entry, query), 1
    for level in range(graph.top, 0, -1):
        moved = True
        while moved:
            moved = False
            start = graph.first[here]
            for at in range(start + graph.skipped[level], start + graph.skipped[level + 1]):
                node = graph.links[at]
                if node < 0:
                    break
                visited += 1
                found = _square(graph.vectors, node, query)
                if found < square:
                    here, square, moved = node, found, True
    return here, square, visited


@inlined
def _insert(nodes: IntArray, squares: VectorArray, opened: BoolArray, kept: int, node: int, square: float) -> int:
    """Put a node at its place, by distance, then by number, if it has one; return how many are kept."""
    at = kept
    while at > 0 and (squares[at - 1] > square or (squares[at - 1] == square and nodes[at - 1] > node)):
        at -= 1
    if at == len(nodes):
        return kept
    last = min(kept, len(nodes) - 1)
    for i in range(last, at, -1):
        nodes[i], squares[i], opened[i] = nodes[i - 1], squares[i - 1], opened[i - 1]
    nodes[at], squares[at], opened[at] = node, square, False
    return last + 1


@inlined
def _next(opened: BoolArray, kept: int) -> int:
    """Return the place of the nearest node that is not opened; `kept` if there is none."""
    at = 0
    while at < kept and opened[at]:
        at += 1
    return at


@compiled
def walk(
    graph: FaissGraph,
    query: VectorArray,
    width: int,
    enough: int,
    seen: BoolArray,
    log: IntArray,
    logged: VectorArray,
) -> tuple[int, int]:
    """Walk one query; return how many nodes are visited above the bottom level, and how many are on it.

    The latter are written into `log` in their order, their squares into `logged`; the first of them is the last
    step above, and counts as visited there. `seen` is False everywhere, before and after.
    """
    nodes, squares = np.empty(width, np.int64), np.empty(width, np.float32)
    opened = np.empty(width, np.bool_)
    here, square, above = _descend(graph, query)
    log[0], logged[0], visited = here, square, 1
    seen[here] = True
    kept, at = _insert(nodes, squares, opened, 0, here, square), 0
    while at < min(kept, enough):
        opened[at] = True
        start = graph.first[nodes[at]]
        for link in range(start, start + graph.skipped[1]):
            node = graph.links[link]
            if node < 0:
                break
            if not seen[node]:
                seen[node] = True
                square = _square(graph.vectors, node, query)
                log[visited], logged[visited] = node, square
                visited += 1
                kept = _insert(nodes, squares, opened, kept, node, square)
        at = _next(opened, kept)
    for i in range(visited):
        seen[log[i]] = False
    return above, visited
