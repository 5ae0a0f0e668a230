"""Curves of policies against the capacity, and of systems against the rate of requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from teltheory.plots.latex import listed
from teltheory.plots.panels import add_title, label_ticks, legend_below, of_tokens, panels, tokens
from teltheory.plots.style import COLUMN, Line, as_it_stands, looks, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS_A_ROW = 3
MARKERS = 7
"""About how many markers a line has."""


def draw_curves(
    rows: Sequence[Mapping[str, Any]], labels: Mapping[int, str], title: str, capacity: str = "capacity (tokens)"
) -> Figure:
    """Draw TEL and the hit rate against the capacity: a panel of each a threshold, a line a policy."""
    across = min(len(labels), PANELS_A_ROW)
    down = -(-len(labels) // across)
    width = COLUMN if across == 1 else text_width()
    figure, every = panels(width, 0.4 + 3.0 * down, 2 * down, across)
    drawn = looks(row["policy"] for row in rows)
    for i, (xi, label) in enumerate(labels.items()):
        tail, hits = every[2 * (i // across) : 2 * (i // across) + 2, i % across]
        at_xi = [row for row in rows if row["xi"] == xi]
        _draw_panel(tail, at_xi, tail_percent, drawn)
        tail.set_title(label)
        _draw_panel(hits, [row for row in at_xi if row["hit_rate"] is not None], _hits, drawn)
        hits.set_xlabel(as_it_stands(capacity))
        for panel in (tail, hits):
            of_tokens(panel, "x")
        if not i % across:
            tail.set_ylabel("TEL (% of that\nwithout a cache)")
            hits.set_ylabel("hit rate (%)")
    for panel in every[-2:, (len(labels) - 1) % across + 1 :].flatten():
        panel.remove()
    figure.align_ylabels()
    legend_below(figure, every[0, 0])
    add_title(figure, title)
    return figure


def caption_of_curves(rows: Sequence[Mapping[str, Any]], labels: Mapping[int, str], title: str) -> str:
    """Return what `draw_curves` draws, in plain text."""
    sizes = [row["capacity"] for row in rows] or [0]
    names = listed(line.name for line in looks(row["policy"] for row in rows).values())
    least, most = (tokens(float(f"{size:.3g}")) for size in (min(sizes), max(sizes)))
    hindsight = "; hindsight is the least TEL of any policy" if "hindsight" in names else ""
    at = listed(labels.values()) + hindsight
    return (
        f"{title}: TEL, in per cent of that without a cache, and the rate of cached tokens by capacity "
        f"from {least} to {most} tokens, under {names}; threshold{'s' * (len(labels) > 1)} {at}."
    )


def caption_of_rates(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Return what `draw_rates` draws, in plain text."""
    rates = sorted({row["rate"] for row in rows})
    systems = listed(dict.fromkeys(row["system"] for row in rows))
    at = listed(f"{rate:g}" for rate in rates)
    return f"{title}: mean and 95th percentile of TTFT at {at} requests per second; {systems}."


def draw_rates(rows: Sequence[Mapping[str, Any]], groups: Mapping[str, Sequence[str]], title: str) -> Figure:
    """Draw mean and 95th percentile of TTFT against the rate: two panels a group of systems, a line a system.

    A system is drawn alike in every group.
    """
    figure, every = panels(COLUMN, 2.6 * len(groups), 2 * len(groups))
    named = [{**row, "policy": row["system"], "capacity": row["rate"]} for row in rows]
    drawn = looks(row["policy"] for row in named)
    for (upper, lower), (name, systems) in zip(every.reshape(-1, 2), groups.items(), strict=True):
        shown = [row for row in named if row["system"] in systems]
        for panel, measure in ((upper, "mean"), (lower, "p95")):
            _draw_panel(panel, shown, itemgetter(measure), drawn)
            panel.set_yscale("log")
            label_ticks(panel)
            panel.set_ylabel("mean TTFT (s)" if measure == "mean" else "P95 TTFT (s)")
        upper.set_title(name)
        lower.set_xlabel("requests per second")
    legend_below(figure, *every.flatten())
    add_title(figure, title)
    return figure


def tail_percent(row: Mapping[str, Any]) -> float:
    """Return a row's TEL in per cent of that without a cache."""
    return 100 * float(row["tel"] / (row["uncached_tel"] or 1))


def _hits(row: Mapping[str, Any]) -> float:
    return 100 * float(row["hit_rate"])


def _draw_panel(
    panel: Axes,
    rows: Sequence[Mapping[str, Any]],
    measure: Callable[[Mapping[str, Any]], float],
    drawn: Mapping[str, Line],
) -> None:
    """Draw a line for each policy; the markers of different lines stand at different places."""
    for i, policy in enumerate(dict.fromkeys(row["policy"] for row in rows)):
        points = sorted((row["capacity"], measure(row)) for row in rows if row["policy"] == policy)
        every = max(len(points) // MARKERS, 1)
        panel.plot(*zip(*points, strict=True), **drawn[policy].keywords, markevery=(i % every, every))
    panel.set_xscale("log")
