"""The paper's Tables 1 to 6 on the terminal: the printed number, ours below it, and a mark for the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.table import Table

from teltheory.cli.tables import plain_table

if TYPE_CHECKING:
    from experiments.paper.printed import Column
    from experiments.paper.tables import Compared

MARKS = {"inside": "=", "same sign": "~", "off": "x"}
LEGEND = (
    "Improvement of T-LRU in per cent; the paper's number, ours below it: the mean over the samples. "
    "= the paper's is inside the range of 95 % of the samples, ~ the same sign, x off."
)
METRICS = {"p90": "P90", "p95": "P95", "p99": "P99", "above": "slow"}
AGAINST = {"lru": "LRU", "threshold-lru": "Thre-LRU"}


def paper_tables(cells: Sequence[Compared]) -> Iterator[tuple[Table, str]]:
    """Yield each table with its summary in one line."""
    from experiments.paper.printed import TABLES
    from experiments.paper.tables import said

    by_number = {table.number: table for table in TABLES}
    for number, section in groupby(cells, key=lambda cell: cell.table):
        of = list(section)
        yield _table(number, by_number[number].columns, of), f"Table {number}: {said(of)}"


def _table(number: int, columns: Sequence[Column], cells: Sequence[Compared]) -> Table:
    table = plain_table(f"Table {number}, printed and ours")
    table.add_column("C", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(heading(column), justify="right", no_wrap=True)
    for capacity, row in groupby(cells, key=lambda cell: cell.capacity):
        of = list(row)
        table.add_row(f"{capacity:,}", "paper", *(f"{cell.printed:.1f} " for cell in of))
        table.add_row("", "ours", *map(ours, of))
    return table


def heading(column: Column) -> str:
    """Return what stands above a column, in two lines."""
    what = AGAINST[column.against] if column.metric == "above" else METRICS[column.metric]
    return f"{column.xi_ms} ms\n{what}"


def ours(cell: Compared) -> str:
    """Return our number with the mark of its verdict."""
    return f"{cell.ours:.1f}{MARKS[cell.agreement]}"
