"""Tables whose columns move closer together if the terminal is narrow, and are never cut."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table

WIDER_THAN_ANY_TABLE = 100_000


class FittingTable(Table):
    """A table as wide as its columns."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render it whole, or closer if that is too wide."""
        table, room = copy(self), options.update(width=WIDER_THAN_ANY_TABLE)
        if Measurement.get(console, room, table).maximum > options.max_width:
            table.padding = 0
            table.width = Measurement.get(console, room, table).maximum
        yield from Table.__rich_console__(table, console, options)


def plain_table(title: str, numbers: Iterable[str] = (), texts: Iterable[str] = ()) -> Table:
    """Return a table without lines between its columns: those of texts, set to the left, then those of numbers."""
    table = FittingTable(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    for name in texts:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table
