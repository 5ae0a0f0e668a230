"""Work on a Dask cluster, whose scheduler and workers need this package and nothing of the machine that asks.

A worker that dies takes nothing along that the scheduler can't compute again. A cluster without workers makes the
work wait for one.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from teltheory.errors import ArgumentError, TelTheoryError, WorkerError

T = TypeVar("T")

_ADDRESS = re.compile(r"((tcp|tls|ws|wss|ucx)://)?[^/\s]+:[0-9]{1,5}")
_LOGGERS = ("distributed", "distributed.client", "distributed.gc")
TIMEOUT = 10.0
"""Seconds in which a scheduler must answer."""


def on_cluster(
    submitting: Callable[[Any], Callable[[int, T], Any]],
    items: Iterable[T],
    address: str,
    ahead: Callable[[Any], int] | None = None,
    name: Callable[[T], str] = str,
) -> Generator[tuple[int, Any], None, None]:
    """Do work on the workers of a Dask scheduler and yield (index of the item, result) as it is done.

    Parameters
    ----------
    submitting : callable
        Given the client, returns what submits an item by its index and returns its future.
    items : iterable
        What to work on.
    address : str
        Of the scheduler.
    ahead : callable, optional
        Given the client, returns how many items to have submitted at a time; all when left out.
    name : callable
        What an error calls an item.

    Raises
    ------
    ArgumentError
        Where Dask is not installed, or no scheduler answers at the address within 10 seconds.
    WorkerError
        Where the scheduler has given an item up, because workers died while it was on them (all others are done by
        then), where the cluster can't run an item, or the scheduler is gone.
    """
    client = connect(address)
    return _answers(client, submitting, items, address, ahead, name)


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


def _answers(
    client: Any,
    submitting: Callable[[Any], Callable[[int, T], Any]],
    items: Iterable[T],
    address: str,
    ahead: Callable[[Any], int] | None,
    name: Callable[[T], str],
) -> Generator[tuple[int, Any], None, None]:
    from distributed import KilledWorker, as_completed

    given_up: dict[int, tuple[str, KilledWorker]] = {}
    with _quiet():
        try:
            submit, coming = submitting(client), enumerate(items)
            at_work: dict[Any, tuple[int, T]] = {}
            done = as_completed(loop=client.loop)
            _hand_out(coming, submit, at_work, done, ahead and ahead(client))
            for future in done:
                i, item = at_work.pop(future)
                try:
                    result = _answer(future, name(item), address)
                except KilledWorker as error:
                    given_up[i] = name(item), error
                else:
                    yield i, result
                _hand_out(coming, submit, at_work, done, ahead and ahead(client))
        finally:
            client.close(timeout=TIMEOUT)
    for _, (given, last) in sorted(given_up.items()):
        raise WorkerError(given, f"{last.allowed_failures + 1} workers dead while it was on them")


def _hand_out(
    coming: Iterator[tuple[int, T]],
    submit: Callable[[int, T], Any],
    at_work: dict[Any, tuple[int, T]],
    done: Any,
    most: int | None,
) -> None:
    """Submit items that are to come until as many as may be are at work."""
    for i, item in islice(coming, None if most is None else max(0, most - len(at_work))):
        future = submit(i, item)
        at_work[future] = i, item
        done.add(future)


def _answer(future: Any, name: str, address: str) -> Any:
    """Return what a future holds, or raise what became of it."""
    from distributed import CancelledError, KilledWorker

    try:
        return future.result()
    except (KilledWorker, TelTheoryError):
        raise
    except (CancelledError, OSError) as error:
        raise WorkerError(name, f"no scheduler at {address} any more ({type(error).__name__})") from None
    except Exception as error:
        reason = " ".join(str(error).split())
        raise WorkerError(name, f"{type(error).__name__} on the cluster ({reason})") from error


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
