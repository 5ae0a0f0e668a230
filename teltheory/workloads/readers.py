"""Readers of traces: one function a format, a dict names them.

The toolkit's own format is a CSV, JSON-lines or Parquet file with the columns conversation, prompt, response
and, optional, arrival and history. No other column is allowed, so that a misspelt one is not lost unnoticed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from teltheory.errors import ArgumentError, FileError, TraceError
from teltheory.instance import Initial, Instance
from teltheory.numbers import INT64_MAX
from teltheory.trace import COLUMNS, Trace
from teltheory.workloads.mooncake import Request, chain
from teltheory.workloads.rows import Rows, csv_rows, json_rows, opened, parquet_rows

OWN_FORMATS: dict[str, Callable[[Path], Rows]] = {
    ".csv": csv_rows,
    ".jsonl": json_rows,
    ".ndjson": json_rows,
    ".parquet": parquet_rows,
}


def data_folder() -> Path:
    """Return the folder of the real data: ``TELTHEORY_DATA``, or ``../shared/data``."""
    return Path(os.environ.get("TELTHEORY_DATA") or "../shared/data")


def read_trace(path: str | Path, format: str = "auto", initial: Initial = ()) -> Trace:
    """Read a trace from a file.

    Parameters
    ----------
    path : str or Path
        The file.
    format : {"auto", "teltheory", "mooncake"}
        "teltheory" is CSV, JSON lines or Parquet, told by the file's name; "mooncake" is JSON lines with
        `timestamp` (ms), `input_length`, `output_length` and `hash_ids`. "auto" tells them by the fields.
    initial : iterable of (conversation, past, cached)
        Initial cache that the trace will meet; given histories are checked against it.

    Returns
    -------
    Trace
        Read from a Mooncake file, its `report` is a `ChainingReport`.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    """
    file = Path(path)
    if format not in ("auto", *_READERS):
        raise ArgumentError("format", format, "'auto', " + ", ".join(map(repr, _READERS)))
    rows = _rows(file)
    if format == "auto":
        format = "mooncake" if "hash_ids" in rows.columns else "teltheory"
    try:
        trace = _READERS[format](rows)
        Instance.of(trace, INT64_MAX, initial=initial)
    except TraceError as error:
        field = _MOONCAKE_FIELDS.get(error.field, error.field) if format == "mooncake" else error.field
        rows.fail(error.turn, field, error.found, error.expected)
    return trace


def _rows(file: Path) -> Rows:
    read = OWN_FORMATS.get(file.suffix.lower())
    if read is None:
        raise FileError(f"{file}: found a name that ends in {file.suffix!r}, expected {', '.join(OWN_FORMATS)}")
    return opened(read, file, "a trace")


def read_own(rows: Rows) -> Trace:
    """Make a trace of the toolkit's own columns."""
    for field in rows.columns:
        if field not in COLUMNS:
            rows.fail(None, "columns", field, "only " + ", ".join(COLUMNS))
    conversation, prompt, response = (rows.column(field) for field in COLUMNS[:3])
    arrival, history = (rows.column(field) if field in rows.columns else None for field in COLUMNS[3:])
    return Trace.from_turns(conversation, prompt, response, arrival, history)


def read_mooncake(rows: Rows) -> Trace:
    """Chain the requests of a Mooncake trace into conversations."""
    milliseconds = rows.column("timestamp")
    for row, value in enumerate(milliseconds):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= INT64_MAX:
            rows.fail(row, "timestamp", value, "a number of milliseconds")
    inputs, outputs = rows.whole_column("input_length"), rows.whole_column("output_length")
    columns = zip(milliseconds, inputs, outputs, _hash_ids(rows), strict=True)
    return chain([Request(ms / 1000, i, o, ids) for ms, i, o, ids in columns])


def _hash_ids(rows: Rows) -> list[list[int]]:
    lists = rows.column("hash_ids")
    for row, ids in enumerate(lists):
        if not isinstance(ids, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in ids):
            rows.fail(row, "hash_ids", ids, "a list of whole numbers")
    return list(lists)


_MOONCAKE_FIELDS = {"arrival": "timestamp", "prompt": "input_length", "response": "output_length"}
_READERS: dict[str, Callable[[Rows], Trace]] = {"teltheory": read_own, "mooncake": read_mooncake}
