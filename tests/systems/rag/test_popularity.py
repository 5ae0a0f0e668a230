from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals

from teltheory.errors import ArgumentError
from teltheory.systems.rag.indexes import IVF, FlatL2, build
from teltheory.systems.rag.popularity import asked_for, poisson_arrivals, top_share, zipf_draws
from teltheory.systems.rag.requests import draw_workload
from teltheory.systems.rag.synthetic import synthetic_corpus


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("zipf", [0, 0.7, 1, 2.5])
def test_ranks_are_drawn_in_proportion_to_their_power(zipf):
    n, items = 200_000, 50
    often = np.sort(np.bincount(zipf_draws(items, zipf, n, rng()), minlength=items))[::-1]
    shares = np.arange(1.0, items + 1) ** -zipf
    expected = n * shares / shares.sum()
    slack = 5 * np.sqrt(expected) + (40 * np.sqrt(expected) if zipf == 0 else 0)
    assert (abs(often - expected) <= slack).all()


def test_which_item_has_which_rank_is_seeded():
    first = [np.bincount(zipf_draws(50, 3, 1000, rng(seed))).argmax() for seed in range(20)]
    assert len(set(first)) > 10
    assert (zipf_draws(50, 3, 1000, rng(4)) == zipf_draws(50, 3, 1000, rng(4))).all()


def test_arrivals_come_at_their_rate():
    arrival = poisson_arrivals(2.5, 100_000, rng())
    gaps = np.diff(arrival, prepend=0)
    assert abs(gaps.mean() - 0.4) < 5 * 0.4 / np.sqrt(100_000)
    assert abs(gaps.std() - 0.4) < 0.01


def test_questions_about_a_popular_document_are_equally_likely():
    about = np.array([0, 1, 1, 1, 2])
    asked = asked_for(5, about, "documents", 0, 60_000, rng())
    share = np.bincount(asked, minlength=5) / 60_000
    assert np.allclose(share, [1 / 3, 1 / 9, 1 / 9, 1 / 9, 1 / 3], atol=0.01)


def test_the_share_of_the_top_documents():
    answers = np.array([[0, 1], [0, 2], [0, -1], [3, 0]])
    assert top_share(answers, 100) == Fraction(6, 7)
    assert top_share(answers, 100, Fraction(1, 100)) == Fraction(4, 7)
    assert top_share(answers, 101, Fraction(1, 100)) == Fraction(5, 7)
    assert top_share(answers, 4, Fraction(1)) == 1
    assert top_share(answers, 100, counted="requests") == 1
    assert top_share(answers, 100, among="retrieved") == Fraction(4, 7)
    assert top_share(answers, 100, Fraction(1, 2), among="retrieved") == Fraction(5, 7)
    assert top_share(np.array([[0, 1], [1, 0], [2, 3], [0, -1]]), 4, Fraction(1, 4), "requests") == Fraction(3, 4)


@given(st.integers(1, 40), st.integers(1, 3), st.integers(1, 200), st.integers(0, 99), st.integers(0, 2**32))
def test_whatever_is_retrieved_the_top_has_its_share(requests, k, documents, percent, seed):
    answers = rng(seed).integers(documents, size=(requests, k))
    top = Fraction(percent + 1, 100)
    count = -(-documents * (percent + 1) // 100)
    assert top_share(answers, documents, top) >= min(1, Fraction(count, requests * k))


def test_a_workload_asks_for_what_its_index_finds():
    corpus, queries = synthetic_corpus(500, 200, rng(), dimensions=16, clusters=20, system=10)
    index = build(IVF(20, 10, 5), corpus.vectors)
    options = {"k": 3, "seconds": [0.01] * 5, "rate": 2.0, "zipf": 1.0, "requests": 300}
    made = draw_workload(corpus, index, queries, rng=rng(7), **options)
    again = draw_workload(corpus, index, queries, rng=rng(7), **options)
    for name in ("length", "found", "seconds", "question", "arrival"):
        assert (getattr(made, name) == getattr(again, name)).all()
    asked = asked_for(200, None, "queries", 1.0, 300, rng(7))
    assert (made.found[:, -1] == index.search(queries.vectors[asked], 3)[0]).all()
    assert (made.question == queries.length[asked]).all()
    assert (made.system, made.stages, len(made)) == (10, 5, 300)
    assert made.forest.total[0] == 10 + corpus.length[made.found[0, -1]].sum() + made.question[0]


def test_a_question_finds_the_synthetic_document_that_it_is_about():
    corpus, queries = synthetic_corpus(2000, 500, rng(), blur=0.1)
    found, _ = build(FlatL2(), corpus.vectors).search(queries.vectors, 1)
    assert (found[:, 0] == queries.about).mean() > 0.99
    assert "lengths: drawn from LogNormal(mean_length=1000.0, spread=0.5)" in corpus.note


def asking(**changes):
    corpus, queries = synthetic_corpus(20, 5, rng(), dimensions=4)
    options = {"k": 2, "seconds": [0.01], "rate": 1.0, "zipf": 1.0, "requests": 5, "rng": rng(), "by": "queries"}
    return draw_workload(corpus, build(FlatL2(), corpus.vectors), queries, **{**options, **changes})


test_wrong_arguments_of_requests = refusals(
    ArgumentError,
    ("rate: found 0, expected a finite number above 0", lambda: asking(rate=0)),
    ("rate: found -1.0", lambda: asking(rate=-1.0)),
    ("rate: found nan", lambda: asking(rate=float("nan"))),
    ("zipf: found -0.1, expected a finite number from 0", lambda: asking(zipf=-0.1)),
    ("k: found 21, expected from 1 to 20, the documents of the corpus", lambda: asking(k=21)),
    ("requests: found -1", lambda: asking(requests=-1)),
    ("by: found 'topics'", lambda: asking(by="topics")),
    ("seconds: found", lambda: asking(seconds=[-1.0])),
    ("by: found 'documents', expected \"queries\"", lambda: asked_for(5, None, "documents", 1, 5, rng())),
    ("items: found 0", lambda: zipf_draws(0, 1, 5, rng())),
    ("top: found '0'", lambda: top_share(np.array([[0]]), 5, Fraction(0))),
    ("answers: found 'no document'", lambda: top_share(np.array([[-1]]), 5)),
    ("counted: found 'tokens'", lambda: top_share(np.array([[1]]), 5, counted="tokens")),
    ("among: found 'asked'", lambda: top_share(np.array([[1]]), 5, among="asked")),
)
