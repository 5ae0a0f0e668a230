"""Regret of each policy as a share of LRU's, by factor: the mean over seeds, with a 95 % interval.

    python paper_figs/regret_of_beliefs.py TABLE.csv FIGURE.pdf

Reads the table that `experiments/regret_of_beliefs.py` writes; the ending names the format, `.md` a
Markdown table.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from scipy.stats import t as student

COLOURS = {
    "T-LRU": "#0072B2",
    "ET-LRU (paper)": "#E69F00",
    "ET-LRU (bayes)": "#009E73",
    "ET-LRU (next-event)": "#CC79A7",
}
MARKERS = dict(zip(COLOURS, "os^x", strict=True))
Shares = dict[str, dict[str, dict[float, list[float]]]]


def shares_of_lru(table: str) -> Shares:
    """Return regret over LRU's regret on the same sample, by factor, policy and value."""
    with Path(table).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lru = {
        (row["factor"], row["value"], row["seed"]): int(row["regret"]) for row in rows if row["policy"] == "LRU"
    }
    shares: Shares = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in rows:
        whole = lru[row["factor"], row["value"], row["seed"]]
        if row["policy"] in COLOURS and whole:
            shares[row["factor"]][row["policy"]][float(row["value"])].append(100 * int(row["regret"]) / whole)
    return shares


def interval(values: list[float]) -> float:
    """Return half the width of the 95 % interval of a mean."""
    n = len(values)
    return float(student.ppf(0.975, n - 1) * np.std(values, ddof=1) / n**0.5) if n > 1 else 0.0


def draw(table: str, target: str) -> None:
    """Draw one panel a factor, one line a policy."""
    shares = shares_of_lru(table)
    mpl.rcParams["pdf.fonttype"] = 42
    figure = Figure(figsize=(7.0, 3.0), layout="constrained")
    panels = figure.subplots(1, len(shares), sharey=True, squeeze=False)[0]
    for panel, (factor, policies) in zip(panels, shares.items(), strict=True):
        for policy, points in policies.items():
            values = sorted(points)
            means = [float(np.mean(points[value])) for value in values]
            errors = [interval(points[value]) for value in values]
            style = {"color": COLOURS[policy], "marker": MARKERS[policy], "capsize": 2}
            panel.errorbar(values, means, errors, label=policy, **style)
        panel.set(xlabel=factor)
    panels[0].set_ylabel("regret (% of LRU's)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.savefig(target)


def tabulate(table: str, target: str) -> None:
    """Write the means and intervals as a Markdown table."""
    lines = ["| factor | value | " + " | ".join(COLOURS) + " |", "|---" * (2 + len(COLOURS)) + "|"]
    for factor, policies in shares_of_lru(table).items():
        for value in sorted(next(iter(policies.values()))):
            cells = [
                f"{np.mean(points[value]):.0f} ± {interval(points[value]):.0f}" for points in policies.values()
            ]
            lines.append(f"| {factor} | {value:g} | " + " | ".join(cells) + " |")
    Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: regret_of_beliefs.py TABLE.csv FIGURE.pdf")
    (tabulate if sys.argv[2].endswith(".md") else draw)(sys.argv[1], sys.argv[2])
