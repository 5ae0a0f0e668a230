"""Regret of each policy as a share of LRU's, by factor: the mean over seeds, with a 95 % interval.

    python -m paper_figs.regret_of_beliefs TABLE.csv FIGURE

Reads the table that `experiments.regret_of_beliefs` writes.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from teltheory.errors import FileError
from teltheory.figures import as_it_stands
from teltheory.paper.rows import Regret
from teltheory.paper.tidy import grouped, read_rows

SHOWN = [style.POLICIES[name] for name in ("tlru", "et-lru-paper", "et-lru-bayes", "et-lru-next-event")]


def draw(table: Path) -> Figure:
    """Draw one panel a factor, one line a policy."""
    factors = grouped(read_rows(table, Regret), "factor")
    figure, panels = style.panels(style.TEXT, 2.4, 1, len(factors), sharey=True)
    for panel, (factor, rows) in zip(panels[0], factors.items(), strict=True):
        of = grouped(sorted(rows, key=lambda row: row.value), "policy")
        for line in SHOWN:
            points = of.get(line.name, [])
            if points:
                values, means = [row.value for row in points], [row.mean for row in points]
                panel.errorbar(values, means, [row.half for row in points], **line.keywords)
        if not panel.lines:
            names = ", ".join(line.name for line in SHOWN)
            raise FileError(f"{table}: found no regret of any of {names}, expected a share of LRU's")
        panel.set(xlabel=as_it_stands(factor))
    panels[0, 0].set_ylabel("regret (% of LRU's)")
    style.legend_below(figure, panels[0, 0], len(SHOWN))
    return figure


if __name__ == "__main__":
    style.run(draw, __doc__)
