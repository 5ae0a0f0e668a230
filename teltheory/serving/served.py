"""What replicas did with their requests: who served which, when it started, and what its first token took.

The first token of request k is there `ttft` seconds after it came:

    ttft = wait + service,    service = load + compute, or max(load, compute) if loading is overlapped

Its *excess* over an SLO is max(0, ttft - slo). It is charged to the wait first, then to loading, then to
computing, each up to what it is; so the parts add up to it. What computing is charged is the excess that an idle
server with all of its cache in the first tier would leave, given what was reused; with what loading is charged, it
is that of an idle server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.display import Summary, counted, quantiles
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, real_number
from teltheory.model.outcome import Outcome
from teltheory.model.tables import Tabular
from teltheory.model.tiers import TieredOutcome
from teltheory.model.units import Seconds, seconds_of
from teltheory.policies.future import AHEAD
from teltheory.serving.work import span


class Tail(NamedTuple):
    """Seconds beyond an SLO, and what they are charged to; see the top of the file."""

    wait: float
    load: float
    compute: float

    @property
    def seconds(self) -> float:
        """All together, TEL in seconds."""
        return self.wait + self.load + self.compute


@dataclass(frozen=True, eq=False)
class Served(Tabular):
    """Requests in order of arrival, times in seconds. `serve` makes it.

    `to_arrow`, `to_pandas` and `to_polars` return a table of a row a request: its replica, its times and the
    columns of the outcome.

    Attributes
    ----------
    outcome : Outcome or TieredOutcome
        What each request reused, and of which tier, in the trace's unit.
    replica : ndarray of int64, shape (n,)
        Who served it, counted from 0.
    arrival, start : ndarray of float64, shape (n,)
        When it came, and when its replica began to load and compute it.
    load, compute : ndarray of float64, shape (n,)
        What loading and computing took.
    service : ndarray of float64, shape (n,)
        What both took together, from the start to the first token.
    replicas : int
        Number of replicas.
    iterated : ndarray of float64, shape (replicas,), or None
        Seconds of each replica's iterations; None if it served one request at a time. See `busy`.
    looks_ahead : bool
        Whether the policy's rules look at later turns, as no server can.
    """

    outcome: Outcome | TieredOutcome
    replica: IntArray
    arrival: FloatArray
    start: FloatArray
    load: FloatArray
    compute: FloatArray
    service: FloatArray
    replicas: int
    iterated: FloatArray | None = None
    looks_ahead: bool = False

    def __len__(self) -> int:
        return len(self.arrival)

    def __repr__(self) -> str:
        median, high = (f"{point:.3g} s" for point in self.quantiles([0.5, 0.95]).tolist())
        sizes = f"{counted(len(self), 'request')}, {counted(self.replicas, 'replica')}"
        return f"Served({sizes}, TTFT P50 {median}, P95 {high})"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def summary(self, slo: Seconds | None = None) -> Summary:
        """Return hit rate, utilisation, percentiles of TTFT and, with `slo`, the tail and what it is made of.

        Parameters
        ----------
        slo : float, Fraction or str, optional
            Seconds to the first token.
        """
        facts = {"requests": len(self), "replicas": self.replicas, "hit rate": self.outcome.hit_rate}
        facts |= {"utilisation": f"{self.utilisation:.3f}"}
        facts |= {"policy": AHEAD} if self.looks_ahead else {}
        times = {name: f"{value:.3g} s" for name, value in quantiles(self.ttft, "TTFT").items()}
        if slo is None:
            return Summary("Served", facts | times)
        tail = self.tail(slo)
        parts = {f"of it {part}": f"{spent:,.1f} s" for part, spent in tail._asdict().items()}
        tails = {"TEL": f"{tail.seconds:,.1f} s", **parts, "requests above the SLO": self.slow(slo)}
        return Summary("Served", facts | times | tails)

    def plot(self, slo: Seconds | None = None, ax: Any = None) -> Any:
        """Draw the share of requests whose TTFT, and wait, is above each time; return Matplotlib's axes.

        Parameters
        ----------
        slo : float, Fraction or str, optional
            Seconds: right of it the area below the line of TTFT, times the number of requests, is TEL.
        ax : Axes, optional
            New ones if left out.
        """
        from teltheory.plots.values import tails

        limit = None if slo is None else float(seconds_of("slo", slo))
        return tails({"TTFT": self.ttft, "wait": self.wait}, "time (s)", ax, limit, f"SLO = {limit} s")

    def _table(self) -> dict[str, Any]:
        names = ("replica", "arrival", "start", "wait", "load", "compute", "service", "ttft")
        return {name: getattr(self, name) for name in names} | self.outcome._table()

    @property
    def cached(self) -> IntArray:
        """Units that each request reused, as in the outcome: shape (n,), in tiers (tiers, n)."""
        return self.outcome.cached

    @property
    def uncached(self) -> IntArray | list[Fraction]:
        """Units that each request computed, as in the outcome."""
        return self.outcome.uncached

    @property
    def wait(self) -> FloatArray:
        """Seconds from arrival to start; shape (n,)."""
        return self.start - self.arrival

    @property
    def ttft(self) -> FloatArray:
        """Seconds from arrival to the first token; shape (n,)."""
        return self.wait + self.service

    @property
    def busy(self) -> FloatArray:
        """Seconds in which each replica loaded, computed or decoded; shape (replicas,)."""
        if self.iterated is not None:
            return self.iterated
        return np.bincount(self.replica, self.service, self.replicas).astype(np.float64)

    @property
    def utilisation(self) -> float:
        """Busy seconds over replicas times the seconds from first to last arrival; infinite over 0."""
        return _share(float(self.busy.sum()), self.replicas * span(self.arrival))

    @property
    def utilisations(self) -> FloatArray:
        """The same of each replica; shape (replicas,)."""
        return np.array([_share(seconds, span(self.arrival)) for seconds in self.busy.tolist()])

    def quantiles(self, levels: Sequence[float]) -> FloatArray:
        """Return percentiles of TTFT in seconds; the one at level q is the ceil(q n)-th smallest value.

        Parameters
        ----------
        levels : sequence of float
            In (0, 1], such as 0.95.

        Returns
        -------
        ndarray of float64, shape (levels,)
            NaN if there is no request.
        """
        for level in levels:
            if not 0 < level <= 1:
                raise ArgumentError("levels", level, "a level above 0, at most 1")
        if not len(self):
            return np.full(len(levels), np.nan)
        return np.quantile(self.ttft, np.asarray(levels, np.float64), method="inverted_cdf")

    def is_slow(self, slo: Seconds) -> BoolArray:
        """Return whether each request's TTFT is above `slo` seconds; shape (n,)."""
        return self.ttft > float(seconds_of("slo", slo))

    def slow(self, slo: Seconds) -> int:
        """Return the number of requests whose TTFT is above `slo` seconds."""
        return int(np.count_nonzero(self.is_slow(slo)))

    def goodput(self, slo: Seconds) -> float:
        """Return the requests a second, from first to last arrival, whose TTFT is at most `slo` seconds."""
        return _share(len(self) - self.slow(slo), span(self.arrival))

    def excess(self, slo: Seconds) -> FloatArray:
        """Return max(0, ttft - slo) of each request, in seconds; shape (n,)."""
        return np.maximum(self.ttft - float(seconds_of("slo", slo)), 0.0)

    def tail_seconds(self, slo: Seconds) -> float:
        """Return TEL in seconds: the sum of all excesses."""
        return float(self.excess(slo).sum())

    def tail(self, slo: Seconds) -> Tail:
        """Return TEL in seconds, charged to wait, load and compute; they add up to it but for rounding."""
        left = self.excess(slo)
        waited = np.minimum(self.wait, left)
        loaded = np.minimum(np.maximum(self.service - self.compute, 0.0), left - waited)
        return Tail(*(float(part.sum()) for part in (waited, loaded, left - waited - loaded)))


def seconds(argument: str, value: Any) -> float:
    """Return seconds, 0 or more, given as a number or a Fraction."""
    return real_number(argument, float(value) if isinstance(value, Fraction) else value, 0, closed=True)


def _share(amount: float, of: float) -> float:
    if of:
        return amount / of
    return float("inf") if amount else 0.0
