"""How often what is asked for: a Zipf law over questions or documents, and arrivals of a Poisson process.

The data sets here are too small to show how skewed real requests are, so skew is a parameter, to be said with
every result. The item of rank r is asked for with probability in proportion to r ** -zipf; 0 is uniform. Which
item has which rank is drawn.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, Ratio, real_number, whole_number
from teltheory.workloads.module_sets import zipf_ranks

__all__ = ["poisson_arrivals", "zipf_draws"]


def zipf_draws(items: int, zipf: float, count: int, rng: np.random.Generator) -> IntArray:
    """Draw `count` of `items` things, the r-th most popular in proportion to r ** -zipf, 0 <= zipf <= 100."""
    if not whole_number("items", items):
        raise ArgumentError("items", items, "1 or more")
    ranked = rng.permutation(items).astype(np.int64)
    drawn: IntArray = ranked[zipf_ranks(items, zipf, whole_number("requests", count), rng)]
    return drawn


def poisson_arrivals(rate: float, count: int, rng: np.random.Generator) -> FloatArray:
    """Draw `count` arrivals, `rate` a second on average; shape (count,), seconds."""
    gap = 1 / real_number("rate", rate, 0)
    return np.cumsum(rng.exponential(gap, whole_number("requests", count)))


def asked_for(
    items: int, about: IntArray | None, by: str, zipf: float, count: int, rng: np.random.Generator
) -> IntArray:
    """Draw which question each request asks.

    Parameters
    ----------
    items : int
        How many questions there are.
    about : ndarray of int64, optional
        Document of each question.
    by : "queries" or "documents"
        What has a rank: each question, or each document that a question is about. A document's questions are
        equally likely.
    zipf, count, rng
        See `zipf_draws`.
    """
    if by == "queries":
        return zipf_draws(items, zipf, count, rng)
    if by != "documents":
        raise ArgumentError("by", by, '"queries" or "documents"')
    if about is None:
        raise ArgumentError("by", by, '"queries", as it is not known what the queries are about')
    order = np.argsort(about, kind="stable")
    _, first, size = np.unique(about[order], return_index=True, return_counts=True)
    drawn = zipf_draws(len(first), zipf, count, rng)
    return np.asarray(order[first[drawn] + rng.integers(size[drawn])], np.int64)


def top_share(
    answers: IntArray,
    documents: int,
    top: Fraction = Fraction(3, 100),
    counted: str = "retrievals",
    among: str = "corpus",
) -> Fraction:
    """Return the share that the most retrieved documents have of all retrievals, or of all requests.

    RAGCache (Jin et al. 2024) has 60 % for the top 3 % on MMLU, and does not say how a request with several
    documents counts, nor 3 % of what. r retrievals reach at most r documents, so that whatever is retrieved, t
    documents have at least t / r of them: 3 % of a corpus that is large enough have any share.

    Parameters
    ----------
    answers : ndarray of int64, shape (n, k)
        Documents of each request, -1 for none.
    documents : int
        Size of the corpus.
    top : Fraction
        Share of the documents, above 0 and at most 1; their number is rounded up.
    counted : "retrievals" or "requests"
        Every document of every answer; or every answer once, for the top if one of its documents is there.
    among : "corpus" or "retrieved"
        Share of all documents; or of those that are retrieved at least once.
    """
    if counted not in ("retrievals", "requests"):
        raise ArgumentError("counted", counted, '"retrievals" or "requests"')
    if among not in ("corpus", "retrieved"):
        raise ArgumentError("among", among, '"corpus" or "retrieved"')
    if not 0 < top <= 1:
        raise ArgumentError("top", str(top), "a fraction, above 0, at most 1")
    often = np.bincount(answers[answers >= 0], minlength=documents)
    if not often.any():
        raise ArgumentError("answers", "no document", "1 or more")
    size = documents if among == "corpus" else int(np.count_nonzero(often))
    highest = np.argsort(-often, kind="stable")[: -int(-size * top // 1)]
    there = np.isin(answers, highest)
    if counted == "requests":
        return Ratio(int(there.any(axis=1).sum()), len(answers))
    return Ratio(int(there.sum()), int(often.sum()))
