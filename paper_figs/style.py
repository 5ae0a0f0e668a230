"""What the figures of the paper have in common, beside the style of all figures (`teltheory.plots.style`)."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from teltheory.paper import drawing, script
from teltheory.paper.rows import Adapted, Average, MarginRow
from teltheory.paper.tidy import grouped
from teltheory.plots.alike import merge
from teltheory.plots.panels import legend_below, of_tokens, panels, tell_apart, tokens, with_strips
from teltheory.plots.style import (
    BLACK,
    BLUE,
    COLUMN,
    GREEN,
    GREY,
    ORANGE,
    POLICIES,
    PURPLE,
    SKY,
    VERMILLION,
    Line,
    as_it_stands,
    paper,
    text_width,
)

__all__ = [
    "BLACK",
    "BLUE",
    "COLUMN",
    "GREEN",
    "GREY",
    "ORANGE",
    "PERCENTILES",
    "POLICIES",
    "VERMILLION",
    "Line",
    "draw_by_workload",
    "draw_means",
    "label_last",
    "legend_below",
    "of_tokens",
    "panels",
    "paper",
    "run",
    "tell_apart",
    "text_width",
    "tokens",
    "with_strips",
    "workload",
]

NOTE = 24
"""Letters a line of what the title of a panel says of lines that are alike."""
R = TypeVar("R", Adapted, MarginRow)

PERCENTILES: Mapping[str, Line] = {
    "p50": Line("P50", SKY, "v", ":"),
    "p90": Line("P90", BLUE, "o", "-"),
    "p95": Line("P95", VERMILLION, "s", "--"),
    "p99": Line("P99", GREEN, "^", "-."),
}
WORKLOADS: Mapping[str, Line] = {
    "wildchat": Line("WildChat-like", BLUE, "", "-"),
    "sharegpt": Line("ShareGPT-like", VERMILLION, "", "--"),
    "mooncake": Line("Mooncake", GREEN, "", "-."),
    "wildchat-20000": Line("WildChat-like, long", BLUE, "", "-"),
    "longer-halfway": Line("3 times as long half-way", PURPLE, "", ":"),
    "shorter-halfway": Line("a third as long half-way", PURPLE, "", ":"),
    "busier-halfway": Line("3 times as many half-way", PURPLE, "", ":"),
    "wildchat-published": Line("WildChat, published", BLACK, "o", ""),
}


def workload(name: str) -> Line:
    """Return how a workload is drawn; another trace bears its own name."""
    return WORKLOADS.get(name, Line(name, PURPLE, "", ":"))


def label_last(above: Any, below: Any, label: str) -> None:
    """Label the axis of tokens at the lowest panel that each column shows."""
    for panel, strip in zip(above[-1], below[-1], strict=True):
        lowest = strip if strip.axison else panel
        lowest.set_xlabel(label)
        lowest.tick_params(labelbottom=True)
        of_tokens(lowest, "x")


def draw_means(
    panel: Axes, places: Sequence[float], rows: Sequence[Average | Adapted], line: Line, **look: Any
) -> None:
    """Draw means as a line; the band is their intervals, unless one of them has none."""
    panel.plot(places, [row.mean for row in rows], **line.keywords, **look)
    if all(math.isfinite(row.low) for row in rows):
        lows, highs = [row.low for row in rows], [row.high for row in rows]
        band = panel.fill_between(places, lows, highs, color=line.colour, alpha=0.15, linewidth=0)
        band.set_gid(line.keywords["label"])


def draw_by_workload(
    found: Sequence[R],
    draw_panel: Callable[[Axes, list[R]], object],
    row_height: float,
    labels: tuple[str, str],
    **shared: Any,
) -> Figure:
    """Draw a row of panels a workload, a column a capacity."""
    of = {name: grouped(rows, "capacity") for name, rows in grouped(found, "workload").items()}
    figure, every = panels(text_width(), 0.4 + row_height * len(of), len(of), max(map(len, of.values())), **shared)
    panel: Axes
    for row, (name, capacities) in zip(every, of.items(), strict=True):
        for panel, (capacity, rows) in zip(row, capacities.items(), strict=False):
            draw_panel(panel, rows)
            title = f"{as_it_stands(workload(name).name)}, {tokens(capacity)}"
            panel.set_title("\n".join((title, *wrap(", ".join(merge(panel)), NOTE, break_on_hyphens=False))))
    for lowest in every[-1]:
        lowest.set_xlabel(labels[0])
    figure.supylabel(labels[1], fontsize="medium")
    legend_below(figure, *every.flat)
    return figure


def run(draw: Callable[[Path], Figure], doc: str | None, words: Sequence[str] | None = None) -> None:
    """Draw the table that a command line names into the figure that it names; see `teltheory.paper.script.run`."""

    def drawn(table: str, figure: str) -> list[str]:
        with paper():
            drawing.save(draw(Path(table)), Path(figure))
        return []

    script.run(drawn, doc, words)
