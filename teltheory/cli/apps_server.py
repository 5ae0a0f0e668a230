"""`teltheory apps server`: applications over HTTP, on tiny engines or on OpenAI-compatible servers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import numpy as np

from teltheory.cli.options import duration, whole
from teltheory.errors import ArgumentError

if TYPE_CHECKING:
    from teltheory.apps.engines import Engine

TINY = "tiny"


@click.command()
@click.option(
    "--engine",
    "engines",
    multiple=True,
    default=[TINY],
    show_default=True,
    metavar="tiny|URL",
    help="Once an engine: the tiny one, or the address of an OpenAI-compatible server.",
)
@click.option("--model", metavar="NAME", help="The model, as the servers at the addresses name it.")
@click.option("--chat", is_flag=True, help="Ask those servers for chats, not for completions.")
@click.option("--api-key-env", metavar="NAME", help="Environment variable with their API key.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="0: a free one.")
@click.option(
    "--timeout",
    callback=duration,
    default="600s",
    show_default=True,
    metavar="TIME",
    help="Longest wait of a get.",
)
@whole("--seed", 0, "Draws the weights of tiny engines.", least=0)
def server(
    engines: tuple[str, ...],
    model: str | None,
    chat: bool,
    api_key_env: str | None,
    host: str,
    port: int,
    timeout: float,
    seed: int,
) -> int:
    """Serve applications over HTTP until an interrupt: submit, get and set, and OpenAI's requests.

    Nobody is asked who they are: listen where only those come who may use the engines.
    """
    from teltheory.apps.server import Limits, application
    from teltheory.apps.server.listening import address, bound, serve
    from teltheory.apps.sessions import Manager

    if not timeout > 0:
        raise ArgumentError("--timeout", timeout, "a time above 0")
    found = _engines(engines, model, chat, api_key_env, seed)
    app = application(Manager(found), Limits(waiting=timeout))
    with bound(host, port) as at:
        click.echo(f"Serving at {address(at)}: {', '.join(f'{e.name} ({e.model})' for e in found)}")
        serve(app, at)
    return 0


def _engines(
    places: Sequence[str], model: str | None, chat: bool, api_key_env: str | None, seed: int
) -> list[Engine]:
    """Return the engines that were asked for, each with a name of its own."""
    from teltheory.apps.engines.remote import RemoteEngine
    from teltheory.apps.engines.tiny import TinyEngine

    for option, given in (("--model", model), ("--chat", chat), ("--api-key-env", api_key_env)):
        if given and all(place == TINY for place in places):
            raise ArgumentError(option, given, "none without --engine URL")
    key = _key(api_key_env)
    found: list[Engine] = []
    for k, place in enumerate(places):
        if place == TINY:
            found.append(TinyEngine(np.random.default_rng(seed), f"tiny {k}"))
        elif model is None:
            raise ArgumentError("--model", None, "the name of the model at " + place)
        else:
            found.append(RemoteEngine(place, model, key=key, chat=chat, name=f"remote {k}"))
    return found


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ArgumentError("--api-key-env", variable, "an environment variable with a key")
    return key
