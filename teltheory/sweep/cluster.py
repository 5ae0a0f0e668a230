"""Jobs on a Dask cluster.

Each trace is a task of its own that the replays depend on. A sample is sampled there; a file's content is sent,
as is a trace at hand, so that only the asking machine needs to see it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from teltheory import cluster
from teltheory.sweep.jobs import Job, Measurement
from teltheory.sweep.local import Answers
from teltheory.sweep.sources import Source, load
from teltheory.trace import Trace


def on_cluster(jobs: Sequence[Job], sources: dict[str, Source], address: str) -> Answers:
    """Run jobs on the workers of a Dask scheduler.

    Parameters
    ----------
    jobs : sequence of Job
        What to run.
    sources : dict of str to Source
        Where the trace of each key comes from.
    address : str
        Of the scheduler.

    Raises
    ------
    ArgumentError, WorkerError
        As `teltheory.cluster.on_cluster` does.
    """

    def submitting(client: Any) -> Callable[[int, Job], Any]:
        sweep = uuid4().hex
        traces = {
            key: client.submit(load, sources[key].alone(), key, key=f"trace-{key[:12]}-{sweep}", pure=False)
            for key in dict.fromkeys(job.trace for job in jobs)
        }
        return lambda i, job: client.submit(_run, job, traces[job.trace], key=f"replay-{i}-{sweep}", pure=False)

    return cluster.on_cluster(submitting, jobs, address)


def _run(job: Job, trace: Trace) -> list[Measurement]:
    return job.run(lambda _: trace)
