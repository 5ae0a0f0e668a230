"""Tidy tables: a dataclass declares the columns once, for the experiment that writes a table and for its readers.

The type of a field says what stands in its column:

- ``int``: a whole number, 0 or more; ``float``: a number, also nan and infinities; ``str``: a text.
- ``Annotated[type, kind]`` with a `ColumnKind`, such as `Finite` or ``Annotated[str, one_of("a", "b")]``.
- ``... | None``: the field may be blank.

A subclass of `TableRow` may also declare what a whole table has, so that one that is cut off is found.
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import product
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from teltheory.base.input_files import read_bytes, reported
from teltheory.base.whole_files import write_whole
from teltheory.errors import FileError

LARGEST = 1e100
EXPECTED_FILE = "a table that `python -m teltheory.paper.all` or an experiment writes"
EXPECTED_TABLE = "expected a table in CSV"


class TableRow:
    """A row of a table; its dataclass declares the columns.

    Attributes
    ----------
    ONCE : tuple of str
        Columns that together tell rows apart.
    WITHIN, AXES : tuple of str, tuple of (str or tuple of str)
        Among rows that are equal in WITHIN each value of an axis, one or several columns, stands with each of the
        others. They tell rows apart too.
    SERIES : tuple of str
        Columns that name a series; its rows are as many as each of them says in the column ``points``.
    """

    ONCE: ClassVar[tuple[str, ...]] = ()
    WITHIN: ClassVar[tuple[str, ...]] = ()
    AXES: ClassVar[tuple[str | tuple[str, ...], ...]] = ()
    SERIES: ClassVar[tuple[str, ...]] = ()


R = TypeVar("R", bound=TableRow)


class ColumnKind(NamedTuple):
    """What stands in a column: what reads a field, raising ValueError, and what an error says was expected."""

    read: Callable[[str], Any]
    expected: str


def _whole(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ValueError(text)
    return int(text)


def _finite(text: str) -> float:
    if not re.fullmatch("-?[0-9.]+(e[-+][0-9]{1,3})?", text) or abs(float(text)) > LARGEST:
        raise ValueError(text)
    return float(text)


def _number(text: str) -> float:
    return float(text) if text in ("nan", "inf", "-inf") else _finite(text)


def _word(text: str) -> str:
    if not text or not text.isprintable():
        raise ValueError(text)
    return text


def one_of(*words: str) -> ColumnKind:
    """Return the kind of a column that has one of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(text)
        return text

    return ColumnKind(read, f"one of {', '.join(words)}")


KINDS: Mapping[Any, ColumnKind] = {
    int: ColumnKind(_whole, "a whole number, 0 or more"),
    float: ColumnKind(_number, "a number"),
    str: ColumnKind(_word, "a text that can be shown"),
}
Finite: TypeAlias = Annotated[float, ColumnKind(_finite, "a finite number")]
Flag: TypeAlias = Annotated[int, ColumnKind(lambda text: int(one_of("0", "1").read(text)), "0 or 1")]


def kinds(row: type[TableRow]) -> dict[str, ColumnKind]:
    """Return the columns that a row declares, and what stands in each."""
    hints = get_type_hints(row, include_extras=True)
    return {field.name: _kind(hints[field.name]) for field in fields(row)}  # type: ignore[arg-type]


def _kind(hint: Any) -> ColumnKind:
    if get_origin(hint) is Annotated:
        return next(kind for kind in hint.__metadata__ if isinstance(kind, ColumnKind))
    if isinstance(hint, UnionType) or NoneType in get_args(hint):
        kind = _kind(next(one for one in get_args(hint) if one is not NoneType))
        return ColumnKind(lambda text: kind.read(text) if text else None, f"{kind.expected}, or nothing")
    return KINDS[hint]


def write_rows(rows: Iterable[Any], path: Path, row: type) -> None:
    """Write a table as CSV."""
    columns = [field.name for field in fields(row)]
    lines = [[getattr(one, name) for name in columns] for one in rows]

    def write(beside: Path) -> None:
        with beside.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([columns, *lines])

    write_whole(path, write)


def read_rows(path: Path, row: type[R]) -> list[R]:
    """Read a table."""
    columns, (heading, *lines) = kinds(row), _lines(path)
    if heading != list(columns):
        raise FileError(f"{path}, line 1: found {','.join(heading)!r}, expected {','.join(columns)!r}")
    if not lines:
        raise FileError(f"{path}, line 2: found the end of the file, expected at least one row")
    rows = [row(**_fields(path, i, line, columns)) for i, line in enumerate(lines, 2)]
    _check_told_apart(path, rows, row)
    _check_axes(path, rows, row)
    _check_series(path, rows, row)
    return rows


def _lines(path: Path) -> list[list[str]]:
    content = read_bytes(path, EXPECTED_FILE)
    with reported(path, EXPECTED_FILE):
        text = content.decode("utf-8-sig")
    texts = text.replace("\r\n", "\n").split("\n")
    if not text:
        raise FileError(f"{path}, line 1: found an empty file, {EXPECTED_TABLE}")
    if texts[-1]:
        place = f"{path}, line {len(texts)}"
        raise FileError(f"{place}: found no end of the line, expected a table that is not cut off")
    reader = csv.reader(texts[:-1], strict=True)
    try:
        return list(reader)
    except csv.Error as error:
        raise FileError(f"{path}, line {reader.line_num}: found no CSV ({error}), {EXPECTED_TABLE}") from None


def _fields(path: Path, line: int, texts: Sequence[str], columns: Mapping[str, ColumnKind]) -> dict[str, Any]:
    if len(texts) != len(columns):
        raise FileError(f"{path}, line {line}: found {len(texts)} fields, expected {len(columns)}")
    found = {}
    for text, (name, kind) in zip(texts, columns.items(), strict=True):
        try:
            found[name] = kind.read(text)
        except ValueError:
            place = f"{path}, line {line}, {name}"
            raise FileError(f"{place}: found {text[:80]!r}, expected {kind.expected}") from None
    return found


def grouped(rows: Iterable[R], names: str | Sequence[str]) -> dict[Any, list[R]]:
    """Return the rows by their values in a column, or in several, in the order in which values first stand."""
    groups: dict[Any, list[R]] = {}
    for row in rows:
        groups.setdefault(_values(row, names), []).append(row)
    return groups


def _values(row: TableRow, names: str | Sequence[str]) -> Any:
    return getattr(row, names) if isinstance(names, str) else tuple(getattr(row, name) for name in names)


def _flat(axes: Sequence[str | tuple[str, ...]]) -> Iterator[str]:
    for axis in axes:
        yield from (axis,) if isinstance(axis, str) else axis


def _check_told_apart(path: Path, rows: Sequence[TableRow], kind: type[TableRow]) -> None:
    once = (*kind.ONCE, *kind.WITHIN, *_flat(kind.AXES))
    seen: dict[Any, int] = {}
    for line, row in enumerate(rows, 2):
        first = seen.setdefault(_values(row, once), line)
        if once and first != line:
            place = f"{path}, line {line}, {', '.join(once)}"
            raise FileError(f"{place}: found {_values(row, once)} as in line {first}, expected it once")


def _check_axes(path: Path, rows: Sequence[TableRow], kind: type[TableRow]) -> None:
    for group, of in grouped(rows if kind.AXES else (), kind.WITHIN).items():
        there = {tuple(_values(row, axis) for axis in kind.AXES) for row in of}
        axes = [grouped(of, axis) for axis in kind.AXES]
        for place in product(*axes):
            if place not in there:
                names = ", ".join((*kind.WITHIN, *_flat(kind.AXES)))
                missing = f"found no row of {(*group, *place)} ({names})"
                raise FileError(f"{path}: {missing}, expected one: is the table cut off?")


def _check_series(path: Path, rows: Sequence[TableRow], kind: type[TableRow]) -> None:
    found = Counter(_values(row, kind.SERIES) for row in rows if kind.SERIES)
    for line, row in enumerate(rows if kind.SERIES else (), 2):
        series, points = _values(row, kind.SERIES), _values(row, "points")
        if found[series] != points:
            expected = f"expected {found[series]}, the rows of {' '.join(series)}: is the table cut off?"
            raise FileError(f"{path}, line {line}, points: found {points}, {expected}")
