"""The share of T-LRU's distance to the optimal TEL that each policy closes, a panel a workload.

    python -m paper_figs.who_comes_back who_comes_back.csv FIGURE

Reads the table that `experiments.who_comes_back` writes. A group of points is a capacity, a point in it a
threshold in seconds. At 0 is T-LRU, at 100 the hindsight optimum; LRU, far below 0, is not shown.
"""

from math import ceil
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.rows import Returned
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import listed
from teltheory.plots.style import as_it_stands

LINES = {
    "End-Aware": style.POLICIES["end-aware"],
    "learnt order": style.Line("learnt order", style.ORANGE, "v", "--"),
    "return-aware": style.POLICIES["return-aware"],
}
ACROSS = 3


def draw(table: Path) -> Figure:
    """Draw a panel a workload."""
    workloads = grouped(read_rows(table, Returned), "workload")
    down = ceil(len(workloads) / ACROSS)
    figure, panels = style.panels(style.text_width(), 0.5 + 1.8 * down, down, ACROSS, sharey=True)
    for panel in panels.flat[len(workloads) :]:
        panel.set_visible(False)
    for panel, (name, rows) in zip(panels.flat, workloads.items(), strict=False):
        _draw_panel(panel, rows)
        panel.set_title(as_it_stands(style.workload(name.removesuffix("_conversation")).name))
        panel.set_xlabel("SLO (s), by capacity")
    figure.supylabel("share of the distance closed (%)", fontsize="medium")
    style.legend_below(figure, panels[0, 0])
    return figure


def _draw_panel(panel: Axes, rows: list[Returned]) -> None:
    """Draw each capacity's line, with a gap before the next capacity's."""
    ticks: list[tuple[int, str]] = []
    for capacity, points in grouped(rows, "capacity").items():
        slos = list(grouped(points, "slo"))
        places = range(len(ticks), len(ticks) + len(slos))
        for policy, line in LINES.items():
            shares = [100 * row.closed for row in points if row.policy == policy]
            panel.plot(places, shares, **{**line.keywords, "label": "_" if ticks else line.name})
        ticks += [(place, f"{slo:g}") for place, slo in zip(places, slos, strict=True)]
        ticks[places[0]] = (places[0], f"{slos[0]:g}\n{style.tokens(capacity)}")
    panel.axhline(0, color=style.GREY, linewidth=0.6)
    panel.set_xticks([place for place, _ in ticks], [label for _, label in ticks])


def caption(table: Path) -> str:
    """Return what is drawn, with the workloads of this table."""
    rows = read_rows(table, Returned)
    names = listed(style.workload(name).name for name in grouped(rows, "workload"))
    sizes = listed(f"{capacity:,}" for capacity in sorted(grouped(rows, "capacity")))
    return (
        f"The share of T-LRU's distance to the optimal TEL that is closed, by SLO and capacity: {names}, at "
        f"{sizes} tokens. At 0 is T-LRU, at 100 the hindsight optimum; LRU, below 0, is not shown."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
