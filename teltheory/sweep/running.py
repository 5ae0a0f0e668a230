"""Jobs in this process, on several of this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.model.trace import Trace
from teltheory.processes import cores, on_cluster, on_processes
from teltheory.replay import KERNEL_FROM
from teltheory.sweep.jobs import Job, Measurement
from teltheory.sweep.sources import Source, TraceFile, load

Answers = Generator[tuple[int, list[Measurement]], None, None]
"""Index of a job and its measurements, in the order in which jobs are done."""

WORTH_A_PROCESS = 20_000_000
"""Turns from which on several processes are quicker than one, which need not be started."""

REFERENCE_SLOWDOWN = 50
"""What a turn of the reference costs in turns of the kernel, roughly."""


def processes_for(jobs: Sequence[Job], workers: int | None) -> int:
    """Return the number of processes: those asked for, else one per core if there is work enough, else 1."""
    if workers is not None:
        if whole_number("workers", workers) == 0:
            raise ArgumentError("workers", workers, "at least 1")
        return workers
    work = sum(job.turns * (1 if job.turns >= KERNEL_FROM else REFERENCE_SLOWDOWN) for job in jobs)
    return cores() if work >= WORTH_A_PROCESS else 1


def answers(
    jobs: Sequence[Job],
    sources: dict[str, Source],
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

    def __init__(self, sources: dict[str, Source]) -> None:
        self._sources = sources
        self._key = ""
        self._trace: Trace | None = None

    def __call__(self, job: Job, progress: Callable[[int], object] | None = None) -> list[Measurement]:
        if self._trace is None or self._key != job.trace:
            self._key, self._trace = job.trace, load(self._sources[job.trace], job.trace)
        return job.run(self._trace, progress)
