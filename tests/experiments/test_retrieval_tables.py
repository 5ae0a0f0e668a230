import json

import pytest

from experiments import retrieval, retrieval_speed
from teltheory.errors import ArgumentError
from teltheory.systems.rag.hnsw import HNSW
from teltheory.systems.rag.indexes import IVF, FlatL2

ANIMALS = ("cat", "dog", "bird", "fish", "horse", "cow")


@pytest.fixture
def data(tmp_path):
    """Texts that can be told apart, in the three forms."""
    paragraphs = [{"context": f"the {a} eats and the {a} sleeps", "qas": [{"question": f"{a}?"}]} for a in ANIMALS]
    whole = {"data": [{"title": "animals", "paragraphs": paragraphs}]}
    (tmp_path / "xquad_en.json").write_text(json.dumps(whole))
    (tmp_path / "nq_open_dev.jsonl").write_text('{"question": "who eats?", "answer": ["cat"]}\n')
    (tmp_path / "mmlu_test_questions.csv").write_text("subject,question\nx,what sleeps\nx,which dog\n")
    return tmp_path


def cells(lines, first):
    """The rows of the table whose heading begins with a word."""
    rows = [line.strip("| ").split(" | ") for text in lines for line in text.splitlines()]
    start = next(i for i, row in enumerate(rows) if row[0] == first and len(row) > 1)
    end = next((i for i in range(start, len(rows)) if len(rows[i]) == 1 and "---" not in rows[i][0]), len(rows))
    return rows[start + 2 : end]


@pytest.mark.long
def test_the_three_tables(data, monkeypatch):
    indexes = {"one": (IVF(2, 2, 2),), "two": (HNSW(stages=2),), "three": (FlatL2(),)}
    for name, value in {"DIMENSIONS": (3, 5), "INDEXES": indexes, "STAGES": 2, "ZIPFS": (0, 2)}.items():
        monkeypatch.setattr(retrieval, name, value)
    monkeypatch.setattr(retrieval, "SYNTHETIC", 50)
    monkeypatch.setattr(retrieval, "rng", lambda: retrieval.np.random.default_rng(0))
    original = retrieval.corpus_of
    monkeypatch.setattr(
        retrieval, "corpus_of", lambda *given, dimensions=3: original(*given, dimensions=dimensions)
    )
    printed = list(retrieval.lines(str(data)))
    assert [(row[0], row[2]) for row in cells(printed, "dimensions")] == [("3", "100 %"), ("5", "100 %")]
    stages = cells(printed, "index")
    assert [row[0] for row in stages] == ["IVF, one", "HNSW, two", "FlatL2, three"]
    assert stages[2][1:3] == ["0 of 50", "100 %"]
    assert {row[-1] for row in stages} == {"100 %"}
    shares = cells(printed, "documents")
    assert [row[1:4] for row in shares[2:4]] == [
        ["queries", "retrievals", "retrieved"],
        ["documents", "retrievals", "corpus"],
    ]
    assert len(shares) == 12
    assert "standing in for the size of an index" in "\n".join(printed)


def test_the_table_of_speed(monkeypatch):
    monkeypatch.setattr(retrieval_speed, "INDEXES", (FlatL2(), IVF(4, 2, 2), HNSW(stages=3)))
    monkeypatch.setattr(retrieval_speed, "QUERIES", 20)
    rows = cells(list(retrieval_speed.lines("100")), "index")
    assert [row[0] for row in rows] == ["FlatL2", "IVF", "HNSW"]
    assert [len(row[-1].split(", ")) for row in rows] == [1, 2, 3]
    assert rows[0][4] == rows[2][4] == "1.000"
    with pytest.raises(ArgumentError, match="DOCUMENTS: found 'many'"):
        next(retrieval_speed.lines("many"))
