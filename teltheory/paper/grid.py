"""Replay the paper's grid on samples of a workload or on any trace: one row for each policy, C and xi.

A plan has three grids of a workload: the paper's, one over many capacities, one over many thresholds.

Policies: LRU, Threshold-LRU, T-LRU, End-Aware and Length-Aware T-LRU, Tail-Optimized Belady. LRU and Threshold-LRU
do not depend on xi and stand at every one, with their TEL there.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from teltheory.base.progress import Progress
from teltheory.cost.latency import A100_LLAMA2_7B, A100_LLAMA2_7B_PREFILL, Latency
from teltheory.errors import ArgumentError
from teltheory.paper.printed import CAPACITIES, SLO_MS
from teltheory.paper.rows import POLICIES, RunRow
from teltheory.policies.spec import DEFAULT_CUTOFF, Spec, parse_policy
from teltheory.sweep import Cell, Grid, Sample, TraceFile, sweep
from teltheory.sweep.sources import Source
from teltheory.workloads import Chats, sharegpt_like, wildchat_like

XI_MS = (50, 100, 150, 200, 300, 500)
SEEDS, TURNS = 40, 2000
WORKLOADS: dict[str, Callable[[], Chats]] = {"wildchat": wildchat_like, "sharegpt": sharegpt_like}
Q_HAT = {"wildchat": 200, "sharegpt": 100}
ONLINE = POLICIES[:3]
CURVE_POLICIES = ("lru", "threshold-lru", "tlru", "tail-optimized-belady")
SENSITIVITY_POLICIES = ("lru", "tlru")
CURVE_POINTS, FINE_POINTS, FINE_SAMPLES = 24, 30, 10
CHAT_CURVES = (500, 50_000)
SECOND_LATENCY = A100_LLAMA2_7B_PREFILL
"""What Tables 1 to 6 are made under a second time: fitted to the same timings, with attention and a floor."""
FINE_XI_MS = {"wildchat": tuple(range(20, 601, 20)), "sharegpt": tuple(range(100, 4001, 100))}
"""Thresholds around the percentiles of LRU, which differ by a factor of six or more."""


@dataclass(frozen=True)
class ReplaySetting:
    """What is replayed.

    `q_hat` is None for each trace's own mean prompt of the turns that continue a conversation.
    """

    capacities: tuple[int, ...] = CAPACITIES
    xi_ms: tuple[int, ...] = XI_MS
    q_hat: int | None = None
    slo_ms: int = SLO_MS
    cutoff: int = DEFAULT_CUTOFF
    policies: tuple[str, ...] = POLICIES
    latency: Latency = A100_LLAMA2_7B


@cache
def chats_of(workload: str) -> Chats:
    """Return what "wildchat" or "sharegpt" is sampled from."""
    return WORKLOADS[workload]()


def samples(workload: str, seeds: Sequence[int], turns: int = TURNS) -> list[Source]:
    """Return samples of "wildchat" or "sharegpt"."""
    return [Sample(chats_of(workload), turns, seed) for seed in seeds]


def runs(
    sources: Sequence[Source],
    setting: ReplaySetting,
    workers: int | None = 1,
    progress: Progress = None,
    store: str | None = None,
) -> list[RunRow]:
    """Replay the grid on every source."""
    thresholds = {ms: tokens(ms, setting.latency) for ms in (*setting.xi_ms, setting.slo_ms)}
    specs = {
        (name, ms): parse_policy(f"{name}:xi={thresholds[ms]}" if "xi" in Spec(name).parameters else name)
        for name in setting.policies
        for ms in setting.xi_ms
    }
    grid = Grid(
        list(dict.fromkeys(specs.values())),
        setting.capacities,
        sorted(set(thresholds.values())),
        setting.q_hat,
        setting.cutoff,
        slos={thresholds[setting.slo_ms]: Fraction(setting.slo_ms, 1000)},
    )
    found = sweep(list(sources), grid, setting.latency, workers=workers, progress=progress, store=store)
    at = {(cell.trace, cell.capacity, cell.policy, cell.xi): cell for cell in found}
    labels: list[str | None] = [source.label for source in sources] if len(sources) > 1 else [None]
    return [
        _run(
            sources[i].label,
            name,
            ms,
            at[label, capacity, specs[name, ms].text, thresholds[ms]],
            at[label, capacity, specs[name, ms].text, thresholds[setting.slo_ms]],
        )
        for i, label in enumerate(labels)
        for capacity in setting.capacities
        for ms in setting.xi_ms
        for name in setting.policies
    ]


def tokens(milliseconds: int, latency: Latency = A100_LLAMA2_7B) -> int:
    """Return the threshold in tokens for one in milliseconds."""
    return latency.threshold(Fraction(milliseconds, 1000))


def _run(trace: str, name: str, xi_ms: int, cell: Cell, at_slo: Cell) -> RunRow:
    p50, p90, p95, p99 = (math.nan if p is None else 1000 * p for p in (cell.p50, cell.p90, cell.p95, cell.p99))
    return RunRow(trace, cell.capacity, xi_ms, name, p50, p90, p95, p99, at_slo.violations, cell.tel)


@dataclass(frozen=True)
class GridPlan:
    """A workload and the grids that are replayed on it."""

    name: str
    sources: tuple[Source, ...]
    few: tuple[Source, ...]
    grid: ReplaySetting
    curves: ReplaySetting
    sensitivity: ReplaySetting
    printed: bool


def chat_plan(name: str, seeds: int, turns: int) -> GridPlan:
    """Return the plan of samples of "wildchat" or "sharegpt"."""
    few, grid = min(seeds, FINE_SAMPLES), ReplaySetting(CAPACITIES, XI_MS, Q_HAT[name], SLO_MS)
    return GridPlan(
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


def trace_plan(name: str, file: str, capacities: Sequence[int], xi_ms: Sequence[int], slo_ms: int) -> GridPlan:
    """Return the plan of a trace, with fine grids around the capacities and thresholds."""
    for what, numbers in (("capacity", capacities), ("xi-ms", xi_ms), ("slo-ms", (slo_ms,))):
        if min(numbers) < 1:
            raise ArgumentError(what, min(numbers), "1 or more")
    grid = ReplaySetting(_ascending(capacities), _ascending(xi_ms), None, slo_ms)
    wide = ladder(min(capacities) // 10, 10 * max(capacities))
    fine = np.linspace(min(xi_ms) / 2, 1.5 * max(xi_ms), FINE_POINTS)
    return GridPlan(
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
