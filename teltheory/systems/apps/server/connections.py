"""HTTP/1.1 with at most so many connections, and heads of requests that must come in time.

Where there are too many, that goes which has waited longest for the end of a head; where all have theirs, the new
one. So clients that send slowly keep nobody out.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from teltheory.systems.apps.server.limits import Limits


class Connection(H11Protocol):
    """One connection of a client.

    Parameters
    ----------
    limits : Limits
        How many there are, and seconds for a head.
    headless : dict
        Connections whose head is not there yet, the oldest first; one for all of a server.
    """

    def __init__(
        self, *arguments: Any, limits: Limits, headless: dict[Connection, TimerHandle], **more: Any
    ) -> None:
        super().__init__(*arguments, **more)
        self._limits, self._headless = limits, headless

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for a head; make room for it."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self._limits.connections:
            next(iter(self._headless)).end()

    def data_received(self, data: bytes) -> None:
        """Take bytes; a head that is whole is waited for no more."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._done()

    def on_response_complete(self) -> None:
        """Wait for the next head on a connection that stays open."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._done()
        super().connection_lost(exc)

    def end(self) -> None:
        """Close it at once."""
        self._done()
        self.transport.abort()

    def _wait(self) -> None:
        if self not in self._headless and not self.transport.is_closing():
            self._headless[self] = self.loop.call_later(self._limits.heading, self.end)

    def _done(self) -> None:
        timer = self._headless.pop(self, None)
        if timer is not None:
            timer.cancel()
