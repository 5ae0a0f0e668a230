"""`teltheory apps server`: applications over HTTP, on tiny engines or on OpenAI-compatible servers."""

from __future__ import annotations

import click

from teltheory.cli.apps.engines import Engines, engine_options
from teltheory.cli.asked.options import duration
from teltheory.cli.parts import command, option
from teltheory.errors import ArgumentError


@command(None, "apps server --port 8080")
@engine_options
@option("--host", default="127.0.0.1", metavar="ADDRESS", show_default=True, help="Address to listen at.")
@option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8000,
    show_default=True,
    help="Port to listen at; 0 takes a free one.",
)
@option(
    "--timeout",
    callback=duration,
    default="600s",
    show_default=True,
    metavar="TIME",
    help="Longest wait for an answer. It bounds each get.",
)
def server(engines: Engines, host: str, port: int, timeout: float) -> int:
    """Serve applications over HTTP.

    It takes Parrot's requests (submit, get, set) and OpenAI's, until it is interrupted. Nobody is asked who they
    are: listen where only those come who may use the engines.
    """
    from teltheory.systems.apps.server import Limits, application
    from teltheory.systems.apps.server.listening import address, bound, serve
    from teltheory.systems.apps.sessions import Manager

    if not timeout > 0:
        raise ArgumentError("--timeout", timeout, "a time above 0")
    found = engines.made()
    app = application(Manager(found), Limits(waiting=timeout))
    with bound(host, port) as at:
        click.echo(f"Serving at {address(at)}: {', '.join(f'{e.name} ({e.model})' for e in found)}")
        serve(app, at)
    return 0
