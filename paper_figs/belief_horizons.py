"""What each policy loses of the optimal saving in the belief MDP, by turns ahead; a panel a belief.

    python -m paper_figs.belief_horizons belief_horizons.csv FIGURE

Reads the table that `teltheory.paper.all` writes.
"""

from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.rows import BeliefRegret
from teltheory.paper.tidy import grouped, read_rows

LINES = {
    "lru": style.POLICIES["lru"],
    "tlru": style.POLICIES["tlru"],
    "et-lru:index=printed": style.Line("ET-LRU, printed index", style.VERMILLION, "d", "-."),
    "et-lru:index=belief": style.Line("ET-LRU, belief", style.ORANGE, "v", "--"),
    "et-lru:index=next": style.Line("ET-LRU, chance to be next", style.GREEN, "^", ":"),
}
BELIEFS = {"paper": "the paper's belief", "bayes": "posterior"}


def draw(table: Path) -> Figure:
    """Draw a panel a belief, a line a policy."""
    found = grouped(read_rows(table, BeliefRegret), "belief")
    figure, panels = style.panels(style.text_width(), 2.4, 1, len(found), sharey=True)
    for panel, (believed, rows) in zip(panels[0], found.items(), strict=True):
        for policy, points in grouped(rows, "policy").items():
            panel.plot([row.turns for row in points], [row.percent for row in points], **LINES[policy].keywords)
        panel.set(title=BELIEFS[believed], xlabel="turns ahead")
        panel.locator_params(axis="x", integer=True)
    panels[0, 0].set_ylabel("optimal saving lost (%)")
    style.legend_below(figure, panels[0, 0])
    return figure


def caption(table: Path) -> str:
    """Return what is drawn, with the numbers of this table."""
    rows = read_rows(table, BeliefRegret)
    most = max(row.turns for row in rows)
    return (
        "What each policy loses of the optimal saving in the belief MDP with two turn rates, "
        f"1 and {rows[0].ratio}, by turns ahead, 1 to {most}. Under the paper's belief ET-LRU is optimal, "
        "whatever its index; under the posterior it is not."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
