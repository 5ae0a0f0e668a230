"""`teltheory apps server`: applications over HTTP, on tiny engines or on OpenAI-compatible servers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from teltheory.cli.apps.engines import Engines, engine_options
from teltheory.cli.asked.options import duration
from teltheory.cli.parts import command, option
from teltheory.errors import ArgumentError, listed

if TYPE_CHECKING:
    from teltheory.systems.apps.engines.protocol import Engine
    from teltheory.systems.apps.server import Door

LOOPBACK = ("127.0.0.1", "localhost")


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
@option(
    "--placing",
    type=click.Choice(["parrot", "parrotserve"]),
    default="parrot",
    show_default=True,
    help="How requests are placed. By Algorithm 1, or as ParrotServe's own code does it.",
)
@option("--token-env", metavar="NAME", help="Environment variable with the token that clients send as Bearer.")
@option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Name by which clients call the server; repeatable. Without a token, none but this machine's is taken.",
)
def server(
    engines: Engines,
    host: str,
    port: int,
    timeout: float,
    placing: str,
    token_env: str | None,
    hosts: tuple[str, ...],
) -> int:
    """Serve applications over HTTP.

    It takes Parrot's requests (submit, get, set) and OpenAI's, until it is interrupted. Chats pass to the engines
    as they came. Without a token it listens on this machine alone.
    """
    from teltheory.systems.apps.server import Limits, application
    from teltheory.systems.apps.server.listening import address, bound, serve
    from teltheory.systems.apps.sessions import Manager

    if not timeout > 0:
        raise ArgumentError("--timeout", timeout, "a time above 0")
    door, limits = _door(host, token_env, hosts), Limits(waiting=timeout)
    found = engines.made()
    asyncio.run(_check(found))
    app = application(Manager(found, rules=placing), limits, door)
    with bound(host, port) as at:
        click.echo(f"Serving at {address(at)}: {', '.join(f'{e.name} ({e.model})' for e in found)}")
        serve(app, at, limits)
    return 0


def _door(host: str, token_env: str | None, hosts: tuple[str, ...]) -> Door:
    """Return who may come in: this machine by its own names, or whoever has the token."""
    from teltheory.cli.apps.engines_file import key_of
    from teltheory.systems.apps.server import Door

    token = None if token_env is None else key_of(token_env, "--token-env")
    if token is None and host not in LOOPBACK:
        expected = f"{' or '.join(LOOPBACK)}, or --token-env beside another address"
        raise ArgumentError("--host", host, expected)
    named = tuple(name.lower() for name in hosts)
    return Door(named if token else (*LOOPBACK, *named), token)


async def _check(found: Sequence[Engine]) -> None:
    """Ask each server for its models: another one is an error, no answer is said and may come later."""
    from teltheory.systems.apps.engines.remote import RemoteEngine

    for engine in found:
        if isinstance(engine, RemoteEngine):
            models = await engine.models()
            await engine.close()
            if models is None:
                click.echo(f"{engine.name} at {engine.url}: no list of models yet", err=True)
            elif engine.model not in models:
                raise ArgumentError(f"model of {engine.name} at {engine.url}", engine.model, listed(models))
