"""Records of a file, one at a time: JSON lines, an array of JSON objects, CSV or Parquet; or of a folder.

A JSON file that is one object is one record; one that goes on after it is read as JSON lines. A file that ends in
.log is JSON lines or plain lines, as it begins.

A record knows its place, so that an error names file, line, row or element. Text files may be compressed: `.gz`
or `.zst` after the name. No more than one record of a text file, and one small batch of a Parquet file, is in
memory.
"""

from __future__ import annotations

import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np

from teltheory.base.input_files import check_file, reported
from teltheory.errors import FileError, listed
from teltheory.formats.opened import (
    COMPRESSED,
    LONGEST_LINE,
    lines_of,
    opened_parquet,
    opened_text,
    told_by_content,
)
from teltheory.formats.rows import LONGEST, csv_lines, json_lines, shortened
from teltheory.model.numbers import IntArray

BATCH, CHUNK = 64, 1 << 16
_SPACE = re.compile(r"[ \t\r\n]*")
_AFTER = re.compile(r"[ \t\r\n]*(?:,|(?=\]))")
_END = re.compile(r"[ \t\r\n]*\]")
_DIGITS = re.compile(r"[0-9]{1,19}")
_LISTS = frozenset({"list", "element", "item", "bag", "array", "array_element"})
KINDS = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json"}
KINDS |= {".parquet": "parquet", ".log": "log"}


@dataclass(frozen=True)
class Record:
    """One object of a file, at a place such as "line 3", counted from 1; unless `typed`, all values are texts."""

    path: Path
    place: str
    fields: Mapping[str, Any]
    typed: bool = True

    def fail(self, name: str, found: object, expected: str) -> NoReturn:
        """Raise a `FileError` about a field of this record."""
        raise FileError(
            f"{self.path}, {self.place}, {listed([name])}: found {shortened(found)}, expected {expected}"
        )

    def get(self, name: str) -> Any:
        """Return a field, None if it is missing; dots in a name go down into objects."""
        value = self.fields.get(name)
        return value if value is not None or "." not in name else below(self.fields, name)

    def needed(self, name: str) -> Any:
        """Return a field; one that is missing or null is an error."""
        value = self.get(name)
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

    def seconds(self, name: str) -> float:
        """Return a field of milliseconds in seconds, nan if it is missing."""
        return math.nan if self.get(name) is None else self.number(name, "a number of milliseconds") / 1000


def below(fields: Any, name: str) -> Any:
    """Return what a name with dots leads to in objects, None if it leads nowhere."""
    for part in name.split("."):
        if fields is None or not isinstance(fields, (dict, Mapping)):
            return None
        fields = fields.get(part)
    return fields


def records_of(path: Path, kind: str, wanted: frozenset[str] = frozenset()) -> Iterator[Record]:
    """Yield the records of one csv, jsonl, json or parquet file; of Parquet only the `wanted` fields, if any."""
    check_file(path, "a trace")
    with reported(path, "a trace"):
        if kind == "parquet":
            yield from _parquet_records(path, wanted)
        else:
            yield from _READERS[kind](path)


def in_session_order(
    records: Iterator[Record], keys: Iterable[tuple[Hashable, float]], places: array[int]
) -> Iterator[Record]:
    """Yield records so that those of each session come in the order of their times; a key has session and time.

    Those of one time, and those of a session with a time that is nan, stay in the order of the file. A record that
    comes too early is held back until those before it have come: no other is in memory. The place that each has in
    the file is added to `places`.
    """
    codes, ranks = _ranks(keys)
    due, held = Counter[int](), dict[tuple[int, int], tuple[int, Record]]()
    for place, (code, rank, record) in enumerate(zip(codes.tolist(), ranks.tolist(), records, strict=False)):
        held[code, rank] = place, record
        while here := held.pop((code, due[code]), None):
            due[code] += 1
            places.append(here[0])
            yield here[1]


def _ranks(keys: Iterable[tuple[Hashable, float]]) -> tuple[IntArray, IntArray]:
    """Return a number for the session of each record, and the record's place in it by time."""
    numbers, found, times = dict[Hashable, int](), array("q"), array("d")
    for session, time in keys:
        found.append(numbers.setdefault(session, len(numbers)))
        times.append(time)
    codes, seconds = np.array(found, np.int64), np.array(times, np.float64)
    seconds[np.isin(codes, codes[np.isnan(seconds)])] = 0
    order = np.lexsort((seconds, codes))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.searchsorted(codes[order], codes[order])
    return codes, ranks


def fields_of(path: Path, kind: str) -> Mapping[str, Any]:
    """Return the fields of the first record, or what a header names."""
    check_file(path, "a trace")
    if kind == "parquet":
        return _parquet_fields(path)
    if kind == "csv":
        with reported(path, "a trace"), opened_text(path) as text:
            return dict.fromkeys(name.strip() for name in next(csv_lines(path, text), (1, [""]))[1])
    return next((record.fields for record in records_of(path, kind)), {})


def kind_of(path: Path) -> str | None:
    """Return what a file's name says it is, None if it says nothing."""
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
        found = ", ".join(sorted(map(str, kinds)))
        raise FileError(f"{path}: found files of several kinds, {found}, expected shards of one kind")
    return files


def _parquet_fields(path: Path) -> dict[str, Any]:
    """Return the top-level columns of a Parquet file, each with whether it is a list."""
    import pyarrow as pa

    with reported(path, "a trace"), opened_parquet(path) as file:
        return {field.name: [] if pa.types.is_nested(field.type) else 0 for field in file.schema_arrow}


def _line_records(path: Path) -> Iterator[Record]:
    with opened_text(path) as text:
        for number, row in json_lines(path, lines_of(path, text)):
            yield Record(path, f"line {number}", row)


def _plain_lines(path: Path) -> Iterator[Record]:
    with opened_text(path) as text:
        for number, line in enumerate(lines_of(path, text), start=1):
            yield Record(path, f"line {number}", {"line": line})


def _array_records(path: Path) -> Iterator[Record]:
    """Yield the objects of a JSON array, reading no further than the current one needs."""
    with opened_text(path) as file:
        text = file.read(CHUNK).lstrip()
        if text.startswith("{"):
            if text.partition("\n")[2].strip() and told_by_content(path) == ".jsonl":
                yield from _line_records(path)
            else:
                yield Record(path, "the object", _whole_object(path, text + file.read(LONGEST_LINE)))
            return
        if not text.startswith("["):
            found = repr(text[0]) if text else "the end of the file"
            raise FileError(f"{path}, line 1: found {found}, expected a JSON array: '['")
        number, at = 0, 1
        while not _END.match(text, at):
            number += 1
            text, at, value = _element(path, file, text, at, number)
            if not isinstance(value, dict):
                found = shortened(value)
                raise FileError(f"{path}, element {number}: found {found}, expected a JSON object")
            yield Record(path, f"element {number}", value)
        rest = text[at:].strip() + file.read(CHUNK).strip()
        if rest != "]":
            found = shortened(rest)
            raise FileError(f"{path}, element {number}: found {found}, expected ']' at the end")


def _whole_object(path: Path, text: str) -> dict[str, Any]:
    if len(text) > LONGEST_LINE:
        raise FileError(f"{path}, the object: found more, expected at most {LONGEST_LINE:,} characters")
    try:
        value: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "a value out of bounds")
        raise FileError(f"{path}, the object: found no JSON ({reason}), expected a JSON object") from None
    return value


def _element(path: Path, file: TextIO, text: str, at: int, number: int) -> tuple[str, int, Any]:
    """Return the text in memory, the place after the next element and what follows it, and the element."""
    while True:
        try:
            value, end = json.JSONDecoder().raw_decode(text, _SPACE.match(text, at).end())  # type: ignore[union-attr]
            if after := _AFTER.match(text, end):
                return text, after.end(), value
            reason = "no ',' or ']' after it"
        except (ValueError, RecursionError) as error:
            reason = f"no JSON ({getattr(error, 'msg', 'a value out of bounds')})"
        more = file.read(max(CHUNK, len(text) - at))
        if not more or len(text) - at > LONGEST_LINE:
            raise FileError(f"{path}, element {number}: found {reason}, expected a JSON object")
        text, at = text[at:] + more, 0


def _csv_records(path: Path) -> Iterator[Record]:
    with opened_text(path) as text:
        lines = csv_lines(path, text)
        header = [name.strip() for name in next(lines, (1, []))[1]]
        for number, cells in lines:
            yield Record(path, f"line {number}", dict(zip(header, cells, strict=True)), typed=False)


def rows_of(path: Path, table: Any) -> Iterator[Record]:
    """Yield the rows of a PyArrow table."""
    number = 0
    for batch in table.to_batches(BATCH):
        for row in batch.to_pylist():
            number += 1
            yield Record(path, f"row {number}", row)


def _parquet_records(path: Path, wanted: frozenset[str]) -> Iterator[Record]:
    with opened_parquet(path) as file:
        schema = file.metadata.schema
        leaves = [schema.column(i).path for i in range(file.metadata.num_columns)]
        chosen = [leaf for leaf in leaves if not wanted or set(leaf.split(".")) <= wanted | _LISTS]
        number = 0
        for batch in file.iter_batches(BATCH, columns=chosen or None, use_threads=False):
            batch.validate(full=True)
            for row in batch.to_pylist():
                number += 1
                yield Record(path, f"row {number}", row)


_READERS = {"csv": _csv_records, "jsonl": _line_records, "json": _array_records, "log": _plain_lines}
