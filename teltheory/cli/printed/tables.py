"""Tables for the terminal: if it is narrow, columns move closer together, then go on below; they are never cut."""

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from teltheory.cli.asked.question import Thresholds
from teltheory.cli.printed.output import has_width
from teltheory.model.display import percent, tokens_in_short

WIDER_THAN_ANY_TABLE = 100_000
TTFTS = ("P50 s", "P90 s", "P95 s", "P99 s")
WORK = ("P50 s", "hit", "prefill", "written")
WORK_LEGEND = (
    "hit: share of the input that was reused. prefill: tokens that the server computed (M: millions). written: "
    "tokens of inputs and outputs that were not in the cache before."
)
SLOW_LEGEND = "slow: turns above the threshold."


class FittingTable(Table):
    """A table as wide as its columns; `plain` has its title, columns, rows and the columns set to the left."""

    plain: tuple[str, list[str], list[list[str]], Collection[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render it whole; if that is too wide closer, and in parts where the width is given."""
        room = options.update(width=WIDER_THAN_ANY_TABLE)
        parts = [self]
        if Measurement.get(console, room, self).maximum > options.max_width:
            tight = copy(self)
            tight.padding = 0
            parts = tight._parts(console, options) if has_width() else [tight]
        for table in parts:
            table.width = Measurement.get(console, room, table).maximum
            yield from Table.__rich_console__(table, console, options)

    def _parts(self, console: Console, options: ConsoleOptions) -> list["FittingTable"]:
        """Return tables that fit, each with the first columns up to one of texts, and some of the others."""
        texts = [at for at, column in enumerate(self.columns) if column.justify == "left"]
        first = min(texts, default=0) + 1
        parts = [self._of(self.columns[: first + 1])]
        for column in self.columns[first + 1 :]:
            wider = self._of([*parts[-1].columns, column])
            fits = Measurement.get(console, options.update(width=WIDER_THAN_ANY_TABLE), wider).maximum
            if fits <= options.max_width:
                parts[-1] = wider
            else:
                parts.append(self._of([*self.columns[:first], column]))
        for part in parts[1:]:
            part.title = None
        return parts

    def _of(self, columns: list[Column]) -> "FittingTable":
        table = copy(self)
        table.columns = [replace(column, _index=at) for at, column in enumerate(columns)]
        return table


def plain_table(
    title: str, columns: Iterable[str], rows: Iterable[Iterable[str]], left: Collection[str] = ()
) -> Table:
    """Return a table without lines between its columns; those named in `left` are texts, set to the left.

    Nothing in a cell is read as mark-up.
    """
    table = FittingTable(
        title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1)
    )
    table.plain = title, [*columns], [[*row] for row in rows], left
    _, heads, cells, _ = table.plain
    for name, *column in zip_longest(heads, *cells, fillvalue=""):
        width = max(map(_width, [Text.from_markup(name).plain, *column]))
        table.add_column(name, justify="left" if name in left else "right", no_wrap=True, width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def _width(cell: str) -> int:
    """Return how wide a cell is: rich would measure every cell again whenever it measures the table."""
    return max(map(cell_len, cell.splitlines()), default=0)


def work_cells(row: Mapping[str, Any], thresholds: Thresholds, who: str = "") -> list[str]:
    """Return the median TTFT, the hit rate, what was prefilled and what was written as text.

    `who` begins their names in the row.
    """
    volumes = (tokens_in_short(row[f"{who}{name}"]) for name in ("prefilled", "written"))
    return [thresholds.shown(row[f"{who}p50"]), percent(row[f"{who}hit_rate"]), *volumes]
