"""Regret of each policy as a share of LRU's, by factor: the mean over seeds, with a 95 % interval.

    python paper_figs/regret_of_beliefs.py TABLE.csv FIGURE.pdf

Reads the table that `experiments/regret_of_beliefs.py` writes; the ending names the format, `.md` a
Markdown table; without one the figure is written as PDF, SVG and PNG.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from paper_figs.command import run
from teltheory.errors import FileError
from teltheory.figures import as_it_stands
from teltheory.paper.rows import Regret
from teltheory.paper.script import errors_in_one_line, markdown, write_text
from teltheory.paper.tidy import read_rows

SHOWN = {
    line.name: line
    for line in (style.POLICIES[name] for name in ("tlru", "et-lru-paper", "et-lru-bayes", "et-lru-next-event"))
}


def by_factor(table: Path) -> dict[str, list[Regret]]:
    """Return the rows of each factor, by policy and value."""
    rows = [row for row in read_rows(table, Regret) if row.policy in SHOWN]
    if not rows:
        raise FileError(f"{table}: found no regret of any of {', '.join(SHOWN)}, expected a share of LRU's")
    rows.sort(key=lambda row: row.value)
    factors = dict.fromkeys(row.factor for row in read_rows(table, Regret))
    return {factor: [row for row in rows if row.factor == factor] for factor in factors}


def half(row: Regret) -> float:
    """Return half the width of an interval; 0 for a single sample."""
    return 0.0 if math.isnan(row.high) else row.high - row.mean


def draw(table: Path) -> Figure:
    """Draw one panel a factor, one line a policy."""
    factors = by_factor(table)
    figure, panels = style.panels(style.TEXT, 2.4, 1, len(factors), sharey=True)
    for panel, (factor, rows) in zip(panels[0], factors.items(), strict=True):
        for policy, line in SHOWN.items():
            of = [row for row in rows if row.policy == policy]
            if of:
                values, means = [row.value for row in of], [row.mean for row in of]
                panel.errorbar(values, means, list(map(half, of)), **line.keywords)
        panel.set(xlabel=as_it_stands(factor))
    panels[0, 0].set_ylabel("regret (% of LRU's)")
    style.legend_below(figure, panels[0, 0], len(SHOWN))
    return figure


def tabulate(table: Path, target: Path) -> None:
    """Write the means and intervals as a Markdown table."""
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for factor, rows in by_factor(table).items():
        for row in rows:
            lines.setdefault((factor, f"{row.value:g}"), {})[row.policy] = f"{row.mean:.0f} ± {half(row):.0f}"
    cells = [(*place, *(found.get(policy, "") for policy in SHOWN)) for place, found in lines.items()]
    write_text(target, "\n".join(markdown(("factor", "value", *SHOWN), cells)) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2].endswith(".md"):
        with errors_in_one_line():
            tabulate(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        run("regret_of_beliefs", draw, sys.argv[1:])
