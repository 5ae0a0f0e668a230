"""Faiss's HNSW index, searched in slices of time.

RAGCache (Jin et al. 2024, "Pipelined vector search") measures how long a search takes on average and splits that
into slices; after each the search says what it has found. Faiss has no slices, so its graph is walked here as it
does (``walk.c``), and time is counted in visited nodes: a slice is a number of them. A search
that is shorter than the average ends before the last stage, a longer one has a longer last stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from teltheory.base.extras import needed
from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, whole_number
from teltheory.systems.rag.indexes import MOST, Nearest, Searcher
from teltheory.systems.rag.vectors import VectorArray

SAMPLE = 256
FARTHEST = np.finfo(np.float32).max
"""The distance of no document, as Faiss has it."""


@dataclass(frozen=True)
class HNSW:
    """A graph of near neighbours on several levels. Levels are drawn by Faiss, always the same.

    Attributes
    ----------
    links : int
        Neighbours of a node, twice as many on the bottom level; from 2 to 1,024 (Faiss: M).
    effort : int
        Nodes that are considered when a document is put in (Faiss: efConstruction).
    width : int
        Nodes that a search keeps (Faiss: efSearch); k if that is more.
    stages : int
        Slices of a search, 1 or more.
    slice : int
        Nodes that are visited in a slice, 1 or more; 0 stands for the mean search for documents of the corpus,
        at most 256 of them, split into `stages` slices.
    """

    links: int = 32
    effort: int = 40
    width: int = 64
    stages: int = 8
    slice: int = 0
    name: ClassVar[str] = "HNSW"

    def __post_init__(self) -> None:
        if not 2 <= whole_number("links", self.links) <= 1024:
            raise ArgumentError("links", self.links, "from 2 to 1,024")
        for field in ("effort", "width", "stages"):
            if not 1 <= whole_number(field, getattr(self, field)) <= MOST:
                raise ArgumentError(field, getattr(self, field), f"from 1 to {MOST:,}")
        if whole_number("slice", self.slice) > MOST:
            raise ArgumentError("slice", self.slice, f"from 0 to {MOST:,}")

    def holding(self, vectors: VectorArray) -> Searcher:
        """Put vectors into a new index of Faiss."""
        index = needed("faiss", "rag").IndexHNSWFlat(vectors.shape[1], self.links)
        index.hnsw.efConstruction, index.hnsw.efSearch = self.effort, self.width
        index.add(vectors)
        graph = graph_of(index, vectors)
        sample = vectors[:: -(-len(vectors) // SAMPLE)]
        visits = [above + len(log) - 1 for above, log, _ in walks(graph, sample, self.width, self.width)]
        return _Nodes(self, index, graph, self.slice or max(1, round(np.mean(visits) / self.stages)))


class FaissGraph(NamedTuple):
    """A graph of Faiss; node v's neighbours on level l start at first[v] + skipped[l] in `links`, -1 ends them."""

    vectors: VectorArray
    links: NDArray[np.int32]
    first: IntArray
    skipped: IntArray
    entry: int
    top: int


def graph_of(faiss_index: Any, vectors: VectorArray) -> FaissGraph:
    """Return the graph of an index of Faiss."""
    read, hnsw = needed("faiss", "rag").vector_to_array, faiss_index.hnsw
    skipped = [hnsw.cum_nb_neighbors(level) for level in range(hnsw.max_level + 2)]
    first = read(hnsw.offsets).astype(np.int64)
    return FaissGraph(vectors, read(hnsw.neighbors), first, np.array(skipped), hnsw.entry_point, hnsw.max_level)


def walks(
    graph: FaissGraph, queries: VectorArray, width: int, enough: int
) -> Iterator[tuple[int, IntArray, VectorArray]]:
    """Yield for each query how many nodes are visited above the bottom level, and those on it, with squares."""
    count = len(graph.vectors)
    size = *graph.vectors.shape, len(graph.links), len(graph.skipped)
    nearest = np.empty(width, np.int64), np.empty(width, np.float32), np.empty(width, np.bool_)
    seen, log, squares = np.zeros(count, np.bool_), np.empty(count, np.int64), np.empty(count, np.float32)
    visited = np.empty(1, np.int64)
    for query in np.ascontiguousarray(queries):
        above = call("walk_hnsw", size, graph, query, width, enough, nearest, seen, log, squares, visited)
        yield above, log[: visited[0]], squares[: visited[0]]


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Vectors in the graph of an `HNSW`; a slice is `slice` visited nodes."""

    index: HNSW
    faiss_index: Any
    graph: FaissGraph
    slice: int

    def stages(self, queries: VectorArray, k: int) -> Iterator[Nearest]:
        """Walk, and yield the nearest nodes that are visited when each stage ends."""
        shape = len(queries), self.index.stages, k
        documents, squares = np.full(shape, -1, np.int64), np.full(shape, FARTHEST)
        for query, (above, log, logged) in enumerate(self._walks(queries, k)):
            for stage, end in enumerate(self._ends(above, len(log))):
                order = np.lexsort((log[:end], logged[:end]))[:k]
                documents[query, stage, : len(order)] = log[order]
                squares[query, stage, : len(order)] = logged[order]
        yield from zip(squares.swapaxes(0, 1), documents.swapaxes(0, 1), strict=True)

    def seconds(self, queries: VectorArray, k: int) -> FloatArray:
        """Return how long Faiss's own search takes, split as the walk's visited nodes are."""
        start = perf_counter()
        self.faiss_index.search(queries, k)
        whole = (perf_counter() - start) / len(queries)
        ends = [[0, *self._ends(above, len(log))] for above, log, _ in self._walks(queries, k)]
        shares = np.diff(ends, axis=1).sum(axis=0)
        return np.asarray(whole * shares / shares.sum(), np.float64)

    def _walks(self, queries: VectorArray, k: int) -> Iterator[tuple[int, IntArray, VectorArray]]:
        return walks(self.graph, queries, max(self.index.width, k), self.index.width)

    def _ends(self, above: int, logged: int) -> IntArray:
        """Return how many nodes of the bottom level are visited at the end of each stage."""
        visited = self.slice * np.arange(1, self.index.stages + 1) - above + 1
        return np.append(np.clip(visited[:-1], 0, logged), logged)
