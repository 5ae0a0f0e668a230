"""One look for all figures: widths, the colours of Okabe and Ito (2008), a line and a marker for each policy.

`paper` draws in the toolkit's style, or in that of a venue. A venue's sizes and fonts are those of tueplots. Fonts
that are not installed are replaced by STIX, which matplotlib brings and which looks like Times. It needs no LaTeX.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError

COLUMN = 3.25
"""Width in inches that fits a column of every venue."""
ACM_WIDTH = (8.5 * 72.27 - 2 * 54) / 72.27
"""Width in inches of the text in `acmart`, format sigconf: US letter with margins of 54 pt."""
NO_TITLE = 0
"""Size of the letters of a title where a figure has none."""
VENUES = ("neurips", "icml", "mlsys", "acm")

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILLION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#666666"
Dashes: TypeAlias = str | tuple[int, tuple[float, ...]]
LONG_DASHES: Dashes = (0, (5, 1.5))
DASH_TWO_DOTS: Dashes = (0, (3, 1, 1, 1, 1, 1))


@dataclass(frozen=True)
class Line:
    """How a policy, a percentile or a workload is drawn, and what it is called."""

    name: str
    colour: str
    marker: str
    dashes: Dashes

    @property
    def keywords(self) -> dict[str, Any]:
        """Arguments of `Axes.plot`."""
        look = {"color": self.colour, "marker": self.marker, "linestyle": self.dashes}
        return {**look, "label": as_it_stands(self.name), "markerfacecolor": "white"}


POLICIES: Mapping[str, Line] = {
    "lru": Line("LRU", BLACK, "o", "-"),
    "threshold-lru": Line("Threshold-LRU", ORANGE, "v", "--"),
    "tlru": Line("T-LRU", BLUE, "s", "-"),
    "end-aware": Line("End-Aware T-LRU", GREEN, "^", "-."),
    "length-aware": Line("Length-Aware T-LRU", PURPLE, "D", ":"),
    "tail-optimized-belady": Line("Tail-Optimized Belady", VERMILLION, "x", LONG_DASHES),
    "belady": Line("Belady", SKY, "+", DASH_TWO_DOTS),
    "hindsight": Line("hindsight", VERMILLION, "X", ":"),
    "slo-tlru": Line("SLO T-LRU", SKY, "p", "--"),
    "adaptive": Line("Adaptive T-LRU", VERMILLION, "*", "--"),
    "work-aware": Line("Work-Aware T-LRU", BLUE, "_", "-."),
    "shared-tlru": Line("Shared T-LRU", BLUE, "P", "--"),
    "et-lru": Line("ET-LRU", PURPLE, "d", "-."),
    "return-aware": Line("Return-Aware T-LRU", VERMILLION, "h", "-"),
    "priority": Line("priority", ORANGE, "8", "-"),
    "fifo": Line("FIFO", GREY, "<", ":"),
    "lfu": Line("LFU", GREY, ">", "--"),
    "slru": Line("SLRU", SKY, "1", "-"),
    "2q": Line("2Q", GREEN, "2", "--"),
    "s3-fifo": Line("S3-FIFO", PURPLE, "3", "-"),
    "ttl": Line("TTL", BLACK, "4", "-."),
    "gdsf": Line("GDSF", ORANGE, "H", "-."),
    "pgdsf": Line("PGDSF", GREEN, "|", ":"),
}
"""Each policy by its name; `hindsight` is the least TEL of any policy."""
SPARE = tuple(
    Line("", colour, marker, dashes)
    for colour, marker, dashes in zip(
        (BLUE, ORANGE, GREEN, VERMILLION, PURPLE, SKY, BLACK, GREY) * 2,
        "os^DvPX*hp<>d8H+",
        ("-", "--", "-.", ":") * 4,
        strict=True,
    )
)
"""For what has no look of its own: systems, policies of other packages, a policy with other parameters again."""


def looks(texts: Iterable[str]) -> dict[str, Line]:
    """Return how each of some policies or systems is drawn; no two alike in 16.

    Parameters
    ----------
    texts : iterable of str
        Names as on the command line, such as ``tlru:trim=least-recent``.
    """
    every = list(dict.fromkeys(texts))
    first = {text.partition(":")[0].lower(): text for text in reversed(every)}
    known = {text: POLICIES[name] for name, text in first.items() if name in POLICIES}
    used = {line.marker for line in known.values()}
    spare = cycle([line for line in SPARE if line.marker not in used] or SPARE)
    return {text: replace(known.get(text) or next(spare), name=_called(text)) for text in every}


def _called(text: str) -> str:
    """Return what a policy is called, with its parameters, or a text that names none."""
    name, _, parameters = text.partition(":")
    known = POLICIES.get(name.lower())
    return text if known is None else ": ".join(filter(None, (known.name, parameters)))


def as_it_stands(text: str) -> str:
    """Return a text from elsewhere such that no dollar sign in it begins a formula."""
    return text.replace("$", r"\$")


def text_width() -> float:
    """Return the width of the text in inches in the style that is being drawn in."""
    import matplotlib as mpl

    return float(mpl.rcParams["figure.figsize"][0])


@contextmanager
def paper(venue: str | None = None) -> Iterator[None]:
    """Draw and save figures in the toolkit's style, or in that of a venue.

    Parameters
    ----------
    venue : {"neurips", "icml", "mlsys", "acm"}, optional
        Whose widths, sizes and fonts are taken; it needs the extra ``report``.

    Raises
    ------
    ArgumentError
        If there is no such venue.
    """
    import matplotlib as mpl
    from matplotlib import style

    settings = of_venue(venue) if venue is not None else {}
    with style.context([Path(__file__).with_name("style.mplstyle"), settings]), mpl.rc_context():
        yield


def of_venue(venue: str) -> dict[str, Any]:
    """Return what a venue sets of matplotlib.

    MLSys has ICML's layout. ACM's is that of `acmart` in format sigconf. None has a title: the caption says it.
    """
    if venue not in VENUES:
        raise ArgumentError("style", venue, "one of " + ", ".join(VENUES))
    bundles: Any = needed("tueplots.bundles", "report")
    if venue == "neurips":
        found: dict[str, Any] = bundles.neurips2024(usetex=False)
    else:
        found = bundles.icml2024(column="full", usetex=False)
    if venue == "acm":
        found |= {"figure.figsize": (ACM_WIDTH, ACM_WIDTH / 1.618)}
        found["font.serif"] = ["Linux Libertine O", "Libertinus Serif", *found["font.serif"]]
    fonts = {"font.family": _fonts(found["font.serif"]), "mathtext.fontset": "stix"}
    return found | fonts | {"figure.titlesize": NO_TITLE}


def _fonts(wanted: Iterable[str]) -> list[str]:
    """Return the first of some fonts that is installed, and another for letters that it lacks."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [next((name for name in wanted if name in installed), "STIXGeneral"), "DejaVu Sans"]
