"""A row of panels a workload, a column a capacity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.figures import as_it_stands
from teltheory.paper.rows import Adapted, Point

R = TypeVar("R", Adapted, Point)


def draw_by_workload(
    found: Sequence[R],
    draw_panel: Callable[[Axes, list[R]], object],
    row_height: float,
    labels: tuple[str, str],
    legend_columns: int,
    **shared: Any,
) -> Figure:
    """Draw rows that have a workload and a capacity, each pair in its panel."""
    workloads = list(dict.fromkeys(row.workload for row in found))
    of = {name: [row for row in found if row.workload == name] for name in workloads}
    capacities = {name: list(dict.fromkeys(row.capacity for row in rows)) for name, rows in of.items()}
    across = max(map(len, capacities.values()))
    figure, panels = style.panels(style.TEXT, 0.8 + row_height * len(workloads), len(workloads), across, **shared)
    for row, name in zip(panels, workloads, strict=True):
        for panel, capacity in zip(row, capacities[name], strict=False):
            draw_panel(panel, [line for line in of[name] if line.capacity == capacity])
            panel.set_title(f"{as_it_stands(style.workload(name).name)}, {style.tokens(capacity)}")
    for panel in panels[-1]:
        panel.set_xlabel(labels[0])
    figure.supylabel(labels[1], fontsize="medium")
    style.legend_below(figure, panels[0, 0], legend_columns)
    return figure
