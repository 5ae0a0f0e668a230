"""Columns of a file with the place of each row, so that an error can name file, line and field."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO, TypeVar

import numpy as np

from teltheory.errors import FileError
from teltheory.trace import COLUMNS

_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_ID = re.compile(r"-?(0|[1-9][0-9]{0,4000})")
_SHOWN = 60

R = TypeVar("R")


def opened(read: Callable[[Path], R], file: Path, expected: str) -> R:
    """Read a file; where it can't be read, a `FileError` says why and what was expected."""
    if file.is_dir():
        raise FileError(f"{file}: found a folder, expected {expected}")
    with reported(file, expected):
        return read(file)


def opened_text(path: Path) -> TextIO:
    """Open a text file in UTF-8, compressed or not."""
    ending = path.suffix.lower()
    if ending == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")
    if ending == ".zst":
        import pyarrow as pa

        return io.TextIOWrapper(pa.input_stream(str(path), compression="zstd"), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


@contextmanager
def reported(file: Path, expected: str) -> Iterator[None]:
    """Say in one line, as a `FileError`, why a file can't be read and what was expected."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(f"{file}: found no such file, expected {expected}") from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start : error.start + 1]
        raise FileError(f"{file}: found byte {byte!r}, expected text in UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise FileError(f"{file}: {reason}, expected a file that can be read") from None


@dataclass(frozen=True)
class Rows:
    """Columns of a file.

    Attributes
    ----------
    path : Path
        The file.
    columns : mapping of str to sequence
        Values by field, None where a row has none.
    numbers : sequence of int
        Number of each row in the file, counted from 1.
    unit : str
        What the numbers count: "line" or "row".
    """

    path: Path
    columns: Mapping[str, Sequence[Any]]
    numbers: Sequence[int]
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.numbers)

    def fail(self, row: int | None, field: str, found: object, expected: str) -> NoReturn:
        """Raise a `FileError` at a row (counted from 0; None for the whole file)."""
        where = "" if row is None else f", {self.unit} {self.numbers[row]}"
        raise FileError(f"{self.path}{where}, {field}: found {shortened(found)}, expected {expected}")

    def column(self, field: str) -> Sequence[Any]:
        """Return a field of every row; a row without it is an error."""
        values = self.columns.get(field)
        if values is None:
            self.fail(0 if len(self) else None, field, "nothing", "a value in every row")
        if not isinstance(values, np.ndarray):
            for row, value in enumerate(values):
                if value is None:
                    self.fail(row, field, "nothing", "a value in every row")
        return values

    def whole_column(self, field: str) -> Sequence[int]:
        """Return a field of every row as whole numbers, 0 or more."""
        values = self.column(field)
        for row, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                self.fail(row, field, value, "a whole number, 0 or more")
        return values


def shortened(found: object) -> str:
    """Return what was found, as an error shows it."""
    text = "nothing" if found == "nothing" else repr(found)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def csv_rows(path: Path) -> Rows:
    """Read a CSV file with a header; columns of whole numbers become ints, other numbers floats."""
    with opened_text(path) as file:
        reader = csv.reader(file, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            numbered = [(reader.line_num, cells) for cells in reader if cells]
        except csv.Error as error:
            raise FileError(f"{path}, line {reader.line_num}, row: {error}, expected CSV") from None
    for name in header:
        if header.count(name) > 1:
            raise FileError(f"{path}, line 1, header: found {name!r} twice, expected each column once")
    for number, cells in numbered:
        if len(cells) != len(header):
            expected = f"{len(header)}, as in the header"
            raise FileError(f"{path}, line {number}, row: found {len(cells)} values, expected {expected}")
    columns = {
        name: _csv_column(name, [cells[i].strip() for _, cells in numbered]) for i, name in enumerate(header)
    }
    return Rows(path, columns, [number for number, _ in numbered])


def _csv_column(name: str, cells: list[str]) -> list[Any]:
    if name == "conversation" and not all(map(is_csv_number, cells)):
        return [cell or None for cell in cells]
    return [_csv_value(cell) for cell in cells]


def is_csv_number(cell: str) -> bool:
    """Whether the conversations of a CSV file are numbers where all its cells are such."""
    return _ID.fullmatch(cell) is not None


def _csv_value(cell: str) -> int | float | str | None:
    if _INTEGER.fullmatch(cell):
        return int(cell)
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def json_rows(path: Path) -> Rows:
    """Read a file of one JSON object a line; empty lines are skipped, and an empty file has no rows."""
    with opened_text(path) as file:
        numbered = list(json_lines(path, file))
    fields = dict.fromkeys(field for _, row in numbered for field in row) or COLUMNS[:3]
    columns = {field: [row.get(field) for _, row in numbered] for field in fields}
    return Rows(path, columns, [number for number, _ in numbered])


def json_lines(path: Path, lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON object of each line of a file with the line's number; empty lines are skipped."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "a value out of bounds"
            raise FileError(f"{path}, line {number}, row: {reason}, expected a JSON object") from None
        if not isinstance(row, dict):
            found = shortened(line.strip())
            raise FileError(f"{path}, line {number}, row: found {found}, expected a JSON object")
        yield number, row


def parquet_rows(path: Path) -> Rows:
    """Read a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        columns = {name: _parquet_column(name, table.column(name)) for name in table.column_names}
    except (pa.ArrowException, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise FileError(f"{path}: {reason}, expected a Parquet file that can be read") from None
    return Rows(path, columns, range(1, table.num_rows + 1), "row")


def _parquet_column(name: str, column: Any) -> Any:
    """Return a column's values: an array where it is one of a trace's and plain numbers, else a list."""
    import pyarrow as pa

    plain = name in COLUMNS and column.type in (pa.int64(), pa.float64()) and not column.null_count
    return column.to_numpy() if plain else column.to_pylist()
