"""TEL, P95 and regret by capacity, far beyond the paper's six: LRU, Threshold-LRU, T-LRU, the hindsight optimum.

    python -m paper_figs.capacity_curves curves_WORKLOAD.csv FIGURE

Reads the table that `teltheory.paper.all` writes; bands are 95 % intervals of the means.
"""

from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from paper_figs.averages import Averages
from teltheory.cost.latency import COMPOSED
from teltheory.plots.latex import listed

OPTIMUM = "tail-optimized-belady"
UNITS = ("tokens", "ms", "tokens")
MEASURES = {"tel": "TEL (tokens)", "p95": "P95 of TTFT (ms)", "regret": "regret (tokens)"}


def draw(table: Path) -> Figure:
    """Draw a row of panels a measure, a column a threshold, a line a policy."""
    found = Averages(table)
    width = style.COLUMN if len(found.thresholds) == 1 else style.text_width()
    shape = len(MEASURES), len(found.thresholds)
    figure, panels, below = style.with_strips(width, 3.6, *shape, sharey="row")
    for row, (measure, label) in zip(panels, MEASURES.items(), strict=True):
        for panel, xi_ms in zip(row, found.thresholds, strict=True):
            for policy in found.policies:
                if measure != "regret" or policy != OPTIMUM:
                    rows = [found.at(capacity, xi_ms, policy, measure) for capacity in found.capacities]
                    style.draw_means(panel, found.capacities, rows, style.POLICIES[policy], markevery=3)
            panel.set_xscale("log")
            if measure != "p95":
                style.of_tokens(panel, "y")
            if panel.get_ylim()[0] < 0:
                panel.set_ylim(bottom=0)
        row[0].set_ylabel(label)
    for panel, xi_ms in zip(panels[0], found.thresholds, strict=True):
        panel.set_title(f"$\\xi$ = {xi_ms:,} ms")
    style.tell_apart(figure, panels, below, *UNITS)
    style.label_last(panels, below, "capacity (tokens)")
    figure.align_ylabels()
    style.legend_below(figure, *panels.flat, *below.flat)
    return figure


def caption(table: Path) -> str:
    """Return what is drawn, with the numbers of this table."""
    found = Averages(table)
    slos = listed(f"{xi_ms:,}" for xi_ms in found.thresholds)
    bands = "; bands are 95 % intervals of the means" if found.samples > 1 else ""
    return (
        f"{found.about}: TEL, P95 of TTFT and regret to the hindsight optimum by capacity, from {found.sizes}, at "
        f"a threshold of {slos} ms{bands}. A policy that can't be told from another is drawn below, as its "
        f"difference from that one. {COMPOSED}"
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
