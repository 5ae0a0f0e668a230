"""Public texts in the data folder, read as documents and questions.

XQuAD (SQuAD's form) has both: paragraphs of Wikipedia, and questions about them. NQ-open has questions alone, MMLU
examination questions alone, and nobody's documents: they stand in for a larger index and longer searches. Who asks
for which document can't be learnt from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from teltheory.base.input_files import read_json
from teltheory.errors import FileError, shown
from teltheory.formats.records import records_of
from teltheory.systems.rag.entries import Entries

XQUAD, NQ_OPEN, MMLU = "xquad_en.json", "nq_open_dev.jsonl", "mmlu_test_questions.csv"
STANDING_IN = "standing in for the size of an index and the stages of a search, not for who asks for what"


def read_xquad(file: str | Path) -> tuple[Entries, Entries]:
    """Read a file in SQuAD's form: its paragraphs, named "title/number", and the questions about each.

    Raises
    ------
    FileError
        If it is no such file; the error names article, paragraph and field.
    """
    path = Path(file)
    texts: dict[str, str] = {}
    asked: list[tuple[str, str]] = []
    for name, place, paragraph in _paragraphs(path):
        texts[name] = _text(path, place, paragraph, "context")
        questions = _listed(path, place, paragraph, "qas")
        asked += [(_text(path, f"{place}, question {i}", q, "question"), name) for i, q in enumerate(questions)]
    return (
        Entries(tuple(texts), tuple(texts.values()), note=f"{len(texts):,} paragraphs of {path.name}"),
        Entries(
            tuple(map(str, range(len(asked)))),
            tuple(question for question, _ in asked),
            about=tuple(name for _, name in asked),
            note=f"{len(asked):,} questions of {path.name}",
        ),
    )


def read_stand_ins(folder: str | Path) -> tuple[Entries, Entries]:
    """Read what the data folder has of texts: XQuAD's paragraphs and MMLU's questions as documents.

    The questions are XQuAD's and NQ-open's; which document they are about is left out, as only the former know.
    """
    paragraphs, questions = read_xquad(Path(folder, XQUAD))
    mmlu = [r.needed("question") for r in records_of(Path(folder, MMLU), "csv", frozenset({"question"}))]
    asked = [r.needed("question") for r in records_of(Path(folder, NQ_OPEN), "jsonl")]
    texts, every = (*(paragraphs.texts or ()), *mmlu), (*(questions.texts or ()), *asked)
    names = (*paragraphs.names, *(f"mmlu/{i}" for i in range(len(mmlu))))
    note = f"{len(texts):,} texts of {XQUAD} and {MMLU}, {STANDING_IN}"
    return (
        Entries(names, texts, note=note),
        Entries(tuple(map(str, range(len(every)))), every, note=f"{len(every):,} questions of {XQUAD}, {NQ_OPEN}"),
    )


def _paragraphs(path: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield the name of each paragraph, its place in the file, and what stands there."""
    whole = read_json(path, "questions in SQuAD's form")
    for a, article in enumerate(_listed(path, "the object", whole, "data")):
        place = f"article {a}"
        title = _text(path, place, article, "title")
        for p, paragraph in enumerate(_listed(path, place, article, "paragraphs")):
            yield f"{title}/{p}", f"{place}, paragraph {p}", paragraph


def _field(path: Path, place: str, value: Any, name: str) -> Any:
    if not isinstance(value, Mapping):
        _fail(path, place, value, f"an object with the field {name}")
    return value.get(name)


def _listed(path: Path, place: str, value: Any, name: str) -> list[Any]:
    found = _field(path, place, value, name)
    return found if isinstance(found, list) else _fail(path, f"{place}, {name}", found, "a list")


def _text(path: Path, place: str, value: Any, name: str) -> str:
    found = _field(path, place, value, name)
    return found if isinstance(found, str) else _fail(path, f"{place}, {name}", found, "text")


def _fail(path: Path, place: str, found: object, expected: str) -> NoReturn:
    raise FileError(f"{path}, {place}: found {shown(found, 60)}, expected {expected}")
