"""The cells of a sweep: a list, and a table with a row a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from teltheory.model.tables import Tabular
from teltheory.sweep.grid import Cell
from teltheory.sweep.served import ServedCell

AnyCell = TypeVar("AnyCell", Cell, ServedCell)


class Cells(list[AnyCell], Tabular):
    """A list of cells that is a table too.

    Its columns are those of ``as_dict()``: policy, parameters, capacity or tiers, threshold and metrics. What a
    cell has of tiers and servers has a column of its own, such as ``tiers.capacities``.
    """

    def _table(self) -> dict[str, Any]:
        return columns_of([cell.as_dict() for cell in self])


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
