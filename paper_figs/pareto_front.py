"""The median against the P95 of T-LRU over (xi, Q-hat), in per cent of LRU's, a line an order of trimming.

    python -m paper_figs.pareto_front pareto_front.csv FIGURE

Reads the table that `experiments.pareto_front` writes: a row of panels a workload, a column a capacity. A line
goes through the margins max(0, xi - Q-hat) in order, from LRU at (100, 100); markers are settings on its front.
"""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.rows import MarginRow
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import listed

LINES = {
    "round-robin": style.Line("round-robin", style.BLUE, "s", "-"),
    "least-recent": style.Line("least-recent", style.GREEN, "^", "--"),
    "eager": style.Line("eager", style.ORANGE, "v", ":"),
}


def draw(table: Path) -> Figure:
    """Draw a row of panels a workload, a column a capacity."""
    labels = "median (% of LRU's)", "P95 (% of LRU's)"
    return style.draw_by_workload(read_rows(table, MarginRow), _draw_panel, 1.5, labels)


def _draw_panel(panel: Axes, rows: list[MarginRow]) -> None:
    for trim, line in LINES.items():
        path = sorted((row for row in rows if row.trim == trim), key=lambda row: row.margin)
        medians, tails = [row.p50_of_lru for row in path], [row.p95_of_lru for row in path]
        on = [i for i, row in enumerate(path) if row.front]
        panel.plot(medians, tails, **line.keywords, markevery=on)
    panel.plot([100], [100], color=style.BLACK, marker="o", linestyle="", label="LRU")


def caption(table: Path) -> str:
    """Return what is drawn, with the workloads of this table."""
    rows = read_rows(table, MarginRow)
    names = listed(style.workload(name).name for name in grouped(rows, "workload"))
    sizes = listed(f"{capacity:,}" for capacity in sorted(grouped(rows, "capacity")))
    return (
        f"The median against the P95 of uncached tokens under T-LRU over its margin, in per cent of LRU's, for "
        f"three orders of trimming: {names}, at {sizes} tokens. Markers are settings on the front of their order. "
        "What the title of a panel says to be as another can't be told from it there."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
