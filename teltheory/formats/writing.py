"""Writing a trace in the toolkit's own format, so that the file read again is the same trace, bit by bit."""

import csv
import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from teltheory.base.whole_files import write_whole
from teltheory.errors import ArgumentError
from teltheory.formats.rows import is_csv_number
from teltheory.formats.walks import columns_of
from teltheory.model.hint_tables import columns_of as said_of
from teltheory.model.trace import COLUMNS, Trace

ROWS_AT_ONCE = 1 << 16


def write_trace(trace: Trace, path: str | Path) -> None:
    """Write a trace to a file that `read_trace` reads as the same trace, histories and arrivals included.

    The file is written beside its place and renamed, so that nothing half-written stays. The history is written
    where it was given, and what the requests share by their blocks (`trace.blocks`) as a few numbers per request
    (`teltheory.formats.walks`). The trace's report is no part of the file.

    Parameters
    ----------
    trace : Trace
        In tokens.
    path : str or Path
        Ends in .csv, .jsonl, .ndjson or .parquet.

    Raises
    ------
    ArgumentError
        If the format can't hold the trace: one in blocks; in CSV names of conversations that would be read as
        others; in JSON lines a trace without turns, but with arrivals or histories.
    FileError
        If the file can't be written.
    """
    file = Path(path)
    write = _WRITERS.get(file.suffix.lower())
    if write is None:
        raise ArgumentError("path", str(path), f"a name that ends in {', '.join(_WRITERS)}")
    if trace.block_size != 1:
        raise ArgumentError("trace", f"blocks of {trace.block_size} tokens", "a trace in tokens, before to_blocks")
    columns = _columns(trace)
    _CHECKS.get(file.suffix.lower(), _check_rows)(trace)
    write_whole(file, lambda beside: write(beside, columns))


def _columns(trace: Trace) -> dict[str, Any]:
    """Return the columns by name: arrays, and a list of the conversations' names where they have some."""
    columns: dict[str, Any] = {name: getattr(trace, name) for name in COLUMNS}
    if trace.names is not None:
        columns["conversation"] = [trace.names[i] for i in trace.conversation.tolist()]
    left_out = {"arrival": trace.arrival is None, "history": trace.cumulative}
    return (
        {name: column for name, column in columns.items() if not left_out.get(name)}
        | columns_of(trace)
        | said_of(trace)
    )


def _check_rows(trace: Trace) -> None:
    if not len(trace) and (trace.arrival is not None or not trace.cumulative):
        raise ArgumentError(
            "path", "JSON lines", "CSV or Parquet for a trace without turns, whose columns have no line"
        )


def _check_names(trace: Trace) -> None:
    hints = trace.hints
    for column in ("kind", "stop"):
        for text in dict.fromkeys((hints and getattr(hints, column)) or ()):
            if text != text.strip() or "\r" in text or "\0" in text:
                raise ArgumentError(column, text, "a text that CSV keeps; .jsonl and .parquet keep every text")
    _check_column_of_names("conversation", trace.names or ())
    _check_column_of_names("agent", (hints and hints.names) or ())


def _check_column_of_names(column: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name != name.strip() or not name or "\r" in name or "\0" in name:
            raise ArgumentError(column, name, "a name that CSV keeps; .jsonl and .parquet keep every name")
    if names and all(map(is_csv_number, names)):
        raise ArgumentError(column, names[0], "a name that is no number; .jsonl and .parquet keep every name")


def _check_unicode(trace: Trace) -> None:
    """Parquet keeps every trace, except for names that are no Unicode."""
    hints = trace.hints
    said = () if hints is None else (*(hints.names or ()), *(hints.kind or ()), *(hints.stop or ()))
    for name in (*(trace.names or ()), *said):
        if not name.isascii() and name != name.encode("utf-8", "replace").decode():
            raise ArgumentError("conversation", name, "a name in Unicode")


def _rows(columns: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the turns, as Python's own numbers."""
    n = len(columns["prompt"])
    for start in range(0, n, ROWS_AT_ONCE):
        part = [column[start : start + ROWS_AT_ONCE] for column in columns.values()]
        yield from zip(*(p if isinstance(p, list) else p.tolist() for p in part), strict=True)


def _write_csv(path: Path, columns: dict[str, Any]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(_rows(columns))


def _write_json_lines(path: Path, columns: dict[str, Any]) -> None:
    rows = _rows(columns)
    with path.open("w", encoding="utf-8") as file:
        while lines := [json.dumps(dict(zip(columns, row, strict=True))) for row in islice(rows, ROWS_AT_ONCE)]:
            file.write("\n".join(lines) + "\n")


def _write_parquet(path: Path, columns: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with path.open("wb") as file:
        pq.write_table(pa.table({name: _unread(column) for name, column in columns.items()}), file)
    pa.default_memory_pool().release_unused()


def _unread(column: Any) -> Any:
    """Return numbers in PyArrow's hands; it would load pandas, for half a second, to look what an array is."""
    import pyarrow as pa

    if not isinstance(column, np.ndarray) or column.dtype.kind not in "if":
        return column
    buffers = [None, pa.py_buffer(np.ascontiguousarray(column))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), buffers)


_WRITERS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".ndjson": _write_json_lines,
    ".parquet": _write_parquet,
}
_CHECKS = {".csv": _check_names, ".parquet": _check_unicode}
