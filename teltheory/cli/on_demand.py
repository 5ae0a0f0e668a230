"""Commands whose modules a call imports, so that each loads what it needs alone."""

from importlib import import_module
from typing import Any

import click

from teltheory.cli.output import complain


class OnDemand(click.Command):
    """The place of a command, whose module a call imports, with the sentence that a list of commands shows."""

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


class Renamed(OnDemand):
    """A command by the name that it had: it works for one version, with a warning that says today's."""

    def __init__(self, name: str, today: str, summary: str, place: str | None = None) -> None:
        super().__init__(name, summary, place)
        self.hidden, self.today = True, today

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Return the context of the command itself, after the warning."""
        complain(
            f"`teltheory {self.name}` is `teltheory {self.today}` now; the old name goes with the next version", 0
        )
        return super().make_context(*arguments, **settings)
