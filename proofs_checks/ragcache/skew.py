"""RAGCache's skew: how many requests the most retrieved documents get. docs/proofs-ragcache.md has the proof."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs_checks.ragcache.knowledge_tree import PAPER
from teltheory.claims.claim import Values, rows
from teltheory.claims.data_files import Missing
from teltheory.claims.listed import ToldCase
from teltheory.claims.origin import OURS
from teltheory.claims.worlds import Given

CORPORA = Missing(
    "the corpora here are too small for the share of documents (XQuAD has 240 paragraphs), and Wikipedia with its "
    "index of text-embedding-3-small vectors is not here"
)


def nothing(case: Any) -> Values | None:
    """Return nothing: there is no case."""
    return None


skewed = rows(source="Miss rate (RAGCache, characterization)", origin=PAPER)

skew = skewed(
    "ragcache.skew",
    "MMLU: the top 3 % of the documents get 60 % of the requests.",
    relation=bool,
    space=CORPORA,
)(nothing)

data_sets = skewed(
    "ragcache.skew.data-sets",
    "In MMLU, Google Natural Questions, HotpotQA and TriviaQA few documents get most of the requests.",
    relation=bool,
    space=CORPORA,
)(nothing)


@dataclass(frozen=True)
class Shares(ToldCase):
    """Per cent of the requests, and of the documents that get them."""

    requests: int
    documents: int


twenty = skewed(
    "ragcache.skew.ratio",
    "That is 20 times fewer documents than under a uniform distribution, where 60 % of the requests go to 60 %.",
    relation=lambda of: of["times fewer"] == 20,
    space=Given((Shares(60, 3),), "the two numbers that are printed"),
    kind="arithmetic",
)(lambda case: {"times fewer": Fraction(case.requests, case.documents)})


@dataclass(frozen=True)
class Retrieved(ToldCase):
    """Requests for one document each: how many of them the documents get, the most retrieved first."""

    requests: int
    counts: tuple[int, ...]


def partitions(number: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a sum of numbers from 1 to `most`, the largest first."""
    if number == 0:
        yield ()
    for first in range(min(number, most), 0, -1):
        yield from ((first, *rest) for rest in partitions(number - first, first))


MOST_REQUESTS, DOCUMENTS_A_REQUEST = 20, 20
SPREADS = Given(
    tuple(Retrieved(n, counts) for n in range(1, MOST_REQUESTS + 1) for counts in partitions(n, n)),
    f"every way in which documents can get 1 to {MOST_REQUESTS} requests",
)


@skewed(
    "ragcache.skew.size-alone",
    "On a corpus of 20 documents per request or more the top 3 % of the documents get 60 % of the requests, "
    "whatever is retrieved.",
    relation=lambda of: of["share"] >= Fraction(60, 100),
    space=SPREADS,
    origin=OURS,
)
def size_alone(case: Retrieved) -> Values | None:
    """Return what the top 3 % of the smallest such corpus get."""
    top = -(-3 * DOCUMENTS_A_REQUEST * case.requests // 100)
    return {"share": Fraction(sum(case.counts[:top]), case.requests)}
