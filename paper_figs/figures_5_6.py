"""Figures 5 and 6: median and tail of TTFT by capacity under every policy, a row of panels a threshold.

    python -m paper_figs.figures_5_6 means_WORKLOAD.csv FIGURE

Reads the table that `teltheory.paper.all` writes. WildChat-like samples make Figure 5, ShareGPT-like ones
Figure 6, at 100, 200 and 300 ms as in the paper; another trace is drawn at three thresholds of its own.
"""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from paper_figs.averages import Averages
from teltheory.cost.latency import COMPOSED
from teltheory.plots.latex import listed

PRINTED_XI_MS = (100, 200, 300)


def shown(thresholds: Sequence[int]) -> list[int]:
    """Return the thresholds that are shown: the paper's where all are there, else the middle three."""
    if set(PRINTED_XI_MS) <= set(thresholds):
        return list(PRINTED_XI_MS)
    ordered = sorted(thresholds)
    first = max((len(ordered) - 3) // 2, 0)
    return ordered[first : first + 3]


def draw(table: Path) -> Figure:
    """Draw a row of panels a threshold, a panel a percentile, a line a policy."""
    found = Averages(table)
    thresholds = shown(found.thresholds)
    figure, panels, below = style.with_strips(
        style.text_width(), 0.3 + 1.4 * len(thresholds), len(thresholds), len(style.PERCENTILES), sharey="col"
    )
    for row, xi_ms in zip(panels, thresholds, strict=True):
        for panel, measure in zip(row, style.PERCENTILES, strict=True):
            for policy in found.policies:
                means = [found.mean(capacity, xi_ms, policy, measure) for capacity in found.capacities]
                panel.plot(found.capacities, means, **style.POLICIES[policy].keywords)
        row[0].set_ylabel(f"$\\xi$ = {xi_ms:,} ms\nTTFT (ms)")
    for panel, line in zip(panels[0], style.PERCENTILES.values(), strict=True):
        panel.set_title(line.name)
    style.tell_apart(figure, panels, below, "ms")
    style.label_last(panels, below, "capacity (tokens)")
    style.legend_below(figure, *panels.flat, *below.flat)
    return figure


def caption(table: Path) -> str:
    """Return what is drawn, with the numbers of this table."""
    found = Averages(table)
    slos = listed(f"{xi_ms:,}" for xi_ms in shown(found.thresholds))
    return (
        f"{found.about}: percentiles of TTFT by capacity, from {found.sizes}, at thresholds of {slos} ms. "
        f"A policy that can't be told from another is drawn below, as its difference from that one. {COMPOSED}"
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
