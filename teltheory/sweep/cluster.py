"""Jobs on a Dask cluster, whose workers need this package and nothing of the machine that asks.

Each trace is a task of its own that the replays depend on. A sample is sampled there; a file's content is sent,
as is a trace at hand, so that only the asking machine needs to see it. A worker that dies takes nothing along that
the scheduler can't compute again. A cluster without workers makes a sweep wait for one.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from teltheory.errors import ArgumentError, TelTheoryError, WorkerError
from teltheory.sweep.jobs import Job, Measurement
from teltheory.sweep.local import Answers
from teltheory.sweep.sources import Source, load
from teltheory.trace import Trace

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^/\s]+:[0-9]{1,5}")
TIMEOUT = 10.0
"""Seconds in which a scheduler must answer."""


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
    ArgumentError
        Where Dask is not installed, or no scheduler answers at the address within 10 seconds.
    WorkerError
        Where the scheduler gives a job up, because workers died under it or can't run it, or is gone itself.
    """
    client = connect(address)
    return _answers(client, jobs, sources, address)


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address; see `on_cluster` for errors."""
    try:
        from distributed import Client
    except ImportError:
        raise ArgumentError("scheduler", address, "Dask: pip install 'teltheory[cluster]'") from None
    expected = "the address of a running Dask scheduler, such as tcp://host:8786"
    if not _ADDRESS.fullmatch(address):
        raise ArgumentError("scheduler", address, expected)
    with _quiet():
        try:
            return Client(address, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError):
            raise ArgumentError("scheduler", address, expected) from None


def _answers(client: Any, jobs: Sequence[Job], sources: dict[str, Source], address: str) -> Answers:
    from distributed import as_completed

    with _quiet():
        try:
            futures = _submit(client, jobs, sources)
            for future in as_completed(list(futures), loop=client.loop):
                i = futures.pop(future)
                yield i, _answer(future, jobs[i], address)
        finally:
            client.close(timeout=TIMEOUT)


def _submit(client: Any, jobs: Sequence[Job], sources: dict[str, Source]) -> dict[Any, int]:
    """Submit a task for each trace and each job; return the jobs' futures."""
    sweep = uuid4().hex
    traces = {
        key: client.submit(load, sources[key].alone(), key, key=f"trace-{key[:12]}-{sweep}", pure=False)
        for key in dict.fromkeys(job.trace for job in jobs)
    }
    return {
        client.submit(_run, job, traces[job.trace], key=f"replay-{i}-{sweep}", pure=False): i
        for i, job in enumerate(jobs)
    }


def _run(job: Job, trace: Trace) -> list[Measurement]:
    return job.run(lambda _: trace)


def _answer(future: Any, job: Job, address: str) -> list[Measurement]:
    """Return what a future holds, or raise what became of it."""
    from distributed import CancelledError, KilledWorker

    try:
        measurements: list[Measurement] = future.result()
    except KilledWorker as error:
        raise WorkerError(str(job), f"{error.allowed_failures + 1} workers dead that ran it") from None
    except TelTheoryError:
        raise
    except (CancelledError, OSError) as error:
        raise WorkerError(str(job), f"no scheduler at {address} any more ({type(error).__name__})") from None
    except Exception as error:
        raise WorkerError(str(job), f"{type(error).__name__} on a worker of the cluster ({error})") from error
    return measurements


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from writing on the terminal about lost connections and large traces."""
    import dask

    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            yield
    finally:
        logger.setLevel(before)
