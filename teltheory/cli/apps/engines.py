"""Engines that the commands on applications run requests on, by the same options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from teltheory.cli.asked.options import SEED, Option, api_key_option, bundled, served_model_option, whole
from teltheory.cli.parts import option
from teltheory.errors import ArgumentError

if TYPE_CHECKING:
    from teltheory.systems.apps.engines.remote import RemoteEngine
    from teltheory.systems.apps.engines.tiny import TinyEngine

TINY = "tiny"


@dataclass(frozen=True)
class Engines:
    """What --engine and the options beside it say."""

    places: tuple[str, ...]
    model: str | None
    chat: bool
    api_key_env: str | None
    seed: int
    listed: str | None

    def made(self) -> list[TinyEngine | RemoteEngine]:
        """Return the engines, each with a name of its own."""
        from teltheory.cli.apps.engines_file import engines_in, key_of
        from teltheory.systems.apps.engines.remote import RemoteEngine
        from teltheory.systems.apps.engines.tiny import TinyEngine

        self._check()
        if self.listed is not None:
            return [*engines_in(Path(self.listed))]
        key = None if self.api_key_env is None else key_of(self.api_key_env)
        found: list[TinyEngine | RemoteEngine] = []
        for k, place in enumerate(self.places):
            if place == TINY:
                found.append(TinyEngine(np.random.default_rng(self.seed), f"tiny {k}"))
            elif self.model is None:
                raise ArgumentError("--served-model", None, "the name of the model at " + place)
            else:
                found.append(RemoteEngine(place, self.model, key=key, chat=self.chat, name=f"remote {k}"))
        return found

    def _check(self) -> None:
        options = (("--served-model", self.model), ("--chat", self.chat), ("--api-key-env", self.api_key_env))
        for name, given in options:
            if given and all(place == TINY for place in self.places):
                raise ArgumentError(name, given, "none without --engine URL")
        if self.listed is not None and self.places != (TINY,):
            raise ArgumentError("--engine", self.places[0], "none beside --engines")


engine_options: Option = bundled(
    "engines",
    Engines,
    option(
        "--engine",
        "places",
        multiple=True,
        default=[TINY],
        show_default=True,
        metavar="tiny|URL",
        help="Engine that runs requests. The tiny one, or a server's address; repeat it for several.",
    ),
    served_model_option(),
    option("--chat", is_flag=True, help="Ask servers for chats instead of completions."),
    api_key_option,
    whole("--seed", 0, SEED, least=0),
    option(
        "--engines", "listed", metavar="FILE", help="TOML file of servers: addresses, models, keys, capacities."
    ),
)
