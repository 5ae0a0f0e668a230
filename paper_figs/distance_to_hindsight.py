"""Share of LRU's distance to the hindsight optimum that each policy closes, by threshold and capacity.

    python paper_figs/distance_to_hindsight.py TABLE.csv FIGURE.pdf

Reads the table that `experiments/policies_against_hindsight.py` writes; the ending names the figure's format,
without one it is written as PDF, SVG and PNG.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from paper_figs import style
from paper_figs.command import run
from teltheory.errors import FileError
from teltheory.paper.rows import Closed
from teltheory.paper.tidy import read_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("tlru", "end-aware", "length-aware", "belady")


def draw(table: Path) -> Figure:
    """Draw one panel a capacity, one line a policy."""
    shares: dict[int, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in read_rows(table, Closed):
        if row.policy in SHOWN and row.share_closed is not None:
            shares[row.capacity][row.policy].append((row.xi, 100 * row.share_closed))
    if not shares:
        raise FileError(f"{table}: found no share of any of {', '.join(SHOWN)}, expected one")
    figure, panels = style.panels(style.TEXT, 2.4, 1, len(shares), sharey=True)
    for panel, (capacity, policies) in zip(panels[0], shares.items(), strict=True):
        for policy, points in policies.items():
            panel.plot(*zip(*sorted(points), strict=True), **style.POLICIES[policy].keywords)
        panel.set(title=f"{capacity:,} tokens", xlabel="threshold (tokens)")
        style.of_tokens(panel, "x")
    panels[0, 0].set_ylabel("distance closed (%)")
    style.legend_below(figure, panels[0, 0], len(SHOWN))
    return figure


if __name__ == "__main__":
    run("distance_to_hindsight", draw, sys.argv[1:])
