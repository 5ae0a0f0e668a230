"""Columns of a file with the place of each row, so that an error can name file, line and field."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np

from teltheory.errors import FileError, listed, shown
from teltheory.formats.opened import lines_of, opened_parquet, opened_text, values_of
from teltheory.model.hint_columns import EVENTS, SAID
from teltheory.model.trace import COLUMNS

_INTEGER = re.compile(r"[+-]?[0-9]{1,4000}")
_ID = re.compile(r"-?(0|[1-9][0-9]{0,4000})")
_SHOWN = 60
LONGEST = 2**62
WALK_COLUMNS = ("block_size", "below", "added", "asked", "computed", "tokens")
"""Of block hashes, in the toolkit's own format: see `teltheory.formats.walks`."""
OWN_COLUMNS = (*COLUMNS, *WALK_COLUMNS, *SAID)
TEXTS = ("agent", "parent_agent", "kind", "stop", EVENTS)


@dataclass(frozen=True)
class Rows:
    """Columns of a file, None if a row has no value, and the number of each row, counted from 1.

    `texts` says that the file tells no numbers from texts.
    """

    path: Path
    columns: Mapping[str, Sequence[Any]]
    numbers: Sequence[int]
    unit: str = "line"
    texts: bool = False

    def __len__(self) -> int:
        return len(self.numbers)

    def fail(self, row: int | None, field: str, found: object, expected: str) -> NoReturn:
        """Raise a `FileError` at a row (counted from 0; None for the whole file)."""
        where = "" if row is None else f", {self.unit} {self.numbers[row]}"
        raise FileError(f"{self.path}{where}, {listed([field])}: found {shortened(found)}, expected {expected}")

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


def shortened(found: object) -> str:
    """Return what was found, as an error shows it."""
    return "nothing" if type(found) is str and found == "nothing" else shown(found, _SHOWN)


def csv_rows(path: Path) -> Rows:
    """Read a CSV file with a header; columns of whole numbers become ints, other numbers floats."""
    with opened_text(path) as text:
        numbered = list(csv_lines(path, text))
    header = [name.strip() for name in numbered.pop(0)[1]] if numbered else []
    for name, count in Counter(header).items():
        if count > 1:
            raise FileError(f"{path}, line 1, header: found {shortened(name)} twice, expected each column once")
    columns = {
        name: _csv_column(name, [cells[i].strip() for _, cells in numbered]) for i, name in enumerate(header)
    }
    return Rows(path, columns, [number for number, _ in numbered], texts=True)


def csv_lines(path: Path, file: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of the header, and of every line that has some: as many as the header."""
    reader = csv.reader(lines_of(path, file), strict=True)
    width = None
    try:
        for cells in reader:
            if cells and width not in (None, len(cells)):
                found = f"found {len(cells)} values, expected {width}, as in the header"
                raise FileError(f"{path}, line {reader.line_num}, row: {found}")
            if cells or width is None:
                width = len(cells) if width is None else width
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileError(f"{path}, line {reader.line_num}, row: {error}, expected CSV") from None


def _csv_column(name: str, cells: list[str]) -> list[Any]:
    if name in TEXTS or (name == "conversation" and not all(map(is_csv_number, cells))):
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
    with opened_text(path) as text:
        numbered = list(json_lines(path, lines_of(path, text)))
    fields = dict.fromkeys(field for _, row in numbered for field in row) or COLUMNS[:3]
    columns = {field: [row.get(field) for _, row in numbered] for field in fields}
    return Rows(path, columns, [number for number, _ in numbered])


def json_lines(
    path: Path, lines: Iterable[str], listed: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON object of each line of a file with the line's number; empty lines are skipped.

    A line that is a list stands for an object with the fields `listed`, if there are some.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else "a value out of bounds"
            raise FileError(f"{path}, line {number}, row: {reason}, expected a JSON object") from None
        if listed and isinstance(row, list):
            row = dict(zip(listed, row, strict=False))
        if not isinstance(row, dict):
            found = shortened(line.strip())
            raise FileError(f"{path}, line {number}, row: found {found}, expected a JSON object")
        yield number, row


def parquet_rows(path: Path) -> Rows:
    """Read a Parquet file."""
    with opened_parquet(path) as file:
        columns = {name: _parquet_column(file, name) for name in file.schema_arrow.names}
        return Rows(path, columns, range(1, file.metadata.num_rows + 1), "row")


def table_rows(path: Path, table: Any) -> Rows:
    """Return the columns of a PyArrow table."""
    columns = {name: values_of(table.column(name)) for name in table.column_names}
    return Rows(path, columns, range(1, len(table) + 1), "row")


def _parquet_column(file: Any, name: str) -> Any:
    """Return a column's values with nothing of PyArrow's: an array if they are a trace's numbers, else a list.

    The array is not made by `to_numpy`, which loads pandas, for half a second.
    """
    import pyarrow as pa

    table = file.read(columns=[name], use_threads=False)
    table.validate(full=True)
    column = table.column(name)
    if name not in OWN_COLUMNS or column.type not in (pa.int64(), pa.float64()) or column.null_count:
        return values_of(column)
    return np.concatenate([np.empty(0, column.type.to_pandas_dtype()), *map(np.from_dlpack, column.chunks)])
