import json
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import refused

from teltheory.errors import ArgumentError, FileError
from teltheory.systems.rag.arrays import read_vectors
from teltheory.systems.rag.entries import corpus_of
from teltheory.systems.rag.own import read_documents, read_questions

VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)


def fvecs(rows):
    return b"".join(np.int32(len(row)).tobytes() + np.asarray(row, "<f4").tobytes() for row in rows)


def saved(path, array):
    np.save(path, array)
    return path.read_bytes()


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, np.int64, np.uint8, ">f4"])
def test_vectors_of_numpy(tmp_path, kind):
    for order in ("C", "F"):
        np.save(tmp_path / "v.npy", np.asarray(VECTORS.astype(kind), order=order))
        found = read_vectors(tmp_path / "v.npy")
        assert found.tolist() == VECTORS.tolist()
        assert found.dtype == np.float32


def test_vectors_of_faiss(tmp_path):
    (tmp_path / "v.fvecs").write_bytes(fvecs(VECTORS))
    assert read_vectors(tmp_path / "v.fvecs").tolist() == VECTORS.tolist()


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.float32()), pa.list_(pa.float64()), pa.large_list(pa.float32()), pa.list_(pa.float32(), 3)],
)
def test_vectors_of_parquet(tmp_path, kind):
    file = tmp_path / "v.parquet"
    parquet(file, vector=pa.array(VECTORS.tolist(), kind), id=["d", "c", "b", "a"])
    assert read_vectors(file).tolist() == VECTORS.tolist()
    assert read_vectors(file, ["a", "b", "c", "d"]).tolist() == VECTORS[::-1].tolist()
    parquet(file, vector=pa.array(VECTORS.tolist(), kind))
    assert read_vectors(file, ["a", "b", "c", "d"]).tolist() == VECTORS.tolist()


class Planted:
    def __reduce__(self):
        return (print, ("unpickled",))


def test_nothing_is_unpickled(tmp_path, capsys):
    file = tmp_path / "v.npy"
    np.save(file, np.array([Planted()], object), allow_pickle=True)
    refused(FileError, "v.npy: found", read_vectors, file)
    file.write_bytes(pickle.dumps(Planted()))
    refused(FileError, "another beginning, expected an array that NumPy saved", read_vectors, file)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.npy", lambda path: saved(path, VECTORS)[:-4], "v.npy: found mmap length is greater than file size"),
        ("v.npy", lambda path: saved(path, VECTORS)[:20], "v.npy: found"),
        (
            "v.npy",
            lambda path: saved(path, VECTORS)[:40].replace(b"descr", b"\xff\x00(((") + b" " * 88,
            "v.npy: found",
        ),
        ("v.npy", lambda path: saved(path, np.array(["a"])), "v.npy: found values of type <U1, expected numbers"),
        ("v.npy", lambda path: saved(path, VECTORS[0]), "v.npy, vectors: found 'shape (3,)'"),
        ("v.npy", lambda path: saved(path, VECTORS * np.nan), "v.npy, vectors, row 0, column 0: found nan"),
        ("v.npy", lambda path: saved(path, VECTORS[:3]), "v.npy, vectors: found '3 vectors', expected 4, one"),
        ("v.npy", lambda _: b"", "v.npy: found another beginning"),
        ("v.fvecs", lambda _: b"", "v.fvecs: found 0 bytes, expected a 32-bit dimension"),
        ("v.fvecs", lambda _: fvecs(VECTORS)[:-1], "v.fvecs: found 63 bytes"),
        ("v.fvecs", lambda _: fvecs(VECTORS)[:-4], "v.fvecs: found dimension 3 in 60 bytes"),
        ("v.fvecs", lambda _: np.int32([-1, 2]).tobytes(), "v.fvecs: found dimension -1 in 8 bytes"),
        ("v.fvecs", lambda _: fvecs(VECTORS[:2]) + fvecs([[1.0]]) * 2, "v.fvecs: found dimension 1 of vector 2,"),
        ("v.parquet", lambda _: b"PAR1 and no more", "v.parquet: "),
        ("v.csv", lambda _: b"1,2", "v.csv: found a name that ends in '.csv', expected vectors: .npy, .fvecs"),
    ],
)
def test_broken_files_of_vectors(tmp_path, name, content, message):
    file = tmp_path / name
    file.write_bytes(content(file))
    refused(FileError, message, read_vectors, file, ["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"vectors": [[1.0]] * 4}, "found columns ['vectors'], expected a column vector"),
        ({"vector": [1.0] * 4}, "found vector of type double, expected a list of numbers"),
        ({"vector": [[1.0], [1.0], None, [1.0]]}, "with gaps or texts"),
        ({"vector": [[1.0], [1.0], [None], [1.0]]}, "with gaps or texts"),
        ({"vector": [["x"]] * 4}, "with gaps or texts"),
        ({"vector": [[1.0], [1.0, 2.0], [1.0], [1.0]]}, "found dimension 2 in row 2, expected 1, as in row 1"),
        ({"vector": [[1.0]] * 4, "id": ["a", "b", "c", "c"]}, "found an id twice"),
        ({"vector": [[1.0]] * 4, "id": ["a", "b", "c", "x"]}, "found no vector of 'd'"),
        ({"vector": [[1.0]] * 5, "id": ["a", "b", "c", "d", "x"]}, "found the id 'x', expected ids of the"),
        ({"vector": [[1.0]] * 3}, "found '3 vectors', expected 4, one each"),
        ({"vector": pa.array([[]] * 4, pa.list_(pa.float32()))}, "found 'shape (4, 0)'"),
    ],
)
def test_parquet_that_has_no_vectors(tmp_path, columns, message):
    parquet(tmp_path / "v.parquet", **columns)
    refused(FileError, message, lambda: read_vectors(tmp_path / "v.parquet", ["a", "b", "c", "d"]))


def test_a_folder_of_texts(tmp_path):
    for name, text in (("b.txt", "two"), ("a.md", "one"), ("c.png", "no text")):
        (tmp_path / name).write_text(text)
    found = read_documents(tmp_path)
    assert (found.names, found.texts) == (("a.md", "b.txt"), ("one", "two"))
    assert found.tokens is None


def test_records_of_every_kind(tmp_path):
    rows = [{"id": "x", "text": "one two", "tokens": 5}, {"id": "y", "text": "three", "tokens": 2}]
    lines(tmp_path / "d.jsonl", *rows)
    (tmp_path / "d.csv").write_text('id,text,tokens\nx,"one two",5\ny,three,2\n')
    parquet(tmp_path / "d.parquet", id=["x", "y"], text=["one two", "three"], tokens=[5, 2])
    for kind in ("jsonl", "csv", "parquet"):
        found = read_documents(tmp_path / f"d.{kind}")
        assert (found.names, found.texts, found.tokens) == (("x", "y"), ("one two", "three"), (5, 2))


def test_documents_questions_and_vectors_become_a_corpus(tmp_path):
    documents = read_documents(lines(tmp_path / "d.jsonl", {"id": 7, "tokens": 900}, {"id": 8, "tokens": 20}))
    questions = read_questions(lines(tmp_path / "q.jsonl", {"about": 8, "tokens": 3}))
    np.save(tmp_path / "d.npy", VECTORS[:2])
    np.save(tmp_path / "q.npy", VECTORS[2:3])
    given = read_vectors(tmp_path / "d.npy", documents.names), read_vectors(tmp_path / "q.npy", questions.names)
    corpus, queries = corpus_of(documents, questions, np.random.default_rng(0), vectors=given)
    assert (corpus.names, corpus.length.tolist()) == (("7", "8"), [900, 20])
    assert (queries.about.tolist(), queries.length.tolist()) == ([1], [3])
    with pytest.raises(ArgumentError, match="length of '7': found 900, expected at most 800 tokens"):
        corpus_of(documents, questions, np.random.default_rng(0), vectors=given, longest=800)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a", "txt": "x"}], "line 1, txt: found 'x', expected no field but id, text, tokens"),
        ([{"id": "a"}], "line 1, text: found nothing, expected a text, or tokens"),
        ([{"text": "x", "tokens": -1}], "line 1, tokens: found -1, expected a whole number"),
        ([{"text": "x", "tokens": 1}, {"text": "x"}], "line 2, tokens: found nothing, expected a value in every"),
        ([{"text": 5}], "line 1, text: found 5, expected a text"),
        ([{"text": "x", "id": 1.5}], "line 1, id: found 1.5, expected a text or a whole number"),
        ([{"text": "x", "about": "y"}], "found the field about, expected it of questions alone"),
        ([], "found no document, expected 1 or more"),
    ],
)
def test_malformed_documents(tmp_path, rows, message):
    refused(FileError, message, lambda: read_documents(lines(tmp_path / "d.jsonl", *rows)))


def test_files_that_are_not_there_or_are_something_else(tmp_path):
    refused(FileError, "found no such file, expected documents", lambda: read_documents(tmp_path / "none.jsonl"))
    refused(FileError, "found no such file, expected questions", lambda: read_questions(tmp_path / "none.jsonl"))
    (tmp_path / "d.pdf").write_bytes(b"%PDF")
    refused(FileError, "found a name that ends in '.pdf'", lambda: read_documents(tmp_path / "d.pdf"))
    refused(FileError, "found a folder without a file", read_documents, tmp_path)
    (tmp_path / "d.txt").write_bytes(b"\xff\xfe")
    refused(FileError, "d.txt: found byte b'\\xff', expected text in UTF-8", read_documents, tmp_path)
    refused(FileError, "found no question", lambda: read_questions(lines(tmp_path / "q.jsonl")))


def test_questions_about_a_document_that_is_not_there(tmp_path):
    documents = read_documents(
        lines(tmp_path / "d.jsonl", {"id": "a", "text": "one two"}, {"id": "b", "text": "two three"})
    )
    questions = read_questions(lines(tmp_path / "q.jsonl", {"about": "c", "text": "x"}))
    with pytest.raises(ArgumentError, match="document: found 'c', expected the name of one of the 2 documents"):
        corpus_of(documents, questions, np.random.default_rng(0), dimensions=1)
