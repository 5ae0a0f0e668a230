"""Regret of each policy as a share of LRU's, by factor: the mean over seeds, with a 95 % interval.

    python paper_figs/regret_of_beliefs.py TABLE.csv FIGURE.pdf

Reads the table that `experiments/regret_of_beliefs.py` writes; the ending names the format, `.md` a
Markdown table; without one the figure is written as PDF, SVG and PNG.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import t as student

from paper_figs import style, tidy
from paper_figs.command import errors_in_one_line, run
from teltheory.cli.output import write_text
from teltheory.errors import FileError
from teltheory.figures import as_it_stands

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = {
    line.name: line
    for line in (style.POLICIES[name] for name in ("tlru", "et-lru-paper", "et-lru-bayes", "et-lru-next-event"))
}
COLUMNS = {
    "factor": tidy.word,
    "value": tidy.finite,
    "seed": tidy.whole,
    "policy": tidy.word,
    "regret": tidy.whole,
}
KEYS = ("factor", "value", "seed", "policy")
Shares = dict[str, dict[str, dict[float, list[float]]]]


def shares_of_lru(table: Path) -> Shares:
    """Return regret over LRU's regret on the same sample, by factor, policy and value.

    Raises
    ------
    FileError
        Where the table is malformed, or a factor lacks a value, a seed or a policy.
    """
    rows = tidy.read(table, COLUMNS, once=KEYS, more=True)
    for factor in dict.fromkeys(row["factor"] for row in rows):
        tidy.check_grid(table, [row for row in rows if row["factor"] == factor], KEYS)
    lru = {_sample(row): row["regret"] for row in rows if row["policy"] == "LRU"}
    shares: Shares = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in rows:
        if row["policy"] in SHOWN and lru.get(_sample(row)):
            share = 100 * row["regret"] / lru[_sample(row)]
            shares[row["factor"]][row["policy"]][row["value"]].append(share)
    if not shares:
        raise FileError(f"{table}: found no regret of LRU and of another policy, expected a share of LRU's")
    return shares


def _sample(row: tidy.Row) -> tuple[str, float, int]:
    return row["factor"], row["value"], row["seed"]


def interval(values: list[float]) -> float:
    """Return half the width of the 95 % interval of a mean."""
    n = len(values)
    return float(student.ppf(0.975, n - 1) * np.std(values, ddof=1) / n**0.5) if n > 1 else 0.0


def draw(table: Path) -> Figure:
    """Draw one panel a factor, one line a policy."""
    shares = shares_of_lru(table)
    figure, panels = style.panels(style.TEXT, 2.4, 1, len(shares), sharey=True)
    for panel, (factor, policies) in zip(panels[0], shares.items(), strict=True):
        for policy, points in policies.items():
            values = sorted(points)
            means = [float(np.mean(points[value])) for value in values]
            panel.errorbar(values, means, [interval(points[value]) for value in values], **SHOWN[policy].keywords)
        panel.set(xlabel=as_it_stands(factor))
    panels[0, 0].set_ylabel("regret (% of LRU's)")
    style.legend_below(figure, panels[0, 0], len(SHOWN))
    return figure


def tabulate(table: Path, target: str) -> None:
    """Write the means and intervals as a Markdown table."""
    lines = ["| factor | value | " + " | ".join(SHOWN) + " |", "|---" * (2 + len(SHOWN)) + "|"]
    for factor, policies in shares_of_lru(table).items():
        for value in sorted(next(iter(policies.values()))):
            cells = [
                f"{np.mean(points[value]):.0f} ± {interval(points[value]):.0f}" for points in policies.values()
            ]
            lines.append(f"| {factor} | {value:g} | " + " | ".join(cells) + " |")
    write_text(target, "\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[2].endswith(".md"):
        with errors_in_one_line():
            tabulate(Path(sys.argv[1]), sys.argv[2])
    else:
        run("regret_of_beliefs", draw, sys.argv[1:])
