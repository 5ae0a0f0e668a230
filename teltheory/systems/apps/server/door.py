"""Who may come in: hosts by which the server is called, a token that clients send, and how many at a time.

A page in a browser can send to an address of this machine under a name of its own; it then names another host.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from hmac import compare_digest
from typing import TYPE_CHECKING

from teltheory.systems.apps.faults import BUSY, FORBIDDEN, MISDIRECTED, AppError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

OPEN = ("/health",)


@dataclass(frozen=True)
class Door:
    """What a client must say.

    Attributes
    ----------
    hosts : tuple of str
        Names in ``Host``, without a port; none: any.
    token : str or None
        What follows ``Authorization: Bearer``, but at `/health`; no message shows it.
    """

    hosts: tuple[str, ...] = ()
    token: str | None = None

    def before(self, app: ASGIApp, most: int) -> ASGIApp:
        """Return an application behind this door, which answers so many at a time."""
        inside: Counter[str] = Counter()

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            fault = self._fault(scope) if scope["type"] == "http" else None
            if inside["http"] >= most:
                fault = AppError(BUSY, "server", f"{most:,} requests that are answered", "fewer: try again later")
            if fault is not None:
                return await _refuse(fault, send)
            inside[scope["type"]] += 1
            try:
                return await app(scope, receive, send)
            finally:
                inside[scope["type"]] -= 1

        return guarded

    def _fault(self, scope: Scope) -> AppError | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "").rpartition(":")[0] or headers.get(b"host", "")
        if self.hosts and host.lower() not in self.hosts:
            return AppError(MISDIRECTED, "host", repr(host[:100]), f"one of {', '.join(self.hosts)}")
        if self.token is None or scope["path"] in OPEN:
            return None
        kind, _, said = headers.get(b"authorization", "").partition(" ")
        if kind.lower() == "bearer" and compare_digest(said.strip().encode(), self.token.encode()):
            return None
        return AppError(FORBIDDEN, "authorization", "no token, or another one", "Bearer and the server's token")


async def _refuse(fault: AppError, send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": fault.code, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(fault.body()).encode()})
