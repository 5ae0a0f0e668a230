"""The rows of `teltheory curve`: policies by their curves, hindsight by tangents and chords."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rich.progress import Progress

from teltheory.cli.options import Thresholds
from teltheory.cost.metrics import ttft_quantiles, ttft_violations
from teltheory.model.numbers import exact_sum
from teltheory.model.trace import Trace
from teltheory.optimal import hindsight_optimum
from teltheory.optimal.curve import HindsightCurve, hindsight_curve
from teltheory.policies.policy import Policy
from teltheory.policies.spec import Spec, default_estimate
from teltheory.replay.curve import CapacityCurve, capacity_curve
from teltheory.sweep import QUANTILES, Grid

HINDSIGHT = "hindsight"
TOLERANCE = 0.001
PERCENTILES = tuple(f"p{round(100 * q)}" for q in QUANTILES)


@dataclass
class Rows:
    """Rows by threshold, then policy, then capacity.

    Of the table, and of the figure; `tangents` has the solves that the drawn optima of a threshold took.
    """

    table: list[dict[str, Any]] = field(default_factory=list)
    drawn: list[dict[str, Any]] = field(default_factory=list)
    tangents: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Curves:
    """What is asked of the curves."""

    trace: Trace
    grid: Grid
    thresholds: Thresholds
    spaced: Sequence[int]
    hindsight: bool

    def rows(self, bar: Progress) -> Rows:
        """Return all rows, with progress."""
        rows = Rows()
        known: dict[Policy, CapacityCurve] = {}
        for xi, spec in bar.track(self._pairs(), description="Drawing curves"):
            if spec is None:
                self._add_optima(rows, xi)
                continue
            policy = self.grid.build(spec, xi, lambda: default_estimate(self.trace))
            if policy not in known:
                known[policy] = capacity_curve(self.trace, policy)
            found = known[policy]
            rows.table += self._of_policy(found, spec, xi, self.grid.capacities, percentiles=True)
            rows.drawn += self._of_policy(found, spec, xi, self.spaced, percentiles=False)
        return rows

    def _pairs(self) -> list[tuple[int, Spec | None]]:
        """Return thresholds with policies, and with None for the optimum."""
        policies = [*self.grid.policies, *([None] if self.hindsight else [])]
        return [(xi, spec) for xi in self.grid.thresholds for spec in policies]

    def _of_policy(
        self, found: CapacityCurve, spec: Spec, xi: int, capacities: Sequence[int], percentiles: bool
    ) -> Iterator[dict[str, Any]]:
        tels = found.tail_excess_latency([*capacities, 0], xi).tolist()
        work = found.tail_excess_latency(capacities, 0).tolist()
        slow = self._violations(found, xi, capacities)
        for i, capacity in enumerate(capacities):
            row = {"capacity": capacity, "xi": xi, "policy": spec.text, "tel": tels[i], "uncached_tel": tels[-1]}
            row |= {"hit_rate": self._hit_rate(work[i]), "prefilled": work[i]}
            yield {**row, "violations": slow[i], **(self._percentiles(found, capacity) if percentiles else {})}

    def _hit_rate(self, prefilled: int) -> float:
        every = exact_sum(self.trace.total)
        return float(1 - Fraction(prefilled, every)) if every else 0.0

    def _violations(self, found: CapacityCurve, xi: int, capacities: Sequence[int]) -> list[int]:
        latency, slo = self.thresholds.latency, self.thresholds.seconds.get(xi)
        if slo is None or latency.cached_is_free:
            counts: list[int] = found.slo_violations(capacities, xi).tolist()
            return counts
        return [ttft_violations(found.outcome(capacity), latency, slo) for capacity in capacities]

    def _percentiles(self, found: CapacityCurve, capacity: int) -> dict[str, float | None]:
        if not len(self.trace):
            return dict.fromkeys(PERCENTILES)
        values = ttft_quantiles(found.outcome(capacity), QUANTILES, self.thresholds.latency).tolist()
        return dict(zip(PERCENTILES, values, strict=True))

    def _add_optima(self, rows: Rows, xi: int) -> None:
        """Add the least TEL: exact in the table, and between tangents and chords where it is drawn."""
        unknown = dict.fromkeys(("violations", "hit_rate", "prefilled"))
        row = {"xi": xi, "policy": HINDSIGHT, "uncached_tel": self._optimum(0, xi), **unknown}
        for capacity in self.grid.capacities:
            tel = self._optimum(capacity, xi)
            rows.table.append({"capacity": capacity, **row, "tel": tel, **dict.fromkeys(PERCENTILES)})
        if self.spaced:
            found = hindsight_curve(self.trace, xi, self.spaced[0], self.spaced[-1], TOLERANCE)
            rows.tangents[xi] = len(found.tangents)
            rows.drawn += [{"capacity": capacity, **row, **_between(found, capacity)} for capacity in self.spaced]

    def _optimum(self, capacity: int, xi: int) -> int:
        return hindsight_optimum(self.trace, capacity, xi).objective


def _between(found: HindsightCurve, capacity: int) -> dict[str, int]:
    """Return the whole numbers within the bounds on an optimal TEL, which is one."""
    below, above = found.bounds(capacity)
    return {"tel": above.__floor__(), "lower": below.__ceil__()}
