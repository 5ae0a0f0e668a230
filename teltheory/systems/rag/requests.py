"""Requests to a RAG server, made of a corpus, an index, questions and their popularity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, whole_number
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.indexes import Built
from teltheory.systems.rag.popularity import asked_for, poisson_arrivals
from teltheory.systems.rag.stage_times import StageTimes
from teltheory.systems.rag.workload import Workload


def draw_workload(
    corpus: Corpus,
    index: Built,
    queries: Queries,
    *,
    k: int,
    seconds: StageTimes | Sequence[float] | FloatArray,
    rate: float,
    zipf: float,
    requests: int,
    rng: np.random.Generator,
    by: str = "queries",
) -> Workload:
    """Draw requests and retrieve their documents, stage by stage.

    Parameters
    ----------
    corpus, index, queries : Corpus, Built, Queries
        What can be retrieved; what holds its vectors; what is asked.
    k : int
        Documents of an answer, from 1 to those of the corpus.
    seconds : StageTimes or sequence of float, one a stage
        How long each stage takes. Times from a file must be those of this index; scale them to stand for a larger
        one.
    rate, requests : float, int
        Requests a second, which arrive as a Poisson process; how many.
    zipf : float
        Skew of the popularity, 0 or more; see `teltheory.systems.rag.popularity`.
    rng : numpy.random.Generator
        Draws ranks, requests and arrivals.
    by : "queries" or "documents"
        What has a popularity.

    Raises
    ------
    ArgumentError, TraceError
        For a wrong argument; the error names it.
    """
    if not whole_number("requests", requests):
        raise ArgumentError("requests", requests, "1 or more")
    if isinstance(seconds, StageTimes):
        seconds.check(index)
        seconds = seconds.seconds
    asked = asked_for(len(queries), queries.about, by, zipf, requests, rng)
    arrival = poisson_arrivals(rate, requests, rng)
    searched, place = np.unique(asked, return_inverse=True)
    found = index.staged(queries.vectors[searched], k).documents[place]
    took = np.asarray(seconds, np.float64)
    return Workload.of(corpus.length, found, took, queries.length[asked], arrival, corpus.system)


def settled(found: IntArray) -> IntArray:
    """Return after how many stages the final answer stands, in each row of (n, stages, k); shape (n,)."""
    differs = (found != found[:, -1:]).any(axis=2)
    stages = found.shape[1]
    return np.where(differs.any(axis=1), stages - np.argmax(differs[:, ::-1], axis=1) + 1, 1)
