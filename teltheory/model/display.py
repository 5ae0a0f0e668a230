"""Values of many numbers, shown in short: a line at the prompt, a small table in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from html import escape
from typing import Any, TypeAlias, TypeVar

import numpy as np

from teltheory.errors import shown

MOST = 180
"""Characters of a line that stands for a value."""
FEW = 40

Class = TypeVar("Class", bound=type)
Table: TypeAlias = tuple[str, Sequence[str], Iterable[Sequence[str]]]


class Summary(Mapping[str, Any]):
    """Numbers by name, shown as a small table; ``dict(summary)`` has them as they are.

    Parameters
    ----------
    title : str
        What they are of.
    facts : mapping of str to object
        The numbers.
    """

    def __init__(self, title: str, facts: Mapping[str, Any]) -> None:
        self.title, self._facts = title, dict(facts)

    def __getitem__(self, name: str) -> Any:
        return self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        cells = {name: _cell(value) for name, value in self.items()}
        left, right = (max(map(len, column), default=0) for column in (cells, cells.values()))
        return "\n".join([self.title, *(f"  {name:<{left}}  {cell:>{right}}" for name, cell in cells.items())])

    def _repr_html_(self) -> str:
        return table_of(self.title, {name: _cell(value) for name, value in self.items()})


def table_of(title: str, cells: Mapping[str, str]) -> str:
    """Return a small table in HTML."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(cell)}</td></tr>" for name, cell in cells.items())
    return f"<table><caption>{escape(title)}</caption>{rows}</table>"


def rows_of(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table with a row of headings in HTML."""
    cells = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    names = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return f"<table><caption>{escape(title)}</caption><tr>{names}</tr>{cells}</table>"


def in_short(cls: Class) -> Class:
    """Show a dataclass by its fields in short: the sizes of arrays and collections, the names of other values.

    A table of its own for notebooks stays.
    """

    def line(self: Any) -> str:
        cells = ", ".join(f"{name}={cell}" for name, cell in _texts(self).items())
        return _line(f"{type(self).__name__}({cells}", ")")

    def table(self: Any) -> str:
        return table_of(type(self).__name__, _texts(self))

    cls.__repr__, cls._repr_html_ = line, vars(cls).get("_repr_html_", table)  # type: ignore[method-assign, assignment, attr-defined]
    return cls


def in_sentences(
    headline: Callable[[Any], str], lines: Callable[[Any], Iterable[str]], table: Callable[[Any], Table]
) -> Callable[[Class], Class]:
    """Show a dataclass by what it says: the headline at the prompt, all lines in ``str``, a table in a notebook.

    The headline begins with a word and a colon, which give way to the name of the class. `table` gives a title,
    the names of the columns, and rows of text.
    """

    def line(self: Any) -> str:
        return _line(f"<{type(self).__name__}: {headline(self).partition(': ')[2]}", ">")

    def text(self: Any) -> str:
        return "\n".join(lines(self))

    def page(self: Any) -> str:
        return f"<p><b>{escape(headline(self))}</b></p>{rows_of(*table(self))}"

    def decorated(cls: Class) -> Class:
        cls.__repr__, cls.__str__, cls._repr_html_ = line, text, page  # type: ignore[method-assign, assignment, attr-defined]
        return cls

    return decorated


def _line(text: str, end: str) -> str:
    return f"{text}{end}" if len(text) < MOST else f"{text[: MOST - 4]}...{end}"


def counted(n: int, one: str) -> str:
    """Return a number of things, such as ``1 turn`` or ``12,031 turns``."""
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def unit_of(block_size: int | None) -> str:
    """Return what lengths are counted in; None if that is not known."""
    if block_size is None:
        return "tokens, or the trace's blocks"
    return "tokens" if block_size == 1 else f"blocks of {counted(block_size, 'token')}"


def mean_of(values: Any) -> str:
    """Return the mean of an array, as a cell."""
    return f"{float(values.mean()):,.1f}" if len(values) else "none"


def quantiles(values: Any, name: str) -> dict[str, Any]:
    """Return the nearest-rank percentiles of an array that a summary shows, and its greatest value."""
    points = {"P50": 0.5, "P95": 0.95, "P99": 0.99, "most": 1.0}
    if not len(values):
        return {}
    found = np.quantile(values, list(points.values()), method="inverted_cdf").tolist()
    return {f"{name}, {point}": value for point, value in zip(points, found, strict=True)}


def tail_of(above: Any, tel: int | float, xi: int) -> dict[str, Any]:
    """Return TEL and the number of turns with an excess, of the excess of each turn."""
    return {f"TEL({xi:,})": tel, f"turns above {xi:,}": int(np.count_nonzero(above))}


def percent(share: Fraction | float | None) -> str:
    """Return a share such as ``12.3 %``; nothing if there is none."""
    return "" if share is None else f"{round(float(share) * 100, 1) + 0.0:,.1f} %"


def tokens_in_short(tokens: int | None) -> str:
    """Return a number of tokens: exact below a million, else in millions with four digits or more; "" for None."""
    if tokens is None:
        return ""
    if tokens < 10**6:
        return f"{tokens:,}"
    digits = len(str(tokens // 10**6))
    return f"{tokens / 10**6:,.{max(4 - digits, 0)}f}M"


def duration(seconds: float) -> str:
    """Return a time such as ``59 min`` in the largest unit of which there is at least one."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds:.3g} s"


def _texts(value: Any) -> dict[str, str]:
    return {field.name: _short(getattr(value, field.name)) for field in fields(value) if field.repr}


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{' x '.join(f'{n:,}' for n in value.shape)} numbers>"
    if isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) > 4:
        return f"<{len(value):,} values>"
    text = shown(value, FEW)
    return text if not text.endswith("...") else f"{type(value).__name__}(...)"


def _cell(value: Any) -> str:
    if isinstance(value, Fraction):
        return percent(value)
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
