"""Figures of panels, with a legend and a title that are never cut off."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from teltheory.plots.alike import SMALL, draw_apart
from teltheory.plots.style import POLICIES, as_it_stands

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = (1.0, 2.0, 5.0)
"""What a power of ten is multiplied with at the ticks of a logarithmic axis."""
WIDEST_LETTERS_AN_INCH = 7
LINE = 0.16
"""Inches of a line of text."""
MARGIN = 0.1
"""Inches on both sides of a text that is as wide as the figure."""


def panels(width: float, height: float, down: int = 1, across: int = 1, **shared: Any) -> tuple[Figure, Any]:
    """Return a figure of this size in inches, and its panels as an array of two dimensions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(down, across, squeeze=False, **shared)


STRIP = 0.5
"""Inches that a panel of differences is high, with what is said over it."""


def with_strips(width: float, height: float, down: int, across: int, **shared: Any) -> tuple[Figure, Any, Any]:
    """Return a figure, its panels, and below each row of them a row of lower ones for differences."""
    rows = (height / down / STRIP, 1) * down
    figure, every = panels(
        width, height + STRIP * down, 2 * down, across, sharex="col", gridspec_kw={"height_ratios": rows}
    )
    if shared.get("sharey") in ("col", "row"):
        for (i, j), panel in np.ndenumerate(every[::2]):
            first = every[0, j] if shared["sharey"] == "col" else every[2 * i, 0]
            if panel is not first:
                panel.sharey(first)
    return figure, every[::2], every[1::2]


def tell_apart(figure: Figure, above: Any, below: Any, *units: str) -> None:
    """Draw differences of lines that can't be told apart below, in the unit of the row; empty rows go."""
    grid = below[0, 0].get_gridspec()
    heights = list(grid.get_height_ratios())
    for i, (row, strips) in enumerate(zip(above, below, strict=True)):
        drawn = [draw_apart(panel, strip) for panel, strip in zip(row, strips, strict=True)]
        for strip in strips:
            of_tokens(strip, "y")
            strip.tick_params(axis="y", labelsize=SMALL)
            strip.locator_params(axis="y", nbins=3)
            if not strip.lines:
                strip.axis("off")
                strip.tick_params(labelbottom=False)
                strip.set_yticks([])
        if strips[0].axison:
            strips[0].set_ylabel(units[i % len(units)], fontsize=SMALL)
        if not any(drawn):
            heights[2 * i + 1] = 1e-3
            figure.set_figheight(figure.get_figheight() - STRIP)
    grid.set_height_ratios(heights)


def legend_below(figure: Figure, *of: Axes) -> None:
    """Put what some panels show under the whole figure, in as many columns as fit; it grows with its lines."""
    shown: dict[str, Artist] = {}
    for panel in of:
        handles, names = panel.get_legend_handles_labels()
        shown |= dict(zip(names, handles, strict=True))
    shown = {name: shown[name] for name in sorted(shown, key=_rank)}
    for columns in sorted({-(-len(shown) // lines) for lines in range(1, len(shown) + 1)}, reverse=True):
        legend = figure.legend([*shown.values()], [*shown], loc="outside lower center", ncols=columns)
        width = _width(figure, legend)
        if width <= figure.get_figwidth() or columns == 1:
            break
        legend.remove()
    figure.set_figwidth(max(figure.get_figwidth(), width))
    figure.set_figheight(figure.get_figheight() + LINE * -(-len(shown) // columns))


def _rank(name: str) -> int:
    """Return where the legend has a policy: before it all that is none."""
    return next((i for i, line in enumerate(POLICIES.values()) if line.name == name), -1)


def add_title(figure: Figure, title: str) -> None:
    """Add a title above the panels, on several lines if it is too long; the figure grows with them.

    In a venue's style there is none, as the caption has it.
    """
    import matplotlib as mpl

    if not title or not mpl.rcParams["figure.titlesize"]:
        return
    heading = figure.suptitle(as_it_stands(title))
    lines = [title]
    if _width(figure, heading) > figure.get_figwidth():
        lines = wrap(title, int(WIDEST_LETTERS_AN_INCH * figure.get_figwidth()), break_on_hyphens=False)
        heading.set_text(as_it_stands("\n".join(lines)))
    figure.set_figheight(figure.get_figheight() + LINE * len(lines))


def _width(figure: Figure, artist: Artist) -> float:
    """Return how wide something is, in inches, with a margin."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    box = artist.get_window_extent(FigureCanvasAgg(figure).get_renderer())  # type: ignore[no-untyped-call]
    return float(box.width) / figure.dpi + MARGIN


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


def label_ticks(panel: Axes) -> None:
    """Write plain numbers at a few ticks of both logarithmic axes, instead of powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(LogLocator(subs=FEW))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
