"""One look for all figures: widths, colours of Okabe and Ito (2008), a marker and a line style for each policy.

And what the scripts of single figures have in common.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import matplotlib as mpl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from teltheory.figures import as_it_stands
from teltheory.paper import drawing, script
from teltheory.paper.rows import Adapted, Average, Point
from teltheory.paper.tidy import grouped

COLUMN, TEXT = 3.25, 6.75
"""Width of a column and of the text in ICML's layout, in inches."""

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#666666"
R = TypeVar("R", Adapted, Point)
Dashes: TypeAlias = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True)
class Line:
    """How a policy, a percentile or a workload is drawn."""

    name: str
    colour: str
    marker: str
    dashes: Dashes

    @property
    def keywords(self) -> dict[str, Any]:
        """Arguments of `Axes.plot`."""
        look = {"color": self.colour, "marker": self.marker, "linestyle": self.dashes}
        return {**look, "label": as_it_stands(self.name), "markerfacecolor": "white"}


POLICIES: Mapping[str, Line] = {
    "lru": Line("LRU", BLACK, "o", "-"),
    "threshold-lru": Line("Threshold-LRU", ORANGE, "v", "--"),
    "tlru": Line("T-LRU", BLUE, "s", "-"),
    "end-aware": Line("End-Aware T-LRU", GREEN, "^", "-."),
    "length-aware": Line("Length-Aware T-LRU", PURPLE, "D", ":"),
    "tail-optimized-belady": Line("Tail-Optimized Belady", VERMILLION, "x", (0, (5, 1.5))),
    "belady": Line("Belady", SKY, "+", (0, (3, 1, 1, 1))),
}
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


@contextmanager
def paper() -> Iterator[None]:
    """Draw and save figures in the paper's style."""
    with style.context(Path(__file__).with_name("style.mplstyle")), mpl.rc_context():
        yield


def workload(name: str) -> Line:
    """Return how a workload is drawn; another trace bears its own name."""
    return WORKLOADS.get(name, Line(name, PURPLE, "", ":"))


def panels(width: float, height: float, down: int = 1, across: int = 1, **shared: Any) -> tuple[Figure, Any]:
    """Return a figure of this size in inches, and its panels as an array of two dimensions."""
    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(down, across, squeeze=False, **shared)


def legend_below(figure: Figure, panel: Axes, columns: int) -> None:
    """Put the legend of a panel under the whole figure."""
    handles, names = panel.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=columns)


def tokens(value: float, _: object = None) -> str:
    """Return a number of tokens, short: 500, 10k, 1.5M."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def of_tokens(panel: Axes, *names: str) -> None:
    """Let axes "x" or "y" of a panel show tokens in short."""
    for name in names:
        (panel.xaxis if name == "x" else panel.yaxis).set_major_formatter(tokens)


def draw_means(
    panel: Axes, places: Sequence[float], rows: Sequence[Average | Adapted], line: Line, **look: Any
) -> None:
    """Draw means as a line; the band is their intervals, unless one of them has none."""
    panel.plot(places, [row.mean for row in rows], **line.keywords, **look)
    if all(math.isfinite(row.low) for row in rows):
        lows, highs = [row.low for row in rows], [row.high for row in rows]
        panel.fill_between(places, lows, highs, color=line.colour, alpha=0.15, linewidth=0)


def draw_by_workload(
    found: Sequence[R],
    draw_panel: Callable[[Axes, list[R]], object],
    row_height: float,
    labels: tuple[str, str],
    legend_columns: int,
    **shared: Any,
) -> Figure:
    """Draw a row of panels a workload, a column a capacity."""
    of = {name: grouped(rows, "capacity") for name, rows in grouped(found, "workload").items()}
    figure, every = panels(TEXT, 0.8 + row_height * len(of), len(of), max(map(len, of.values())), **shared)
    for row, (name, capacities) in zip(every, of.items(), strict=True):
        for panel, (capacity, rows) in zip(row, capacities.items(), strict=False):
            draw_panel(panel, rows)
            panel.set_title(f"{as_it_stands(workload(name).name)}, {tokens(capacity)}")
    for panel in every[-1]:
        panel.set_xlabel(labels[0])
    figure.supylabel(labels[1], fontsize="medium")
    legend_below(figure, every[0, 0], legend_columns)
    return figure


def run(draw: Callable[[Path], Figure], doc: str | None, words: Sequence[str] | None = None) -> None:
    """Draw the table that a command line names into the figure that it names; see `teltheory.paper.script.run`."""

    def drawn(table: str, figure: str) -> list[str]:
        with paper():
            drawing.save(draw(Path(table)), Path(figure))
        return []

    script.run(drawn, doc, words)
