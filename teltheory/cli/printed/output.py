"""Where the command line writes to: tables and progress on the terminal, JSON in files."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teltheory.base.extras import check_report
from teltheory.base.progress import progress_bar
from teltheory.base.whole_files import check_place, write_whole
from teltheory.errors import ArgumentError, FileError, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment
    from rich.table import Table

__all__ = [
    "check_figure",
    "check_target",
    "check_targets",
    "complain",
    "console",
    "has_width",
    "make_folder",
    "progress_bar",
    "report",
    "show",
    "write_json",
    "write_text",
]

FIGURES = (".png", ".svg", ".pdf")
WIDTH = 108
"""Columns of what is written to no terminal."""


def has_width() -> bool:
    """Whether a terminal, or COLUMNS in the environment, says how wide the output is."""
    return sys.stdout.isatty() or "COLUMNS" in os.environ


def console() -> Console:
    """Return the console: as wide as the terminal or as COLUMNS says, else 108 columns."""
    from rich.console import Console

    return Console(width=None if has_width() else WIDTH)


def show(out: Console, *parts: str | Table) -> None:
    """Print sentences to the letter, and tables that are never cut; no line ends in blanks.

    A sentence that begins with two blanks is a command, on one line.
    """
    from rich.segment import Segment, Segments
    from rich.text import Text

    from teltheory.cli.printed.columns import explanations

    for part in (*parts, *explanations(parts)):
        whole = isinstance(part, str) and part.startswith("  ")
        shown = Text(part, no_wrap=whole, overflow="ignore" if whole else None) if isinstance(part, str) else part
        for line in Segment.split_lines(out.render(shown)):
            out.print(Segments([*_trimmed(line), Segment.line()]), crop=False)


def _trimmed(line: list[Segment]) -> Iterator[Segment]:
    """Yield a line without the blanks at its end."""
    from rich.segment import Segment

    width = len("".join(segment.text for segment in line).rstrip())
    for text, style, _ in line:
        yield Segment(text[:width], style)
        width = max(width - len(text), 0)


def report(target: str | None, parts: Iterable[str | Table], data: Any) -> None:
    """Print what a command found, unless standard output takes its JSON, and write the JSON if asked for."""
    if target != "-":
        show(console(), *parts)
    if target is not None:
        write_json(target, data)


def complain(message: str, code: int) -> int:
    """Write one line to standard error, where there is one, and return the exit code."""
    with suppress(OSError):
        sys.stderr.write(printable("teltheory: " + " ".join(message.split())) + "\n")
    return code


def check_target(target: str | None) -> None:
    """Check, before long work, that `write_text` will be able to write there."""
    if target is None or target == "-":
        return
    check_place(Path(target), "to write")


def check_targets(places: Mapping[str, str | None]) -> None:
    """Check, before long work, that the files of a command, by what asks for each, can be written, each alone."""
    taken: dict[str, str] = {}
    for name, place in places.items():
        check_target(place)
        if place is None or (Path(place).exists() and not Path(place).is_file()):
            continue
        real = place if place == "-" else os.path.realpath(place)
        if real in taken:
            own = "a file, as {} has standard output" if place == "-" else "a file of its own, as {} has this one"
            raise ArgumentError(name, place, own.format(taken[real]))
        taken[real] = name


def check_figure(target: str | None) -> None:
    """Check, before long work, that a figure can be written there, in a format that its name says."""
    check_target(target)
    if target is not None:
        check_report("matplotlib")
    if target is not None and Path(target).suffix not in FIGURES:
        raise ArgumentError("figure", target, "a file that ends in " + ", ".join(FIGURES))


def make_folder(folder: Path) -> None:
    """Make a folder for results, before long work, where it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}, expected a folder to write to") from None


def write_json(target: str, data: Any, indent: int | None = 2) -> None:
    """Write JSON to a file, whole or not at all, or to standard output for ``-``."""
    write_text(target, json.dumps(data, indent=indent, allow_nan=False) + "\n")


def write_text(target: str, text: str) -> None:
    """Write text to a file, whole or not at all, or to standard output for ``-``; no name in it can stop that."""
    if target == "-":
        sys.stdout.write(text)
        return
    content = text.encode("utf-8", "backslashreplace")
    write_whole(Path(target), lambda beside: beside.write_bytes(content))
