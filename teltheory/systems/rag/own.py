"""A user's own documents and questions: a folder of texts, or records in JSON Lines, JSON, CSV or Parquet.

1. A folder with `.txt` or `.md` files: each is a document, named as its file. Questions are its lines.
2. Records have `text`, `tokens` or both, and may have an `id`; left out, records are numbered from 0. Questions
   may say which document they are `about`, by its id. A `vector` is read by `teltheory.systems.rag.arrays`. Any
   other field is an error, so that a misspelt one is not lost unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from teltheory.base.input_files import read_bytes, reported
from teltheory.errors import FileError
from teltheory.formats.records import KINDS, Record, kind_of, records_of, shards
from teltheory.model.display import counted
from teltheory.systems.rag.entries import Entries

T = TypeVar("T")
FIELDS = ("id", "text", "tokens", "about", "vector")
TEXTS = (".txt", ".md")


def read_documents(path: str | Path) -> Entries:
    """Read documents from a folder or a file.

    Raises
    ------
    FileError
        If there is none, or one is malformed; the error names file, line and field.
    """
    found = Path(path)
    with reported(found, "documents"):
        texts = sorted(f for f in found.iterdir() if f.suffix in TEXTS) if found.is_dir() else []
    entries = _texts(texts) if texts else _entries(found, "documents")
    if not len(entries):
        raise FileError(f"{found}: found no document, expected 1 or more")
    if entries.about is not None:
        raise FileError(f"{found}: found the field about, expected it of questions alone")
    return entries


def read_questions(path: str | Path) -> Entries:
    """Read questions from a file of records, or a folder of such, or a text with one a line.

    Errors are those of `read_documents`.
    """
    found = Path(path)
    if found.suffix in TEXTS:
        with reported(found, "questions"):
            lines = read_bytes(found, "questions").decode("utf-8-sig").splitlines()
        entries = text_questions([line for line in lines if line.strip()], found.name)
    else:
        entries = _entries(found, "questions")
    if not len(entries):
        raise FileError(f"{path}: found no question, expected 1 or more")
    return entries


def text_questions(texts: Sequence[str], source: str) -> Entries:
    """Return texts as questions."""
    names = tuple(map(str, range(len(texts))))
    return Entries(
        names, tuple(text.strip() for text in texts), note=f"{counted(len(texts), 'question')} of {source}"
    )


def _texts(files: list[Path]) -> Entries:
    """Return each file as a document."""
    texts = []
    for file in files:
        with reported(file, "a text"):
            texts.append(read_bytes(file, "a text").decode("utf-8-sig"))
    names = tuple(file.name for file in files)
    return Entries(names, tuple(texts), note=f"{len(files):,} files of {files[0].parent.name}")


def _entries(path: Path, what: str) -> Entries:
    """Read records; a field is there in all of them or in none."""
    records: list[Record] = []
    with reported(path, what):
        path.stat()
    for file in shards(path):
        kind = kind_of(file)
        if kind is None:
            expected = f"{what} in a file that ends in {', '.join(KINDS)}"
            raise FileError(f"{file}: found a name that ends in {file.suffix!r}, expected {expected}")
        records += records_of(file, kind)
    fields = {name for record in records for name in record.fields if record.get(name) is not None}
    for record in records:
        _check(record, fields)
    given = {name: _column(records, name, read) for name, read in READERS.items() if name in fields}
    names = given.pop("id", tuple(map(str, range(len(records)))))
    texts, tokens, about = (given.get(name) for name in ("text", "tokens", "about"))
    return Entries(names, texts, tokens, about, f"{len(records):,} {what} of {path.name}")  # type: ignore[arg-type]


def _check(record: Record, fields: set[str]) -> None:
    for name in record.fields:
        if name not in FIELDS:
            record.fail(name, record.fields[name], f"no field but {', '.join(FIELDS)}")
    if not fields & {"text", "tokens"}:
        record.fail("text", "nothing", "a text, or tokens")


def _column(records: list[Record], name: str, read: Callable[[Record, str], T]) -> tuple[T, ...]:
    return tuple(read(record, name) for record in records)


def _text(record: Record, name: str) -> str:
    value = record.needed(name)
    return value if isinstance(value, str) else record.fail(name, value, "a text")


def _name(record: Record, name: str) -> str:
    value: Any = record.needed(name)
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        record.fail(name, value, "a text or a whole number")
    return str(value)


READERS: dict[str, Callable[[Record, str], object]] = {
    "id": _name,
    "text": _text,
    "tokens": Record.whole,
    "about": _name,
}
"""How each field is read."""
