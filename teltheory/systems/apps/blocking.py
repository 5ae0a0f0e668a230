"""Sessions for programs without an event loop: the same calls, and a get waits.

The manager lives in an event loop on a thread of its own, so that requests go on while the program does something
else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Any, TypeVar

from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.faults import CLOSED, AppError
from teltheory.systems.apps.queues import PlacingRules
from teltheory.systems.apps.requests import Port, Request, Sampling
from teltheory.systems.apps.sessions import Manager, Session
from teltheory.systems.apps.transforms import NOTHING_OWN, Own
from teltheory.systems.apps.values import Closing, PlainSession

T = TypeVar("T")


class BlockingManager(Closing):
    """A `Manager` on a thread of its own, with the same parameters; close it, or use it in a ``with``."""

    def __init__(
        self,
        engines: Sequence[Engine],
        transforms: Mapping[str, Own] = NOTHING_OWN,
        rules: PlacingRules | str = "parrot",
    ) -> None:
        self._manager = Manager(engines, transforms, rules)
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="teltheory-apps", daemon=True)
        self._closing, self._closed = Lock(), False
        self._thread.start()

    def session(self) -> BlockingSession:
        """Open a session."""
        return BlockingSession(self.call(self._manager.session), self)

    def close(self) -> None:
        """Close all sessions, free all contexts and end the thread. Once is enough."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        self._put(self._manager.close()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what a function returns that is called in the event loop."""

        async def called() -> T:
            return work(*arguments)

        return self.wait(called())

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns that runs in the event loop; `AppError` 410 if the manager is closed."""
        with self._closing:
            if self._closed:
                work.close()
                raise AppError(CLOSED, "manager", "a closed manager", "an open one")
            put = self._put(work)
        return put.result()

    def _put(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


class BlockingSession(PlainSession):
    """A `Session` whose methods wait, with the same arguments and errors; a `BlockingManager` opens it."""

    def __init__(self, session: Session, manager: BlockingManager) -> None:
        self._session, self._manager = session, manager

    @property
    def id(self) -> str:
        """Its name, too long to be guessed."""
        return self._session.id

    def submit(
        self,
        prompt: str,
        ports: Iterable[Port],
        model: str | None = None,
        sampling: Sampling | None = None,
        name: str = "",
    ) -> Request:
        """Put a request into the graph, see `Session.submit`; this does not wait for its outputs."""
        return self._manager.call(self._session.submit, prompt, ports, model, sampling, name)

    def fresh(self, name: str = "variable") -> str:
        """Return the id of a new variable, which begins with a name."""
        return self._manager.call(self._session.fresh, name)

    def set(self, variable: str, value: str) -> None:
        """Give a variable its value, see `Session.set`."""
        self._manager.call(self._session.set, variable, value)

    def get(self, variable: str, criteria: str = "latency", timeout: float | None = None) -> str:
        """Return the value of a variable once it is there, see `Session.get`."""
        return self._manager.wait(self._session.get(variable, criteria, timeout))

    def gets(self, criteria: Mapping[str, str], timeout: float | None = None) -> list[str]:
        """Return the values of some variables, each with its criterion; all are asked for at once."""
        return self._manager.wait(self._session.gets(criteria, timeout))

    def close(self) -> None:
        """End its requests, see `Session.close`; a second close, or one after the manager's, does nothing."""
        if not self._session.closed:
            self._manager.wait(self._session.close())
