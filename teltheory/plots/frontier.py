"""What more gain costs: gain and P50 against the prefill, on two parts of a trace, with the limits drawn in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from teltheory.plots.latex import listed
from teltheory.plots.panels import add_title, legend_below, panels
from teltheory.plots.style import BLACK, BLUE, COLUMN, GREY, ORANGE, VERMILLION, as_it_stands, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PARTS = {"first": ("first part", ORANGE, "o", "--"), "rest": ("rest", BLUE, "s", "-")}
"""What each part of a trace is called, and its colour, marker and dashes."""
HIGH = 2.1
"""Inches of a panel."""


def draw_frontier(frontiers: Sequence[Mapping[str, Any]], names: Sequence[str], goal: str, title: str) -> Figure:
    """Draw a column for each frontier: above by what share the goal is below LRU's, below P50 of TTFT.

    A frontier has ``points``, each with the parts ``first`` and ``rest`` (None where nobody served it), and
    ``limits`` of each part. Lines go through the front, markers are the points of `drawn_points`.
    """
    width = COLUMN if len(frontiers) == 1 else max(text_width(), 2.2 * len(frontiers))
    figure, every = panels(width, 0.5 + 2 * HIGH, 2, len(frontiers), sharex="col")
    for (upper, lower), frontier, name in zip(every.T, frontiers, names, strict=True):
        for part in PARTS:
            _draw_part(upper, lower, frontier, part)
        upper.set_title(as_it_stands(name))
        lower.set_xlabel("prefill (times LRU's)")
    every[0, 0].set_ylabel(as_it_stands(f"{goal}\n(% lower than LRU's)"))
    every[1, 0].set_ylabel("P50 of TTFT (s)")
    figure.align_ylabels()
    legend_below(figure, *every.flatten())
    add_title(figure, title)
    return figure


def caption_of_frontier(
    frontiers: Sequence[Mapping[str, Any]], names: Sequence[str], goal: str, title: str
) -> str:
    """Return what `draw_frontier` draws, in plain text."""
    settings = listed(f"{len(frontier['points']):,}" for frontier in frontiers)
    return (
        f"{title}, {listed(names)}: by how much {goal} is lower than LRU's, and P50 of TTFT, against the prefill, "
        f"on both parts of the trace, for those of {settings} settings that gain on the first. Lines go through "
        "the front of the first part; grey lines are the limits, a star is what is advised."
    )


def drawn_points(frontier: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    """Return the points that were served on a part, LRU first, without those that lose on the first part."""
    return [
        point
        for point in frontier["points"]
        if point[part] is not None and (point["first"]["gain"] >= 0 or point["front"])
    ]


def _draw_part(upper: Axes, lower: Axes, frontier: Mapping[str, Any], part: str) -> None:
    """Draw all points on a part, the front of the first part through them, the limits and what is advised."""
    points = drawn_points(frontier, part)
    label, colour, marker, dashes = PARTS[part]
    if not points:
        return
    lru, most = points[0][part]["cost"], frontier["limits"][part]
    unit = max(lru["prefilled"], 1)
    for panel, measure in ((upper, _gain), (lower, _p50)):
        at = [(point[part]["cost"]["prefilled"] / unit, measure(point[part])) for point in points]
        front = sorted(spot for spot, point in zip(at, points, strict=True) if point["front"])
        dots: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 3, "linestyle": ""}
        panel.plot(*zip(*at, strict=True), **dots, markerfacecolor="white")
        look: dict[str, Any] = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 3}
        panel.plot(*zip(*front, strict=True), **look, label=label)
        star = [spot for spot, point in zip(at, points, strict=True) if point["advised"]]
        panel.plot(
            *zip(*star, strict=True), color=VERMILLION, marker="*", markersize=9, linestyle="", label="advised"
        )
        panel.plot(*at[0], color=BLACK, marker="x", linestyle="", label="LRU")
        if most["prefilled"] is not None:
            panel.axvline(most["prefilled"] / unit, color=GREY, linestyle=":", label="limit")
    if most["p50"] is not None:
        lower.axhline(most["p50"], color=GREY, linestyle=dashes, linewidth=0.8, label=f"limit, {label}")


def _gain(side: Mapping[str, Any]) -> float:
    return 100 * float(side["gain"])


def _p50(side: Mapping[str, Any]) -> float:
    return float(side["cost"]["p50"])
