"""A board as a figure: TEL and prefill over the capacity, and one against the other, next to LRU's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teltheory.plots.latex import listed
from teltheory.plots.panels import FEW, legend_below, of_tokens, panels
from teltheory.plots.style import COLUMN, Line, as_it_stands, looks, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACROSS = 3
HIGH = 1.9
"""Inches of a panel."""
Row = Mapping[str, Any]


def draw_board(rows: Sequence[Row]) -> Figure:
    """Draw three panels for each trace, cache and threshold: TEL and prefill by capacity, and the frontier."""
    found = [*_places(rows)]
    across, down = min(len(found), ACROSS), -(-len(found) // ACROSS)
    width = COLUMN if across == 1 else max(text_width(), 2.2 * across)
    figure, every = panels(width, 0.6 + 3 * HIGH * down, 3 * down, across)
    drawn = looks(row["policy"] for row in rows)
    for i, (title, some) in enumerate(found):
        tail, work, front = every[3 * (i // across) : 3 * (i // across) + 3, i % across]
        tail.set_title(as_it_stands(title))
        for policy in dict.fromkeys(row["policy"] for row in some):
            _draw_policy((tail, work, front), [row for row in some if row["policy"] == policy], drawn[policy])
        for panel, name in ((tail, "TEL"), (work, "prefill"), (front, "TEL")):
            panel.set_ylabel(f"{name} (% of LRU's)" if not i % across else "")
        work.set_xlabel("capacity (tokens)")
        front.set_xlabel("prefill (% of LRU's)")
    for panel in every[-3:, (len(found) - 1) % across + 1 :].flatten():
        panel.remove()
    figure.align_ylabels()
    legend_below(figure, every[0, 0])
    return figure


def caption_of_board(rows: Sequence[Row]) -> str:
    """Return what `draw_board` draws, in plain text."""
    names = listed(dict.fromkeys(row["policy"] for row in rows))
    where = listed(title for title, _ in _places(rows))
    return (
        f"TEL and prefill in per cent of LRU's, by capacity and one against the other, where the frontier of what "
        f"is gained and paid lies below and left: {where}; {names}."
    )


def _places(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield what has numbers of each trace, cache and threshold, with its title."""
    told = [row for row in rows if row["tel"] is not None and row["lru"] and row["price"] is not None]
    for place in dict.fromkeys((row["trace"], row["cache"], row["xi"]) for row in told):
        trace, cache, xi = place
        yield f"{trace}\n{cache}, {xi:,} tokens", [r for r in told if (r["trace"], r["cache"], r["xi"]) == place]


def _draw_policy(on: tuple[Axes, Axes, Axes], rows: Sequence[Row], look: Line) -> None:
    points = sorted((row["capacity"], 100 * row["tel"] / row["lru"], 100 + 100 * row["price"]) for row in rows)
    sizes, tels, work = zip(*points, strict=True)
    from matplotlib.ticker import LogLocator, NullFormatter

    tail, prefill, front = on
    for panel, x, y in ((tail, sizes, tels), (prefill, sizes, work), (front, work, tels)):
        line = {"linestyle": ""} if panel is front else {}
        panel.plot(x, y, **look.keywords | line)
        if panel is not front:
            panel.set_xscale("log")
            panel.xaxis.set_major_locator(LogLocator(subs=FEW))
            panel.xaxis.set_minor_formatter(NullFormatter())
            of_tokens(panel, "x")
