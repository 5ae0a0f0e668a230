"""The options of a command that draws a figure: where to, and in whose style."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from teltheory.cli.asked.options import Option, bundled
from teltheory.cli.parts import option
from teltheory.cli.printed.output import check_figure
from teltheory.errors import ArgumentError
from teltheory.plots.files import beside, check_snippet, write_figure, write_snippet
from teltheory.plots.style import VENUES, of_venue, paper

if TYPE_CHECKING:
    from matplotlib.figure import Figure

style_option = option(
    "--style",
    type=click.Choice(VENUES, case_sensitive=False),
    help="Use the sizes and fonts of a venue, and write FILE.tex beside.",
)


@dataclass(frozen=True)
class Picture:
    """Where a figure is written, if it is asked for, and in which style."""

    figure: str | None = None
    style: str | None = None

    def check(self) -> None:
        """Check, before long work, that the figure can be drawn and written."""
        check_figure(self.figure)
        if self.style is None:
            return
        of_venue(self.style)
        if self.figure is None:
            raise ArgumentError("style", self.style, "--figure FILE with it")
        check_snippet(self.figure)

    @property
    def files(self) -> dict[str, str | None]:
        """The files that are written, by what asks for each."""
        if self.figure is None or self.style is None:
            return {"--figure": self.figure}
        return {"--figure": self.figure, "--style": str(beside(self.figure))}

    def draw(self, draw: Callable[[], Figure], caption: str) -> None:
        """Draw and write it, with LaTeX beside it if a venue's style is asked for."""
        if self.figure is None:
            return
        with paper(self.style):
            drawn = draw()
            write_figure(self.figure, drawn)
            if self.style is not None:
                write_snippet(self.figure, drawn, caption)


def picture_options(said: str) -> Option:
    """Return a decorator that adds --figure, with what it draws, and --style; the command gets a `Picture`."""
    figure = option("--figure", metavar="FILE", help=f"Draw a figure to a .png, .svg or .pdf FILE. {said}.")
    return bundled("picture", Picture, figure, style_option)
