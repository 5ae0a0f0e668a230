"""TEL, P95 and regret by capacity, far beyond the paper's six: LRU, Threshold-LRU, T-LRU, the hindsight optimum.

    python -m paper_figs.capacity_curves curves_WORKLOAD.csv FIGURE

Reads the table that `teltheory.paper.all` writes; bands are 95 % intervals of the means.
"""

from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from paper_figs.averages import Averages

OPTIMUM = "tail-optimized-belady"
MEASURES = {"tel": "TEL (tokens)", "p95": "P95 of TTFT (ms)", "regret": "regret (tokens)"}


def draw(table: Path) -> Figure:
    """Draw a row of panels a measure, a column a threshold, a line a policy."""
    found = Averages(table)
    width = style.COLUMN if len(found.thresholds) == 1 else style.text_width()
    figure, panels = style.panels(width, 4.3, len(MEASURES), len(found.thresholds), sharex=True, sharey="row")
    for row, (measure, label) in zip(panels, MEASURES.items(), strict=True):
        for panel, xi_ms in zip(row, found.thresholds, strict=True):
            for policy in found.policies:
                if measure != "regret" or policy != OPTIMUM:
                    rows = [found.at(capacity, xi_ms, policy, measure) for capacity in found.capacities]
                    style.draw_means(panel, found.capacities, rows, style.POLICIES[policy], markevery=3)
            panel.set_xscale("log")
            style.of_tokens(panel, "x", *(["y"] if measure != "p95" else []))
        row[0].set_ylabel(label)
    for panel, xi_ms in zip(panels[0], found.thresholds, strict=True):
        panel.set_title(f"$\\xi$ = {xi_ms:,} ms")
    for panel in panels[-1]:
        panel.set_xlabel("capacity (tokens)")
    figure.align_ylabels()
    style.legend_below(figure, panels[0, 0])
    return figure


if __name__ == "__main__":
    style.run(draw, __doc__)
