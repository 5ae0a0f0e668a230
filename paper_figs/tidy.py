"""Tidy tables as `experiments.paper.all` writes them: read with every field checked, none left out."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from paper_figs.style import POLICIES
from teltheory.errors import FileError
from teltheory.input_files import read_bytes, reported

Row: TypeAlias = dict[str, Any]
Kind: TypeAlias = Callable[[str], Any]
LARGEST = 1e100


def whole(text: str) -> int:
    """Read a whole number, 0 or more, that fits into 60 bits.

    Raises
    ------
    ValueError
        For anything else.
    """
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def number(text: str) -> float:
    """Read a number; "nan" stands for one that is not defined, infinities are numbers.

    Raises
    ------
    ValueError
        For anything else.
    """
    return float(text) if text in ("nan", "inf", "-inf") else finite(text)


def finite(text: str) -> float:
    """Read a number of at most 1e100 in size, as Python writes it.

    Raises
    ------
    ValueError
        For anything else.
    """
    if not re.fullmatch("-?[0-9.]+(e[-+][0-9]{1,3})?", text) or abs(float(text)) > LARGEST:
        raise ValueError(text)
    return float(text)


def or_blank(kind: Kind) -> Kind:
    """Return what reads a blank field as None, any other with `kind`."""

    def read(text: str) -> Any:
        return kind(text) if text else None

    read.__doc__ = f"{EXPECTED.get(kind, kind.__doc__)}, or nothing"
    return read


def word(text: str) -> str:
    """Read a text that is not empty and has no control characters.

    Raises
    ------
    ValueError
        For anything else.
    """
    if not text or not text.isprintable():
        raise ValueError(text)
    return text


def one_of(*words: str) -> Kind:
    """Return what reads one of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(text)
        return text

    read.__doc__ = "one of " + ", ".join(words)
    return read


EXPECTED_FILE = "a table that `python -m experiments.paper.all` or an experiment of its own writes"
EXPECTED_TABLE = "expected a table in CSV"
EXPECTED: Mapping[Kind, str | None] = {
    whole: "a whole number, 0 or more",
    number: "a number",
    finite: "a finite number",
    word: "a text that can be shown",
}
_PLACE: dict[str, Kind] = {"capacity": whole, "xi_ms": whole}
AVERAGES: Mapping[str, Kind] = {
    **_PLACE,
    "policy": one_of(*POLICIES),
    "measure": word,
    "samples": whole,
    "mean": number,
    "low": number,
    "high": number,
}
AGREEMENTS = ("inside", "same sign", "off")
_COLUMN: dict[str, Kind] = {
    **_PLACE,
    "metric": one_of("p90", "p95", "p99", "above"),
    "against": one_of("lru", "threshold-lru"),
}
CELLS: Mapping[str, Kind] = {
    "table": whole,
    **_COLUMN,
    "printed": finite,
    **dict.fromkeys(("ours", "mean_low", "mean_high", "low", "high"), number),
    "agreement": one_of(*AGREEMENTS),
}
IMPROVEMENTS: Mapping[str, Kind] = {**_COLUMN, "ours": number, "mean_low": number, "mean_high": number}
TIMED: Mapping[str, Kind] = {
    "series": word,
    **dict.fromkeys(("points", "prompt_tokens", "cached_tokens", "uncached_tokens"), whole),
    **dict.fromkeys(("ttft_ms", "fitted_ms", "residual_ms", "r_squared"), finite),
}
SHARES: Mapping[str, Kind] = {
    "workload": word,
    "quantity": one_of("turns", "tokens", "prompt", "response"),
    "points": whole,
    "value": whole,
    "share": finite,
}


def read(path: Path, columns: Mapping[str, Kind], once: Sequence[str] = (), more: bool = False) -> list[Row]:
    """Read a table.

    Parameters
    ----------
    path : Path
        The file.
    columns : mapping of str to callable
        What reads each column; the table has these.
    once : sequence of str, optional
        Columns that tell rows apart: no two rows have the same there.
    more : bool
        Whether the table may have other columns too, and these in another order.

    Returns
    -------
    list of dict
        At least one row.

    Raises
    ------
    FileError
        Naming file, line and field, where something is missing, cut off, there twice or of the wrong kind.
    """
    lines = read_lines(path)
    _check_heading(path, lines[0], list(columns), more)
    if len(lines) == 1:
        raise FileError(f"{path}, line 2: found the end of the file, expected at least one row")
    rows = [_row(path, i, lines[0], line, columns) for i, line in enumerate(lines[1:], 2)]
    if once:
        _check_told_apart(path, rows, once)
    return rows


def read_lines(path: Path) -> list[list[str]]:
    """Return the fields of each line of a table, its heading first.

    Raises
    ------
    FileError
        For a file that can't be read, is empty, cut off or no CSV.
    """
    content = read_bytes(path, EXPECTED_FILE)
    with reported(path, EXPECTED_FILE):
        text = content.decode("utf-8-sig")
    texts = text.replace("\r\n", "\n").split("\n")
    if not text:
        raise FileError(f"{path}, line 1: found an empty file, {EXPECTED_TABLE}")
    if texts[-1]:
        raise FileError(
            f"{path}, line {len(texts)}: found no end of the line, expected a table that is not cut off"
        )
    return [_fields(path, i, line) for i, line in enumerate(texts[:-1], 1)]


def _fields(path: Path, line: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        raise FileError(f"{path}, line {line}: found no CSV ({error}), {EXPECTED_TABLE}") from None


def _check_heading(path: Path, heading: Sequence[str], columns: Sequence[str], more: bool) -> None:
    there = set(columns) <= set(heading) and len(set(heading)) == len(heading) if more else heading == columns
    if not there:
        also = ", and others" if more else ""
        raise FileError(f"{path}, line 1: found {','.join(heading)!r}, expected {','.join(columns)!r}{also}")


def _check_told_apart(path: Path, rows: Sequence[Row], once: Sequence[str]) -> None:
    seen: dict[tuple[Any, ...], int] = {}
    for i, row in enumerate(rows, 2):
        place = tuple(row[name] for name in once)
        first = seen.setdefault(place, i)
        if first != i:
            raise FileError(
                f"{path}, line {i}, {', '.join(once)}: found {place} as in line {first}, expected it once"
            )


def _row(path: Path, number: int, heading: Sequence[str], line: Sequence[str], columns: Mapping[str, Kind]) -> Row:
    if len(line) != len(heading):
        raise FileError(f"{path}, line {number}: found {len(line)} fields, expected {len(heading)}")
    fields = dict(zip(heading, line, strict=True))
    row = {}
    for name, kind in columns.items():
        try:
            row[name] = kind(fields[name])
        except ValueError:
            expected = EXPECTED.get(kind, kind.__doc__)
            raise FileError(
                f"{path}, line {number}, {name}: found {fields[name]!r}, expected {expected}"
            ) from None
    return row


def read_averages(path: Path) -> list[Row]:
    """Read averages: every measure of every policy at every capacity and threshold, once."""
    keys = ("capacity", "xi_ms", "policy", "measure")
    rows = read(path, AVERAGES, once=keys)
    check_grid(path, rows, keys)
    return rows


def read_improvements(path: Path) -> list[Row]:
    """Read improvements: every metric against both policies at every capacity and threshold, once."""
    keys = ("capacity", "xi_ms", "metric", "against")
    rows = read(path, IMPROVEMENTS, once=keys)
    check_grid(path, rows, keys)
    return rows


def read_cells(path: Path) -> dict[int, list[Row]]:
    """Read cells by table; each table has every column at every capacity, once."""
    rows = read(path, CELLS, once=("table", "capacity", "xi_ms", "metric", "against"))
    tables = {n: [row for row in rows if row["table"] == n] for n in dict.fromkeys(row["table"] for row in rows)}
    capacities = list(dict.fromkeys(row["capacity"] for row in rows))
    for cells in tables.values():
        columns = list(dict.fromkeys(column_of(row) for row in cells))
        wanted = [(c, column) for c in capacities for column in columns]
        seen = {(row["capacity"], column_of(row)) for row in cells}
        _check_there(path, seen, wanted, f"table {cells[0]['table']}")
    return tables


def column_of(row: Row) -> tuple[int, str, str]:
    """Return what names a column of a table: threshold, metric, and what T-LRU is compared with."""
    return row["xi_ms"], row["metric"], row["against"]


def read_series(path: Path, columns: Mapping[str, Kind], names: Sequence[str], at: Sequence[str]) -> list[Row]:
    """Read series that say in `points` how many rows they have; `names` tell them apart, `at` the rows of one."""
    rows = read(path, columns, once=(*names, *at))
    found = Counter(tuple(row[name] for name in names) for row in rows)
    for i, row in enumerate(rows, 2):
        series = tuple(row[name] for name in names)
        if found[series] != row["points"]:
            place = f"{path}, line {i}, points: found {row['points']}"
            raise FileError(
                f"{place}, expected {found[series]}, the rows of {' '.join(series)}: is the table cut off?"
            )
    return rows


def check_grid(path: Path, rows: Sequence[Row], keys: Sequence[str]) -> None:
    """Check that each value of each key stands with all values of the others.

    Raises
    ------
    FileError
        Naming what is missing.
    """
    axes = [list(dict.fromkeys(row[key] for row in rows)) for key in keys]
    _check_there(path, {tuple(row[key] for key in keys) for row in rows}, product(*axes), ", ".join(keys))


def _check_there(path: Path, seen: Container[Any], wanted: Iterable[Any], what: str) -> None:
    for place in wanted:
        if place not in seen:
            raise FileError(f"{path}: found no row of {place} ({what}), expected one: is the table cut off?")


class Averages:
    """Averages by policy and measure.

    Parameters
    ----------
    path : Path
        As `experiments.paper.averages` makes them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        rows = read_averages(path)
        self.capacities, self.thresholds, self.policies, self.measures = (
            list(dict.fromkeys(row[key] for row in rows)) for key in ("capacity", "xi_ms", "policy", "measure")
        )
        self._at = {(row["capacity"], row["xi_ms"], row["policy"], row["measure"]): row for row in rows}

    def at(self, capacity: int, xi_ms: int, policy: str, measure: str) -> Row:
        """Return a row.

        Raises
        ------
        FileError
            Where the table does not have it.
        """
        place = (capacity, xi_ms, policy, measure)
        if place not in self._at:
            raise FileError(
                f"{self.path}: found no row of {place}, expected one (capacity, xi_ms, policy, measure)"
            )
        return self._at[place]

    def mean(self, capacity: int, xi_ms: int, policy: str, measure: str) -> float:
        """Return a mean."""
        return float(self.at(capacity, xi_ms, policy, measure)["mean"])
