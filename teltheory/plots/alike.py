"""Lines of a panel that can't be told apart, and their differences in a panel below.

Two lines are alike in a panel if at least `MOST` of each is nearer to the other than `APART` of a side.

1. Each line of a panel is compared with those drawn before it.
2. A line that is like earlier ones is taken out, with its band.
3. Its difference from the nearest of them is drawn below, in its own look; what is taken from what is said there.
   Lines that are equal are only said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from teltheory.plots.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

APART = 0.02
"""Of a side of a panel: a line's width in a panel of an inch."""
MOST = 0.8
POINTS = 200
SMALL = 6
"""Points of the text over a panel of differences."""
LOOK = ("label", "color", "marker", "linestyle", "markerfacecolor", "markevery")


def taken_for(panel: Axes) -> Iterator[tuple[Line2D, Line2D]]:
    """Yield each line that can't be told from an earlier one of a panel, with the nearest of those.

    Lines without a label, such as helping lines, are passed over.
    """
    shown = [line for line in panel.lines if not str(line.get_label()).startswith("_")]
    points = [_places(panel, line) for line in shown]
    for i, line in enumerate(shown):
        likes = [(_apart(points[i], points[k]), k) for k in range(i) if _are_alike(points[i], points[k])]
        if likes:
            yield line, shown[min(likes)[1]]


def draw_apart(panel: Axes, below: Axes) -> bool:
    """Move lines that are like others to the panel below, as differences; return whether there are any."""
    found = list(taken_for(panel))
    for line, like in found:
        x, left = _difference(line, like)
        if np.any(left):
            look = {name: getattr(line, f"get_{name}")() for name in LOOK}
            below.plot(x, left, **look)
    for line, _ in found:
        remove(panel, line)
    if below.lines:
        below.axhline(0, color=GREY, linewidth=0.6)
        below.margins(y=0.2)
    if found:
        below.set_title("\n".join(_said(found)), fontsize=SMALL, loc="left", pad=2)
    return bool(found)


def merge(panel: Axes) -> Iterator[str]:
    """Take lines that are like others out of a panel where no difference is drawn; yield what is like what."""
    names: dict[str, list[str]] = {}
    for line, like in list(taken_for(panel)):
        first = next((name for name, others in names.items() if _short(like) in others), _short(like))
        names.setdefault(first, []).append(_short(line))
        remove(panel, line)
    yield from (f"{', '.join(others)} as {name}" for name, others in names.items())


def _difference(line: Line2D, like: Line2D) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    (x, y), (at, other) = np.asarray(line.get_xydata()).T, np.asarray(like.get_xydata()).T
    return x, y - np.interp(x, at, other)


def _said(found: Sequence[tuple[Line2D, Line2D]]) -> Iterator[str]:
    """Yield what is taken from what, a line of text each."""
    for line, like in found:
        sign = "−" if np.any(_difference(line, like)[1]) else "="
        yield f"{_short(line)} {sign} {_short(like)}"


def _short(line: Line2D) -> str:
    """Return the name of a policy without the family that it is of."""
    return str(line.get_label()).removesuffix(" T-LRU").replace("Tail-Optimized", "T.-O.")


def remove(panel: Axes, line: Line2D) -> None:
    """Take a line out of a panel, and the band that bears its label."""
    bands = [band for band in panel.collections if band.get_gid() == line.get_label()]
    for artist in (line, *bands):
        artist.remove()


def _are_alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    between = _squared(one, other)
    return bool(min(np.mean(between.min(axis=side) < APART**2) for side in (0, 1)) >= MOST)


def _apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(np.sqrt(_squared(one, other).min(axis=1)).mean())


def _places(panel: Axes, line: Line2D) -> NDArray[np.float64]:
    """Return points along a line, as shares of the panel's sides."""
    panel.get_xlim(), panel.get_ylim()
    corners = (panel.transScale + panel.transLimits).transform(line.get_xydata())
    corners = corners[np.isfinite(corners).all(axis=1)]
    steps = np.hypot(*np.diff(corners, axis=0).T) if len(corners) > 1 else np.empty(0)
    along = np.concatenate(([0.0], np.cumsum(steps)))
    even = np.linspace(0, along[-1], POINTS)
    return np.column_stack([np.interp(even, along, side) for side in corners.T])


def _squared(points: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the square of how far each point is from each of the others."""
    (x, y), (at, height) = points.T, others.T
    return np.asarray((x[:, None] - at) ** 2 + (y[:, None] - height) ** 2)


def alike(panels: Iterable[Axes]) -> list[tuple[str, str, str]]:
    """Return the lines of some panels that can't be told apart: the panel's title, and both labels."""
    return [
        (panel.get_title(), str(line.get_label()), str(like.get_label()))
        for panel in panels
        for line, like in taken_for(panel)
    ]
