"""Share of LRU's distance to the hindsight optimum that each policy closes, by threshold and capacity.

    python paper_figs/distance_to_hindsight.py TABLE.csv FIGURE.pdf

Reads the table that `experiments/policies_against_hindsight.py` writes; the ending names the figure's format.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

COLOURS = {"tlru": "#0072B2", "end-aware": "#009E73", "length-aware": "#E69F00", "belady": "#CC79A7"}
MARKERS = {"tlru": "o", "end-aware": "s", "length-aware": "^", "belady": "x"}


def draw(table: str, target: str) -> None:
    """Draw one panel a capacity, one line a policy."""
    shares: dict[int, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    with Path(table).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["policy"] in COLOURS and row["share_closed"]:
                point = (int(row["xi"]), 100 * float(row["share_closed"]))
                shares[int(row["capacity"])][row["policy"]].append(point)
    mpl.rcParams["pdf.fonttype"] = 42
    figure = Figure(figsize=(7.0, 3.0), layout="constrained")
    panels = figure.subplots(1, len(shares), sharey=True, squeeze=False)[0]
    for panel, (capacity, policies) in zip(panels, shares.items(), strict=True):
        for policy, points in policies.items():
            panel.plot(
                *zip(*sorted(points), strict=True), color=COLOURS[policy], marker=MARKERS[policy], label=policy
            )
        panel.set(title=f"{capacity:,} tokens", xlabel="threshold (tokens)")
    panels[0].set_ylabel("distance closed (%)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.savefig(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: distance_to_hindsight.py TABLE.csv FIGURE.pdf")
    draw(sys.argv[1], sys.argv[2])
