"""The paper's Tables 1 to 6 on the terminal: the printed number, ours below it, and a mark for the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rich.table import Table

from teltheory.cli.fitting import plain_table

if TYPE_CHECKING:
    from teltheory.paper.printed import Column
    from teltheory.paper.rows import Compared

MARKS = {"inside": "=", "same sign": "~", "off": "x"}
LEGEND = (
    "Improvement of T-LRU in per cent; the paper's number, ours below it: the mean over the samples. "
    "= the paper's is inside the range of 95 % of the samples, ~ the same sign, x off."
)
METRICS = {"p90": "P90", "p95": "P95", "p99": "P99", "above": "slow"}
AGAINST = {"lru": "LRU", "threshold-lru": "Thre-LRU"}


@dataclass(frozen=True)
class Shown:
    """A table of the paper with our numbers, as text."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, list[Compared]]]
    summary: str


def shown(cells: Sequence[Compared]) -> Iterator[Shown]:
    """Yield each table whose cells these are."""
    from teltheory.paper.printed import TABLES, V1_TABLES
    from teltheory.paper.tables import said

    columns = {table.number: table.columns for table in V1_TABLES}
    corrected = [table.number for table, v1 in zip(TABLES, V1_TABLES, strict=True) if table != v1]
    for number, section in groupby(cells, key=lambda cell: cell.table):
        of = list(section)
        header = ("C", "", *map(heading, columns[number]))
        rows = [(f"{capacity:,}", list(row)) for capacity, row in groupby(of, key=lambda cell: cell.capacity)]
        edition = " under arXiv v1's headings" if number in corrected else ""
        yield Shown(f"Table {number}{edition}, printed and ours", header, rows, f"Table {number}: {said(of)}")


def paper_tables(cells: Sequence[Compared]) -> Iterator[tuple[Table, str]]:
    """Yield each table with its summary in one line."""
    for one in shown(cells):
        table = plain_table(one.title)
        for i, name in enumerate(one.header):
            table.add_column(name, justify="left" if i == 1 else "right", no_wrap=True)
        for capacity, row in one.rows:
            table.add_row(capacity, "paper", *map(printed, row))
            table.add_row("", "ours", *map(ours, row))
        yield table, one.summary


def heading(column: Column) -> str:
    """Return what stands above a column, in two lines."""
    what = AGAINST[column.against] if column.metric == "above" else METRICS[column.metric]
    return f"{column.xi_ms} ms\n{what}"


def ours(cell: Compared) -> str:
    """Return our number with the mark of its verdict."""
    return f"{cell.ours:.1f}{MARKS[cell.agreement]}"


def printed(cell: Compared) -> str:
    """Return the paper's number, with room for a mark."""
    return f"{cell.printed:.1f} "
