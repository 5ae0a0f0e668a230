"""Engines that the commands on applications run requests on, by the same options."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import numpy as np

from teltheory.cli.options import Option, bundled, whole
from teltheory.errors import ArgumentError

if TYPE_CHECKING:
    from teltheory.apps.engines.remote import RemoteEngine
    from teltheory.apps.engines.tiny import TinyEngine

TINY = "tiny"


@dataclass(frozen=True)
class Engines:
    """What --engine and the options beside it say."""

    places: tuple[str, ...]
    model: str | None
    chat: bool
    api_key_env: str | None
    seed: int

    def made(self) -> list[TinyEngine | RemoteEngine]:
        """Return the engines, each with a name of its own."""
        from teltheory.apps.engines.remote import RemoteEngine
        from teltheory.apps.engines.tiny import TinyEngine

        self._check()
        key = self._key()
        found: list[TinyEngine | RemoteEngine] = []
        for k, place in enumerate(self.places):
            if place == TINY:
                found.append(TinyEngine(np.random.default_rng(self.seed), f"tiny {k}"))
            elif self.model is None:
                raise ArgumentError("--model", None, "the name of the model at " + place)
            else:
                found.append(RemoteEngine(place, self.model, key=key, chat=self.chat, name=f"remote {k}"))
        return found

    def _check(self) -> None:
        options = (("--model", self.model), ("--chat", self.chat), ("--api-key-env", self.api_key_env))
        for option, given in options:
            if given and all(place == TINY for place in self.places):
                raise ArgumentError(option, given, "none without --engine URL")

    def _key(self) -> str | None:
        if self.api_key_env is None:
            return None
        key = os.environ.get(self.api_key_env, "").strip()
        if not key:
            raise ArgumentError("--api-key-env", self.api_key_env, "an environment variable with a key")
        return key


engine_options: Option = bundled(
    "engines",
    Engines,
    click.option(
        "--engine",
        "places",
        multiple=True,
        default=[TINY],
        show_default=True,
        metavar="tiny|URL",
        help="Once an engine: the tiny one, or the address of an OpenAI-compatible server.",
    ),
    click.option("--model", metavar="NAME", help="The model, as the servers at the addresses name it."),
    click.option("--chat", is_flag=True, help="Ask those servers for chats, not for completions."),
    click.option("--api-key-env", metavar="NAME", help="Environment variable with their API key."),
    whole("--seed", 0, "Draws the weights of tiny engines.", least=0),
)
