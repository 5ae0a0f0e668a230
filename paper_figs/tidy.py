"""Tidy tables as `experiments.paper.all` writes them: read with every field checked, none left out."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from teltheory.errors import FileError

Row: TypeAlias = dict[str, Any]
Kind: TypeAlias = Callable[[str], Any]


def whole(text: str) -> int:
    """Read a whole number."""
    return int(text)


def number(text: str) -> float:
    """Read a number; "nan" stands for one that is not defined, infinities are numbers."""
    return float(text)


def finite(text: str) -> float:
    """Read a finite number.

    Raises
    ------
    ValueError
        For anything else.
    """
    if not math.isfinite(float(text)):
        raise ValueError(text)
    return float(text)


def word(text: str) -> str:
    """Read a text that is not empty.

    Raises
    ------
    ValueError
        For an empty one.
    """
    if not text:
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


EXPECTED: Mapping[Kind, str | None] = {
    whole: "a whole number",
    number: "a number",
    finite: "a finite number",
    word: "a text",
}
_PLACE: dict[str, Kind] = {"capacity": whole, "xi_ms": whole}
AVERAGES: Mapping[str, Kind] = {
    **_PLACE,
    "policy": word,
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


def read(path: Path, columns: Mapping[str, Kind]) -> list[Row]:
    """Read a table.

    Parameters
    ----------
    path : Path
        The file.
    columns : mapping of str to callable
        What reads each column; the table has these and no others.

    Returns
    -------
    list of dict
        At least one row.

    Raises
    ------
    FileError
        Naming file, line and field, where something is missing, cut off or of the wrong kind.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        made = "expected a table that `python -m experiments.paper.all` writes"
        raise FileError(f"{path}: found no such file, {made}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: found {error}, expected a table in CSV") from None
    lines = list(csv.reader(text.splitlines()))
    _check_form(path, text, lines, list(columns))
    return [_row(path, i, line, columns) for i, line in enumerate(lines[1:], 2)]


def _check_form(path: Path, text: str, lines: Sequence[Sequence[str]], columns: Sequence[str]) -> None:
    if not lines or list(lines[0]) != columns:
        found = ",".join(lines[0]) if lines else "an empty file"
        raise FileError(f"{path}, line 1: found {found}, expected {','.join(columns)}")
    if not text.endswith("\n"):
        raise FileError(
            f"{path}, line {len(lines)}: found no end of the line, expected a table that is not cut off"
        )
    if len(lines) == 1:
        raise FileError(f"{path}, line 2: found the end of the file, expected at least one row")


def _row(path: Path, number: int, line: Sequence[str], columns: Mapping[str, Kind]) -> Row:
    if len(line) != len(columns):
        raise FileError(f"{path}, line {number}: found {len(line)} fields, expected {len(columns)}")
    row = {}
    for (name, kind), text in zip(columns.items(), line, strict=True):
        try:
            row[name] = kind(text)
        except ValueError:
            expected = EXPECTED.get(kind, kind.__doc__)
            raise FileError(f"{path}, line {number}, {name}: found {text!r}, expected {expected}") from None
    return row


def read_averages(path: Path) -> list[Row]:
    """Read averages: every measure of every policy at every capacity and threshold, once."""
    rows = read(path, AVERAGES)
    _check_grid(path, rows, ("capacity", "xi_ms", "policy", "measure"))
    return rows


def read_improvements(path: Path) -> list[Row]:
    """Read improvements: every metric against both policies at every capacity and threshold, once."""
    rows = read(path, IMPROVEMENTS)
    _check_grid(path, rows, ("capacity", "xi_ms", "metric", "against"))
    return rows


def read_cells(path: Path) -> dict[int, list[Row]]:
    """Read cells by table; each table has every column at every capacity, once."""
    rows = read(path, CELLS)
    tables = {n: [row for row in rows if row["table"] == n] for n in dict.fromkeys(row["table"] for row in rows)}
    capacities = list(dict.fromkeys(row["capacity"] for row in rows))
    for cells in tables.values():
        columns = list(dict.fromkeys(column_of(row) for row in cells))
        seen = Counter((row["capacity"], column_of(row)) for row in cells)
        _check_once(
            path, seen, [(c, column) for c in capacities for column in columns], f"table {cells[0]['table']}"
        )
    return tables


def column_of(row: Row) -> tuple[int, str, str]:
    """Return what names a column of a table: threshold, metric, and what T-LRU is compared with."""
    return row["xi_ms"], row["metric"], row["against"]


def read_series(path: Path, columns: Mapping[str, Kind], names: Sequence[str]) -> list[Row]:
    """Read series that say in `points` how many rows they have; `names` tell them apart."""
    rows = read(path, columns)
    found = Counter(tuple(row[name] for name in names) for row in rows)
    for i, row in enumerate(rows, 2):
        series = tuple(row[name] for name in names)
        if found[series] != row["points"]:
            place = f"{path}, line {i}, points: found {row['points']}"
            raise FileError(
                f"{place}, expected {found[series]}, the rows of {' '.join(series)}: is the table cut off?"
            )
    return rows


def _check_grid(path: Path, rows: Sequence[Row], keys: Sequence[str]) -> None:
    seen = Counter(tuple(row[key] for key in keys) for row in rows)
    axes = [list(dict.fromkeys(row[key] for row in rows)) for key in keys]
    _check_once(path, seen, product(*axes), ", ".join(keys))


def _check_once(path: Path, seen: Mapping[Any, int], wanted: Iterable[Any], what: str) -> None:
    for place in wanted:
        count = seen.get(place, 0)
        if count != 1:
            raise FileError(f"{path}: found {count} rows of {place} ({what}), expected 1: is the table cut off?")


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
