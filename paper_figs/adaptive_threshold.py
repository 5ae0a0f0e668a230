"""Improvement over LRU by the share that the threshold is of a percentile: fixed thresholds and adaptive T-LRU.

    python -m paper_figs.adaptive_threshold adaptive_threshold.csv FIGURE

Reads the table that `experiments.adaptive_threshold` writes: a row of panels a workload, a column a capacity. For
fixed thresholds the share is of LRU's own P95, which nobody knows beforehand; for adaptive T-LRU it is of the P95
of its last 500 turns. The measure is the mean over blocks of 1,000 turns of their P95. The grey line is the best
fixed threshold of each sample in hindsight. Bands are 95 % intervals of the means.
"""

from dataclasses import replace
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.errors import FileError
from teltheory.paper.rows import Adapted
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import listed

MEASURE, QUANTILE, WINDOW = "improvement-blocks", 0.95, 500
LONGEST = 1.25
LINES = {
    "fixed": style.Line("fixed, share of LRU's P95", style.BLUE, "", "-"),
    "adaptive": replace(style.POLICIES["adaptive"], name="adaptive, share of its own P95"),
}


def draw(table: Path) -> Figure:
    """Draw a row of panels a workload, a column a capacity."""
    found = [row for row in read_rows(table, Adapted) if _is_shown(row)]
    places = grouped(found, ("workload", "capacity"))
    lacking = [place for place, rows in places.items() if "best-fixed" not in grouped(rows, "policy")]
    if lacking or not places:
        of = " of {} at {}".format(*lacking[0]) if lacking else ""
        raise FileError(f"{table}: found no {MEASURE} of best-fixed{of}, expected one")
    labels = "threshold / P95", "improvement over LRU (%)"
    return style.draw_by_workload(found, _draw_panel, 1.15, labels, sharex=True)


def _is_shown(row: Adapted) -> bool:
    chosen = row.policy != "adaptive" or (row.quantile, row.window) == (QUANTILE, WINDOW)
    return chosen and row.measure == MEASURE and row.share <= LONGEST


def _draw_panel(panel: Axes, rows: list[Adapted]) -> None:
    for policy, line in LINES.items():
        points = sorted((row for row in rows if row.policy == policy), key=lambda row: row.share)
        style.draw_means(panel, [row.share for row in points], points, line)
    best = next(row.mean for row in rows if row.policy == "best-fixed")
    panel.axhline(best, color=style.GREY, linestyle=":", linewidth=0.9, label="best fixed in hindsight")
    panel.axhline(0, color=style.GREY, linewidth=0.6)


def caption(table: Path) -> str:
    """Return what is drawn, with the workloads of this table."""
    rows = read_rows(table, Adapted)
    names = listed(style.workload(name).name for name in grouped(rows, "workload"))
    sizes = listed(f"{capacity:,}" for capacity in sorted(grouped(rows, "capacity")))
    return (
        f"The improvement over LRU in the P95 of blocks of 1,000 turns, by the share that the threshold is of a "
        f"P95: LRU's own for fixed thresholds, that of the last {WINDOW} turns for the adaptive one. {names}, at "
        f"{sizes} tokens. Bands are 95 % intervals of the means over samples."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
