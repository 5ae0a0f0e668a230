"""Jobs on a Dask cluster, whose scheduler and workers need this package and nothing of the machine that asks.

Each trace is a task of its own that the replays depend on. A sample is sampled there; a file's content is sent,
as is a trace at hand, so that only the asking machine needs to see it. A worker that dies takes nothing along that
the scheduler can't compute again. A cluster without workers makes a sweep wait for one.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from teltheory.errors import ArgumentError, TelTheoryError, WorkerError
from teltheory.sweep.jobs import Job, Measurement
from teltheory.sweep.local import Answers
from teltheory.sweep.sources import Source, load
from teltheory.trace import Trace

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^/\s]+:[0-9]{1,5}")
_LOGGERS = ("distributed", "distributed.client", "distributed.gc")
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
        Where the scheduler has given a job up, because workers died while it was on them (all others are done by
        then), where the cluster can't run a job, or the scheduler is gone.
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
    with _quiet(), ThreadPoolExecutor(1) as thread:
        try:
            if thread.submit(asyncio.run, _kind(address)).result() == "Scheduler":
                return Client(address, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError, ImportError):
            pass
        raise ArgumentError("scheduler", address, expected) from None


async def _kind(address: str) -> object:
    """Ask what is at an address. A client's own timeout does not end its wait for one that listens in silence."""
    from distributed.core import rpc

    async with rpc(address, timeout=TIMEOUT) as remote:
        return (await asyncio.wait_for(remote.identity(), TIMEOUT))["type"]


def _answers(client: Any, jobs: Sequence[Job], sources: dict[str, Source], address: str) -> Answers:
    from distributed import KilledWorker, as_completed

    given_up: dict[int, KilledWorker] = {}
    with _quiet():
        try:
            futures = _submit(client, jobs, sources)
            for future in as_completed(list(futures), loop=client.loop):
                i = futures.pop(future)
                try:
                    measurements = _answer(future, jobs[i], address)
                except KilledWorker as error:
                    given_up[i] = error
                else:
                    yield i, measurements
        finally:
            client.close(timeout=TIMEOUT)
    for i in sorted(given_up):
        raise WorkerError(str(jobs[i]), f"{given_up[i].allowed_failures + 1} workers dead while it was on them")


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
    except (KilledWorker, TelTheoryError):
        raise
    except (CancelledError, OSError) as error:
        raise WorkerError(str(job), f"no scheduler at {address} any more ({type(error).__name__})") from None
    except Exception as error:
        reason = " ".join(str(error).split())
        raise WorkerError(str(job), f"{type(error).__name__} on the cluster ({reason})") from error
    return measurements


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from writing on the terminal about lost connections and large traces."""
    import dask

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
