"""Commands whose modules a call imports, their lists in sections, and the names and forms that they had."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from importlib import import_module
from typing import Any

import click

from teltheory.cli.output import complain
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


class Former(OnDemand):
    """A name or a form that a command had: it works for one version, with a warning that says today's.

    `today` is today's form. Options of the command that are named in `arguments` were arguments, in this order.
    `meant` says whether what follows the name is in the former form; left out, it always is.
    """

    def __init__(
        self,
        name: str,
        today: str,
        place: str,
        arguments: Sequence[str] = (),
        meant: Callable[[Sequence[str]], bool] | None = None,
    ) -> None:
        super().__init__(name, today, place)
        self.today, self.arguments = today, arguments
        self.meant = meant or (lambda _: True)

    def load(self) -> click.Command:
        """Import the command and return it, with the arguments that it had."""
        command = copy(super().load())
        others = [param for param in command.params if param.name not in self.arguments]
        command.params = [*(click.Argument([name]) for name in self.arguments), *others]
        return command

    def make_context(self, *arguments: Any, **settings: Any) -> click.Context:
        """Return the context of the command itself, after the warning."""
        complain(
            f"`teltheory {self.name}` is `teltheory {self.today}` now; the old form goes with the next version", 0
        )
        return super().make_context(*arguments, **settings)


class Front(click.Group):
    """The commands, listed in sections; names and forms that commands had are in no list."""

    def __init__(self, *args: Any, former: Sequence[Former] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.former = former
        self.sections: dict[str, list[str]] = {}

    def add_sections(self, sections: Mapping[str, Sequence[click.Command]]) -> None:
        """Add commands under titles."""
        for title, listed in sections.items():
            self.sections[title] = [str(command.name) for command in listed]
            for command in listed:
                self.add_command(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant, and its arguments."""
        for old in self.former:
            if args[0] == old.name and old.meant(args[1:]):
                return old.name, old, args[1:]
        return super().resolve_command(ctx, args)

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
