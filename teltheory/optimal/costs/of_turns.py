"""What a turn costs as a piecewise-linear function of what it reuses, in whole numbers.

TEL is one such cost: total - xi - c for a reuse c up to total - xi, and 0 beyond. Prefill with attention gives
another: max(TTFT - slo, 0) is concave in c (the reuse of a longer prefix saves more a token) until it reaches 0,
so as a whole it is neither convex nor concave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from teltheory.cost.latency import LatencyModel
from teltheory.errors import ArgumentError
from teltheory.model.display import in_short
from teltheory.model.initial import Initial
from teltheory.model.instance import Instance
from teltheory.model.numbers import INT64_MAX, IntArray, exact_sum, rational, readonly, whole_number
from teltheory.model.trace import Trace

NANOSECONDS = 10**9
SEGMENTS = 8


@in_short
@dataclass(frozen=True, eq=False)
class PiecewiseCosts:
    """Costs of turns: straight lines between points, and flat beyond a turn's last point.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n + 1,)
        Turn k has the points ``offsets[k]`` to ``offsets[k + 1] - 1``, at least one.
    reuse : ndarray of int64, shape (p,)
        What is reused at each point, in the trace's unit: from 0 and ascending within a turn.
    cost : ndarray of int64, shape (p,)
        What that costs, 0 or more: never rising within a turn, and by a whole number for each unit of
        reuse, so that every reuse has a whole cost.
    """

    offsets: IntArray
    reuse: IntArray
    cost: IntArray

    def __post_init__(self) -> None:
        for name in ("offsets", "reuse", "cost"):
            object.__setattr__(self, name, readonly(_whole_column(name, getattr(self, name))))
        if len(self.reuse) != len(self.cost):
            raise ArgumentError("cost", f"{len(self.cost)} values", f"{len(self.reuse)}, one a reuse")
        ends = self.offsets.tolist()[:1] + self.offsets.tolist()[-1:]
        if ends != [0, len(self.reuse)]:
            raise ArgumentError("offsets", ends, f"from 0 to {len(self.reuse)}")
        for turn in np.flatnonzero(np.diff(self.offsets) < 1)[:1]:
            raise ArgumentError(f"offsets[{turn + 1}]", int(self.offsets[turn + 1]), "at least one point a turn")
        first = np.zeros(len(self.reuse), np.bool_)
        first[self.offsets[:-1]] = True
        _check_points(first, self.turn, self.reuse, self.cost)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def from_points(cls, points: Iterable[Sequence[tuple[int, int]]]) -> PiecewiseCosts:
        """Make costs from a list of (reuse, cost) for each turn.

        Raises
        ------
        ArgumentError
            A turn without points, a first reuse other than 0, reuses that do not ascend, costs that rise or that
            fall by no whole number a unit; the error names the point and the turn.
        """
        turns = [list(turn) for turn in points]
        flat = [point for turn in turns for point in turn]
        for i, point in enumerate(flat):
            if not isinstance(point, (tuple, list)) or len(point) != 2:
                raise ArgumentError(f"points[{i}]", point, "(reuse, cost)")
        reuse = np.array([whole_number("reuse", point[0]) for point in flat], np.int64)
        cost = np.array([whole_number("cost", point[1]) for point in flat], np.int64)
        return cls(np.cumsum([0, *map(len, turns)]), reuse, cost)

    @classmethod
    def linear(cls, trace: Trace, xi: int, initial: Initial = ()) -> PiecewiseCosts:
        """Return max(uncached - xi, 0), in the trace's unit: the costs whose sum is TEL.

        Parameters
        ----------
        trace, xi, initial : as in `Problem`
            The pasts of the initial cache lengthen histories.
        """
        total = Instance.of(trace, INT64_MAX, initial=initial).total
        useful = np.maximum(total - whole_number("xi", xi), 0)
        return _of_table(np.stack((np.zeros_like(useful), useful)).T, np.stack((useful, np.zeros_like(useful))).T)

    @classmethod
    def of_work(cls, trace: Trace, xi: int, work: int | Fraction, initial: Initial = ()) -> PiecewiseCosts:
        """Return work * uncached + max(uncached - xi, 0), times the denominator of `work`: convex costs.

        Parameters
        ----------
        trace, xi, initial : as in `Problem`
            The pasts of the initial cache lengthen histories.
        work : int or Fraction
            What a prefilled token costs if one above the threshold costs 1 more; 0 or more.
        """
        instance, price = Instance.of(trace, INT64_MAX, initial=initial), rational("work", work, 0)
        most = instance.total.max(initial=0) * (price.numerator + price.denominator)
        if most > INT64_MAX:
            raise ArgumentError("work", price, "a fraction with fewer digits")
        useful = np.clip(instance.total - whole_number("xi", xi), 0, instance.history)
        reuse = np.stack((np.zeros_like(useful), useful, instance.history)).T
        uncached = instance.total[:, None] - reuse
        cost = price.numerator * uncached + price.denominator * np.maximum(uncached - xi, 0)
        return _of_table(reuse, cost)

    @classmethod
    def of_latency(
        cls,
        trace: Trace,
        latency: LatencyModel,
        slo: float | Fraction,
        segments: int = SEGMENTS,
        initial: Initial = (),
    ) -> PiecewiseCosts:
        """Return max(TTFT - slo, 0) in nanoseconds, with chords in place of the curve; never above it.

        A chord over a stretch of s tokens is at most per_pair (s / 2)^2 below the curve, and rounding takes less
        than s nanoseconds more.

        Parameters
        ----------
        trace, initial : as in `Problem`
            Turns in tokens; pasts of the initial cache lengthen histories.
        latency, slo : LatencyModel, float or Fraction
            TTFT in seconds, and the one that is kept.
        segments : int
            Chords of each turn, of equal length, from no reuse to the whole history or where the SLO is kept.

        Raises
        ------
        ArgumentError
            A trace in blocks, an SLO that is negative, no segments, a latency model of another form or with a
            floor above the SLO: chords would be above its curve.
        """
        if trace.block_size != 1:
            raise ArgumentError(
                "trace", f"blocks of {trace.block_size} tokens", "lengths in tokens, as TTFT is of tokens"
            )
        if whole_number("segments", segments) < 1:
            raise ArgumentError("segments", segments, "1 or more")
        if not 0 <= slo < np.inf:
            raise ArgumentError("slo", slo, "0 seconds or more")
        if not isinstance(latency, LatencyModel) or latency.floor > slo:
            raise ArgumentError("latency", latency, "a LatencyModel with a floor within the SLO")
        instance = Instance.of(trace, INT64_MAX, initial=initial)
        end, last = _where_positive(instance, latency, float(slo))
        reuse = np.append(last[:, None] * np.arange(segments + 1) // segments, end[:, None], axis=1)
        seconds = latency.ttft(instance.total[:, None] - reuse, reuse) - float(slo)
        above = np.maximum(np.floor(seconds * NANOSECONDS - 1), 0).astype(np.int64)
        cost = above.copy()
        for i in range(segments, -1, -1):
            length = np.maximum(reuse[:, i + 1] - reuse[:, i], 1)
            cost[:, i] = cost[:, i + 1] + np.maximum(above[:, i] - cost[:, i + 1], 0) // length * length
        return _of_table(reuse, cost)

    @cached_property
    def turn(self) -> IntArray:
        """Turn of each point; shape (p,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def of_turns(self, cached: IntArray) -> IntArray:
        """Return what each turn costs when it reuses ``cached[k]``; shape (n,)."""
        before = np.add.reduceat(self.reuse <= cached[self.turn], self.offsets[:-1]) if len(self) else cached
        point = self.offsets[:-1] + before - 1
        after = np.minimum(point + 1, self.offsets[1:] - 1)
        fall = (self.cost[point] - self.cost[after]) // np.maximum(self.reuse[after] - self.reuse[point], 1)
        return np.asarray(self.cost[point] - fall * (cached - self.reuse[point]))

    def total(self, cached: IntArray) -> int:
        """Return what all turns cost together."""
        return exact_sum(self.of_turns(cached))

    def up_to(self, most: IntArray) -> PiecewiseCosts:
        """Return the same costs with no point beyond a reuse of ``most[k]``."""
        limit, at_limit = most[self.turn], self.of_turns(most)[self.turn]
        before = np.concatenate(([-1], self.reuse[:-1]))
        before[self.offsets[:-1]] = -1
        keep = before < limit
        beyond = self.reuse > limit
        reuse, cost = np.where(beyond, limit, self.reuse), np.where(beyond, at_limit, self.cost)
        offsets = np.concatenate(([0], np.cumsum(keep)))[self.offsets]
        return PiecewiseCosts(offsets, reuse[keep], cost[keep])


def _of_table(reuse: IntArray, cost: IntArray) -> PiecewiseCosts:
    """Make costs of a table with a row a turn; points that repeat the one before are left out."""
    keep = np.diff(reuse, axis=1, prepend=-1) > 0
    return PiecewiseCosts(np.concatenate(([0], np.cumsum(keep.sum(1)))), reuse[keep], cost[keep])


def _where_positive(instance: Instance, latency: LatencyModel, slo: float) -> tuple[IntArray, IntArray]:
    """Return where each turn's cost ends, its SLO kept or its whole history reused, and where it is last above 0.

    The first is found by bisection; the second is 1 less if the SLO is kept, as the curve has its kink in
    between.
    """
    low, high = np.zeros_like(instance.history), instance.history.copy()
    while np.any(low < high):
        middle = (low + high) // 2
        keeps = latency.ttft(instance.total - middle, middle) <= slo
        high, low = np.where(keeps, middle, high), np.where(keeps, low, np.minimum(middle + 1, high))
    kept = latency.ttft(instance.total - low, low) <= slo
    return low, np.maximum(low - kept, 0)


def _whole_column(name: str, values: object) -> IntArray:
    column: NDArray[np.int64] = np.array(values)
    if column.ndim != 1 or (len(column) and column.dtype.kind != "i"):
        raise ArgumentError(name, f"{column.ndim} dimensions of {column.dtype}", "one column of whole numbers")
    return column.astype(np.int64)


def _check_points(first: NDArray[np.bool_], turn: IntArray, reuse: IntArray, cost: IntArray) -> None:
    length, fall = np.diff(reuse, prepend=0), -np.diff(cost, prepend=0)
    length[first], fall[first] = 1, 0
    wrong = (
        ("reuse", first & (reuse != 0), "0 at the first point of a turn"),
        ("reuse", length < 1, "more than at the point before"),
        ("cost", cost < 0, "0 or more"),
        ("cost", fall < 0, "no more than at the point before"),
        ("cost", fall % np.maximum(length, 1) != 0, "a whole number less for each unit of reuse"),
    )
    for name, places, expected in wrong:
        for i in np.flatnonzero(places)[:1]:
            found = int((reuse if name == "reuse" else cost)[i])
            raise ArgumentError(f"{name}[{i}], turn {turn[i]}", found, expected)
