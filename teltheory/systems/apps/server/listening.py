"""A server on a socket: for a program's own use on a thread, or until it is interrupted."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from math import ceil
from threading import Thread
from typing import Any

from teltheory.base.extras import needed
from teltheory.errors import ArgumentError
from teltheory.systems.apps.server.limits import Limits

__all__ = ["listening"]

HOST = "127.0.0.1"


def bound(host: str, port: int) -> socket.socket:
    """Return a socket at an address; port 0 is one that is free.

    Raises
    ------
    ArgumentError
        If it cannot be had.
    """
    try:
        return socket.create_server((host, port))
    except (OSError, OverflowError, TypeError) as error:
        raise ArgumentError("address", f"{host}:{port}", f"one that is free to listen at ({error})") from None


def address(at: socket.socket) -> str:
    """Return the URL of a socket."""
    host, port = at.getsockname()[:2]
    return f"http://{host}:{port}"


def serve(app: Any, at: socket.socket, limits: Limits | None = None) -> None:
    """Serve an application until an interrupt."""
    with suppress(KeyboardInterrupt):
        _server(app, limits).run(sockets=[at])


@contextmanager
def listening(app: Any, host: str = HOST, port: int = 0, limits: Limits | None = None) -> Iterator[str]:
    """Serve an application on a thread and give its URL; it has ended when the block has.

    Parameters
    ----------
    app : ASGI application
        As `application` returns it.
    host, port
        Where; 0: a port that is free.
    limits : Limits or None
        Of its connections.
    """
    server = _server(app, limits)
    with closing(bound(host, port)) as at:
        thread = Thread(target=server.run, kwargs={"sockets": [at]}, name="teltheory-apps-server", daemon=True)
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.005)
            yield address(at)
        finally:
            server.should_exit = True
            thread.join()


def _server(app: Any, limits: Limits | None) -> Any:
    uvicorn = needed("uvicorn", "apps")
    from teltheory.systems.apps.server.connections import Connection

    http = partial(Connection, limits=limits or Limits(), headless={})
    times = {"timeout_keep_alive": ceil(2 * (limits or Limits()).heading), "timeout_graceful_shutdown": 5}
    config = uvicorn.Config(app, http=http, log_level="error", access_log=False, lifespan="on", **times)
    return uvicorn.Server(config)
