"""Indexes of Faiss, searched in stages.

1. An index is a value: what it is, with its parameters. `build` puts a corpus's vectors into it.
2. `Built.search` is Faiss's own search. `Built.staged` is the same search in stages: after each, the documents
   that are nearest among those seen. After the last that is what `search` finds.
3. Distances are squares, as Faiss has them. Faiss runs on one thread and without BLAS, so that what is found for a
   query depends on nothing but the query and the index.

`FlatL2` compares a query with every document: the truth. `IVF` puts documents into lists by k-means, and a query
goes through the `probe` lists with the nearest centres, the nearest list first, some lists a stage (RAGCache, Jin
et al. 2024, "Pipelined vector search").

Documents at the same distance stand in the order of their numbers. Faiss has that order too, but if documents at
the same distance compete for the last place, it may keep another of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, whole_number
from teltheory.systems.rag.vectors import VectorArray, checked_vectors

NO_BLAS = 2**31 - 1
MOST = 2**30
Nearest: TypeAlias = tuple[VectorArray, IntArray]
"""Squares of distances, and documents, of shape (queries, k)."""


@dataclass(frozen=True, eq=False)
class StagedSearch:
    """What a search in stages has after each of them.

    Attributes
    ----------
    documents : ndarray of int64, shape (queries, stages, k)
        The nearest documents seen so far, the nearest first; -1 stands for no document, after all others.
    distances : ndarray of float32, shape (queries, stages, k)
        Squares of their distances.
    """

    documents: IntArray
    distances: VectorArray


class Searcher(Protocol):
    """Vectors in an index, to be searched."""

    @property
    def faiss_index(self) -> Any:
        """Faiss's own index, whose `search` finds what the last stage does."""
        ...

    def stages(self, queries: VectorArray, k: int) -> Iterator[Nearest]:
        """Yield what is found after each stage; the work of a stage is done when it is asked for."""
        ...

    def seconds(self, queries: VectorArray, k: int) -> FloatArray:
        """Return how long each stage takes for a query on average, measured once."""
        ...


class Index(Protocol):
    """A kind of index, with its parameters."""

    @property
    def name(self) -> str:
        """What it is called in a file of stage times."""
        ...

    @property
    def stages(self) -> int:
        """Stages of each search."""
        ...

    def holding(self, vectors: VectorArray) -> Searcher:
        """Put vectors into a new index of Faiss."""
        ...


@contextmanager
def one_thread() -> Iterator[Any]:
    """Give Faiss, for the time being on one thread and without BLAS."""
    faiss = needed("faiss", "rag")
    before = faiss.omp_get_max_threads(), faiss.cvar.distance_compute_blas_threshold
    faiss.omp_set_num_threads(1)
    faiss.cvar.distance_compute_blas_threshold = NO_BLAS
    try:
        yield faiss
    finally:
        faiss.omp_set_num_threads(before[0])
        faiss.cvar.distance_compute_blas_threshold = before[1]


@dataclass(frozen=True, eq=False)
class Built:
    """An index that holds a corpus's vectors; `build` makes one."""

    index: Index
    vectors: VectorArray
    searcher: Searcher

    def search(self, queries: ArrayLike, k: int) -> tuple[IntArray, VectorArray]:
        """Return Faiss's own search: documents and squares of distances, of shape (queries, k)."""
        asked = self._asked(queries, k)
        with one_thread():
            distances, documents = self.searcher.faiss_index.search(asked, k)
        return documents, distances

    def staged(self, queries: ArrayLike, k: int) -> StagedSearch:
        """Return what the search has found after each of its stages.

        Raises
        ------
        ArgumentError
            For k beyond the corpus, vectors of another dimension, or no finite numbers.
        """
        asked = self._asked(queries, k)
        with one_thread():
            distances, documents = zip(*self.searcher.stages(asked, k), strict=True)
        return StagedSearch(np.stack(documents, axis=1), np.stack(distances, axis=1))

    def seconds(self, queries: ArrayLike, k: int, repeats: int) -> FloatArray:
        """Measure each stage: seconds a query, the median of so many repeats; shape (stages,)."""
        asked = self._asked(queries, k)
        if not whole_number("repeats", repeats):
            raise ArgumentError("repeats", repeats, "1 or more")
        with one_thread():
            return np.median([self.searcher.seconds(asked, k) for _ in range(repeats)], axis=0)

    def _asked(self, queries: ArrayLike, k: int) -> VectorArray:
        if not 1 <= whole_number("k", k) <= len(self.vectors):
            raise ArgumentError("k", k, f"from 1 to {len(self.vectors):,}, the documents of the corpus")
        asked, dimension = checked_vectors("queries", queries), self.vectors.shape[1]
        if not len(asked):
            raise ArgumentError("queries", "no query", "1 query or more")
        if asked.shape[1] != dimension:
            found = f"vectors of dimension {asked.shape[1]}"
            raise ArgumentError("queries", found, f"{dimension}, as the index has")
        return asked


def build(index: Index, vectors: ArrayLike) -> Built:
    """Put vectors into an index.

    Raises
    ------
    ArgumentError
        For no vectors, or fewer than the index needs.
    """
    kept = checked_vectors("vectors", vectors)
    if not len(kept):
        raise ArgumentError("vectors", "no vector", "1 vector or more")
    with one_thread():
        return Built(index, kept, index.holding(kept))


def parameters(index: Index) -> dict[str, int]:
    """Return the parameters of an index by their names."""
    return asdict(index)  # type: ignore[call-overload,no-any-return]


@dataclass(frozen=True)
class FlatL2:
    """Every document is compared with the query, in one stage: the paper's own index, and the truth."""

    name: ClassVar[str] = "FlatL2"
    stages: ClassVar[int] = 1

    def holding(self, vectors: VectorArray) -> Searcher:
        """Put vectors into a new index of Faiss."""
        index = needed("faiss", "rag").IndexFlatL2(vectors.shape[1])
        index.add(vectors)
        return _Flat(index)


@dataclass(frozen=True, eq=False)
class _Flat:
    """All vectors, in one list."""

    faiss_index: Any

    def stages(self, queries: VectorArray, k: int) -> Iterator[Nearest]:
        """Yield the whole search, the only stage."""
        yield self.faiss_index.search(queries, k)

    def seconds(self, queries: VectorArray, k: int) -> FloatArray:
        """Return how long the whole search takes."""
        return stage_seconds(self.stages(queries, k), len(queries))


@dataclass(frozen=True)
class IVF:
    """Lists by k-means; a query goes through those with the nearest centres.

    Attributes
    ----------
    lists : int
        Lists, 1 or more, at most as many as documents.
    probe : int
        Lists that a query goes through, from 1 to `lists`.
    stages : int
        From 1 to `probe`: the probed lists are split into so many parts, as even as can be, the longer ones first.
    seed : int
        Of k-means.
    """

    lists: int = 64
    probe: int = 32
    stages: int = 8
    seed: int = 0
    name: ClassVar[str] = "IVF"

    def __post_init__(self) -> None:
        if not 1 <= whole_number("lists", self.lists) <= MOST:
            raise ArgumentError("lists", self.lists, f"from 1 to {MOST:,}")
        if not 1 <= whole_number("probe", self.probe) <= self.lists:
            raise ArgumentError("probe", self.probe, f"from 1 to {self.lists}, the lists")
        if not 1 <= whole_number("stages", self.stages) <= self.probe:
            raise ArgumentError("stages", self.stages, f"from 1 to {self.probe}, the lists that are probed")
        if whole_number("seed", self.seed) > MOST:
            raise ArgumentError("seed", self.seed, f"from 0 to {MOST:,}")

    def holding(self, vectors: VectorArray) -> Searcher:
        """Put vectors into a new index of Faiss."""
        if len(vectors) < self.lists:
            expected = f"at most {len(vectors):,}, the documents of the corpus, or a flat index"
            raise ArgumentError("lists", self.lists, expected)
        faiss, dimension = needed("faiss", "rag"), vectors.shape[1]
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(dimension), dimension, self.lists)
        index.cp.seed, index.cp.min_points_per_centroid = self.seed, 1
        index.nprobe = self.probe
        index.train(vectors)
        index.add(vectors)
        return _Lists(self, index)


@dataclass(frozen=True, eq=False)
class _Lists:
    """Vectors in the lists of an `IVF`."""

    index: IVF
    faiss_index: Any

    def stages(self, queries: VectorArray, k: int) -> Iterator[Nearest]:
        """Find the lists, search a part of them, yield the nearest; then do so for each other part."""
        _, lists = self.faiss_index.quantizer.search(queries, self.index.probe)
        found = None
        for part in np.array_split(lists, self.index.stages, axis=1):
            here = self._in_lists(queries, part, k)
            found = here if found is None else merged(found, here)
            yield found

    def seconds(self, queries: VectorArray, k: int) -> FloatArray:
        """Return how long each part of the lists takes."""
        return stage_seconds(self.stages(queries, k), len(queries))

    def _in_lists(self, queries: VectorArray, lists: IntArray, k: int) -> Nearest:
        """Search some lists of each query."""
        tools = needed("faiss.contrib.ivf_tools", "rag")
        self.faiss_index.nprobe = lists.shape[1]
        try:
            found = tools.search_preassigned(self.faiss_index, queries, k, np.ascontiguousarray(lists))
        finally:
            self.faiss_index.nprobe = self.index.probe
        return found[0], found[1]


def merged(left: Nearest, right: Nearest) -> Nearest:
    """Return the nearest of two lists of each query, by distance, then by number; -1 is the farthest in both."""
    k = left[0].shape[1]
    distances = np.concatenate([left[0], right[0]], axis=1)
    documents = np.concatenate([left[1], right[1]], axis=1)
    order = np.lexsort((documents, distances), axis=1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(documents, order, axis=1)


def stage_seconds(stages: Iterator[Nearest], queries: int) -> FloatArray:
    """Return how long each stage takes for a query on average."""
    ends = [perf_counter()]
    for _ in stages:
        ends.append(perf_counter())
    return np.diff(ends) / queries
