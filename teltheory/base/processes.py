"""Work on several processes, of this machine or of a Dask cluster: `concurrent.futures` with either's executor.

1. A process is handed an item when it is free for it, so that what hands items out can stop at any time.
2. An item whose process died is done again, after all others. After `ATTEMPTS` dead processes (on a cluster: when
   the scheduler gives it up) the item is named in an error, with all other items done.
3. Results come in the order in which they are done, each with the index of its item. A warning that a process of
   this machine gives is given where the work was asked for.

Processes of this machine are spawned, not forked: a script has its own work under ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import logging
import multiprocessing
import operator
import os
import re
import signal
import sys
import threading
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from typing import Any, TypeVar

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError, TelTheoryError, WorkerError

T = TypeVar("T")
R = TypeVar("R")

ATTEMPTS = 3
"""Processes that an item may cost before it is given up."""

TIMEOUT = 10.0
"""Seconds in which a scheduler must answer."""

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^/\s]+:[0-9]{1,5}")
_LOGGERS = ("distributed", "distributed.client", "distributed.gc")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_processes(
    work: Callable[[T], R], items: Iterable[T], workers: int, name: Callable[[T], str] = str
) -> Generator[tuple[int, R], None, None]:
    """Do the work on every item and yield (index of the item, result) in the order in which they are done.

    `work` is sent to each process once, so it and the items must be picklable; an item is asked for when a process
    is free for it. What `work` raises is raised at once; an item that has cost three processes is a WorkerError at
    the end, after all others.
    """
    return _results(_Processes(work, workers), items, name)


def on_cluster(
    work: Callable[[T], R], items: Iterable[T], address: str, name: Callable[[T], str] = str
) -> Generator[tuple[int, R], None, None]:
    """Do the same on the workers of a Dask scheduler, two items ahead per thread so that none waits.

    Scheduler and workers need this package and nothing else of the machine that asks. An item that the scheduler
    has given up is a WorkerError at the end; one that the cluster can't run, or a lost scheduler, is one at once.
    """
    return _results(_Cluster(work, connect(address), address), items, name)


class _LostError(Exception):
    """The processes that ran an item are dead."""


def _results(
    place: _Processes | _Cluster, items: Iterable[T], name: Callable[[T], str]
) -> Generator[tuple[int, Any], None, None]:
    """Hand items to a place as it has room for them; `result` raises a `_LostError` if a process died."""
    again, running = deque[tuple[int, T]](), dict[Future[Any], tuple[int, T]]()
    coming, deaths, given_up = enumerate(items), Counter[int](), dict[int, WorkerError]()
    try:
        while True:
            for i, item in islice(chain(coming, _emptied(again)), place.room(len(running))):
                running[place.submit(item)] = i, item
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                i, item = running.pop(future)
                try:
                    result = place.result(future, name(item))
                except _LostError as lost:
                    deaths[i] += 1
                    if deaths[i] < place.attempts:
                        again.append((i, item))
                    else:
                        given_up[i] = WorkerError(name(item), str(lost))
                    continue
                yield i, result
    finally:
        place.close()
    for _, error in sorted(given_up.items()):
        raise error


def _emptied(queue: deque[T]) -> Iterator[T]:
    while queue:
        yield queue.popleft()


class _Processes:
    """An executor per process, so that a process that dies takes no other item along."""

    attempts = ATTEMPTS

    def __init__(self, work: Callable[[Any], object], workers: int) -> None:
        self._work, self._workers = work, workers
        self._idle: list[ProcessPoolExecutor] = []
        self._busy: dict[Future[Any], ProcessPoolExecutor] = {}

    def room(self, running: int) -> int:
        return self._workers - running

    def submit(self, item: object) -> Future[Any]:
        spawn = multiprocessing.get_context("spawn")
        executor = self._idle.pop() if self._idle else ProcessPoolExecutor(1, spawn, _begin, (self._work,))
        try:
            with _interrupts_held():
                future: Future[Any] = executor.submit(_work_on, item)
        except BrokenProcessPool:
            return self.submit(item)
        self._busy[future] = executor
        return future

    def result(self, future: Future[Any], name: str) -> Any:
        self._idle.append(self._busy.pop(future))
        try:
            found, told = future.result()
        except BrokenProcessPool:
            raise _LostError(f"{ATTEMPTS} processes dead that ran it") from None
        for message in told:
            warnings.warn(message, stacklevel=2)
        return found

    def close(self) -> None:
        busy = _processes_of(self._busy.values())
        every = [*_processes_of(self._idle), *busy]
        for process in busy:
            process.terminate()
        for executor in (*self._idle, *self._busy.values()):
            executor.shutdown(wait=False, cancel_futures=True)
        for process in every:
            process.join()


def _processes_of(executors: Iterable[ProcessPoolExecutor]) -> list[Any]:
    """Return the processes of executors, which let nobody end them before Python 3.14."""
    return [process for executor in executors for process in (executor._processes or {}).values()]


_WORK: list[Callable[[Any], object]] = []
"""In a spawned process: what it does with an item."""


def _begin(work: Callable[[Any], object]) -> None:
    _WORK[:] = [work]
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when the one that started it is gone; its queues would let it wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work_on(item: object) -> tuple[object, list[str]]:
    """Return what the work gives, and the warnings to give where it was asked for."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default", UserWarning)
        found = _WORK[0](item)
    return found, [str(one.message) for one in told if one.category is UserWarning]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold interrupts back; a process started meanwhile never sees any and leaves them to its parent."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Cluster:
    """Dask's executor; the scheduler itself runs again what a dead worker had."""

    attempts = 1

    def __init__(self, work: Callable[[Any], object], client: Any, address: str) -> None:
        self._client, self._address, self._resources = client, address, ExitStack()
        self._resources.enter_context(_quiet())
        self._work = client.submit(_itself, work, pure=False)
        self._executor = client.get_executor(pure=False)

    def room(self, running: int) -> int:
        threads: int = sum(self._client.nthreads().values())
        return max(0, 2 * max(1, threads) - running)

    def submit(self, item: object) -> Future[Any]:
        future: Future[Any] = self._executor.submit(operator.call, self._work, item)
        return future

    def result(self, future: Future[Any], name: str) -> Any:
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise _LostError(f"{error.allowed_failures + 1} workers dead while it was on them") from None
        except TelTheoryError:
            raise
        except (CancelledError, OSError) as error:
            kind = type(error).__name__
            raise WorkerError(name, f"no scheduler at {self._address} any more ({kind})") from None
        except Exception as error:
            reason = " ".join(str(error).split())
            raise WorkerError(name, f"{type(error).__name__} on the cluster ({reason})") from error

    def close(self) -> None:
        with self._resources:
            self._client.close(timeout=TIMEOUT)


def _itself(work: T) -> T:
    return work


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address; see `on_cluster` for errors."""
    import asyncio

    client = needed("distributed", "cluster").Client
    expected = "the address of a running Dask scheduler, such as tcp://host:8786"
    if not _ADDRESS.fullmatch(address):
        raise ArgumentError("scheduler", address, expected)
    with _quiet(), ThreadPoolExecutor(1) as thread:
        try:
            if thread.submit(asyncio.run, _kind(address)).result() == "Scheduler":
                return client(address, timeout=TIMEOUT, set_as_default=False)
        except (OSError, ValueError, ImportError):
            pass
        raise ArgumentError("scheduler", address, expected) from None


async def _kind(address: str) -> object:
    """Ask what is at an address. A client's own timeout does not end its wait for one that listens in silence."""
    import asyncio

    from distributed.core import rpc

    async with rpc(address, timeout=TIMEOUT) as remote:
        return (await asyncio.wait_for(remote.identity(), TIMEOUT))["type"]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from writing on the terminal about lost connections and large graphs."""
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
