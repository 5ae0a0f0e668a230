"""Whose token the optimum keeps in the belief MDP, and where ET-LRU keeps the other one.

    python -m paper_figs.belief_decisions belief_decisions.csv FIGURE

Reads the table that `teltheory.paper.all` writes: a panel a belief, a cell a ratio of turn rates and a number of
silent turns. Blue: the optimum keeps the token of the fast, silent conversation; white: that of the slow one just
served. Hatched: ET-LRU keeps the other one.
"""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from paper_figs import style
from paper_figs.belief_horizons import BELIEFS
from teltheory.paper.rows import BeliefDecision
from teltheory.paper.tidy import grouped, read_rows

HATCHES = {
    "et-lru:index=printed": ("printed index", "///"),
    "et-lru:index=belief": ("belief", "\\\\\\"),
}


def draw(table: Path) -> Figure:
    """Draw a panel a belief."""
    found = grouped(read_rows(table, BeliefDecision), "belief")
    figure, panels = style.panels(style.text_width(), 2.6, 1, len(found), sharey=True)
    for panel, (believed, rows) in zip(panels[0], found.items(), strict=True):
        _draw_panel(panel, rows)
        panel.set(title=BELIEFS[believed], xlabel="silent turns")
    panels[0, 0].set_ylabel("ratio of turn rates")
    shown = [Patch(facecolor=style.BLUE, alpha=0.5, label="optimum keeps the silent one's token")]
    shown += [Patch(facecolor="white", edgecolor=style.BLACK, label="optimum keeps the token just served")]
    shown += [
        Patch(facecolor="white", edgecolor=style.BLACK, hatch=hatch, label=f"ET-LRU keeps the other one: {name}")
        for name, hatch in HATCHES.values()
    ]
    figure.legend(handles=shown, loc="outside lower center", ncols=2)
    return figure


def _draw_panel(panel: Axes, rows: list[BeliefDecision]) -> None:
    keeps = {(row.ratio, row.silent, row.policy): row.keeps for row in rows}
    ratios, silences = list(grouped(rows, "ratio")), list(grouped(rows, "silent"))
    for i, ratio in enumerate(ratios):
        for j, silent in enumerate(silences):
            best = keeps[ratio, silent, "optimum"]
            colour = {"silent": style.BLUE, "either": style.GREY}.get(best, "white")
            panel.add_patch(Rectangle((j, i), 1, 1, facecolor=colour, alpha=0.5, edgecolor=style.GREY))
            for policy, (_, hatch) in HATCHES.items():
                if best not in ("either", keeps[ratio, silent, policy]):
                    panel.add_patch(Rectangle((j, i), 1, 1, fill=False, hatch=hatch, linewidth=0))
    panel.grid(visible=False)
    panel.set(xlim=(0, len(silences)), ylim=(0, len(ratios)))
    panel.set_xticks([j + 0.5 for j in range(len(silences))], [str(silent) for silent in silences])
    panel.set_yticks([i + 0.5 for i in range(len(ratios))], [str(ratio) for ratio in ratios])


def caption(table: Path) -> str:
    """Return what is drawn, with the numbers of this table."""
    rows = read_rows(table, BeliefDecision)
    ratios = sorted(grouped(rows, "ratio"))
    return (
        "Room for one of two tokens: that of a conversation just served, or that of one "
        f"{ratios[0]} to {ratios[-1]} times as fast that has been silent. Cells show which one the optimum keeps; "
        "hatches show where ET-LRU keeps the other one."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
