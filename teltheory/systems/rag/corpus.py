"""Documents that can be retrieved, and questions that ask for them: values that are checked when they are made.

A corpus says in `note` what it is, so that whatever is printed about it can say so too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.columns import lengths
from teltheory.model.numbers import IntArray, readonly, whole_number
from teltheory.systems.rag.vectors import VectorArray, checked_vectors


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents of a known length, each with a vector. Make one with `Corpus.of`.

    Attributes
    ----------
    names : tuple of str, length D
        Names of the documents, all different.
    length : ndarray of int64, shape (D,)
        Tokens of each document, 1 or more.
    vectors : ndarray of float32, shape (D, d)
        What is searched.
    texts : tuple of str or None
        Texts of the documents, if they are known.
    system : int
        Tokens of the system prompt, 0 if there is none.
    note : str
        What the documents, lengths and vectors are, in words.
    """

    names: tuple[str, ...]
    length: IntArray
    vectors: VectorArray
    texts: tuple[str, ...] | None = None
    system: int = 0
    note: str = ""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        length: IntArray | Sequence[int],
        vectors: ArrayLike,
        texts: Sequence[str] | None = None,
        system: int = 0,
        note: str = "",
        longest: int | None = None,
    ) -> Corpus:
        """Check the columns against each other; see the class for what they are.

        Parameters
        ----------
        longest : int, optional
            Tokens that no document may exceed, such as a model's context.

        Raises
        ------
        ArgumentError
            No document, a name twice, columns of other lengths, an empty or too long document, a vector that is
            not finite.
        """
        if not len(names):
            raise ArgumentError("corpus", "no document", "1 document or more")
        for name, count in Counter(names).most_common(1):
            if count > 1:
                raise ArgumentError("names", name, f"each name once, not {count} times")
        size = token_counts("length", length, names, least=1, longest=longest)
        if texts is not None and len(texts) != len(names):
            raise ArgumentError("texts", f"{len(texts)} texts", f"{len(names)}, one a document")
        kept = None if texts is None else tuple(texts)
        found = checked_vectors("vectors", vectors, len(names))
        return cls(tuple(names), size, found, kept, whole_number("system", system), note)

    def __len__(self) -> int:
        return len(self.names)

    def numbers(self, names: Sequence[str]) -> IntArray:
        """Return the numbers of documents by their names; a name that no document has is an ArgumentError."""
        known = {name: number for number, name in enumerate(self.names)}
        for name in names:
            if name not in known:
                raise ArgumentError("document", name, f"the name of one of the {len(self):,} documents")
        return readonly(np.array([known[name] for name in names], np.int64))


@dataclass(frozen=True, eq=False)
class Queries:
    """Questions, each with a length and a vector. Make them with `Queries.of`.

    Attributes
    ----------
    length : ndarray of int64, shape (Q,)
        Tokens of each question.
    vectors : ndarray of float32, shape (Q, d)
        Their vectors, of the same kind as the corpus's.
    about : ndarray of int64, shape (Q,), or None
        Number of the document that each question is about, if that is known.
    texts : tuple of str or None
        Their texts, if they are known.
    note : str
        What they are, in words.
    """

    length: IntArray
    vectors: VectorArray
    about: IntArray | None = None
    texts: tuple[str, ...] | None = None
    note: str = ""

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        length: IntArray | Sequence[int],
        vectors: ArrayLike,
        about: IntArray | Sequence[int] | None = None,
        texts: Sequence[str] | None = None,
        note: str = "",
    ) -> Queries:
        """Check the columns against each other and against the corpus; see the class for what they are.

        Raises
        ------
        ArgumentError
            No query, columns of other lengths, vectors of another dimension, a document that does not exist.
        """
        found = checked_vectors("queries", vectors)
        if not len(found):
            raise ArgumentError("queries", "no query", "1 query or more")
        if found.shape[1] != corpus.vectors.shape[1]:
            expected = f"{corpus.vectors.shape[1]}, as the documents have"
            raise ArgumentError("queries", f"vectors of dimension {found.shape[1]}", expected)
        numbers = [str(number) for number in range(len(found))]
        size = token_counts("queries", length, numbers, least=0)
        if texts is not None and len(texts) != len(found):
            raise ArgumentError("texts", f"{len(texts)} texts", f"{len(found)}, one a query")
        documents = None if about is None else _checked_documents(about, len(found), len(corpus))
        return cls(size, found, documents, None if texts is None else tuple(texts), note)

    def __len__(self) -> int:
        return len(self.length)


def token_counts(
    argument: str,
    values: IntArray | Sequence[int],
    names: Sequence[str],
    least: int,
    longest: int | None = None,
) -> IntArray:
    """Return whole numbers of tokens, one a name, from `least` to `longest`; an error says whose is wrong."""
    try:
        size = lengths(argument, values, len(names))
    except TraceError as error:
        place = argument if error.turn is None else f"{argument} of {names[error.turn]!r}"
        raise ArgumentError(place, error.found, error.expected.replace("one a turn", "one each")) from None
    most = size.max(initial=0) if longest is None else longest
    for wrong in np.flatnonzero((size < least) | (size > most))[:1].tolist():
        expected = f"{least} token or more" if size[wrong] < least else f"at most {most:,} tokens"
        raise ArgumentError(f"{argument} of {names[wrong]!r}", int(size[wrong]), expected)
    return size


def _checked_documents(about: IntArray | Sequence[int], count: int, documents: int) -> IntArray:
    found = token_counts("about", about, [str(number) for number in range(count)], least=0)
    for query in np.flatnonzero(found >= documents)[:1].tolist():
        expected = f"a document from 0 to {documents - 1}"
        raise ArgumentError(f"about, query {query}", int(found[query]), expected)
    return found
