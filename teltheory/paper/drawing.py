"""Figures and LaTeX tables of tidy tables, found through entry points, so that any package can add its own.

An entry point of the group `teltheory.figures` names a sequence of `TableFigure`. In the package's pyproject.toml:

    [project.entry-points."teltheory.figures"]
    mine = "my_package.my_figure:FIGURES"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from teltheory.base.input_files import read_bytes, read_json
from teltheory.errors import FileError, shown
from teltheory.paper.script import in_order
from teltheory.paper.tidy import TableRow
from teltheory.plots.files import write_figure, write_snippet
from teltheory.plots.style import paper

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROUP = "teltheory.figures"
FORMATS = ("pdf", "svg", "png")
NOTES = "made.json"
LONGEST_NAME = 255


@dataclass(frozen=True)
class TableFigure:
    """What is made of a tidy table.

    Attributes
    ----------
    table : str
        Its name without ending; ``curves_*`` stands for one of each workload.
    write : callable
        From the table's file and a folder: writes files into it, and yields a line for each product.
    row : type, optional
        Declares the columns of a table that `teltheory figures` is to make too.
    rows : callable, optional
        Computes that table's rows.
    """

    table: str
    write: Callable[[Path, Path], Iterable[str]]
    row: type[TableRow] | None = None
    rows: Callable[[], Iterable[TableRow]] | None = None


def saved(
    draw: Callable[[Path], Figure], name: Callable[[str], str] = str, caption: Callable[[Path], str] | None = None
) -> Callable[[Path, Path], Iterator[str]]:
    """Return what draws a table and writes the figure, called by the table's name, in all formats.

    With a caption, from the table too, LaTeX that shows the figure stands beside it.
    """

    def write(table: Path, folder: Path) -> Iterator[str]:
        figure, target = draw(table), folder / name(table.stem)
        save(figure, target)
        if caption is not None:
            write_snippet(f"{target}.pdf", figure, caption(table))
        yield f"{target.name}: {', '.join((*FORMATS, *(['tex'] if caption else [])))}"

    return write


def save(figure: Figure, target: Path) -> list[Path]:
    """Write a figure as PDF, SVG and PNG; an ending of the target names the only format. Return the files."""
    only = target.suffix[1:] in FORMATS
    files = [target] if only else [target.with_name(f"{target.name}.{ending}") for ending in FORMATS]
    for file in files:
        write_figure(str(file), figure)
    return files


def figures() -> list[TableFigure]:
    """Return the figures of all installed packages, by the names of their entry points."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return [figure for entry in found for figure in entry.load()]


def check_whole(folder: Path) -> None:
    """Check that every table that `made.json` notes is there and as it was made."""
    notes = folder / NOTES
    if not notes.is_file():
        return
    found = read_json(notes, "notes of tables")
    try:
        digests = {name: digest for name, (_, digest) in found.items()}
    except (ValueError, AttributeError, TypeError):
        raise FileError(f"{notes}: found no notes of tables, expected those of teltheory.paper.all") from None
    for name, digest in digests.items():
        table = folder / name
        if len(name) > LONGEST_NAME:
            raise FileError(f"{notes}: found {shown(name, 60)}, expected names of tables")
        if sha256(read_bytes(table, f"it as {NOTES} notes it")).hexdigest() != digest:
            raise FileError(f"{table}: found another content than {NOTES} notes, expected it whole and unchanged")


def draw_all(
    folder: Path,
    out: Path,
    known: Sequence[TableFigure] | None = None,
    venue: str | None = None,
    workers: int | None = 1,
) -> Iterator[str]:
    """Make everything that the tables of a folder make, in the style of a venue; yield a line for each product.

    With several processes, one per core if `workers` is None, the figures are those of installed packages.
    """
    check_whole(folder)
    todo = _todo(folder, known)
    if not todo:
        raise FileError(f"{folder}: found no tidy table, expected those of `python -m teltheory.paper.all`")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{out}: {error.strerror}, expected a folder to write figures to") from None
    write = partial(_written, folder, out, known, venue)
    for lines in in_order(write, range(len(todo)), workers, lambda place: todo[place][0].name):
        yield from lines


def _todo(folder: Path, known: Sequence[TableFigure] | None) -> list[tuple[Path, TableFigure]]:
    """Return each table of a folder with each figure of it."""
    known, tables = figures() if known is None else known, sorted(folder.glob("*.csv"))
    return [(table, figure) for table in tables for figure in known if fnmatchcase(table.stem, figure.table)]


def _written(
    folder: Path, out: Path, known: Sequence[TableFigure] | None, venue: str | None, place: int
) -> list[str]:
    table, figure = _todo(folder, known)[place]
    with paper(venue):
        return list(figure.write(table, out))
