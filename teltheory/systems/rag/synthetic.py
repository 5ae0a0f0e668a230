"""Documents that are drawn: vectors from a mixture of normal laws, lengths from a law, both seeded and said.

1. A document belongs to one of `clusters` topics, uniformly; a topic's centre is a standard normal vector.
2. A document's vector is its topic's centre and normal noise with deviation `spread` in each dimension.
3. A question is about a document, drawn uniformly; its vector is the document's with noise of deviation `blur`.
"""

from __future__ import annotations

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import real_number, whole_number
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.counts import counted
from teltheory.workloads.laws import Law, LogNormal

LENGTHS = LogNormal(1000.0, 0.5)
QUESTIONS = LogNormal(32.0, 0.5)
MOST_NUMBERS = 1 << 30


def synthetic_corpus(
    documents: int,
    queries: int,
    rng: np.random.Generator,
    *,
    dimensions: int = 64,
    clusters: int = 100,
    spread: float = 0.5,
    blur: float = 0.25,
    lengths: Law | int = LENGTHS,
    asked: Law | int = QUESTIONS,
    system: int = 0,
) -> tuple[Corpus, Queries]:
    """Draw a corpus and questions about it; see the module for the laws.

    Parameters
    ----------
    documents, queries : int
        How many, 1 or more.
    rng : numpy.random.Generator
        Draws everything.
    dimensions, clusters : int
        Of the vectors, 1 or more.
    spread, blur : float
        Deviations, 0 or more.
    lengths, asked : Law or int
        Tokens of documents and of questions.
    system : int
        Tokens of the system prompt.
    """
    counts = {"documents": documents, "queries": queries, "dimensions": dimensions, "clusters": clusters}
    for name, count in counts.items():
        if not whole_number(name, count):
            raise ArgumentError(name, count, "1 or more")
    if (documents + queries + clusters) * dimensions > MOST_NUMBERS:
        raise ArgumentError("documents", documents, f"at most {MOST_NUMBERS:,} numbers in all vectors")
    wide, narrow = (real_number(n, v, 0, 1e6, closed=True) for n, v in (("spread", spread), ("blur", blur)))
    topic = rng.standard_normal((clusters, dimensions))[rng.integers(clusters, size=documents)]
    vectors = topic + wide * rng.standard_normal((documents, dimensions))
    about = rng.integers(documents, size=queries)
    questions = vectors[about] + narrow * rng.standard_normal((queries, dimensions))
    size, said = counted(lengths, documents, None, rng)
    tokens, also = counted(asked, queries, None, rng)
    law = f"vectors: drawn, {dimensions} dimensions, {clusters:,} topics, spread {spread:g}, blur {blur:g}"
    names = tuple(map(str, range(documents)))
    note = f"{documents:,} synthetic documents; {said}; {law}"
    corpus = Corpus.of(names, size, vectors, system=system, note=note)
    return corpus, Queries.of(corpus, tokens, questions, about, note=f"{queries:,} synthetic questions; {also}")
