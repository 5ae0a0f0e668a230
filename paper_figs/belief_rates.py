"""What ET-LRU loses more, or less, than LRU in the belief MDP: by the ratio of turn rates and the gap of turns.

    python -m paper_figs.belief_rates belief_rates.csv FIGURE

Reads the table that `teltheory.paper.all` writes: a panel an index of ET-LRU, a cell a ratio and a gap. Numbers
are points of the optimal saving; above 0 LRU is better.
"""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.model.numbers import FloatArray
from teltheory.paper.rows import BeliefRegret
from teltheory.paper.tidy import grouped, read_rows

INDICES = {"et-lru:index=printed": "ET-LRU, printed index", "et-lru:index=belief": "ET-LRU, belief"}


def draw(table: Path) -> Figure:
    """Draw a panel an index."""
    rows = read_rows(table, BeliefRegret)
    more = {name: _more_than_lru(rows, policy) for policy, name in INDICES.items()}
    largest = max(float(abs(values).max()) for values in more.values())
    figure, panels = style.panels(style.text_width(), 2.9, 1, len(more), sharey=True)
    for panel, (name, values) in zip(panels[0], more.items(), strict=True):
        image = panel.imshow(values, cmap="PuOr_r", vmin=-largest, vmax=largest, origin="lower", aspect="auto")
        _numbers(panel, values, largest)
        panel.grid(visible=False)
        panel.set_xticks(range(values.shape[1]), [f"{x:.3g}" for x in grouped(rows, "x")])
        panel.set_yticks(range(values.shape[0]), [str(ratio) for ratio in grouped(rows, "ratio")])
        panel.set(title=name, xlabel="$x = e^{-\\mathrm{gap}}$")
    panels[0, 0].set_ylabel("ratio of turn rates")
    figure.colorbar(image, ax=panels, label="points lost, less LRU's")
    return figure


def _more_than_lru(rows: list[BeliefRegret], policy: str) -> FloatArray:
    lost = {(row.ratio, row.x, row.policy): row.percent for row in rows}
    return np.array(
        [
            [lost[ratio, x, policy] - lost[ratio, x, "lru"] for x in grouped(rows, "x")]
            for ratio in grouped(rows, "ratio")
        ]
    )


def _numbers(panel: Axes, values: FloatArray, largest: float) -> None:
    for (i, j), value in np.ndenumerate(values):
        if abs(value) >= 0.5:
            colour = "white" if abs(value) > 0.6 * largest else style.BLACK
            panel.text(j, i, f"{value:.0f}", ha="center", va="center", color=colour, fontsize=6.5)


def caption(table: Path) -> str:
    """Return what is drawn, with the numbers of this table."""
    rows = read_rows(table, BeliefRegret)
    ratios = sorted(grouped(rows, "ratio"))
    return (
        "What ET-LRU loses of the optimal saving under the posterior, in points more than LRU, by the gap and "
        f"the ratio of turn rates, {ratios[0]} to {ratios[-1]}. Above 0 LRU is better; a cell without a number is "
        "within half a point."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
