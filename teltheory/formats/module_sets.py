"""Traces of module sets as JSON lines: a line of the items, then a line a request.

The first line has ``sizes``, the tokens of each item, and may have ``names``. Each other line has ``items``,
numbers from 0, and may have ``fresh``, tokens computed anew, and ``arrival``, seconds; all have it or none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from teltheory.base.input_files import check_file
from teltheory.base.whole_files import write_whole
from teltheory.errors import FileError, TraceError, listed, shown
from teltheory.formats.opened import lines_of, opened_text
from teltheory.formats.rows import json_lines
from teltheory.model.module_trace import ModuleTrace

HEADER, REQUEST = {"sizes", "names"}, {"items", "fresh", "arrival"}


def read_module_trace(path: str | Path) -> ModuleTrace:
    """Read a trace of module sets that `write_module_trace` wrote, or that has its columns.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    """
    file = Path(path)
    check_file(file, "a trace of module sets")
    with opened_text(file) as text:
        numbered = list(json_lines(file, lines_of(file, text)))
    if not numbered:
        raise FileError(f"{file}: found no line, expected one with sizes first")
    (first, header), requests = numbered[0], numbered[1:]
    _known(file, first, header, HEADER, "sizes")
    for number, row in requests:
        _known(file, number, row, REQUEST, "items")
    try:
        return ModuleTrace.from_requests(
            [row["items"] for _, row in requests],
            header["sizes"],
            _column(file, requests, "fresh"),
            _column(file, requests, "arrival"),
            header.get("names"),
        )
    except TraceError as error:
        number = first if error.field in HEADER or error.turn is None else requests[error.turn][0]
        field = {"requests": "items"}.get(error.field, error.field)
        raise FileError(
            f"{file}, line {number}, {field}: found {shown(error.found, 60)}, expected {error.expected}"
        ) from None


def write_module_trace(trace: ModuleTrace, path: str | Path) -> None:
    """Write a trace of module sets to a file that `read_module_trace` reads as the same trace."""
    write_whole(Path(path), lambda beside: beside.write_text("\n".join(_lines(trace)) + "\n", encoding="utf-8"))


def _lines(trace: ModuleTrace) -> Iterator[str]:
    names = {} if trace.names is None else {"names": trace.names}
    yield json.dumps({"sizes": trace.sizes.tolist(), **names})
    for k in range(len(trace)):
        arrival = {} if trace.arrival is None else {"arrival": float(trace.arrival[k])}
        yield json.dumps({"items": trace.items(k).tolist(), "fresh": int(trace.fresh[k]), **arrival})


def _known(file: Path, number: int, row: dict[str, Any], allowed: set[str], needed: str) -> None:
    """Refuse a line with other fields, and one whose first field is no list of numbers."""
    for field in row.keys() - allowed:
        expected = f"expected only {', '.join(sorted(allowed))}"
        raise FileError(f"{file}, line {number}, {listed([field])}: found it, {expected}")
    values = row.get(needed)
    if not isinstance(values, list) or any(type(one) is not int for one in values):
        found = "nothing" if values is None else shown(values, 60)
        raise FileError(f"{file}, line {number}, {needed}: found {found}, expected a list of whole numbers")


def _column(file: Path, requests: Sequence[tuple[int, dict[str, Any]]], field: str) -> list[Any] | None:
    """Return a field of every request; None if none has it."""
    missing = [number for number, row in requests if field not in row]
    if len(missing) == len(requests):
        return None
    if missing:
        raise FileError(f"{file}, line {missing[0]}, {field}: found nothing, expected a value in every line")
    return [row[field] for _, row in requests]
