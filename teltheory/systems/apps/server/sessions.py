"""The open sessions of a server: found by id, bounded in number, closed when nobody uses them.

A session's id is long and drawn, and the only way to it: who has none, finds no session of another client.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from time import monotonic

from teltheory.errors import shown
from teltheory.systems.apps.faults import CLOSED, CONFLICT, TOO_LARGE, UNKNOWN, AppError
from teltheory.systems.apps.server.limits import Limits
from teltheory.systems.apps.sessions import Manager, Session

REMEMBERED = 10_000
"""Closed sessions whose ids are told from those that never were."""


@dataclass(eq=False)
class LiveSession:
    """A session, when it was last used, how many are using it, and what its client has done in it."""

    session: Session
    used: float
    users: int = 0
    done: Counter[str] = field(default_factory=Counter)


class Sessions:
    """The sessions of a server.

    Parameters
    ----------
    manager : Manager
        Opens them.
    limits : Limits
        How many there are, and how long nobody may use one.
    clock : function
        Seconds.
    """

    def __init__(self, manager: Manager, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self.manager, self._limits, self._clock = manager, limits, clock
        self._open: dict[str, LiveSession] = {}
        self._over: OrderedDict[str, None] = OrderedDict()

    async def open(self) -> Session:
        """Open a session; `AppError` 409 if there are too many."""
        await self._close_idle()
        most = self._limits.sessions
        if len(self._open) >= most:
            raise AppError(CONFLICT, "server", f"{most:,} open sessions", "fewer: close one, or try again later")
        session = self.manager.session()
        self._open[session.id] = LiveSession(session, self._clock())
        return session

    async def close(self, id: str) -> None:
        """Close a session; `AppError` 404 if there was none, 410 if it is closed."""
        await self._close(self._held(id))

    @asynccontextmanager
    async def using(self, id: str) -> AsyncIterator[Session]:
        """Give a session to work with, which is not idle meanwhile; `AppError` as `close`."""
        held = self._held(id)
        held.users += 1
        try:
            yield held.session
        finally:
            held.users -= 1
            held.used = self._clock()

    @asynccontextmanager
    async def one(self) -> AsyncIterator[Session]:
        """Give a session that is closed at the end."""
        session = await self.open()
        async with self.using(session.id):
            try:
                yield session
            finally:
                if session.id in self._open:
                    await self.close(session.id)

    @contextmanager
    def counted(self, session: Session, what: str, most: int) -> Iterator[None]:
        """Count what a client does in a session unless it fails; `AppError` 413 beyond the most."""
        done = self._open[session.id].done
        if done[what] >= most:
            found = f"one more than {most:,} {what}"
            raise AppError(TOO_LARGE, f"session {session.id}", found, f"at most {most:,}")
        yield
        done[what] += 1

    def _held(self, id: str) -> LiveSession:
        if id in self._open:
            return self._open[id]
        if id in self._over:
            raise AppError(CLOSED, f"session {shown(id, 60)}", "a closed session", "an open one")
        raise AppError(UNKNOWN, f"session {shown(id, 60)}", "none", "the id of an open session")

    async def _close(self, held: LiveSession) -> None:
        id = held.session.id
        del self._open[id]
        self._over[id] = None
        while len(self._over) > REMEMBERED:
            self._over.popitem(last=False)
        await held.session.close()

    async def _close_idle(self) -> None:
        oldest = self._clock() - self._limits.idle
        for id, held in list(self._open.items()):
            if id in self._open and not held.users and held.used < oldest:
                await self._close(held)
