"""Commands that are imported when they are called: `teltheory --help` need not load what they need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click


class OnDemand(click.Command):
    """The place of a command in `teltheory.cli`, with the sentence that a list of commands shows."""

    def __init__(self, name: str, summary: str, place: str | None = None) -> None:
        super().__init__(name, help=summary)
        self.place = place or f"{name}:{name}"

    def load(self) -> click.Command:
        """Import the command and return it."""
        module, attribute = self.place.split(":")
        command: click.Command = getattr(import_module(f"teltheory.cli.{module}"), attribute)
        return command

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Return the context of the command itself, with which click continues."""
        return self.load().make_context(*arguments, **settings)
