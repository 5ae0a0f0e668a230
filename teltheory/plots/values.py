"""Plots of one value, such as a trace or an outcome, on new axes or on those of a figure of your own.

A tail is drawn as the share of values above each value: the area below the line right of a threshold, times the
number of values, is what TEL adds up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from teltheory.base.extras import needed
from teltheory.plots.panels import of_tokens
from teltheory.plots.style import GREY, SPARE, Line, looks, paper

BINS = 100

FloatArray: TypeAlias = NDArray[np.float64]


def tails(columns: Mapping[str, ArrayLike], unit: str, ax: Any, limit: float | None = None, said: str = "") -> Any:
    """Draw for each column the share of values above each value; return the axes.

    Parameters
    ----------
    columns : mapping of str to array
        Values of 0 or more, by name.
    unit : str
        What the values are, with their unit.
    ax : Axes or None
        New ones if None.
    limit : float, optional
        Drawn as a vertical line; right of it the area below the first line is shaded.
    said : str
        Label of the limit.
    """
    with _axes(ax, unit, "share above it") as drawn:
        if any(np.any(np.asarray(values) > 0) for values in columns.values()):
            drawn.set_yscale("log")
        for k, ((name, values), look) in enumerate(zip(columns.items(), _looks(drawn), strict=False)):
            at, above = _above(np.asarray(values, np.float64), limit)
            drawn.step(at, above, where="post", color=look.colour, linestyle=look.dashes, label=name)
            if limit is not None and k == 0:
                drawn.fill_between(at, above, where=at >= limit, step="post", color=look.colour, alpha=0.2)
        if limit is not None and said not in (line.get_label() for line in drawn.lines):
            drawn.axvline(limit, color=GREY, linestyle=":", label=said)
    return drawn


def rate(times: FloatArray, what: str, ax: Any) -> Any:
    """Draw how many come a second over time, in a hundred bins; return the axes."""
    with _axes(ax, "seconds since the first arrival", f"{what} a second") as drawn:
        counts, edges = np.histogram(times - times[:1], BINS)
        drawn.stairs(counts / np.diff(edges), edges, color=SPARE[0].colour, label=what)
    return drawn


def over_capacity(
    capacities: Sequence[int], values: Sequence[float], policy: str, unit: str, what: str, ax: Any
) -> Any:
    """Draw what a policy, by its name, or the optimum reaches at each capacity, in a unit; return the axes."""
    with _axes(ax, f"capacity ({unit})", what) as drawn:
        look = looks([policy])[policy]
        if look.colour in {line.get_color() for line in drawn.lines}:
            look = replace(_looks(drawn)[0], name=look.name)
        drawn.set_xscale("log")
        of_tokens(drawn, "x", "y")
        drawn.plot(capacities, values, **look.keywords, markevery=0.1)
    return drawn


def _looks(ax: Any) -> Sequence[Line]:
    """Return looks that no line on the axes has yet."""
    used = {line.get_color() for line in ax.lines}
    return [look for look in SPARE if look.colour not in used] or SPARE


@contextmanager
def _axes(ax: Any, x: str, y: str) -> Iterator[Any]:
    """Yield the axes given, or new ones in the toolkit's style, and label them at the end."""
    pyplot = needed("matplotlib.pyplot", "report")
    with paper() if ax is None else nullcontext():
        drawn = pyplot.subplots()[1] if ax is None else ax
        yield drawn
        drawn.set_xlabel(x)
        drawn.set_ylabel(y)
        drawn.legend()


def _above(values: FloatArray, limit: float | None) -> tuple[FloatArray, FloatArray]:
    """Return 0, the limit and each value that there is, ascending, and the share of values above each."""
    ordered = np.sort(values)
    at = np.union1d(ordered, [0.0] if limit is None else [0.0, limit])
    return at, 1 - np.searchsorted(ordered, at, "right") / max(len(ordered), 1)
