"""Vectors of texts, and the check that every vector passes before it is searched.

`TextVectors` is classical: how often a text has each word, damped by a logarithm and weighed against how many
documents have the word (TF-IDF), then the directions in which documents differ most (a truncated singular value
decomposition), then length 1. It stands in for a neural model, which nobody has to download. On vectors of length
1 the nearest by Euclidean distance is the nearest by angle. A query without a word of the documents is the vector
0, as far from one document as from another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number

VectorArray: TypeAlias = NDArray[np.float32]


def checked_vectors(argument: str, values: ArrayLike, count: int | None = None) -> VectorArray:
    """Return vectors as float32, in one piece and closed for writing; shape (count, dimension).

    Raises
    ------
    ArgumentError
        For another shape, another count, or a value that is no finite float32.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            vectors = np.array(values, np.float32, order="C")
    except (TypeError, ValueError):
        raise ArgumentError(argument, type(values).__name__, "rows of numbers, all of one dimension") from None
    if vectors.ndim != 2 or not vectors.shape[1]:
        raise ArgumentError(argument, f"shape {vectors.shape}", "(vectors, dimension)")
    if count is not None and len(vectors) != count:
        raise ArgumentError(argument, f"{len(vectors):,} vectors", f"{count:,}, one each")
    for row, column in np.argwhere(~np.isfinite(vectors))[:1].tolist():
        found = float(vectors[row, column])
        raise ArgumentError(f"{argument}, row {row}, column {column}", found, "a finite 32-bit number")
    vectors.setflags(write=False)
    return vectors


def one_thread() -> Any:
    """Hold BLAS to one thread: with more of them the last bits of sums would depend on how many there are."""
    return needed("threadpoolctl", "rag").threadpool_limits(1)


@dataclass(frozen=True, eq=False)
class TextVectors:
    """TF-IDF and a truncated singular value decomposition, fitted on documents. Make one with `TextVectors.of`."""

    weights: Any
    directions: Any

    @classmethod
    def of(cls, texts: Sequence[str], dimensions: int, rng: np.random.Generator) -> TextVectors:
        """Fit on the texts of the documents.

        Parameters
        ----------
        texts : sequence of str
            At least 2.
        dimensions : int
            From 1; fewer than documents and than the words that they have between them.
        rng : numpy.random.Generator
            Seeds the decomposition, which is randomised.
        """
        words, decomposition = (
            needed("sklearn.feature_extraction.text", "rag"),
            needed("sklearn.decomposition", "rag"),
        )
        weights = words.TfidfVectorizer(sublinear_tf=True)
        try:
            table = weights.fit_transform(texts)
        except ValueError:
            raise ArgumentError("texts", f"{len(texts)} texts", "documents that have words") from None
        most = min(table.shape) - 1
        if most < 1:
            raise ArgumentError(
                "texts", f"{table.shape[0]} with {table.shape[1]} words", "2 texts and 2 words or more"
            )
        if not 1 <= whole_number("dimensions", dimensions) <= most:
            raise ArgumentError("dimensions", dimensions, f"from 1 to {most}, fewer than documents and words")
        directions = decomposition.TruncatedSVD(dimensions, random_state=int(rng.integers(2**31)))
        with one_thread(), np.errstate(invalid="ignore"):
            return cls(weights, directions.fit(table))

    def __call__(self, texts: Sequence[str]) -> VectorArray:
        """Return a vector of each text, of length 1, or 0 for a text without a word of the documents."""
        with one_thread():
            found = self.directions.transform(self.weights.transform(texts))
        size = np.linalg.norm(found, axis=1, keepdims=True)
        return checked_vectors("texts", found / np.where(size > 0, size, 1))

    @property
    def note(self) -> str:
        """What the vectors are, in words."""
        return f"vectors: TF-IDF and SVD, {self.directions.n_components} dimensions"
