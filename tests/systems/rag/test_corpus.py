import json
from fractions import Fraction

import numpy as np
import pytest
from refusals import refusals, refused

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError, FileError, TelTheoryError
from teltheory.systems.rag.corpus import Corpus, Queries
from teltheory.systems.rag.counts import Words, counted
from teltheory.systems.rag.entries import Entries, corpus_of
from teltheory.systems.rag.indexes import FlatL2, build
from teltheory.systems.rag.synthetic import synthetic_corpus
from teltheory.systems.rag.texts import read_xquad
from teltheory.systems.rag.vectors import TextVectors
from teltheory.workloads.laws import LogNormal, fixed

TEXTS = ("the cat sat on the mat", "a dog ran in the park", "birds sing at dawn", "the cat and the dog ran")


def rng():
    return np.random.default_rng(0)


def test_what_xquad_has_and_how_often_its_paragraph_is_found(paragraphs):
    corpus, questions = paragraphs
    assert (len(corpus), len(questions)) == (240, 1190)
    found, _ = build(FlatL2(), corpus.vectors).search(questions.vectors, 5)
    hit = found == questions.about[:, np.newaxis]
    assert 0.85 < hit[:, 0].mean() < 0.92
    assert 0.97 < hit.any(axis=1).mean() < 1
    assert np.allclose(np.linalg.norm(corpus.vectors, axis=1), 1, atol=1e-5)
    assert "240 paragraphs" in corpus.note
    assert "words × 4/3, an estimate" in corpus.note


def test_vectors_of_texts_repeat_and_know_no_other_words():
    first, second = (TextVectors.of(TEXTS, 2, rng()) for _ in range(2))
    assert (first(TEXTS) == second(TEXTS)).all()
    assert first(["zebra"]).tolist() == [[0, 0]]
    nearest, _ = build(FlatL2(), first(TEXTS)).search(first(["birds at dawn"]), 1)
    assert nearest.tolist() == [[2]]


def test_lengths_of_texts():
    assert Words()(["one two three four", ""]) == [6, 1]
    assert Words(Fraction(3, 2))(["one two three"]) == [5]
    assert counted(7, 2, None, rng())[0].tolist() == [7, 7]
    assert counted("characters/4", 2, ["12345", ""], rng())[0].tolist() == [2, 1]
    assert counted(fixed(0), 2, None, rng())[0].tolist() == [1, 1]
    size, said = counted(LogNormal(100.0, 0.5), 10_000, None, rng())
    assert abs(size.mean() - 100.5) < 3
    assert said == "lengths: drawn from LogNormal(mean_length=100.0, spread=0.5)"


def test_entries_become_a_corpus():
    documents = Entries(("a", "b", "c", "d"), TEXTS, (5, 6, 7, 8), note="pets")
    questions = Entries(("0", "1"), ("cat?", "dog?"), about=("a", "b"))
    corpus, queries = corpus_of(documents, questions, rng(), dimensions=2, system=9)
    assert corpus.length.tolist() == [5, 6, 7, 8]
    assert corpus.note == "pets; lengths: as the source has them; vectors: TF-IDF and SVD, 2 dimensions"
    assert (corpus.system, queries.about.tolist(), queries.length.tolist()) == (9, [0, 1], [2, 2])
    counted_anew, _ = corpus_of(documents, questions, rng(), dimensions=2, lengths=Words(Fraction(1)))
    assert counted_anew.length.tolist() == [6, 6, 4, 6]
    given, _ = corpus_of(documents, questions, rng(), vectors=(np.eye(4), np.eye(4)[:2]))
    assert given.vectors.tolist() == np.eye(4).tolist()


def test_without_the_extra_the_error_says_what_to_install():
    refused(TelTheoryError, "faiss_of_tomorrow is needed for `rag`: ", needed, "faiss_of_tomorrow.contrib", "rag")


def test_columns_are_closed_for_writing(paragraphs):
    corpus, questions = paragraphs
    for column in (corpus.length, corpus.vectors, questions.length, questions.vectors, questions.about):
        assert not column.flags.writeable


def corpus_with(**changes):
    return Corpus.of(**{"names": ["a", "b"], "length": [1, 2], "vectors": np.eye(2), **changes})


def queries_with(**changes):
    return Queries.of(**{"corpus": corpus_with(), "length": [1], "vectors": [[1.0, 0]], **changes})


test_wrong_arguments_of_a_corpus = refusals(
    ArgumentError,
    ("corpus: found 'no document'", lambda: corpus_with(names=[], length=[], vectors=np.empty((0, 2)))),
    ("names: found 'a', expected each name once, not 2 times", lambda: corpus_with(names=["a", "a"])),
    ("length of 'b': found 0, expected 1 token or more", lambda: corpus_with(length=[1, 0])),
    ("length of 'b': found -2, expected 0 tokens or more", lambda: corpus_with(length=[1, -2])),
    ("length of 'b': found 2.5, expected a whole number", lambda: corpus_with(length=[1, 2.5])),
    ("length: found '1 values', expected 2, one each", lambda: corpus_with(length=[1])),
    ("length of 'b': found 900, expected at most 800 tokens", lambda: corpus_with(length=[1, 900], longest=800)),
    ("texts: found '1 texts', expected 2, one a document", lambda: corpus_with(texts=["only one"])),
    ("vectors: found '3 vectors', expected 2, one each", lambda: corpus_with(vectors=np.eye(3))),
    ("vectors, row 1, column 0: found inf", lambda: corpus_with(vectors=[[0, 1], [np.inf, 0]])),
    ("system: found -1", lambda: corpus_with(system=-1)),
    ("document: found 'z', expected the name of one of the 2", lambda: corpus_with().numbers(["a", "z"])),
    ("queries: found 'vectors of dimension 3', expected 2, as", lambda: queries_with(vectors=[[1.0, 0, 0]])),
    ("queries: found 'no query'", lambda: queries_with(vectors=np.empty((0, 2)), length=[])),
    ("about, query 0: found 2, expected a document from 0 to 1", lambda: queries_with(about=[2])),
    ("texts: found '0 texts', expected 1, one a query", lambda: queries_with(texts=[])),
    ("factor: found '0', expected a fraction, above 0", lambda: Words(Fraction(0))),
    ("lengths: found Words(", lambda: counted(Words(), 2, None, rng())),
    ("texts: found '1 with 2 words', expected 2 texts and 2", lambda: TextVectors.of(["one text"], 1, rng())),
    ("dimensions: found 4, expected from 1 to 3", lambda: TextVectors.of(TEXTS, 4, rng())),
    ("texts: found '2 texts', expected documents that have words", lambda: TextVectors.of(["", "?"], 1, rng())),
    ("corpus: found 'no document'", lambda: corpus_of(Entries(()), Entries(()), rng())),
    ("vectors: found None", lambda: corpus_of(Entries(("a",), tokens=(1,)), Entries(("0",), tokens=(1,)), rng())),
    ("documents: found 0, expected 1 or more", lambda: synthetic_corpus(0, 5, rng())),
    ("documents: found", lambda: synthetic_corpus(2**40, 5, rng())),
    ("spread: found -1", lambda: synthetic_corpus(5, 5, rng(), spread=-1)),
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "line 1: found no JSON"),
        ([], "the object: found [], expected an object with the field data"),
        ({"data": 3}, "the object, data: found 3, expected a list"),
        ({"data": [{"title": 7}]}, "article 0, title: found 7, expected text"),
        ({"data": [{"title": "t", "paragraphs": [{}]}]}, "article 0, paragraph 0, context: found None"),
        (
            {"data": [{"title": "t", "paragraphs": [{"context": "c", "qas": [{}]}]}]},
            "article 0, paragraph 0, question 0, question: found None, expected text",
        ),
    ],
)
def test_files_that_are_not_in_squads_form(tmp_path, content, message):
    file = tmp_path / "texts.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    error = refused(FileError, message, read_xquad, file)
    assert str(error).startswith(str(file))
