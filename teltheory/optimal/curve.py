"""The optimal TEL as a function of the capacity, from tangents.

Over capacities C the interval problem's right side moves along a line, so its optimal TEL is convex and piecewise
linear in C, and falls. A certificate at C says more than the optimum there: its set P bounds what is kept at every
other capacity C' too, by |P| (C' - C) more, as each step of P has that much more room. So

    TEL(C')  >=  TEL(C) - |P| (C' - C)     for every C',

a tangent. Between two capacities the curve lies above both tangents and, being convex, below the chord. Chord and
tangents are furthest apart where the two tangents meet; there, at a whole capacity beside it, the next tangent is
taken, until all are close enough. With a tolerance of 0 the curve is exact at every whole capacity: a
piece is done when its chord meets the tangents everywhere, which at the latest it does between neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from teltheory.cost.given import Model, Size, Units
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short, unit_of
from teltheory.model.forest import Forest
from teltheory.model.initial import Initial
from teltheory.model.instance import prefix_instance
from teltheory.model.numbers import Ratio, exact_sum
from teltheory.model.tables import Tabular
from teltheory.model.trace import Trace


@dataclass(frozen=True)
class Tangent:
    """An optimum at a capacity, and how many units of TEL one more unit of capacity saves at most."""

    capacity: int
    objective: int
    slope: int

    def at(self, capacity: int) -> int:
        """Return the tangent's value, a lower bound on the optimal TEL."""
        return self.objective - self.slope * (capacity - self.capacity)


@in_short
@dataclass(frozen=True)
class HindsightCurve(Tabular):
    """The optimal TEL between two capacities, from below by tangents and from above by chords.

    `to_arrow`, `to_pandas` and `to_polars` return a table of a row a tangent.

    Attributes
    ----------
    tangents : tuple of Tangent
        Ascending by capacity; each is one solve.
    """

    tangents: tuple[Tangent, ...]

    def _table(self) -> dict[str, Any]:
        return {name: [getattr(t, name) for t in self.tangents] for name in ("capacity", "objective", "slope")}

    def plot(self, ax: Any = None) -> Any:
        """Draw the chords, the upper side, against the capacity; return Matplotlib's axes.

        Parameters
        ----------
        ax : Axes, optional
            New ones if left out.
        """
        from teltheory.plots.values import over_capacity

        table, unit = self._table(), unit_of(None)
        return over_capacity(table["capacity"], table["objective"], "hindsight", unit, f"TEL ({unit})", ax)

    def bounds(self, capacity: int) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper bound on the optimal TEL at a capacity between the first and the last."""
        known = [tangent.capacity for tangent in self.tangents]
        if not known[0] <= capacity <= known[-1]:
            raise ArgumentError("capacity", capacity, f"{known[0]} to {known[-1]}")
        place = int(np.searchsorted(known, capacity))
        right, left = self.tangents[place], self.tangents[max(place - 1, 0)]
        below = max(left.at(capacity), right.at(capacity), 0)
        return Ratio(below), _chord(left, right, capacity)


def hindsight_curve(
    trace: Trace | Forest,
    xi: Size,
    smallest: Size,
    largest: Size,
    tolerance: float = 0.001,
    forced: bool = False,
    initial: Initial = (),
    *,
    running: int = 1,
    model: Model | None = None,
) -> HindsightCurve:
    """Find the optimal TEL at every whole capacity of a range; of a forest that of a cache with holes.

    Parameters
    ----------
    trace, xi, forced, initial, running, model : as in `Problem`
    smallest, largest, tolerance : int or str, float
        Range of capacities; how far the upper bound may be above the lower one, relative to the lower one: 0 for
        the exact curve.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
    """
    units = Units.of(trace, model)
    threshold, low, high = units.xi(xi), units.capacity(smallest, "smallest"), units.capacity(largest, "largest")
    if low > high:
        raise ArgumentError("largest", high, f"{low} or more, as `smallest` is {low}")
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance < 1:
        raise ArgumentError("tolerance", tolerance, "a number from 0 to below 1")
    from teltheory.optimal.methods import greedily

    starts = tuple(initial)

    def tangent(capacity: int) -> Tangent:
        instance = prefix_instance(trace, capacity, forced=forced, initial=starts, running=running)
        reused, steps = greedily(instance, threshold)
        return Tangent(capacity, exact_sum(np.maximum(instance.total - reused - threshold, 0)), len(steps))

    found = {capacity: tangent(capacity) for capacity in {low, high}}
    todo = [(low, high)]
    while todo:
        left, right = todo.pop()
        middle = _missing(found[left], found[right], Fraction(tolerance))
        if middle is not None:
            found[middle] = tangent(middle)
            todo += [(left, middle), (middle, right)]
    return HindsightCurve(tuple(found[capacity] for capacity in sorted(found)))


def _missing(left: Tangent, right: Tangent, tolerance: Fraction) -> int | None:
    """Return where to solve next, beside where two tangents meet; None if the chord is within the tolerance."""
    if left.slope == right.slope:
        return None
    meet = Fraction(
        left.objective - right.objective + left.slope * left.capacity - right.slope * right.capacity,
        left.slope - right.slope,
    )
    for c in (floor(meet), ceil(meet)):
        if left.capacity < c < right.capacity:
            below = max(left.at(c), right.at(c), 0)
            if _chord(left, right, c) > (1 + tolerance) * below:
                return c
    return None


def _chord(left: Tangent, right: Tangent, capacity: int) -> Fraction:
    if left.capacity == right.capacity:
        return Ratio(left.objective)
    share = Ratio(capacity - left.capacity, right.capacity - left.capacity)
    return left.objective + share * (right.objective - left.objective)
