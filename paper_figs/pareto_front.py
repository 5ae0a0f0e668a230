"""The median against the P95 of T-LRU over (xi, Q-hat), in per cent of LRU's, a line an order of trimming.

    python -m paper_figs.pareto_front pareto_front.csv FIGURE

Reads the table that `experiments.pareto_front` writes: a row of panels a workload, a column a capacity. A line
goes through the margins max(0, xi - Q-hat) in order, from LRU at (100, 100); markers are settings on its front.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paper_figs import style, tidy
from paper_figs.command import run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = {
    "workload": tidy.word,
    "capacity": tidy.whole,
    "trim": tidy.one_of("round-robin", "least-recent", "eager"),
    "margin": tidy.finite,
    "samples": tidy.whole,
    "p50": tidy.finite,
    "p95": tidy.finite,
    "p99": tidy.finite,
    "p50_of_lru": tidy.finite,
    "p95_of_lru": tidy.finite,
    "front": tidy.one_of("0", "1"),
}
LINES = {
    "round-robin": style.Line("round-robin", style.BLUE, "s", "-"),
    "least-recent": style.Line("least-recent", style.GREEN, "^", "--"),
    "eager": style.Line("eager", style.ORANGE, "v", ":"),
}


def draw(table: Path) -> Figure:
    """Draw a row of panels a workload, a column a capacity."""
    found = tidy.read(table, COLUMNS)
    workloads = list(dict.fromkeys(row["workload"] for row in found))
    of = {name: [row for row in found if row["workload"] == name] for name in workloads}
    capacities = {name: list(dict.fromkeys(row["capacity"] for row in rows)) for name, rows in of.items()}
    across = max(map(len, capacities.values()))
    figure, panels = style.panels(style.TEXT, 0.8 + 1.5 * len(workloads), len(workloads), across)
    for row, name in zip(panels, workloads, strict=True):
        for panel, capacity in zip(row, capacities[name], strict=False):
            _draw_panel(panel, [line for line in of[name] if line["capacity"] == capacity])
            panel.set_title(f"{style.workload(name).name}, {style.tokens(capacity)}")
    for panel in panels[-1]:
        panel.set_xlabel("median (% of LRU's)")
    figure.supylabel("P95 (% of LRU's)", fontsize="medium")
    style.legend_below(figure, panels[0, 0], len(LINES) + 1)
    return figure


def _draw_panel(panel: Axes, rows: list[tidy.Row]) -> None:
    for trim, line in LINES.items():
        path = sorted((row for row in rows if row["trim"] == trim), key=lambda row: row["margin"])
        medians, tails = ([row[f"{level}_of_lru"] for row in path] for level in ("p50", "p95"))
        panel.plot(medians, tails, color=line.colour, linestyle=line.dashes, alpha=0.5)
        on = [i for i, row in enumerate(path) if row["front"] == "1"]
        marked = {**line.keywords, "linestyle": ""}
        panel.plot([medians[i] for i in on], [tails[i] for i in on], **marked)
    panel.plot([100], [100], color=style.BLACK, marker="o", linestyle="", label="LRU")


if __name__ == "__main__":
    run("pareto_front", draw, sys.argv[1:])
