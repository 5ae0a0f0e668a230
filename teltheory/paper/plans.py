"""Which grids are replayed on which workload: the paper's, one over many capacities, one over many thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.paper.grid import Q_HAT, XI_MS, Setting, samples
from teltheory.paper.printed import CAPACITIES, SLO_MS
from teltheory.sweep import TraceFile
from teltheory.sweep.sources import Source

CURVE_POLICIES = ("lru", "threshold-lru", "tlru", "tail-optimized-belady")
SENSITIVITY_POLICIES = ("lru", "tlru")
CURVE_POINTS, FINE_POINTS, FINE_SAMPLES = 24, 30, 10
CHAT_CURVES = (500, 50_000)
FINE_XI_MS = {"wildchat": tuple(range(20, 601, 20)), "sharegpt": tuple(range(100, 4001, 100))}
"""Thresholds around the percentiles of LRU, which differ by a factor of six or more."""


@dataclass(frozen=True)
class Plan:
    """A workload and the grids that are replayed on it."""

    name: str
    sources: tuple[Source, ...]
    few: tuple[Source, ...]
    grid: Setting
    curves: Setting
    sensitivity: Setting
    printed: bool


def chat_plan(name: str, seeds: int, turns: int) -> Plan:
    """Return the plan of samples of "wildchat" or "sharegpt"."""
    few, grid = min(seeds, FINE_SAMPLES), Setting(CAPACITIES, XI_MS, Q_HAT[name], SLO_MS)
    return Plan(
        name,
        tuple(samples(name, range(seeds), turns)),
        tuple(samples(name, range(few), turns)),
        grid,
        replace(grid, capacities=ladder(*CHAT_CURVES), xi_ms=(SLO_MS,), policies=CURVE_POLICIES),
        replace(
            grid,
            capacities=(CAPACITIES[0], CAPACITIES[2], CAPACITIES[-1]),
            xi_ms=FINE_XI_MS[name],
            policies=SENSITIVITY_POLICIES,
        ),
        printed=True,
    )


def trace_plan(name: str, file: str, capacities: Sequence[int], xi_ms: Sequence[int], slo_ms: int) -> Plan:
    """Return the plan of a trace, with fine grids around the capacities and thresholds."""
    for what, numbers in (("capacity", capacities), ("xi-ms", xi_ms), ("slo-ms", (slo_ms,))):
        if min(numbers) < 1:
            raise ArgumentError(what, min(numbers), "1 or more")
    grid = Setting(_ascending(capacities), _ascending(xi_ms), None, slo_ms)
    wide = ladder(min(capacities) // 10, 10 * max(capacities))
    fine = np.linspace(min(xi_ms) / 2, 1.5 * max(xi_ms), FINE_POINTS)
    return Plan(
        name,
        (TraceFile(file),),
        (TraceFile(file),),
        grid,
        replace(grid, capacities=wide, xi_ms=(slo_ms,), policies=CURVE_POLICIES),
        replace(grid, xi_ms=_ascending(np.ceil(fine).astype(int).tolist()), policies=SENSITIVITY_POLICIES),
        printed=False,
    )


def ladder(smallest: int, largest: int) -> tuple[int, ...]:
    """Return capacities at even steps of the logarithm, to three digits, both ends included."""
    steps = np.geomspace(max(smallest, 1), largest, CURVE_POINTS)
    return tuple(dict.fromkeys(int(float(f"{step:.3g}")) for step in steps))


def _ascending(numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(set(numbers)))
