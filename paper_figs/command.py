"""What the scripts of single figures have in common: a table in, files out, an error is one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from paper_figs import style
from teltheory.paper.script import end, errors_in_one_line


def run(name: str, draw: Callable[[Path], Figure], arguments: Sequence[str]) -> None:
    """Draw the table that the command line names."""
    if len(arguments) != 2:
        end(f"usage: python -m paper_figs.{name} TABLE.csv FIGURE")
    with errors_in_one_line():
        style.save(lambda: draw(Path(arguments[0])), Path(arguments[1]))
