"""Tables in Markdown, a line at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def heading(columns: Sequence[object]) -> Iterator[str]:
    """Yield the two lines above a table's rows."""
    yield line(columns)
    yield "|" + "---|" * len(columns)


def line(cells: Sequence[object]) -> str:
    """Return a row."""
    return f"| {' | '.join(map(str, cells))} |"
