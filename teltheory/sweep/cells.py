"""The cells of a sweep: a list, and a table with a row a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from teltheory.model.display import counted, percent, rows_of
from teltheory.model.tables import Tabular

MOST = 50
SHARES = ("hit_rate", "change", "share_closed")
SHOWN = (
    *("trace", "tiers.capacities", "capacity", "xi", "policy", "p50", "p95", "hit_rate", "prefilled"),
    *("violations", "tel", "tail_seconds", "change", "regret", "share_closed"),
)
"""Columns that a notebook shows."""


class AsDict(Protocol):
    """A cell: that of a grid, of a served one, or a row of a board."""

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""


AnyCell = TypeVar("AnyCell", bound=AsDict)


class Cells(list[AnyCell], Tabular):
    """A list of cells that is a table too.

    Its columns are those of ``as_dict()``: policy, parameters, capacity or tiers, threshold and metrics. What a
    cell has of tiers and servers has a column of its own, such as ``tiers.capacities``.
    """

    def _table(self) -> dict[str, Any]:
        return columns_of([cell.as_dict() for cell in self])

    def _repr_html_(self) -> str:
        """Return the first cells as a table, in the columns that any of them has."""
        columns = columns_of([cell.as_dict() for cell in self[:MOST]])
        shown = {name: columns[name] for name in SHOWN if any(one is not None for one in columns.get(name, ()))}
        rows = zip(*([_text(name, value) for value in column] for name, column in shown.items()), strict=True)
        more = f", the first {MOST} of them" if len(self) > MOST else ""
        return rows_of(f"{counted(len(self), 'cell')}{more}", shown, rows)


def _text(name: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if name in SHARES:
        return percent(value)
    if isinstance(value, list | tuple):
        return " + ".join(f"{one:,}" for one in value)
    return f"{value:,}" if isinstance(value, int) else f"{float(value):,.3f}"


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows of plain data as columns; what is in a mapping has a column of its own."""
    flat = [dict(_flat(row)) for row in rows]
    names = dict.fromkeys(name for row in flat for name in row)
    return {name: [row.get(name) for row in flat] for name in names}


def _flat(plain: Mapping[str, Any], under: str = "") -> list[tuple[str, Any]]:
    """Return the values of nested mappings by their path."""
    found = []
    for name, value in plain.items():
        found += _flat(value, f"{under}{name}.") if isinstance(value, dict) else [(f"{under}{name}", value)]
    return found
