"""Figure 3: TTFT against uncached tokens with the best line, and what the line leaves.

    python -m paper_figs.figure_3 figure_3.csv FIGURE

Reads the table that `teltheory.paper.all` writes, a column of panels a series; the colour is the cached tokens.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.rows import TimedRow
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import listed
from teltheory.plots.style import as_it_stands


def draw(table: Path) -> Figure:
    """Draw TTFT and line above, residuals below."""
    rows = read_rows(table, TimedRow)
    series = grouped(rows, "series")
    heights = {"height_ratios": (2, 1)}
    figure, panels = style.panels(style.text_width(), 3.3, 2, len(series), sharex="col", gridspec_kw=heights)
    most = max(row.cached_tokens for row in rows)
    for (above, below), of in zip(panels.T, series.values(), strict=True):
        points = _draw_series(above, below, of, most)
    panels[0, 0].set_ylabel("TTFT (ms)")
    panels[1, 0].set_ylabel("median − line (ms)")
    panels[0, 0].legend(loc="upper left")
    bar = figure.colorbar(points, ax=panels, label="cached tokens", aspect=30)
    bar.ax.yaxis.set_major_formatter(style.tokens)
    return figure


def _draw_series(above: Axes, below: Axes, rows: Sequence[TimedRow], most: int) -> Any:
    ordered = sorted(rows, key=lambda row: row.uncached_tokens)
    x, cached, seen, line, left = (
        [getattr(row, name) for row in ordered]
        for name in ("uncached_tokens", "cached_tokens", "ttft_ms", "fitted_ms", "residual_ms")
    )
    dots: dict[str, Any] = {"c": cached, "s": 7, "cmap": "viridis"}
    dots |= {"vmin": 0, "vmax": max(most, 1), "linewidths": 0}
    points = above.scatter(x, seen, label="median", **dots)
    above.plot(x, line, color=style.VERMILLION, label="best line")
    below.scatter(x, left, **dots)
    below.axhline(0, color=style.VERMILLION)
    above.set_title(as_it_stands(rows[0].series))
    explained = f"$R^2$ = {rows[0].r_squared:.4f}"
    above.text(0.97, 0.04, explained, transform=above.transAxes, ha="right", fontsize="small")
    below.set_xlabel("uncached tokens")
    style.of_tokens(below, "x")
    return points


def caption(table: Path) -> str:
    """Return what is drawn, with the series of this table."""
    series = grouped(read_rows(table, TimedRow), "series")
    fits = listed(f"{name} ({of[0].points} medians, R² = {of[0].r_squared:.4f})" for name, of in series.items())
    shown = f"TTFT against uncached tokens with the best line, and below what it leaves: {fits}."
    return f"{shown} The A100's are composed of operators' timings."


if __name__ == "__main__":
    style.run(draw, __doc__)
