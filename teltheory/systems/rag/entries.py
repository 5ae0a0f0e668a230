"""Documents and questions as they are read: texts, tokens or both, before they have vectors.

`corpus_of` makes a corpus and its queries of them: it finds the lengths, and the vectors unless they are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.counts import Lengths, Words, counted
from teltheory.systems.rag.vectors import TextVectors

DIMENSIONS = 128


@dataclass(frozen=True)
class Entries:
    """Documents, or questions.

    Attributes
    ----------
    names : tuple of str
        Their names.
    texts : tuple of str or None
        Their texts.
    tokens : tuple of int or None
        Their tokens, if the source counts them.
    about : tuple of str or None
        Of questions: the name of the document that each is about.
    note : str
        What they are, in words.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...] | None = None
    tokens: tuple[int, ...] | None = None
    about: tuple[str, ...] | None = None
    note: str = ""

    def __len__(self) -> int:
        return len(self.names)

    def lengths(self, how: Lengths | None, rng: np.random.Generator) -> tuple[Sequence[int] | IntArray, str]:
        """Return tokens and how they were found: those of the source unless `how` is given, else by words."""
        if how is None and self.tokens is not None:
            return self.tokens, "lengths: as the source has them"
        return counted(Words() if how is None else how, len(self), self.texts, rng)


def corpus_of(
    documents: Entries,
    questions: Entries,
    rng: np.random.Generator,
    *,
    lengths: Lengths | None = None,
    asked: Lengths | None = None,
    vectors: tuple[ArrayLike, ArrayLike] | None = None,
    dimensions: int = DIMENSIONS,
    system: int = 0,
    longest: int | None = None,
) -> tuple[Corpus, Queries]:
    """Return documents and questions with their lengths and vectors.

    Parameters
    ----------
    documents, questions : Entries
        As they were read.
    rng : numpy.random.Generator
        Draws lengths, if they are drawn, and seeds the vectors of texts.
    lengths, asked : Lengths, optional
        How long documents and questions are (`teltheory.systems.rag.counts`); left out, as the source says, or
        else `Words()`.
    vectors : (array_like, array_like), optional
        Vectors of the documents and of the questions; left out, `TextVectors` of the texts.
    dimensions : int
        Of `TextVectors`; at most as many as the documents allow.
    system, longest : int
        See `Corpus.of`.
    """
    if not len(documents):
        raise ArgumentError("corpus", "no document", "1 document or more")
    size, said = documents.lengths(lengths, rng)
    tokens, also = questions.lengths(asked, rng)
    of_documents, of_questions, kind = _vectors(documents, questions, vectors, dimensions, rng)
    note = "; ".join(filter(None, (documents.note, said, kind)))
    corpus = Corpus.of(documents.names, size, of_documents, documents.texts, system, note, longest)
    about = None if questions.about is None else corpus.numbers(questions.about)
    also = "; ".join(filter(None, (questions.note, also)))
    return corpus, Queries.of(corpus, tokens, of_questions, about, questions.texts, also)


def _vectors(
    documents: Entries,
    questions: Entries,
    vectors: tuple[ArrayLike, ArrayLike] | None,
    dimensions: int,
    rng: np.random.Generator,
) -> tuple[ArrayLike, ArrayLike, str]:
    """Return the vectors of both, and what they are."""
    if vectors is not None:
        return *vectors, "vectors: as given"
    for what, entries in (("documents", documents), ("questions", questions)):
        if entries.texts is None:
            raise ArgumentError(
                "vectors", None, f"vectors of documents and questions, as the {what} have no texts"
            )
    made = TextVectors.of(documents.texts or (), dimensions, rng)
    return made(documents.texts or ()), made(questions.texts or ()), made.note
