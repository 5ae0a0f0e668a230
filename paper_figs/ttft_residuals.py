"""Residuals of every form of latency model, a panel a form, against the tokens that were computed.

    python -m paper_figs.ttft_residuals TABLE.csv FIGURE

Reads the table that `experiments/ttft_residuals.py` writes. What a form misses shows as a pattern: residuals that
depend on the cached tokens (the colour) are attention that a linear form lacks.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from teltheory.figures import as_it_stands
from teltheory.paper.rows import Residual
from teltheory.paper.tidy import grouped, read_rows

PANELS_A_ROW = 3


def draw(table: Path) -> Figure:
    """Draw a panel a form on one scale, the cached tokens as colour."""
    forms = grouped(read_rows(table, Residual), "form")
    across = min(len(forms), PANELS_A_ROW)
    down = -(-len(forms) // across)
    figure, panels = style.panels(style.TEXT, 0.4 + 1.6 * down, down, across, sharex=True, sharey=True)
    for panel, (form, rows) in zip(panels.flat, forms.items(), strict=False):
        cached = [row.cached_tokens for row in rows]
        uncached = [row.prompt_tokens - row.cached_tokens for row in rows]
        panel.axhline(0, color=style.GREY, linewidth=0.8)
        points = panel.scatter(uncached, [1000 * row.residual_s for row in rows], c=cached, s=7, cmap="viridis")
        panel.set_title(as_it_stands(f"{form} (chosen)" if rows[0].chosen else form))
        style.of_tokens(panel, "x")
    for panel in panels.flat[len(forms) :]:
        panel.remove()
    for panel in panels.flat[max(len(forms) - across, 0) : len(forms)]:
        panel.tick_params(labelbottom=True)
    figure.supylabel("median − model (ms)", fontsize="medium")
    figure.supxlabel("uncached tokens", fontsize="medium")
    figure.colorbar(points, ax=panels.flat[: len(forms)].tolist(), label="cached tokens")
    return figure


if __name__ == "__main__":
    style.run(draw, __doc__)
