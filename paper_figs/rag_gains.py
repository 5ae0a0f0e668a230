"""What RAGCache gains over a server without reuse and over a tree in the GPU, by skew, by load and by host.

    python -m paper_figs.rag_gains rag_gains.csv FIGURE

Reads the table that `experiments.rag_gains` writes: in the panel of each, what it has in the middle of the others.
Gains are how many times as long the other server's TTFT is, and how many times its throughput RAGCache has.
"""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.rows import ServedDocuments
from teltheory.paper.tidy import grouped, read_rows
from teltheory.plots.latex import listed

ACROSS = {"zipf": "skew (Zipf)", "load": "load, of what no reuse can serve", "host": "host over GPU"}
COLOURS = {"none": (style.VERMILLION, "no reuse"), "gpu-lru": (style.BLUE, "GPU alone")}
MEASURES = {"mean": ("mean TTFT", "o", "-"), "p95": ("P95 TTFT", "s", "--"), "highest": ("throughput", "^", ":")}


def draw(table: Path) -> Figure:
    """Draw a panel for skew, load and host."""
    rows = read_rows(table, ServedDocuments)
    figure, panels = style.panels(style.text_width(), 2.6, 1, len(ACROSS), sharey=True)
    for panel, (axis, label) in zip(panels.flat, ACROSS.items(), strict=True):
        _draw_panel(panel, rows, axis)
        panel.set_xlabel(label)
    panels[0, 0].set_ylabel("times as good")
    hosts = sorted(grouped(rows, "host"))
    panels[0, 2].set_xscale("log", base=2)
    panels[0, 2].set_xticks(hosts, [str(host) for host in hosts])
    style.legend_below(figure, panels[0, 0])
    return figure


def _draw_panel(panel: Axes, rows: Sequence[ServedDocuments], axis: str) -> None:
    """Draw all gains along an axis, at the middle value of each other axis."""
    middle = {other: _middle(rows, other) for other in ACROSS if other != axis}
    shown = [row for row in rows if all(getattr(row, other) == value for other, value in middle.items())]
    by_system = {name: sorted(some, key=lambda row: getattr(row, axis)) for name, some in _systems(shown).items()}
    for other, (colour, against) in COLOURS.items():
        pairs = list(zip(by_system["ragcache"], by_system[other], strict=True))
        for measure, (name, marker, dashes) in MEASURES.items():
            line = style.Line(f"{name}, {against}", colour, marker, dashes)
            places = [getattr(ours, axis) for ours, _ in pairs]
            panel.plot(places, [_gain(ours, theirs, measure) for ours, theirs in pairs], **line.keywords)
    panel.axhline(1, color=style.GREY, linewidth=0.6)


def _systems(rows: Sequence[ServedDocuments]) -> dict[str, list[ServedDocuments]]:
    return grouped(rows, "system")


def _middle(rows: Sequence[ServedDocuments], axis: str) -> float:
    """Return the middle one of the values on an axis, of two the larger."""
    values: list[float] = sorted(grouped(rows, axis))
    return values[len(values) // 2]


def _gain(ours: ServedDocuments, theirs: ServedDocuments, measure: str) -> float:
    """Return how many times as good RAGCache is."""
    if measure == "highest":
        return ours.highest / theirs.highest
    return float(getattr(theirs, measure)) / float(getattr(ours, measure))


def caption(table: Path) -> str:
    """Return what is drawn, with the middle values of this table."""
    rows = read_rows(table, ServedDocuments)
    middle = listed(f"{name} {_middle(rows, axis):g}" for axis, name in ACROSS.items())
    return (
        "How many times shorter the TTFT under RAGCache is, and how many times higher its throughput, than those "
        f"of a server without reuse and of a tree in the GPU alone. In the panel of one, the others are {middle}."
    )


if __name__ == "__main__":
    style.run(draw, __doc__)
