"""Commands whose modules a call imports, and their lists in sections."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from teltheory.errors import FileError


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


class Front(click.Group):
    """The commands, listed in sections."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.sections: dict[str, list[str]] = {}

    def add_sections(self, sections: Mapping[str, Sequence[click.Command]]) -> None:
        """Add commands under titles."""
        for title, listed in sections.items():
            self.sections[title] = [str(command.name) for command in listed]
            for command in listed:
                self.add_command(command)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click takes a file's early end for an interrupt, a lost peer for a verdict."""
        try:
            return super().invoke(ctx)
        except (EOFError, BrokenPipeError) as error:
            raise FileError(f"a file or connection ended early ({error}), expected it whole") from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, in sections of one indentation."""
        width = max(map(len, self.commands))
        room = formatter.width - width - 6
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), self.commands[name].get_short_help_str(room)) for name in names]
                )
