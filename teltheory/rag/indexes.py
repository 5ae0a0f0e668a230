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
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from teltheory.errors import ArgumentError
from teltheory.model.numbers import INT64_MAX, IntArray, whole_number
from teltheory.rag.extra import needed
from teltheory.rag.vectors import VectorArray, checked_vectors

NO_BLAS = 2**31 - 1
MOST = 2**30


@dataclass(frozen=True, eq=False)
class Found:
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

    def made(self, vectors: VectorArray) -> Any:
        """Return Faiss's index of the vectors."""
        ...

    def staged(self, faiss_index: Any, queries: VectorArray, k: int) -> Found:
        """Search in stages."""
        ...


@contextmanager
def one_thread() -> Iterator[Any]:
    """Give Faiss, for the time being on one thread and without BLAS."""
    faiss = needed("faiss")
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
    faiss_index: Any
    vectors: VectorArray

    def search(self, queries: ArrayLike, k: int) -> tuple[IntArray, VectorArray]:
        """Return Faiss's own search: documents and squares of distances, of shape (queries, k)."""
        asked = self._asked(queries, k)
        with one_thread():
            distances, documents = self.faiss_index.search(asked, k)
        return documents, distances

    def staged(self, queries: ArrayLike, k: int) -> Found:
        """Return what the search has found after each of its stages.

        Raises
        ------
        ArgumentError
            For k beyond the corpus, vectors of another dimension, or no finite numbers.
        """
        asked = self._asked(queries, k)
        with one_thread():
            return self.index.staged(self.faiss_index, asked, k)

    def _asked(self, queries: ArrayLike, k: int) -> VectorArray:
        if not 1 <= whole_number("k", k) <= len(self.vectors):
            raise ArgumentError("k", k, f"from 1 to {len(self.vectors):,}, the documents of the corpus")
        asked, dimension = checked_vectors("queries", queries), self.vectors.shape[1]
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
        return Built(index, index.made(kept), kept)


@dataclass(frozen=True)
class FlatL2:
    """Every document is compared with the query, in one stage: the seed's own index, and the truth."""

    name: ClassVar[str] = "FlatL2"
    stages: ClassVar[int] = 1

    def made(self, vectors: VectorArray) -> Any:
        """Return Faiss's index of the vectors."""
        index = needed("faiss").IndexFlatL2(vectors.shape[1])
        index.add(vectors)
        return index

    def staged(self, faiss_index: Any, queries: VectorArray, k: int) -> Found:
        """Search; the only stage is the whole."""
        distances, documents = faiss_index.search(queries, k)
        return Found(documents[:, np.newaxis], distances[:, np.newaxis])


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

    def made(self, vectors: VectorArray) -> Any:
        """Return Faiss's index of the vectors."""
        if len(vectors) < self.lists:
            raise ArgumentError("lists", self.lists, f"at most {len(vectors):,}, the documents of the corpus")
        faiss, dimension = needed("faiss"), vectors.shape[1]
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(dimension), dimension, self.lists)
        index.cp.seed, index.cp.min_points_per_centroid = self.seed, 1
        index.nprobe = self.probe
        index.train(vectors)
        index.add(vectors)
        return index

    def staged(self, faiss_index: Any, queries: VectorArray, k: int) -> Found:
        """Search the parts of the probed lists, and keep the nearest after each."""
        _, lists = faiss_index.quantizer.search(queries, self.probe)
        parts = [_in_lists(faiss_index, queries, part, k) for part in np.array_split(lists, self.stages, axis=1)]
        stages = [parts[0]]
        for part in parts[1:]:
            stages.append(merged(stages[-1], part))
        distances, documents = zip(*stages, strict=True)
        return Found(np.stack(documents, axis=1), np.stack(distances, axis=1))


def _in_lists(index: Any, queries: VectorArray, lists: IntArray, k: int) -> tuple[VectorArray, IntArray]:
    """Search some lists of each query."""
    whole = index.nprobe
    index.nprobe = lists.shape[1]
    try:
        tools = needed("faiss.contrib.ivf_tools")
        distances, documents = tools.search_preassigned(index, queries, k, np.ascontiguousarray(lists))
    finally:
        index.nprobe = whole
    return distances, documents


def merged(
    left: tuple[VectorArray, IntArray], right: tuple[VectorArray, IntArray]
) -> tuple[VectorArray, IntArray]:
    """Return the nearest of two lists of each query, by distance, then by number; -1 stands last."""
    k = left[0].shape[1]
    distances = np.concatenate([left[0], right[0]], axis=1)
    documents = np.concatenate([left[1], right[1]], axis=1)
    order = np.lexsort((np.where(documents < 0, INT64_MAX, documents), distances), axis=1)[:, :k]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(documents, order, axis=1)


def parameters(index: Index) -> dict[str, int]:
    """Return the parameters of an index by their names."""
    return asdict(index)  # type: ignore[call-overload,no-any-return]
