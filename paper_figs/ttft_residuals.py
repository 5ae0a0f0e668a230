"""Residuals of every form of latency model, a panel a form, against the tokens that were computed.

    python paper_figs/ttft_residuals.py TABLE.csv FIGURE.pdf

Reads the table that `experiments/ttft_residuals.py` writes; the ending names the format. What a form misses
shows as a pattern: residuals that depend on the cached tokens (the colour) are attention that a linear form lacks.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

KNOWN = ("prompt_tokens", "cached_tokens", "ttft_s")


def draw(table: str, target: str) -> None:
    """Draw a panel a form on one scale, the cached tokens as colour."""
    with Path(table).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    forms = [name for name in rows[0] if name not in KNOWN]
    cached = [int(row["cached_tokens"]) for row in rows]
    uncached = [int(row["prompt_tokens"]) - c for row, c in zip(rows, cached, strict=True)]
    mpl.rcParams["pdf.fonttype"] = 42
    figure = Figure(figsize=(1.9 * len(forms) + 1.0, 2.4), layout="constrained")
    panels = figure.subplots(1, len(forms), sharex=True, sharey=True, squeeze=False)[0]
    for panel, form in zip(panels, forms, strict=True):
        panel.axhline(0, color="#555555", linewidth=0.8)
        points = panel.scatter(uncached, [1000 * float(row[form]) for row in rows], c=cached, s=12, cmap="viridis")
        panel.set_title(form, fontsize="small")
    panels[0].set_ylabel("median - model (ms)")
    figure.supxlabel("uncached tokens", fontsize="medium")
    figure.colorbar(points, ax=panels, label="cached tokens")
    figure.savefig(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: ttft_residuals.py TABLE.csv FIGURE.pdf")
    draw(sys.argv[1], sys.argv[2])
