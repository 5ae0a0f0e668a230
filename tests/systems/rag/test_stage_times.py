import json

import numpy as np
import pytest
from refusals import refused

from teltheory.errors import ArgumentError, FileError
from teltheory.systems.rag.hnsw import HNSW
from teltheory.systems.rag.indexes import IVF, FlatL2, build, stage_seconds
from teltheory.systems.rag.requests import draw_workload
from teltheory.systems.rag.stage_times import measured, read_stage_times, write_stage_times
from teltheory.systems.rag.synthetic import synthetic_corpus

CORPUS, QUERIES = synthetic_corpus(400, 50, np.random.default_rng(0), dimensions=8, clusters=5)


@pytest.fixture(scope="module")
def times():
    return measured(build(IVF(10, 4, 2), CORPUS.vectors), QUERIES.vectors, 3, repeats=3)


def test_a_stage_lasts_until_its_list_is_there(monkeypatch):
    clock = iter([10.0, 12.0, 12.5, 16.0])
    monkeypatch.setattr("teltheory.systems.rag.indexes.perf_counter", lambda: next(clock))
    assert stage_seconds(iter([None] * 3), 2).tolist() == [1.0, 0.25, 1.75]


@pytest.mark.parametrize("index", [FlatL2(), IVF(10, 4, 2), HNSW(links=4, stages=5)])
def test_what_is_measured_is_what_is_read(tmp_path, index):
    built = build(index, CORPUS.vectors)
    found = measured(built, QUERIES.vectors, 3, repeats=2)
    assert (found.index, found.documents, found.dimension) == (index.name, 400, 8)
    assert (found.k, found.queries, found.repeats, found.factor) == (3, 50, 2, 1.0)
    assert len(found.seconds) == index.stages
    assert min(found.seconds) >= 0
    assert sum(found.seconds) > 0
    assert found.machine.endswith(", one thread")
    write_stage_times(found, tmp_path / "times.json")
    again = read_stage_times(tmp_path / "times.json")
    assert again == found
    again.check(built)


def test_a_workload_takes_its_times_from_the_file(times):
    built = build(IVF(10, 4, 2), CORPUS.vectors)
    options = {"k": 3, "rate": 1.0, "zipf": 1.0, "requests": 20}
    made = draw_workload(CORPUS, built, QUERIES, seconds=times, rng=np.random.default_rng(0), **options)
    assert (made.seconds == times.seconds).all()
    slower = times.scaled(100)
    made = draw_workload(CORPUS, built, QUERIES, seconds=slower, rng=np.random.default_rng(0), **options)
    assert np.allclose(made.seconds, 100 * np.array(times.seconds))
    assert (slower.factor, slower.scaled(2).factor) == (100, 200)


@pytest.mark.parametrize(
    ("index", "vectors", "message"),
    [
        (FlatL2(), CORPUS.vectors, "seconds, index: found 'IVF', expected 'FlatL2', as the index has"),
        (IVF(10, 5, 2), CORPUS.vectors, "seconds, parameters: found {'lists': 10, 'probe': 4"),
        (IVF(10, 4, 2), CORPUS.vectors[1:], "seconds, documents: found 400, expected 399"),
        (IVF(10, 4, 2), CORPUS.vectors[:, 1:], "seconds, dimension: found 8, expected 7"),
    ],
)
def test_times_of_another_index(times, index, vectors, message):
    refused(ArgumentError, message, lambda: times.check(build(index, vectors)))


def test_wrong_arguments_of_a_measurement(times):
    with pytest.raises(ArgumentError, match="repeats: found 0"):
        measured(build(FlatL2(), CORPUS.vectors), QUERIES.vectors, 3, repeats=0)
    refused(ArgumentError, "factor: found 0", times.scaled, 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"teltheory_stage_times": 2}, "expected stage times, an object with"),
        ({"seconds": []}, "seconds: found [], expected a list of seconds"),
        ({"seconds": [0.1, -1]}, "seconds[1]: found -1, expected seconds, 0 or more"),
        ({"seconds": [0.1, "x"]}, "seconds[1]: found 'x'"),
        ({"seconds": [float("nan")]}, "seconds[0]: found nan"),
        ({"parameters": {"lists": -4}}, "parameters: found {'lists': -4}"),
        ({"parameters": [4]}, "parameters: found [4]"),
        ({"documents": True}, "documents: found True, expected a whole number"),
        ({"factor": 0}, "factor: found 0, expected a number above 0"),
        ({"machine": None}, "machine: found None, expected a text"),
        ({"second": 1}, "second: found 1, expected no such field"),
    ],
)
def test_broken_files_of_times(tmp_path, times, change, message):
    file = tmp_path / "times.json"
    write_stage_times(times, file)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    refused(FileError, message, read_stage_times, file)


def test_files_that_hold_no_times(tmp_path):
    file = tmp_path / "times.json"
    for content in ("", "[]", "{", '{"teltheory_stage_times": 1}'):
        file.write_text(content)
        refused(FileError, "times.json", read_stage_times, file)
    refused(FileError, "no such file", lambda: read_stage_times(tmp_path / "none.json"))
