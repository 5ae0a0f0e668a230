"""What the tail is made of, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from teltheory.plots.latex import listed
from teltheory.plots.panels import add_title, legend_below, panels
from teltheory.plots.style import BLUE, COLUMN, GREEN, ORANGE, as_it_stands, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TAIL_PARTS = {"waiting": "wait", "loading": "load", "computing": "compute"}
LOOKS = (ORANGE, "//"), (BLUE, ""), (GREEN, "..")
"""Colour and hatching of each part, which black and white tell apart too."""
BAR = 0.2
"""Inches of a bar and what is between it and the next."""
LETTERS = 48
"""Of a line of a server's name."""


def draw_tails(rows: Sequence[Mapping[str, Any]], labels: Mapping[int, str], title: str) -> Figure:
    """Draw what the tail is made of: a panel a threshold, a bar a policy on a server, in seconds above the SLO.

    A row has ``xi``, ``server``, ``policy`` and the seconds ``waiting``, ``loading`` and ``computing``.
    """
    most = max((sum(row["xi"] == xi for row in rows) for xi in labels), default=1)
    servers = sum(1 + len(wrap(name, LETTERS)) for name in dict.fromkeys(row["server"] for row in rows))
    width = COLUMN if len(labels) == 1 else max(text_width(), 1.2 + 2 * len(labels))
    figure, ((*every,),) = panels(width, 0.6 + BAR * (most + servers), 1, len(labels))
    for panel, (xi, label) in zip(every, labels.items(), strict=True):
        _draw_bars(panel, [row for row in rows if row["xi"] == xi], names=panel is every[0])
        panel.set_title(label)
        panel.set_xlabel("TEL (s above the SLO)")
    legend_below(figure, every[0])
    add_title(figure, title)
    return figure


def caption_of_tails(rows: Sequence[Mapping[str, Any]], labels: Mapping[int, str], title: str) -> str:
    """Return what `draw_tails` draws, in plain text."""
    policies = listed(dict.fromkeys(row["policy"] for row in rows))
    servers = listed(dict.fromkeys(row["server"] for row in rows))
    return (
        f"{title}: what TEL is made of, in seconds above the SLO: waiting, loading and computing; {policies} on "
        f"{servers}; threshold{'s' * (len(labels) > 1)} {listed(labels.values())}."
    )


def _draw_bars(panel: Axes, rows: Sequence[Mapping[str, Any]], names: bool) -> None:
    """Draw a bar for each row, those of a server below its name."""
    place, ticks, across = 0, {}, panel.get_yaxis_transform()
    for server in dict.fromkeys(row["server"] for row in rows):
        name = wrap(as_it_stands(server), LETTERS, break_on_hyphens=False)
        place += len(name) - 1
        panel.text(0.01, place, "\n".join(name), transform=across, fontsize="small", va="bottom")
        for row in (row for row in rows if row["server"] == server):
            place += 1
            ticks[place] = row["policy"]
            _draw_bar(panel, place, row, legend=row is rows[0])
        place += 1
    panel.set_yticks([*ticks], [as_it_stands(name) if names else "" for name in ticks.values()], fontsize="small")
    panel.tick_params(axis="y", length=0)
    panel.set_ylim(place - 0.5, -0.6)
    panel.grid(visible=False, axis="y")


def _draw_bar(panel: Axes, place: int, row: Mapping[str, Any], legend: bool) -> None:
    begin = 0.0
    for (name, label), (colour, hatch) in zip(TAIL_PARTS.items(), LOOKS, strict=True):
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        panel.barh(place, row[name], left=begin, height=0.75, label=label if legend else None, **look)
        begin += row[name]
