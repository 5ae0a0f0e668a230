"""Figures, drawn from rows of plain data, and the files that they are saved as."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from itertools import cycle
from operator import itemgetter
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from teltheory.whole_files import write_whole

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#555555", "#E69F00", "#0072B2", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
STYLES = tuple(zip(COLOURS, ("-", "--", "-", "-.", ":", "--", "-.", ":"), strict=True))
FEW = (1.0, 2.0, 5.0)
"""What a power of ten is multiplied with at the ticks of a logarithmic axis."""
PANELS_A_ROW = 3
WIDEST_LETTERS_AN_INCH = 5
LINE = 0.25
"""Inches of a line of text."""
MARGIN = 0.2
"""Inches on both sides of a text that is as wide as the figure."""


def draw_curves(
    rows: Sequence[Mapping[str, Any]], labels: Mapping[int, str], title: str, capacity: str = "capacity (tokens)"
) -> Figure:
    """Draw TEL and the hit rate against the capacity: a panel of each a threshold, a line a policy."""
    from matplotlib.figure import Figure

    across = min(len(labels), PANELS_A_ROW)
    down = -(-len(labels) // across)
    figure = Figure(figsize=(1.2 + 3.0 * across, 1.2 + 3.8 * down), layout="constrained")
    panels = figure.subplots(2 * down, across, squeeze=False)
    for i, (xi, label) in enumerate(labels.items()):
        tail, hits = panels[2 * (i // across) : 2 * (i // across) + 2, i % across]
        at_xi = [row for row in rows if row["xi"] == xi]
        _draw_panel(tail, at_xi, _tail)
        tail.set_title(label, fontsize="medium")
        _draw_panel(hits, [row for row in at_xi if row["hit_rate"] is not None], _hits)
        hits.set_xlabel(as_it_stands(capacity))
        if not i % across:
            tail.set_ylabel("TEL, % of that\nwithout a cache")
            hits.set_ylabel("hit rate, %")
    for panel in panels[-2:, (len(labels) - 1) % across + 1 :].flatten():
        panel.remove()
    _add_legend(figure, panels[0, 0])
    _add_title(figure, title)
    return figure


def draw_rates(rows: Sequence[Mapping[str, Any]], groups: Mapping[str, Sequence[str]], title: str) -> Figure:
    """Draw mean and 95th percentile of TTFT against the rate: a column a group of systems, a line a system.

    A system is drawn alike in every group.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1.2 + 4.4 * len(groups), 6.4), layout="constrained")
    columns = figure.subplots(2, len(groups), squeeze=False).T
    named = [{**row, "policy": row["system"], "capacity": row["rate"]} for row in rows]
    styles = _styles(named)
    for (upper, lower), (name, systems) in zip(columns, groups.items(), strict=True):
        shown = [row for row in named if row["system"] in systems]
        for panel, measure in ((upper, "mean"), (lower, "p95")):
            _draw_panel(panel, shown, itemgetter(measure), "o", styles)
            panel.set_yscale("log")
            _label_ticks(panel)
            panel.set_ylabel("mean TTFT, s" if measure == "mean" else "P95 TTFT, s")
        upper.set_title(name, fontsize="medium")
        lower.set_xlabel("requests a second")
        lower.legend(frameon=False, fontsize="small")
    _add_title(figure, title)
    return figure


TAIL_PARTS = {"waiting": "wait", "loading": "load", "computing": "compute"}
BAR = 0.34
"""Inches of a bar and what is between it and the next."""


def draw_tails(rows: Sequence[Mapping[str, Any]], labels: Mapping[int, str], title: str) -> Figure:
    """Draw what the tail is made of: a panel a threshold, a bar a policy on a server, in seconds above the SLO.

    A row has ``xi``, ``server``, ``policy`` and the seconds ``waiting``, ``loading`` and ``computing``.
    """
    from matplotlib.figure import Figure

    most = max((sum(row["xi"] == xi for row in rows) for xi in labels), default=1)
    servers = len(dict.fromkeys(row["server"] for row in rows))
    figure = Figure(figsize=(1.4 + 5.6 * len(labels), 1.6 + BAR * (most + 2 * servers)), layout="constrained")
    panels = figure.subplots(1, len(labels), squeeze=False)[0]
    for panel, (xi, label) in zip(panels, labels.items(), strict=True):
        _draw_bars(panel, [row for row in rows if row["xi"] == xi], names=panel is panels[0])
        panel.set_title(label, fontsize="medium")
        panel.set_xlabel("TEL, seconds above the SLO")
    _add_legend(figure, panels[0])
    _add_title(figure, title)
    return figure


def _draw_bars(panel: Axes, rows: Sequence[Mapping[str, Any]], names: bool) -> None:
    """Draw a bar for each row, those of a server below its name."""
    place, ticks, across = 0, {}, panel.get_yaxis_transform()
    for server in dict.fromkeys(row["server"] for row in rows):
        panel.text(0.01, place, as_it_stands(server), transform=across, fontsize="small", va="center")
        for row in (row for row in rows if row["server"] == server):
            place += 1
            ticks[place] = row["policy"]
            _draw_bar(panel, place, row, legend=row is rows[0])
        place += 1
    panel.set_yticks([*ticks], [as_it_stands(name) if names else "" for name in ticks.values()], fontsize="small")
    panel.tick_params(axis="y", length=0)
    panel.set_ylim(place - 0.5, -0.6)
    panel.grid(alpha=0.3, axis="x")


def _draw_bar(panel: Axes, place: int, row: Mapping[str, Any], legend: bool) -> None:
    begin = 0.0
    for (name, label), colour in zip(TAIL_PARTS.items(), COLOURS[1:], strict=False):
        shown = label if legend else None
        panel.barh(place, row[name], left=begin, height=0.75, color=colour, label=shown)
        begin += row[name]


def as_it_stands(text: str) -> str:
    """Return a text from elsewhere such that no dollar sign in it begins a formula."""
    return text.replace("$", r"\$")


def write_figure(target: str, figure: Figure) -> None:
    """Write a figure to a file, whole or not at all; its ending names the format, and no date goes in."""
    drawn = figure_bytes(figure, Path(target).suffix[1:])
    write_whole(Path(target), lambda beside: beside.write_bytes(drawn))


def figure_bytes(figure: Figure, form: str) -> bytes:
    """Return a figure as a file of a format, such as svg; no date goes in."""
    import matplotlib as mpl

    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    drawn = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "teltheory", "pdf.fonttype": 42}):
        figure.savefig(drawn, format=form, dpi=200, metadata=undated)
    return drawn.getvalue()


def _add_legend(figure: Figure, panel: Axes) -> None:
    """Add a legend below the panels, in as many columns as fit; the figure grows with its lines."""
    handles, names = panel.get_legend_handles_labels()
    for columns in range(len(names), 0, -1):
        legend = figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False)
        width = _width(figure, legend)
        if width <= figure.get_figwidth() or columns == 1:
            break
        legend.remove()
    figure.set_figwidth(max(figure.get_figwidth(), width))
    figure.set_figheight(figure.get_figheight() + LINE * (-(-len(names) // columns) - 1))


def _add_title(figure: Figure, title: str) -> None:
    """Add a title above the panels, on several lines if it is too long; the figure grows with them."""
    heading = figure.suptitle(as_it_stands(title))
    if _width(figure, heading) > figure.get_figwidth():
        lines = wrap(title, int(WIDEST_LETTERS_AN_INCH * figure.get_figwidth()))
        heading.set_text(as_it_stands("\n".join(lines)))
        figure.set_figheight(figure.get_figheight() + LINE * (len(lines) - 1))


def _width(figure: Figure, artist: Artist) -> float:
    """Return how wide something is, in inches, with a margin."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    box = artist.get_window_extent(FigureCanvasAgg(figure).get_renderer())  # type: ignore[no-untyped-call]
    return float(box.width) / figure.dpi + MARGIN


def _tail(row: Mapping[str, Any]) -> float:
    return 100 * float(row["tel"] / (row["uncached_tel"] or 1))


def _hits(row: Mapping[str, Any]) -> float:
    return 100 * float(row["hit_rate"])


def _draw_panel(
    panel: Axes,
    rows: Sequence[Mapping[str, Any]],
    measure: Callable[[Mapping[str, Any]], float],
    marker: str | None = None,
    styles: Mapping[str, tuple[str, str]] | None = None,
) -> None:
    known = _styles(rows) if styles is None else styles
    for policy in dict.fromkeys(row["policy"] for row in rows):
        colour, line = known[policy]
        points = sorted((row["capacity"], measure(row)) for row in rows if row["policy"] == policy)
        panel.plot(*zip(*points, strict=True), color=colour, linestyle=line, marker=marker, label=policy)
    panel.set_xscale("log")
    panel.grid(alpha=0.3)


def _styles(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """Return a colour and a line for each policy."""
    return dict(zip(dict.fromkeys(row["policy"] for row in rows), cycle(STYLES), strict=False))


def _label_ticks(panel: Axes) -> None:
    """Write plain numbers at a few ticks of both logarithmic axes, instead of powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(LogLocator(subs=FEW))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter(NullFormatter())
