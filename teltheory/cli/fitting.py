"""Tables that fit their terminal: closer columns where it is narrow, else parts, one below the other.

Each part has the table's first columns, which say what a row is about, and as many others as fit. Where one column
beside them is too wide by itself, the first columns are wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table

WIDER_THAN_ANY_TABLE = 100_000


class FittingTable(Table):
    """A table that fits.

    Attributes
    ----------
    heads : int
        How many columns say what a row is about.
    """

    heads = 1

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render it whole, closer, or in parts."""
        closer = copy(self)
        closer.padding = 0
        for table in (self, closer):
            if table._width(console) <= options.max_width:
                yield from Table.__rich_console__(table, console, options)
                return
        for part in closer._parts(console, options.max_width):
            yield from Table.__rich_console__(part, console, options)

    def _width(self, console: Console) -> int:
        return Measurement.get(console, console.options.update(width=WIDER_THAN_ANY_TABLE), self).maximum

    def _parts(self, console: Console, width: int) -> Iterator[FittingTable]:
        """Yield the parts: the title is the first one's, the caption the last one's."""
        places: list[int] = []
        title = self.title
        for place in range(self.heads, len(self.columns)):
            if places and self._part([*places, place])._width(console) > width:
                yield self._part(places, title)
                places, title = [], None
            places.append(place)
        last = self._part(places, title)
        last.caption = self.caption
        yield last

    def _part(self, places: Sequence[int], title: object = None) -> FittingTable:
        """Return a table with the first columns and some others."""
        part = copy(self)
        part.title, part.caption, part.columns, part.rows = title, None, [], []  # type: ignore[assignment]
        chosen = [*self.columns[: self.heads], *(self.columns[place] for place in places)]
        for i, column in enumerate(chosen):
            part.add_column(column.header, justify=column.justify, no_wrap=i >= self.heads, overflow="fold")
        for cells in zip(*(column.cells for column in chosen), strict=True):
            part.add_row(*cells)
        return part


def plain_table(title: str, heads: int = 1) -> FittingTable:
    """Return a table without lines between its columns; the first `heads` say what a row is about."""
    from rich.box import SIMPLE_HEAD

    table = FittingTable(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    table.heads = heads
    return table
