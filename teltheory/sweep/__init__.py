"""A grid of policies, capacities and thresholds on traces, each cell beside LRU and the hindsight optimum.

1. A grid becomes jobs, one per replay; a policy that ignores the threshold is replayed once per capacity.
2. Measurements that the store has are taken from there; a job that has them all is not run.
3. The other jobs run in this process, on several, or on a Dask cluster, and what they find goes to the store as it
   comes. A sweep that is cut off loses the jobs that were running.
4. Cells are made of measurements, in the grid's order, whatever the order in which jobs were done.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from teltheory.base.processes import cores, on_cluster, on_processes
from teltheory.base.progress import Progress, Report, reporting
from teltheory.cost.given import LatencyGiven, as_latency
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import instance_of
from teltheory.model.numbers import whole_number
from teltheory.model.trace import Trace
from teltheory.replay import KERNEL_FROM, Rules
from teltheory.sweep.cells import Cells
from teltheory.sweep.grid import Cell, Grid
from teltheory.sweep.jobs import QUANTILES
from teltheory.sweep.served import ServedCell, ServedGrid
from teltheory.sweep.sources import (
    AnySource,
    ForestAtHand,
    Sample,
    Source,
    TraceAtHand,
    TraceFile,
    as_sources,
    load,
)
from teltheory.sweep.store import AnyJob, Store

if TYPE_CHECKING:
    from teltheory.sweep.compared import BoardRow, ComparedGrid

__all__ = [
    "QUANTILES",
    "Cell",
    "Cells",
    "ForestAtHand",
    "Grid",
    "Sample",
    "ServedCell",
    "ServedGrid",
    "Source",
    "Store",
    "TraceAtHand",
    "TraceFile",
    "sweep",
]

Answers = Generator[tuple[int, list[Any]], None, None]
"""Index of a job and its measurements, in the order in which jobs are done."""

GRID = "a Grid, such as Grid(['tlru'], capacities=['300k'], thresholds=['200ms'], model='llama-2-7b')"

WORTH_A_PROCESS = 20_000_000
"""Turns from which on several processes are quicker than one, which need not be started."""

REFERENCE_SLOWDOWN = 50
"""What a turn of the reference costs in turns of the kernel, roughly."""


@overload
def sweep(
    traces: Trace | Forest | AnySource | Sequence[Trace | Forest | AnySource],
    grid: Grid,
    latency: LatencyGiven | None = None,
    progress: Progress = None,
    *,
    workers: int | None = 1,
    store: Store | str | Path | None = None,
    scheduler: str | None = None,
) -> Cells[Cell]: ...


@overload
def sweep(
    traces: Trace | Forest | AnySource | Sequence[Trace | Forest | AnySource],
    grid: ComparedGrid,
    latency: LatencyGiven | None = None,
    progress: Progress = None,
    *,
    workers: int | None = 1,
    store: Store | str | Path | None = None,
    scheduler: str | None = None,
) -> Cells[BoardRow]: ...


@overload
def sweep(
    traces: Trace | Forest | AnySource | Sequence[Trace | Forest | AnySource],
    grid: ServedGrid,
    latency: LatencyGiven | None = None,
    progress: Progress = None,
    *,
    workers: int | None = 1,
    store: Store | str | Path | None = None,
    scheduler: str | None = None,
) -> Cells[ServedCell]: ...


def sweep(
    traces: Trace | Forest | AnySource | Sequence[Trace | Forest | AnySource],
    grid: Grid | ServedGrid | ComparedGrid,
    latency: LatencyGiven | None = None,
    progress: Progress = None,
    *,
    workers: int | None = 1,
    store: Store | str | Path | None = None,
    scheduler: str | None = None,
) -> Cells[Cell] | Cells[ServedCell] | Cells[BoardRow]:
    """Replay traces over a grid. The cells do not depend on where and in which order their replays ran.

    Parameters
    ----------
    traces : Trace, Forest, TraceAtHand, ForestAtHand, TraceFile, Sample, or a sequence of them
        What is replayed. Several samples with different seeds make the seeds an axis; forests of one trace in
        blocks of several sizes make the size one, as capacities and thresholds are in tokens there.
    grid : Grid, ServedGrid or ComparedGrid
        Policies, capacities and thresholds, of `compare` too; or policies, tiers, servers and thresholds.
    latency : as in `Problem`; left out, it is the grid's, or without one `A100_LLAMA2_7B`
    progress : callable or bool, optional
        Called with the turns replayed and those to replay, those in the store included; True shows a bar.
    workers : int or None
        Processes, 1 being this one, None one per core; they are spawned: keep the call under ``if __name__ ==
        "__main__":``.
    store : Store, str or Path, optional
        File of finished measurements: what is in it is not computed again, what is computed is added to it.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, whose workers do the replays; the store stays
        here. It and they need this package with the extra ``teltheory[cluster]``.

    Raises
    ------
    ArgumentError, TraceError, ForcedCachingError
        Wrong arguments, before the first replay.
    FileError, WorkerError
        A file that can't be read or written; processes died under a job three times, and all other jobs are done.
    """
    if scheduler is not None and workers not in (1, None):
        raise ArgumentError("workers", workers, "none with a scheduler, whose own workers do the work")
    if not hasattr(grid, "plan"):
        raise ArgumentError("grid", type(grid).__name__, GRID)
    sources = as_sources(traces)
    grid = grid.counted({source.unit for source in sources})
    jobs: Sequence[AnyJob] = grid.plan(sources, as_latency(latency) or grid.latency or A100_LLAMA2_7B)
    with reporting(progress, "Replaying") as report:
        run = _Run(jobs, Store(store) if isinstance(store, str | Path) else store, report)
        run.finish({source.key: source for source in sources}, workers, scheduler)
    return Cells[Any](grid.cells(sources, run.results))


def _check(jobs: Sequence[AnyJob], sources: dict[str, AnySource]) -> None:
    """Find what no replay would survive, before the first; a sample without forced caching has nothing to find."""
    for key in dict.fromkeys(job.trace for job in jobs):
        of = [job for job in jobs if job.trace == key]
        asked = dict.fromkeys((job.rules, job.capacity, job.pins, job.running) for job in of)
        _refuse(sources[key], [str(job.rules) for job in of if job.rules != Rules()], of[0].running)
        if isinstance(sources[key], Sample) and not any(forced for _, _, forced, _ in asked):
            continue
        trace = sources[key].load()
        for rules, capacity, forced, running in asked:
            seen, room, _, pinned = rules.on(trace, capacity // trace.scale, "strict", forced, running)
            instance_of(seen, room, forced=pinned, running=running)


def _refuse(source: AnySource, rules: Sequence[str], running: int) -> None:
    """Refuse what only a forest has."""
    for name, found in (("rules", rules[:1]), ("running", [running] if running != 1 else [])):
        if found and not source.shared:
            raise ArgumentError(name, found[0], f"a Forest with it, as {source.label} has private conversations")


class _Run:
    """What is known of a sweep so far, and the jobs that are missing."""

    def __init__(self, jobs: Sequence[AnyJob], store: Store | None, report: Report) -> None:
        self.results: dict[Hashable, Any] = {}
        self._store, self._report = store, report
        self.missing = [left for job in jobs if (left := self._left(job)) is not None]
        self._every = sum(job.turns for job in jobs)
        self._done = self._every - sum(job.turns for job in self.missing)
        self.report(0)

    def finish(self, sources: dict[str, AnySource], workers: int | None, scheduler: str | None) -> None:
        """Do what is missing."""
        _check(self.missing, sources)
        with closing(answers(self.missing, sources, workers, scheduler, self.report)) as coming:
            for i, measurements in coming:
                self.take(self.missing[i], measurements)

    def _left(self, job: AnyJob) -> AnyJob | None:
        """Take a job's measurements from the store; return the job at the thresholds that are left, if any."""
        if self._store is None:
            return job
        found = {xi: self._store.find(job, xi) for xi in job.thresholds}
        for xi, measurement in found.items():
            if measurement is not None:
                self.results[job.place, xi] = measurement
        left = tuple(xi for xi, measurement in found.items() if measurement is None)
        return replace(job, thresholds=left) if left else None

    def take(self, job: AnyJob, measurements: list[Any]) -> None:
        """Keep the measurements of a job, in the store too."""
        if self._store is not None:
            self._store.add(job, measurements)
        for xi, measurement in zip(job.thresholds, measurements, strict=True):
            self.results[job.place, xi] = measurement
        self._done += job.turns
        self.report(0)

    def report(self, turns: int) -> None:
        """Tell the progress: what is done, and `turns` of the current job."""
        self._report(self._done + turns, self._every)


def processes_for(jobs: Sequence[AnyJob], workers: int | None) -> int:
    """Return the number of processes: those asked for, else one per core if there is work enough, else 1."""
    if workers is not None:
        if whole_number("workers", workers) == 0:
            raise ArgumentError("workers", workers, "at least 1")
        return workers
    work = sum(job.turns * (1 if job.turns >= KERNEL_FROM else REFERENCE_SLOWDOWN) for job in jobs)
    return cores() if work >= WORTH_A_PROCESS else 1


def answers(
    jobs: Sequence[AnyJob],
    sources: dict[str, AnySource],
    workers: int | None,
    scheduler: str | None,
    report: Callable[[int], object],
) -> Answers:
    """Run jobs; `report` is told the turns that the current job has done in this process.

    Other processes are sent the traces in memory once and read files themselves; a cluster is sent the contents of
    files too, so that only the asking machine needs to see them. Samples are sampled where they are replayed.
    """
    processes = processes_for(jobs, workers)
    if scheduler is not None and jobs:
        return on_cluster(_Replays({key: source.alone() for key, source in sources.items()}), jobs, scheduler)
    if processes == 1:
        here = _Replays(sources)
        return ((i, here(job, report)) for i, job in enumerate(jobs))
    sent = {key: source if isinstance(source, TraceFile) else source.alone() for key, source in sources.items()}
    return on_processes(_Replays(sent), jobs, processes)


class _Replays:
    """Runs jobs, and holds on to the trace of the last one."""

    def __init__(self, sources: dict[str, AnySource]) -> None:
        self._sources = sources
        self._key = ""
        self._trace: Trace | Forest | None = None

    def __call__(self, job: AnyJob, progress: Callable[[int], object] | None = None) -> list[Any]:
        if self._trace is None or self._key != job.trace:
            self._key, self._trace = job.trace, load(self._sources[job.trace], job.trace)
        return job.run(self._trace, progress)
