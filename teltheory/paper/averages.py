"""Means over the samples with Student's 95 % interval, as tidy tables: what figures show of many runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from teltheory.paper.printed import Column, Metric
from teltheory.paper.rows import Average, Improvement
from teltheory.paper.tables import Floats, Runs, half_width

BASE, OPTIMUM = "lru", "tail-optimized-belady"
Measure = Callable[[Runs, str, int, int], Floats]
"""A value for each trace, from runs, a policy, a capacity and a threshold in milliseconds."""


def regret(found: Runs, policy: str, capacity: int, xi_ms: int) -> Floats:
    """Return TEL above that of the hindsight optimum, in tokens."""
    return found.of("tel", policy, capacity, xi_ms) - found.of("tel", OPTIMUM, capacity, xi_ms)


def closed(found: Runs, policy: str, capacity: int, xi_ms: int) -> Floats:
    """Return the share of LRU's distance to the optimum that is closed, in per cent; NaN where there is none."""
    distance = regret(found, BASE, capacity, xi_ms)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = 100 * (1 - regret(found, policy, capacity, xi_ms) / distance)
    return np.where(distance == 0, np.nan, share)


def plain(metric: str) -> Measure:
    """Return the measure that runs have under this name."""
    return lambda found, policy, capacity, xi_ms: found.of(metric, policy, capacity, xi_ms)


def improvement(metric: Metric) -> Measure:
    """Return the improvement over LRU in per cent."""
    return lambda found, policy, capacity, xi_ms: found.improvements(
        Column(xi_ms, metric, "lru"), capacity, policy
    )


MEASURES: Mapping[str, Measure] = {
    **{name: plain(name) for name in ("p50", "p90", "p95", "p99", "above", "tel")},
    "regret": regret,
    "closed": closed,
    "improvement-p90": improvement("p90"),
    "improvement-p95": improvement("p95"),
    "improvement-p99": improvement("p99"),
}
LATENCIES = ("p50", "p90", "p95", "p99", "above", "tel", "regret", "closed")
CURVES = ("p95", "tel", "regret")
SENSITIVITIES = ("p90", "p95", "p99", "improvement-p90", "improvement-p95", "improvement-p99")


def averages(found: Runs, measures: Sequence[str]) -> list[Average]:
    """Average measures by capacity, threshold and policy."""
    return [
        average(capacity, xi_ms, policy, measure, MEASURES[measure](found, policy, capacity, xi_ms))
        for capacity in found.capacities
        for xi_ms in found.thresholds
        for policy in found.policies
        for measure in measures
    ]


def average(capacity: int, xi_ms: int, policy: str, measure: str, values: Floats) -> Average:
    """Average the values that are defined."""
    defined = values[np.isfinite(values)]
    return Average(capacity, xi_ms, policy, measure, len(defined), *average_of(defined))


def average_of(values: Floats) -> tuple[float, float, float]:
    """Return a mean and the ends of its 95 % interval."""
    mean, half = float(values.mean()) if len(values) else math.nan, half_width(values)
    return mean, mean - half, mean + half


def improvements(found: Runs) -> list[Improvement]:
    """Return the cells of tables like Tables 1 to 3 at the thresholds of a workload."""
    return [
        improved(found, capacity, Column(xi_ms, metric, against))
        for capacity in found.capacities
        for xi_ms in found.thresholds
        for metric in ("p90", "p95", "p99", "above")
        for against in ("lru", "threshold-lru")
    ]


def improved(found: Runs, capacity: int, column: Column) -> Improvement:
    """Return a cell."""
    values = found.improvements(column, capacity)
    with np.errstate(invalid="ignore"):
        return Improvement(capacity, column.xi_ms, column.metric, column.against, *average_of(values))
