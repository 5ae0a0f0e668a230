"""Every figure and table that a folder of tidy tables makes.

    python -m paper_figs.all TABLES_FOLDER OUT_FOLDER

Reads what `python -m teltheory.paper.all TABLES_FOLDER` writes; a line for each product. If the folder has
made.json, a table that is no longer as it was made is an error. `FIGURES` is what `teltheory figures` finds.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import (
    adaptive_threshold,
    belief_decisions,
    belief_horizons,
    belief_rates,
    capacity_curves,
    figure_3,
    figure_4,
    figures_5_6,
    pareto_front,
    rag_gains,
    sensitivity,
    tables,
    who_comes_back,
)
from teltheory.paper.drawing import TableFigure, draw_all, saved
from teltheory.paper.script import run

PRINTED = {"latencies_wildchat": "figure_5", "latencies_sharegpt": "figure_6"}


def drawn(
    table: str, draw: Callable[[Path], Figure], caption: Callable[[Path], str], kind: str = ""
) -> TableFigure:
    """Return the figure of a table in the style of the papers, called as the table or as its kind and workload."""

    def name(stem: str) -> str:
        called = f"{kind}_{stem.partition('_')[2]}" if kind else stem
        return PRINTED.get(called, called)

    return TableFigure(table, saved(draw, name, caption))


FIGURES = (
    drawn("figure_3", figure_3.draw, figure_3.caption),
    drawn("figure_4", figure_4.draw, figure_4.caption),
    drawn("means_*", figures_5_6.draw, figures_5_6.caption, "latencies"),
    drawn("curves_*", capacity_curves.draw, capacity_curves.caption, "capacity_curves"),
    drawn("sensitivity_*", sensitivity.draw, sensitivity.caption, "sensitivity"),
    drawn("adaptive_threshold", adaptive_threshold.draw, adaptive_threshold.caption),
    drawn("pareto_front", pareto_front.draw, pareto_front.caption),
    drawn("belief_horizons", belief_horizons.draw, belief_horizons.caption),
    drawn("belief_rates", belief_rates.draw, belief_rates.caption),
    drawn("belief_decisions", belief_decisions.draw, belief_decisions.caption),
    drawn("who_comes_back", who_comes_back.draw, who_comes_back.caption),
    drawn("rag_gains", rag_gains.draw, rag_gains.caption),
    *(TableFigure(f"{kind}_*", tables.write) for kind in ("cells", "improvements", "means")),
)


def main(tables_folder: str, out_folder: str) -> Iterator[str]:
    """Make everything; yield a line for each."""
    return draw_all(Path(tables_folder), Path(out_folder), FIGURES)


if __name__ == "__main__":
    run(main, __doc__)
