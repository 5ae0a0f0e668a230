"""What retrieval finds in public texts, and when: recall, stages, and how popular the most popular documents are.

    python -m experiments.retrieval DATA

DATA is the folder with the texts of XQuAD, MMLU and NQ-open. Percentages are of questions, or of retrievals. The
texts of MMLU and NQ-open make the index larger and its searches longer; who asks for what is not in them.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from teltheory.paper.script import markdown, run
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.entries import corpus_of
from teltheory.systems.rag.hnsw import HNSW
from teltheory.systems.rag.indexes import IVF, FlatL2, Index, build
from teltheory.systems.rag.popularity import asked_for, top_share
from teltheory.systems.rag.requests import settled
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.texts import XQUAD, read_stand_ins, read_xquad

DIMENSIONS = (64, 128, 239)
K, STAGES, REQUESTS, SYNTHETIC = 2, 8, 100_000, 10_000
INDEXES: dict[str, tuple[Index, ...]] = {
    "240 paragraphs": (IVF(16, 8, STAGES), HNSW(stages=STAGES)),
    "14,320 texts": (IVF(64, 32, STAGES), HNSW(stages=STAGES)),
    "10,000 synthetic": (IVF(64, 32, STAGES), HNSW(stages=STAGES)),
}
ZIPFS = (0, 0.6, 0.8, 1, 1.2, 1.5)
TOP = Fraction(3, 100)
READINGS = (("retrievals", "corpus"), ("requests", "corpus"), ("retrievals", "retrieved"))
"""What is counted, and what 3 % are of."""


def rng() -> np.random.Generator:
    """Return the generator of a table."""
    return np.random.default_rng(0)


def recall_rows(data: Path) -> Iterator[list[str]]:
    """Yield, per dimension, how often a question's own paragraph is the first found, and among the first five."""
    for dimensions in DIMENSIONS:
        corpus, questions = corpus_of(*read_xquad(data / XQUAD), rng(), dimensions=dimensions)
        found, _ = build(FlatL2(), corpus.vectors).search(questions.vectors, 5)
        own = found == np.asarray(questions.about)[:, np.newaxis]
        yield [str(dimensions), percent(own[:, 0].mean()), percent(own.any(axis=1).mean())]


def stage_rows(name: str, corpus: Corpus, questions: Queries) -> Iterator[list[str]]:
    """Yield, per index, answers that Faiss's own search lacks, recall, and after which stage the answer stands."""
    truth, _ = build(FlatL2(), corpus.vectors).search(questions.vectors, K)
    for index in INDEXES[name]:
        built = build(index, corpus.vectors)
        found, whole = built.staged(questions.vectors, K).documents, built.search(questions.vectors, K)[0]
        others = np.count_nonzero((found[:, -1] != whole).any(axis=1))
        hits = (found[:, -1, :, np.newaxis] == truth[:, np.newaxis]).any(axis=2).mean()
        after = np.cumsum(np.bincount(settled(found), minlength=STAGES + 1))[1:] / len(found)
        yield [f"{index.name}, {name}", f"{others} of {len(found):,}", percent(hits), *map(percent, after)]


def top_rows(name: str, corpus: Corpus, questions: Queries) -> Iterator[list[str]]:
    """Yield, per thing that has a rank and per reading, the share of the top 3 % of the documents at each skew."""
    answers, _ = build(FlatL2(), corpus.vectors).search(questions.vectors, K)
    for by in ("queries", "documents"):
        asked = [asked_for(len(questions), questions.about, by, zipf, REQUESTS, rng()) for zipf in ZIPFS]
        for counted, among in READINGS:
            shares = (top_share(answers[of], len(corpus), TOP, counted, among) for of in asked)
            yield [name, by, counted, among, *(percent(float(share)) for share in shares)]


def percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{share:.0%}".replace("%", " %")


def lines(folder: str) -> Iterator[str]:
    """Yield the three tables."""
    data = Path(folder)
    paragraphs, texts = corpus_of(*read_xquad(data / XQUAD), rng()), corpus_of(*read_stand_ins(data), rng())
    drawn = synthetic_corpus(SYNTHETIC, SYNTHETIC, rng())
    for corpus, questions in (paragraphs, texts, drawn):
        yield f"- {corpus.note}; {questions.note}".replace("; ", "\n  ")
    yield "\nXQuAD: questions whose own paragraph is found\n"
    yield from markdown(("dimensions", "first", "among five"), recall_rows(data), "rrr")
    yield f"\nThe final answer, {K} documents, stands after so many of {STAGES} stages; recall against FlatL2\n"
    stages = (
        row
        for name, found in zip(INDEXES, (paragraphs, texts, drawn), strict=True)
        for row in stage_rows(name, *found)
    )
    columns = ("index", "unlike Faiss", "recall", *range(1, STAGES + 1))
    yield from markdown(columns, stages, "l" + "r" * (STAGES + 2))
    yield f"\nShare of the top 3 % of the documents, {K} documents per request, by Zipf parameter\n"
    rows = [*top_rows("240 paragraphs", *paragraphs), *top_rows("10,000 synthetic", *drawn)]
    yield from markdown(("documents", "ranks of", "counted", "3 % of", *ZIPFS), rows, "llll" + "r" * len(ZIPFS))


if __name__ == "__main__":
    run(lines, __doc__)
