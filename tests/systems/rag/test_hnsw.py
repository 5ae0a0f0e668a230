import numpy as np
import pytest
from refusals import refusals

from teltheory.errors import ArgumentError
from teltheory.systems.rag.hnsw import FARTHEST, HNSW, walks
from teltheory.systems.rag.indexes import FlatL2, build, one_thread
from teltheory.systems.rag.vectors import checked_vectors


def drawn(documents, dimension=8, seed=0):
    return checked_vectors("drawn", np.random.default_rng(seed).standard_normal((documents, dimension)))


@pytest.fixture(scope="module")
def searched():
    """A graph with several levels, and 300 queries."""
    index = HNSW(links=4, effort=20, width=16, stages=6)
    return build(index, drawn(1500, 12)), drawn(300, 12, seed=1)


def recall(found, truth):
    return np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found.tolist(), truth.tolist(), strict=True)])


@pytest.mark.parametrize("k", [1, 5, 40])
def test_the_last_stage_is_the_search_of_faiss(searched, k):
    built, queries = searched
    assert built.searcher.graph.top >= 3
    staged, (documents, distances) = built.staged(queries, k), built.search(queries, k)
    assert staged.documents.shape == (300, 6, k)
    assert (staged.documents[:, -1] == documents).all()
    assert np.allclose(staged.distances[:, -1], distances, rtol=1e-5)


def test_the_walk_visits_as_many_nodes_as_faiss(searched):
    faiss = pytest.importorskip("faiss")
    built, queries = searched
    for query in queries[:200]:
        with one_thread():
            faiss.cvar.hnsw_stats.reset()
            built.searcher.faiss_index.search(query[np.newaxis], 3)
        ((above, log, _),) = walks(built.searcher.graph, query[np.newaxis], 16, 16)
        assert len(set(log.tolist())) == len(log)
        assert (above - 1) + (len(log) - 1) == faiss.cvar.hnsw_stats.ndis


def test_a_stage_has_the_nearest_of_the_nodes_visited_in_its_time(searched):
    built, queries = searched
    span = built.searcher.slice
    staged = built.staged(queries, 4)
    full = 0
    for query, (above, log, _) in enumerate(walks(built.searcher.graph, queries, 16, 16)):
        squares = ((built.vectors[log].astype(float) - queries[query]) ** 2).sum(axis=1)
        for stage in range(6):
            time = len(log) + above if stage == 5 else span * (stage + 1)
            known = [at for at in range(len(log)) if at + above <= time]
            nearest = [int(log[at]) for at in sorted(known, key=squares.__getitem__)[:4]]
            assert staged.documents[query, stage].tolist() == nearest + [-1] * (4 - len(nearest))
            full += len(nearest) == 4
    assert 0 < full < 1800


def test_before_the_bottom_level_nothing_is_found():
    built = build(HNSW(links=2, width=4, stages=4, slice=1), drawn(500))
    found = built.staged(drawn(20, seed=1), 2)
    assert (found.documents[:, 0] == -1).any()
    empty = found.documents < 0
    assert (found.distances[empty] == FARTHEST).all()
    assert not empty[:, -1].any()


def test_a_slice_is_the_mean_search_split(searched):
    built, _ = searched
    spans = [above + len(log) - 1 for above, log, _ in walks(built.searcher.graph, built.vectors[::12], 16, 16)]
    assert built.searcher.slice == round(np.mean(spans) / 6)
    assert build(HNSW(slice=7), drawn(50)).searcher.slice == 7


def test_recall_grows_with_the_width():
    vectors, queries = drawn(1000, 16), drawn(200, 16, seed=1)
    truth, _ = build(FlatL2(), vectors).search(queries, 5)
    few, many = (
        recall(build(HNSW(links=8, width=width), vectors).staged(queries, 5).documents[:, -1], truth)
        for width in (5, 200)
    )
    assert few < 0.9
    assert many > 0.99


def test_documents_at_nearly_the_same_distance_may_change_places():
    vectors = np.repeat(drawn(200), 5, axis=0) + 1e-7 * drawn(1000, seed=2)
    built = build(HNSW(), vectors)
    queries = drawn(300, seed=1)
    staged, (documents, distances) = built.staged(queries, 3), built.search(queries, 3)
    assert (staged.documents[:, -1] != documents).any()
    assert np.allclose(staged.distances[:, -1], distances, rtol=1e-4)


@pytest.mark.long
def test_how_often_texts_change_places(stand_ins):
    corpus, questions = stand_ins
    built = build(HNSW(), corpus.vectors)
    queries = questions.vectors
    staged, (documents, distances) = built.staged(queries, 2), built.search(queries, 2)
    differs = (staged.documents[:, -1] != documents).any(axis=1)
    assert differs.mean() < 0.02
    assert np.allclose(staged.distances[differs, -1], distances[differs], rtol=1e-5)


def test_a_corpus_of_one_document():
    built = build(HNSW(stages=3), np.ones((1, 4)))
    assert built.staged(np.zeros((2, 4)), 1).documents.tolist() == [[[0]] * 3] * 2


test_wrong_parameters_of_hnsw = refusals(
    ArgumentError,
    ("links: found 1, expected from 2 to 1,024", lambda: HNSW(links=1)),
    ("width: found 0, expected from 1 to", lambda: HNSW(width=0)),
    ("stages: found 0", lambda: HNSW(stages=0)),
    ("effort: found -1", lambda: HNSW(effort=-1)),
    ("slice: found -1", lambda: HNSW(slice=-1)),
    ("slice: found", lambda: HNSW(slice=2**31)),
)
