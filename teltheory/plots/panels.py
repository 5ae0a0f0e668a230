"""Figures of panels, with a legend and a title that are never cut off."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from teltheory.plots.style import as_it_stands

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


def legend_below(figure: Figure, *of: Axes) -> None:
    """Put what some panels show under the whole figure, in as many columns as fit; it grows with its lines."""
    shown: dict[str, Artist] = {}
    for panel in of:
        handles, names = panel.get_legend_handles_labels()
        shown |= dict(zip(names, handles, strict=True))
    for columns in range(len(shown), 0, -1):
        legend = figure.legend([*shown.values()], [*shown], loc="outside lower center", ncols=columns)
        width = _width(figure, legend)
        if width <= figure.get_figwidth() or columns == 1:
            break
        legend.remove()
    figure.set_figwidth(max(figure.get_figwidth(), width))
    figure.set_figheight(figure.get_figheight() + LINE * -(-len(shown) // columns))


def add_title(figure: Figure, title: str) -> None:
    """Add a title above the panels, on several lines if it is too long; the figure grows with them."""
    heading = figure.suptitle(as_it_stands(title))
    lines = [title]
    if _width(figure, heading) > figure.get_figwidth():
        lines = wrap(title, int(WIDEST_LETTERS_AN_INCH * figure.get_figwidth()))
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
