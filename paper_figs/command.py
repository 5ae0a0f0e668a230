"""What the scripts of single figures have in common: a table in, files out, an error is one line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from paper_figs import style
from teltheory.errors import TelTheoryError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Write an error of what is read or written as one line on standard error, and end with exit code 2."""
    try:
        yield
    except TelTheoryError as error:
        end(" ".join(str(error).splitlines()))


def end(line: str) -> NoReturn:
    """Write a line on standard error and end with exit code 2."""
    sys.stderr.write(f"{line}\n")
    sys.exit(2)


def run(name: str, draw: Callable[[Path], Figure], arguments: Sequence[str]) -> None:
    """Draw the table that the command line names.

    Parameters
    ----------
    name : str
        Of the script, for its usage.
    draw : callable
        Makes the figure of a table.
    arguments : sequence of str
        Table and figure; a figure without an ending is written as PDF, SVG and PNG.
    """
    if len(arguments) != 2:
        end(f"usage: python -m paper_figs.{name} TABLE.csv FIGURE")
    with errors_in_one_line():
        style.save(lambda: draw(Path(arguments[0])), Path(arguments[1]))
