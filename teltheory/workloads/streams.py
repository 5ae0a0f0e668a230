"""Records of a file, one at a time: JSON lines, an array of JSON objects, CSV or Parquet; or of a folder.

A record knows its place, so that an error names file, line, row or element. Text files may be compressed: `.gz`
or `.zst` after the name. No more than one record of a text file, and one small batch of a Parquet file, is in
memory.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from teltheory.errors import FileError
from teltheory.input_files import check_file, reported
from teltheory.workloads.parquet import check_size, leaves_of, opened_parquet, rows_at_once
from teltheory.workloads.rows import LONGEST, csv_lines, json_lines, shortened
from teltheory.workloads.texts import COMPRESSED, Text, opened_text

CHUNK = 1 << 18
BATCH = 64
_SPACE = re.compile(r"[ \t\r\n]*")
_DIGITS = re.compile(r"[0-9]{1,19}")
_LISTS = frozenset({"list", "element", "item", "bag", "array", "array_element"})


@dataclass(frozen=True)
class Record:
    """One object of a file.

    Attributes
    ----------
    path : Path
        The file.
    place : str
        "line 3", "row 3" or "element 3", counted from 1.
    fields : mapping of str to object
        What it holds.
    typed : bool
        False where every value is a text, as in CSV.
    """

    path: Path
    place: str
    fields: Mapping[str, Any]
    typed: bool = True

    def fail(self, name: str, found: object, expected: str) -> NoReturn:
        """Raise a `FileError` about a field of this record."""
        raise FileError(f"{self.path}, {self.place}, {name}: found {shortened(found)}, expected {expected}")

    def get(self, name: str) -> Any:
        """Return a field, None where it is missing."""
        return self.fields.get(name)

    def needed(self, name: str) -> Any:
        """Return a field; one that is missing or null is an error."""
        value = self.fields.get(name)
        if value is None:
            self.fail(name, "nothing", "a value in every record")
        return value

    def whole(self, name: str) -> int:
        """Return a field that must be a whole number, 0 or more."""
        value = self.needed(name)
        if not self.typed and _DIGITS.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LONGEST:
            self.fail(name, value, "a whole number from 0 to 2**62")
        return value

    def number(self, name: str, what: str) -> float:
        """Return a field that must be a finite number."""
        value = self.needed(name)
        try:
            wrong = isinstance(value, bool) or (self.typed and isinstance(value, str))
            number = math.nan if wrong else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            self.fail(name, value, what)
        return number


@dataclass(frozen=True)
class Stream:
    """The records of one file.

    Attributes
    ----------
    path : Path
        The file.
    kind : str
        "csv", "jsonl", "json" (an array) or "parquet".
    """

    path: Path
    kind: str
    wanted: frozenset[str] = field(default=frozenset(), repr=False)

    def __iter__(self) -> Iterator[Record]:
        read: Callable[[Path], Iterator[Record]] = {
            "csv": _csv_records,
            "jsonl": _line_records,
            "json": _array_records,
            "parquet": lambda path: _parquet_records(path, self.wanted),
        }[self.kind]
        check_file(self.path, "a trace")
        with reported(self.path, "a trace"):
            yield from read(self.path)

    def fields(self) -> Mapping[str, Any]:
        """Return the fields of the first record, or of what a header names."""
        check_file(self.path, "a trace")
        if self.kind == "parquet":
            return parquet_fields(self.path)
        if self.kind == "csv":
            with reported(self.path, "a trace"), opened_text(self.path) as text:
                return dict.fromkeys(name.strip() for name in next(text.lines(), "").split(","))
        return next((record.fields for record in self), {})


KINDS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet"}


def kind_of(path: Path) -> str | None:
    """Return what a file's name says it is, None where it says nothing."""
    name = path.name.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    kind = KINDS.get(Path(name).suffix)
    return None if kind == "parquet" and name != path.name.lower() else kind


def shards(path: Path) -> list[Path]:
    """Return the file itself, or the files of a folder in the order of their names, all of one kind."""
    with reported(path, "a trace"):
        if not path.is_dir():
            return [path]
        files = sorted(file for file in path.iterdir() if kind_of(file) is not None and not file.is_dir())
    if not files:
        raise FileError(f"{path}: found a folder without a file that ends in {', '.join(KINDS)}, expected a trace")
    kinds = {kind_of(file) for file in files}
    if len(kinds) > 1:
        raise FileError(f"{path}: found files of several kinds, {_named(kinds)}, expected shards of one kind")
    return files


def _named(kinds: Iterable[str | None]) -> str:
    return ", ".join(sorted(str(kind) for kind in kinds))


def _line_records(path: Path) -> Iterator[Record]:
    with opened_text(path) as text:
        for number, row in json_lines(path, text.lines()):
            yield Record(path, f"line {number}", row)


def _csv_records(path: Path) -> Iterator[Record]:
    with opened_text(path) as text:
        header: list[str] | None = None
        for number, cells in csv_lines(text):
            if header is None:
                header = [name.strip() for name in cells]
                continue
            if len(cells) != len(header):
                expected = f"{len(header)} values, as in the header"
                raise FileError(f"{path}, line {number}, row: found {len(cells)} values, expected {expected}")
            yield Record(path, f"line {number}", dict(zip(header, cells, strict=True)), typed=False)


def _parquet_records(path: Path, wanted: frozenset[str]) -> Iterator[Record]:
    with opened_parquet(path) as file:
        chosen = [leaf for leaf in leaves_of(file) if not wanted or set(leaf.split(".")) <= wanted | _LISTS]
        check_size(path, file, chosen)
        number = 0
        batches = rows_at_once(file.metadata, BATCH)
        for batch in file.iter_batches(batches, columns=chosen or None, use_threads=False):
            batch.validate(full=True)
            for row in batch.to_pylist():
                number += 1
                yield Record(path, f"row {number}", row)


def parquet_fields(path: Path) -> dict[str, Any]:
    """Return the top-level columns of a Parquet file, each with whether it is a list."""
    import pyarrow as pa

    with reported(path, "a trace"), opened_parquet(path) as file:
        return {field.name: [] if pa.types.is_nested(field.type) else 0 for field in file.schema_arrow}


def _array_records(path: Path) -> Iterator[Record]:
    """Yield the objects of a JSON array, reading no further than the one at hand needs."""
    with opened_text(path) as text:
        window = _Window(path, text)
        window.open_array()
        number = 0
        while window.more(number):
            number += 1
            value = window.value(number)
            if not isinstance(value, dict):
                found = shortened(value)
                raise FileError(f"{path}, element {number}: found {found}, expected a JSON object")
            yield Record(path, f"element {number}", value)


class _Window:
    """The part of a file that is being parsed."""

    def __init__(self, path: Path, file: Text) -> None:
        self.path, self.file = path, file
        self.text, self.at, self.ended, self.lines = "", 0, False, 1
        self.decoder = json.JSONDecoder()

    def _read(self) -> None:
        self.lines += self.text.count("\n", 0, self.at)
        new = self.file.read(max(CHUNK, len(self.text) - self.at))
        self.ended = not new
        self.text, self.at = self.text[self.at :] + new, 0

    def _next(self) -> str:
        """Return the next character that is no space, "" at the end of the file."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended:
                return ""
            self._read()

    def _fail(self, number: int, found: str, expected: str) -> NoReturn:
        line = self.lines + self.text.count("\n", 0, self.at)
        place = f"line {line}" if number == 0 else f"element {number} (line {line})"
        raise FileError(f"{self.path}, {place}: found {found}, expected {expected}")

    def _shown(self) -> str:
        return repr(self.text[self.at]) if self._next() else "the end of the file"

    def open_array(self) -> None:
        """Pass the bracket that opens the array."""
        if self._next() != "[":
            self._fail(0, self._shown(), "a JSON array: '['")
        self.at += 1

    def more(self, number: int) -> bool:
        """Pass what stands between elements; whether another one follows."""
        found = self._next()
        if found == "]":
            self.at += 1
            if self._next():
                self._fail(number, self._shown(), "the end of the file after the array")
            return False
        if number:
            if found != ",":
                self._fail(number, self._shown(), "',' or ']' after it")
            self.at += 1
            self._next()
        return True

    def value(self, number: int) -> Any:
        """Parse an element."""
        while True:
            try:
                value, self.at = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                if self.ended or self._is_wrong(error):
                    self._fail(number, f"no JSON ({error.msg})", "a JSON object")
                self.file.check_record(len(self.text) - self.at, f"element {number}")
                self._read()
            except (ValueError, RecursionError):
                self._fail(number, "a value out of bounds", "a JSON object")
            else:
                return value

    def _is_wrong(self, error: json.JSONDecodeError) -> bool:
        """Whether reading on can't make JSON of it: the fault stands well before the end of what was read."""
        return not error.msg.startswith("Unterminated string") and error.pos < len(self.text) - 16
