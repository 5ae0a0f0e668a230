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
from teltheory.systems.apps.faults import BUSY, CLOSED, CONFLICT, TOO_LARGE, UNKNOWN, AppError
from teltheory.systems.apps.server.limits import Limits
from teltheory.systems.apps.sessions import Manager, Session

REMEMBERED = 10_000
"""Closed sessions whose ids are told from those that never were."""


@dataclass(eq=False)
class LiveSession:
    """A session, when it was last used, how many use it, what its client has done in it, and its bytes."""

    session: Session
    used: float
    users: int = 0
    bytes: int = 0
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
        self._carried = 0

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
    def counted(self, session: Session, what: str, most: int, text: str) -> Iterator[None]:
        """Count what a client does in a session unless it fails; `AppError` 413 beyond the most."""
        held, place = self._open[session.id], f"session {session.id}"
        if held.done[what] >= most:
            raise AppError(TOO_LARGE, place, f"one more than {most:,} {what}", f"at most {most:,}")
        held.bytes = session.bytes + len(text.encode())
        if held.bytes > self._limits.session:
            raise AppError(TOO_LARGE, place, f"{held.bytes:,} bytes", f"at most {self._limits.session:,}")
        self.check_memory()
        yield
        held.done[what] += 1

    @contextmanager
    def carried(self, body: bytes) -> Iterator[None]:
        """Count a chat on its way; `AppError` 429 where there is no room for it."""
        self._carried += len(body)
        try:
            self.check_memory()
            yield
        finally:
            self._carried -= len(body)

    def check_memory(self) -> None:
        """Raise an `AppError` (429) if sessions and chats have more bytes than they may have."""
        found, most = self._carried + sum(held.bytes for held in self._open.values()), self._limits.memory
        if found > most:
            raise AppError(
                BUSY, "server", f"{found:,} bytes of prompts and values", f"at most {most:,}; try later"
            )

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
