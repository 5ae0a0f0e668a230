"""Figure 4: how the turns and tokens of the workloads are distributed, as the share that has at least so many.

    python -m paper_figs.figure_4 figure_4.csv FIGURE

Reads the table that `teltheory.paper.all` writes.
"""

from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.rows import AtLeast
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import listed

QUANTITIES = {
    "turns": "turns per conversation",
    "tokens": "tokens per conversation",
    "prompt": "tokens per prompt",
    "response": "tokens per response",
}


def draw(table: Path) -> Figure:
    """Draw a panel a quantity, a line a workload."""
    of = grouped(read_rows(table, AtLeast), "quantity")
    figure, panels = style.panels(style.COLUMN, 3.4, 2, 2, sharey=True)
    for panel, (quantity, label) in zip(panels.flat, QUANTITIES.items(), strict=True):
        for name, found in grouped(of.get(quantity, ()), "workload").items():
            line = style.workload(name).keywords
            panel.plot([row.value for row in found], [row.share for row in found], **line)
        panel.set(xscale="log", yscale="log", xlim=(0.9, None))
        panel.set_xlabel(label, fontsize=6.5)
        style.of_tokens(panel, "x")
    for panel in panels[:, 0]:
        panel.set(ylabel="share at or above", ylim=(1e-4, 1.5))
    style.legend_below(figure, panels[0, 0])
    return figure


def caption(table: Path) -> str:
    """Return what is drawn, with the workloads of this table."""
    names = listed(style.workload(name).name for name in grouped(read_rows(table, AtLeast), "workload"))
    return f"The share of conversations, or of turns, that have at least so many turns or tokens: {names}."


if __name__ == "__main__":
    style.run(draw, __doc__)
