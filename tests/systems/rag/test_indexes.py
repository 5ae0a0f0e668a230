import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals

from teltheory.errors import ArgumentError
from teltheory.systems.rag import indexes
from teltheory.systems.rag.indexes import IVF, FlatL2, build, merged, one_thread
from teltheory.systems.rag.requests import settled


def drawn(documents, dimension=8, seed=0):
    return np.random.default_rng(seed).standard_normal((documents, dimension)).astype(np.float32)


def plain_search(vectors, queries, k):
    """The nearest by squares of distances in float64, ties by number."""
    squares = ((queries[:, np.newaxis].astype(float) - vectors) ** 2).sum(axis=2)
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


def test_flat_search_is_the_nearest_by_arithmetic():
    vectors, queries = drawn(300), drawn(100, seed=1)
    found = build(FlatL2(), vectors).staged(queries, 5)
    assert found.documents.shape == (100, 1, 5)
    assert (found.documents[:, 0] == plain_search(vectors, queries, 5)).all()


@pytest.mark.parametrize("index", [IVF(64, 32, 8), IVF(16, 7, 3), IVF(4, 4, 1), IVF(1, 1, 1)])
def test_the_merged_stages_are_the_whole_search(index):
    equal_to_the_whole_search(build(index, drawn(2000)), drawn(2500, seed=1), 5)


@pytest.mark.long
def test_the_merged_stages_are_the_whole_search_of_texts(stand_ins):
    corpus, questions = stand_ins
    equal_to_the_whole_search(build(IVF(64, 32, 8), corpus.vectors), questions.vectors, 2)


def equal_to_the_whole_search(built, queries, k):
    staged = built.staged(queries, k)
    documents, distances = built.search(queries, k)
    assert staged.documents.shape == (len(queries), built.index.stages, k)
    assert (staged.distances[:, -1] == distances).all()
    assert (staged.documents[:, -1] == documents).all()


def test_a_stage_has_seen_the_nearest_lists_and_no_others():
    vectors, queries = drawn(400), drawn(50, seed=1)
    index = IVF(lists=10, probe=5, stages=5)
    built = build(index, vectors)
    with one_thread():
        near = built.searcher.faiss_index.quantizer.search(queries, 5)[1]
        member = built.searcher.faiss_index.quantizer.search(vectors, 1)[1][:, 0]
    staged = built.staged(queries, 400).documents
    for query in range(50):
        for stage in range(5):
            seen = set(np.flatnonzero(np.isin(member, near[query, : stage + 1])).tolist())
            found = staged[query, stage]
            assert set(found[found >= 0].tolist()) == seen
            assert (np.flatnonzero(found < 0) >= len(seen)).all()


def test_lists_that_hold_too_little_leave_places_empty():
    vectors = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8]], np.float32)
    built = build(IVF(lists=2, probe=1, stages=1), vectors)
    documents, _ = built.search(vectors[:1], 4)
    assert documents.tolist() == built.staged(vectors[:1], 4).documents[:, -1].tolist() == [[0, 1, -1, -1]]


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), unique_by=lambda pair: pair[1], max_size=12),
    st.data(),
)
def test_merged_lists_are_the_nearest_of_both(entries, data):
    k = data.draw(st.integers(1, 6))
    cut = data.draw(st.integers(0, len(entries)))

    def top(part):
        padded = sorted(part)[:k] + [(np.finfo(np.float32).max, -1)] * k
        distances, documents = zip(*padded[:k], strict=True)
        return np.array([distances], np.float32), np.array([documents], np.int64)

    found = merged(top(entries[:cut]), top(entries[cut:]))
    wanted = top(entries)
    assert found[0].tolist() == wanted[0].tolist()
    assert found[1].tolist() == wanted[1].tolist()


def test_documents_at_the_same_distance():
    vectors = np.repeat(drawn(20), 5, axis=0)
    built = build(IVF(5, 5, 5), vectors)
    queries = drawn(200, seed=1)
    staged, (_, distances) = built.staged(queries, 7), built.search(queries, 7)
    assert (staged.distances[:, -1] == distances).all()
    tied = staged.distances[:, :, 1:] == staged.distances[:, :, :-1]
    assert tied.any()
    assert (np.diff(staged.documents, axis=2)[tied] > 0).all()


def test_an_answer_depends_on_nothing_but_query_and_index():
    vectors, queries = drawn(500, 40), drawn(100, 40, seed=1)
    for index in (FlatL2(), IVF(8, 4, 2)):
        built, again = build(index, vectors), build(index, vectors)
        whole = built.staged(queries, 3)
        assert (again.staged(queries, 3).distances == whole.distances).all()
        for query in range(0, 100, 9):
            alone = built.staged(queries[query : query + 1], 3)
            assert (alone.documents[0] == whole.documents[query]).all()
            assert (alone.distances[0] == whole.distances[query]).all()


def test_faiss_gets_its_threads_back():
    faiss = pytest.importorskip("faiss")
    before = faiss.omp_get_max_threads(), faiss.cvar.distance_compute_blas_threshold
    with one_thread():
        assert (faiss.omp_get_max_threads(), faiss.cvar.distance_compute_blas_threshold) == (1, indexes.NO_BLAS)
    assert (faiss.omp_get_max_threads(), faiss.cvar.distance_compute_blas_threshold) == before


def test_the_seed_chooses_the_lists():
    vectors = drawn(300)
    first, second = (build(IVF(20, 1, 1, seed), vectors).search(vectors[:50] + 0.4, 3)[0] for seed in (0, 1))
    assert (first != second).any()


def test_after_how_many_stages_the_answer_stands():
    found = np.array([[[1], [1], [1]], [[2], [1], [1]], [[1], [2], [1]], [[1], [1], [2]]])
    assert settled(found).tolist() == [1, 2, 3, 3]
    assert settled(found[:, :1]).tolist() == [1] * 4


test_wrong_arguments = refusals(
    ArgumentError,
    ("lists: found 0, expected from 1 to", lambda: IVF(lists=0)),
    ("probe: found 5, expected from 1 to 4, the lists", lambda: IVF(lists=4, probe=5)),
    ("stages: found 3, expected from 1 to 2", lambda: IVF(lists=4, probe=2, stages=3)),
    ("seed: found", lambda: IVF(seed=2**31)),
    ("lists: found 64, expected at most 63, the documents", lambda: build(IVF(lists=64), drawn(63))),
    ("vectors: found 'no vector'", lambda: build(FlatL2(), np.empty((0, 4)))),
    ("k: found 10, expected from 1 to 9", lambda: build(FlatL2(), drawn(9)).staged(drawn(2), 10)),
    ("k: found 0", lambda: build(FlatL2(), drawn(9)).search(drawn(2), 0)),
    ("queries: found 'vectors of dimension 7'", lambda: build(FlatL2(), drawn(9)).search(drawn(2, 7), 1)),
    ("queries, row 0, column 0: found nan", lambda: build(FlatL2(), drawn(9)).search([[np.nan] * 8], 1)),
    ("vectors, row 0, column 0: found inf", lambda: build(FlatL2(), [[1e39]])),
    ("vectors: found 'list', expected rows of numbers", lambda: build(FlatL2(), [["a"]])),
    ("vectors: found 'shape (2,)'", lambda: build(FlatL2(), [1.0, 2.0])),
)
