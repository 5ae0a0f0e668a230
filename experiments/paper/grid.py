"""Replay the paper's grid on samples of a workload or on any trace: one tidy row for each policy, C and xi.

    python -m experiments.paper.grid wildchat|sharegpt|TRACE RUNS.csv [--seeds 40] [--turns 2000]
        [--capacity 1000 ...] [--xi-ms 50 ...] [--slo-ms 200] [--q-hat 200] [--workers 2] [--store FILE]

Policies: LRU, Threshold-LRU, T-LRU, End-Aware and Length-Aware T-LRU, Tail-Optimized Belady. LRU and Threshold-LRU
do not depend on xi and stand at every one, with their TEL there.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from pathlib import Path

from experiments.paper.printed import CAPACITIES, SLO_MS
from experiments.tidy import write_rows
from teltheory.errors import TelTheoryError
from teltheory.latency import A100_LLAMA2_7B, Latency
from teltheory.policies.spec import DEFAULT_CUTOFF, Spec, parse_policy
from teltheory.sweep import Cell, Grid, Sample, TraceFile, sweep
from teltheory.sweep.sources import Source
from teltheory.workloads import Chats, sharegpt_like, wildchat_like

XI_MS = (50, 100, 150, 200, 300, 500)
SEEDS, TURNS = 40, 2000
POLICIES = ("lru", "threshold-lru", "tlru", "end-aware", "length-aware", "tail-optimized-belady")
WORKLOADS: dict[str, Callable[[], Chats]] = {"wildchat": wildchat_like, "sharegpt": sharegpt_like}
Q_HAT = {"wildchat": 200, "sharegpt": 100}


@dataclass(frozen=True)
class Setting:
    """What is replayed.

    Attributes
    ----------
    capacities : tuple of int
        In tokens.
    xi_ms : tuple of int
        Thresholds, in milliseconds.
    q_hat : int or None
        Prompt estimate; None for each trace's own mean prompt of the turns that continue a conversation.
    slo_ms : int
        SLO of the counted violations.
    cutoff : int
        Of Threshold-LRU.
    policies : tuple of str
        Names, of `POLICIES`.
    latency : Latency
        TTFT from tokens.
    """

    capacities: tuple[int, ...] = CAPACITIES
    xi_ms: tuple[int, ...] = XI_MS
    q_hat: int | None = None
    slo_ms: int = SLO_MS
    cutoff: int = DEFAULT_CUTOFF
    policies: tuple[str, ...] = POLICIES
    latency: Latency = A100_LLAMA2_7B


@dataclass(frozen=True)
class Run:
    """One replay, seen at one threshold.

    Attributes
    ----------
    trace : str
        Label of the trace.
    capacity, xi_ms : int
        In tokens and milliseconds.
    policy : str
        Of `POLICIES`.
    p50, p90, p95, p99 : float
        Percentiles of TTFT, in milliseconds.
    above : int
        Turns with a TTFT above the SLO.
    tel : int
        Tail excess latency at the threshold, in tokens.
    """

    trace: str
    capacity: int
    xi_ms: int
    policy: str
    p50: float
    p90: float
    p95: float
    p99: float
    above: int
    tel: int


@cache
def chats_of(workload: str) -> Chats:
    """Return what "wildchat" or "sharegpt" is sampled from."""
    return WORKLOADS[workload]()


def samples(workload: str, seeds: Sequence[int], turns: int = TURNS) -> list[Source]:
    """Return samples of "wildchat" or "sharegpt"."""
    return [Sample(chats_of(workload), turns, seed) for seed in seeds]


def runs(
    sources: Sequence[Source],
    setting: Setting,
    workers: int | None = 1,
    progress: Callable[[int, int], object] | None = None,
    store: str | None = None,
) -> list[Run]:
    """Replay the grid on every source.

    Parameters
    ----------
    sources : sequence of Source
        Samples or traces.
    setting : Setting
        The grid.
    workers, progress, store
        As for `teltheory.sweep.sweep`.

    Returns
    -------
    list of Run
        By trace, capacity, threshold, policy.
    """
    thresholds = {ms: tokens(ms, setting.latency) for ms in (*setting.xi_ms, setting.slo_ms)}
    specs = {
        (name, ms): parse_policy(name) if not takes_xi(name) else parse_policy(f"{name}:xi={thresholds[ms]}")
        for name in setting.policies
        for ms in setting.xi_ms
    }
    grid = Grid(
        list(dict.fromkeys(specs.values())),
        setting.capacities,
        sorted(set(thresholds.values())),
        setting.q_hat,
        setting.cutoff,
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


def takes_xi(name: str) -> bool:
    """Whether a policy depends on the threshold."""
    return "xi" in Spec(name).parameters


def _run(trace: str, name: str, xi_ms: int, cell: Cell, at_slo: Cell) -> Run:
    p50, p90, p95, p99 = (_milliseconds(p) for p in (cell.p50, cell.p90, cell.p95, cell.p99))
    return Run(trace, cell.capacity, xi_ms, name, p50, p90, p95, p99, at_slo.violations, cell.tel)


def _milliseconds(seconds: float | None) -> float:
    return float("nan") if seconds is None else 1000 * seconds


def write_runs(found: Sequence[Run], path: Path) -> None:
    """Write runs as CSV."""
    write_rows(found, path, Run)


def read_runs(path: Path) -> list[Run]:
    """Read runs back."""
    kinds = {field.name: {"str": str, "int": int, "float": float}[str(field.type)] for field in fields(Run)}
    with path.open(newline="", encoding="utf-8") as file:
        return [Run(**{name: kinds[name](value) for name, value in row.items()}) for row in csv.DictReader(file)]


def main(arguments: Sequence[str]) -> None:
    """Replay and write."""
    parser = argparse.ArgumentParser(prog="python -m experiments.paper.grid")
    parser.add_argument("workload", help="wildchat, sharegpt or a trace's file")
    parser.add_argument("runs", type=Path)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--capacity", type=int, nargs="+", default=CAPACITIES)
    parser.add_argument("--xi-ms", type=int, nargs="+", default=XI_MS)
    parser.add_argument("--slo-ms", type=int, default=SLO_MS)
    parser.add_argument("--q-hat", type=int)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--store", help="finished measurements, from which an interrupted run goes on")
    given = parser.parse_args(arguments)
    known = given.workload in WORKLOADS
    sources = samples(given.workload, range(given.seeds), given.turns) if known else [TraceFile(given.workload)]
    q_hat = Q_HAT.get(given.workload) if given.q_hat is None else given.q_hat
    setting = Setting(tuple(given.capacity), tuple(given.xi_ms), q_hat, given.slo_ms)
    try:
        write_runs(runs(sources, setting, given.workers, store=given.store), given.runs)
    except TelTheoryError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
