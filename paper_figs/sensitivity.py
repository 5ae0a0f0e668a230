"""The improvement of T-LRU over LRU by threshold; LRU's own percentiles stand as vertical lines.

    python -m paper_figs.sensitivity sensitivity_WORKLOAD.csv FIGURE

Reads the table that `teltheory.paper.all` writes, a panel a capacity. Section 4.2 says that a percentile
improves most where the threshold meets it: where a curve and the vertical line of its own look meet. Bands are
95 % intervals of the means. A percentile of LRU beyond the thresholds has no line.
"""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from paper_figs.averages import Averages
from teltheory.cost.latency import COMPOSED
from teltheory.plots.latex import listed

SHOWN = ("p90", "p95", "p99")


def draw(table: Path) -> Figure:
    """Draw a panel a capacity, one below the other, a line a percentile."""
    found = Averages(table)
    count = len(found.capacities)
    figure, panels = style.panels(style.COLUMN, 0.7 + 1.2 * count, count, 1, sharex=True)
    for panel, capacity in zip(panels[:, 0], found.capacities, strict=True):
        for percentile in SHOWN:
            _draw_percentile(panel, found, capacity, percentile)
        panel.axhline(0, color=style.GREY, linewidth=0.6)
        panel.set(title=f"{capacity:,} tokens", xlim=(min(found.thresholds), max(found.thresholds)))
    panels[-1, 0].locator_params(axis="x", nbins=6)
    panels[-1, 0].set_xlabel("threshold $\\xi$ (ms)")
    figure.supylabel("improvement over LRU (%)", fontsize="medium")
    style.legend_below(figure, panels[0, 0])
    return figure


def _draw_percentile(panel: Axes, found: Averages, capacity: int, percentile: str) -> None:
    line = style.PERCENTILES[percentile]
    rows = [found.at(capacity, xi_ms, "tlru", f"improvement-{percentile}") for xi_ms in found.thresholds]
    style.draw_means(panel, found.thresholds, rows, line, markevery=4)
    own = found.mean(capacity, found.thresholds[0], "lru", percentile)
    if min(found.thresholds) <= own <= max(found.thresholds):
        panel.axvline(own, color=line.colour, linestyle=line.dashes, linewidth=0.9)


def caption(table: Path) -> str:
    """Return what is drawn, with the numbers of this table."""
    found = Averages(table)
    low, high = min(found.thresholds), max(found.thresholds)
    bands = " Bands are 95 % intervals of the means." if found.samples > 1 else ""
    return (
        f"{found.about}: the improvement of T-LRU over LRU in P90, P95 and P99 by threshold, {low:,} to {high:,} "
        f"ms, at {listed(f'{capacity:,}' for capacity in found.capacities)} tokens. A vertical line is LRU's own "
        f"percentile.{bands} {COMPOSED}"
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
