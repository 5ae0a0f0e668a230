"""Work on several processes of this machine: each has one item at a time, and one that dies is replaced.

Processes are spawned, not forked. A script that uses them keeps its own work under ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from traceback import format_exc
from typing import Any, Generic, TypeVar

from teltheory.errors import WorkerError

T = TypeVar("T")
R = TypeVar("R")

ATTEMPTS = 3
"""Processes that an item may cost before it is given up."""

GRACE = 5.0
"""Seconds that a process has to end in good order."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_processes(
    work: Callable[[T], R], items: Iterable[T], workers: int, name: Callable[[T], str] = str
) -> Generator[tuple[int, R], None, None]:
    """Do the work on every item and yield (index of the item, result) in the order in which they are done.

    Parameters
    ----------
    work : callable
        Sent to each process once, so it and the items must be picklable.
    items : iterable
        What to work on, asked for an item when a process is free for it. An item whose process dies goes to
        another one, after all others.
    workers : int
        Most processes at a time, at least 1.
    name : callable
        What an error calls an item.

    Raises
    ------
    WorkerError
        Where an item has cost three processes; all other items are done by then.
    Exception
        What `work` raises, at once.
    """
    crew, queue = _Crew(work, workers), _Queue(items)
    deaths, given_up = Counter[int](), dict[int, str]()
    try:
        while crew.hand_out(queue):
            for item, answer in crew.answers():
                if isinstance(answer, _Result):
                    yield item, answer.value
                    queue.done(item)
                    continue
                deaths[item] += 1
                if deaths[item] < ATTEMPTS:
                    queue.again(item)
                else:
                    given_up[item] = answer
    finally:
        crew.end()
    for item, reason in given_up.items():
        raise WorkerError(name(queue[item]), f"{ATTEMPTS} processes dead that ran it (the last: {reason})")


class _Queue(Generic[T]):
    """Items by their index: those to come, and then those whose process died."""

    def __init__(self, items: Iterable[T]) -> None:
        self._coming, self._again = enumerate(items), deque[int]()
        self._known: dict[int, T] = {}

    def __getitem__(self, item: int) -> T:
        return self._known[item]

    def take(self, most: int) -> list[int]:
        """Take up to so many items."""
        coming = dict(islice(self._coming, most))
        self._known.update(coming)
        left = min(most - len(coming), len(self._again))
        return [*coming, *(self._again.popleft() for _ in range(left))]

    def again(self, item: int) -> None:
        """Put an item back."""
        self._again.append(item)

    def done(self, item: int) -> None:
        """Forget an item."""
        del self._known[item]


@dataclass(frozen=True)
class _Result:
    value: Any


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    connection: Connection
    item: int | None = None

    def death(self) -> str:
        """Say how the process ended."""
        self.process.join(GRACE)
        code = self.process.exitcode
        return f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"


class _Crew:
    """The processes at work; `item` of a worker is what it was handed and has not answered."""

    def __init__(self, work: Callable[[Any], object], size: int) -> None:
        self._work, self._size = work, size
        self._workers: list[_Worker] = []

    def hand_out(self, queue: _Queue[Any]) -> bool:
        """Give items to idle workers, to new ones where there may be more; return whether any is busy."""
        idle = [worker for worker in self._workers if worker.item is None]
        items = queue.take(self._size - len(self._workers) + len(idle))
        fresh = [_start() for _ in items[len(idle) :]]
        self._workers += fresh
        for worker in fresh:
            _send(worker, self._work)
        for worker, item in zip(idle + fresh, items, strict=False):
            worker.item = item
            _send(worker, queue[item])
        return any(worker.item is not None for worker in self._workers)

    def answers(self) -> Iterator[tuple[int, _Result | str]]:
        """Wait for a worker and yield what there is: results, or how the worker of an item died."""
        by_connection = {worker.connection: worker for worker in self._workers}
        for connection in wait(list(by_connection)):
            worker = by_connection[connection]  # type: ignore[index]
            item, worker.item = worker.item, None
            try:
                succeeded, value = worker.connection.recv()
            except (EOFError, OSError):
                self._workers.remove(worker)
                worker.connection.close()
                if item is not None:
                    yield item, worker.death()
                continue
            if not succeeded:
                raise value
            if item is not None:
                yield item, _Result(value)

    def end(self) -> None:
        """End all workers, at once and in order; one that does not is killed.

        One that is idle ends by itself when its connection closes; a signal would only cut its end short.
        """
        for worker in self._workers:
            worker.connection.close()
            if worker.item is not None:
                worker.process.terminate()
        limit = time.monotonic() + GRACE
        for worker in self._workers:
            worker.process.join(max(0.0, limit - time.monotonic()))
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
        self._workers.clear()


def _start() -> _Worker:
    """Start a process; the resource tracker first, as starting that one lets interrupts through again."""
    _track_quietly()
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    with _interrupts_held(), theirs:
        process.start()
    return _Worker(process, ours)


def _track_quietly() -> None:
    """Start the resource tracker such that it cleans up after killed processes without a warning."""
    sys.warnoptions.append("ignore::UserWarning:multiprocessing.resource_tracker")
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


def _send(worker: _Worker, message: object) -> None:
    """Send, where the worker is alive; that it is not shows where its answer is waited for."""
    with suppress(BrokenPipeError, ConnectionResetError):
        worker.connection.send(message)


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


def _serve(connection: Connection) -> None:
    """Work on what comes until the parent closes the connection or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        work = connection.recv()
        while True:
            connection.send(_attempt(work, connection.recv()))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _attempt(work: Callable[[Any], object], item: object) -> tuple[bool, object]:
    try:
        return True, work(item)
    except Exception as error:
        error.add_note(format_exc())
        return False, error


def _leave(*_: object) -> None:
    """End the process in good order; what is cut off in the middle, such as a reader thread, says nothing."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.excepthook = lambda _: None
    sys.unraisablehook = _leave_again
    sys.exit()


def _leave_again(swallowed: sys.UnraisableHookArgs) -> None:
    """Leave a moment later where a callback, from which nothing can be raised, swallowed the exit."""
    if swallowed.exc_type is SystemExit:
        signal.signal(signal.SIGALRM, _leave)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
