"""The best percentile of uncached lengths that any policy reaches, by bisection over the threshold.

P_q <= xi is possible if and only if the fewest violations at xi are at most n - rank, rank = ceil(q n). The fewest
violations fall as xi grows, so:

1. *Refute*: the smallest xi whose linear bound allows it, by bisection. The prices one below prove it.
2. *Confirm*: bisection upwards from there with the heuristic; each plan's own percentile is an upper bound.
3. *Decide*: what is left between, with cuts, searches along the steps and the MILP, each with a target. A
   threshold that they leave open stays between the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.instance import Initial, Instance
from teltheory.numbers import whole_number
from teltheory.optimal.deadline import deadline_of, left
from teltheory.optimal.prices import Prices
from teltheory.optimal.violations import (
    WIDTHS,
    exactly,
    explored,
    outcome_of,
    packed,
    relaxed,
    sharpened,
    started,
)
from teltheory.outcome import Outcome
from teltheory.trace import Trace

SHARES = (1 / 8, 1 / 2, 1.0)
"""Of the time that is left, for a decision in the first round, and in later ones where some stayed open."""
ROUNDS = 300


@dataclass(frozen=True)
class BestPercentile:
    """The smallest percentile of uncached lengths, between two bounds, in the trace's unit.

    Attributes
    ----------
    value : int
        Percentile of the incumbent.
    lower : int
        No policy has a smaller one.
    proved : int
        The part of `lower` that `prices` prove: `check_violations` at the threshold ``proved - 1`` finds more than
        `allowed`.
    allowed : int
        Turns that may lie above the percentile, n - ceil(q n).
    outcome : Outcome
        The incumbent.
    prices : Prices or None
        None where `proved` is 0, which needs no proof.
    status : str
        "optimal" if and only if `value` equals `lower`; otherwise how the search ended.
    """

    value: int
    lower: int
    proved: int
    allowed: int
    outcome: Outcome
    prices: Prices | None
    status: str

    @property
    def gap(self) -> Fraction:
        """(value - lower) / value; 0 where the value is 0."""
        return Fraction(self.value - self.lower, max(self.value, 1))


def best_percentile(
    trace: Trace,
    capacity: int,
    q: float,
    forced: bool = False,
    initial: Initial = (),
    time_limit: float | None = None,
    seed: int = 0,
) -> BestPercentile:
    """Find the smallest P_q of uncached lengths that any policy reaches.

    Parameters
    ----------
    trace : Trace
        At least one turn.
    capacity : int
        Capacity, in the trace's unit.
    q : float
        Level in (0, 1], such as 0.95.
    forced : bool
        Forced caching.
    initial : iterable of (conversation, past, cached)
        Initial cache, least recent first.
    time_limit : float, optional
        Seconds; the best so far is returned then. Bounds and a first plan are always found.
    seed : int
        Of the random rounds of the heuristic.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments; all are `ValueError`.
    """
    instance = Instance.of(trace, capacity, forced=forced, initial=initial)
    rank = _rank(len(trace), q)
    search = _Bisection(instance, rank, deadline_of(time_limit), np.random.default_rng(whole_number("seed", seed)))
    status = "feasible"
    try:
        search.refute()
        search.confirm()
        if all(search.decide(share) for share in SHARES):
            status = "time limit"
    except KeyboardInterrupt:
        status = "interrupted"
    return search.result(status)


def _rank(n: int, q: float) -> int:
    """Return ceil(q n) as `teltheory.metrics` takes it."""
    if isinstance(q, bool) or not isinstance(q, (int, float)) or not 0 < q <= 1:
        raise ArgumentError("q", q, "a level above 0, at most 1")
    if n == 0:
        raise ArgumentError("trace", "no turn", "at least one turn")
    return int(np.quantile(np.arange(1, n + 1), q, method="inverted_cdf"))


class _Bisection:
    """Two ends that close in on the percentile."""

    def __init__(self, instance: Instance, rank: int, deadline: float, rng: np.random.Generator) -> None:
        self.instance, self.rank, self.deadline, self.rng = instance, rank, deadline, rng
        self.allowed = len(instance.trace) - rank
        self.lower = self.proved = 0
        self.prices: Prices | None = None
        self.outcome = outcome_of(started(instance, int(instance.total.max())))
        self.value = self._percentile(self.outcome)

    def _percentile(self, outcome: Outcome) -> int:
        return int(np.partition(outcome.uncached, self.rank - 1)[self.rank - 1])

    def _take(self, outcome: Outcome) -> None:
        value = self._percentile(outcome)
        if value < self.value:
            self.value, self.outcome = value, outcome

    def refute(self) -> None:
        """Raise the lower end as far as linear bounds do."""
        high = self.value
        while self.lower < high:
            xi = (self.lower + high) // 2
            search = relaxed(started(self.instance, xi), self.deadline)
            if search.proved > self.allowed:
                self.lower = self.proved = xi + 1
                self.prices = search.relaxation.prices
            else:
                high = xi

    def confirm(self) -> None:
        """Lower the upper end as far as the heuristic does."""
        low = self.lower
        while low < self.value:
            xi = (low + self.value) // 2
            before = self.value
            search = relaxed(started(self.instance, xi), self.deadline)
            self._take(outcome_of(packed(search, self.rng, self.deadline, ROUNDS)))
            low = low if self.value < before else xi + 1

    def decide(self, share: float) -> bool:
        """Decide thresholds between the ends, each in a share of the time left; return whether one stayed open."""
        low, opened = self.lower, False
        while low < self.value:
            seconds = left(self.deadline)
            if seconds is not None and seconds <= 0:
                return True
            xi = (low + self.value) // 2
            answer = self._decided(xi, None if seconds is None else seconds * share)
            opened = opened or answer is None
            low = xi + 1 if answer is None else max(low, self.lower)
        return opened

    def _decided(self, xi: int, seconds: float | None) -> bool | None:
        """Return whether P_q <= xi is possible, None where that stays open; the ends move with it."""
        deadline = deadline_of(seconds)
        search = packed(relaxed(started(self.instance, xi), self.deadline), self.rng, self.deadline, ROUNDS)
        target = search.problem.above - self.allowed
        if search.count < target <= search.most:
            search = explored(sharpened(search, deadline), deadline, WIDTHS, target)
        if search.count < target <= search.most:
            search = exactly(search, deadline, target)
        self._take(outcome_of(search))
        if self.value <= xi:
            return True
        if search.lower <= self.allowed:
            return None
        self.lower = max(self.lower, xi + 1)
        if search.proved > self.allowed:
            self.proved, self.prices = self.lower, search.relaxation.prices
        return False

    def result(self, status: str) -> BestPercentile:
        status = "optimal" if self.value == self.lower else status
        return BestPercentile(self.value, self.lower, self.proved, self.allowed, self.outcome, self.prices, status)
