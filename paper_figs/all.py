"""Every figure and table that a folder of tidy tables makes.

    python -m paper_figs.all TABLES_FOLDER OUT_FOLDER

Reads what `python -m experiments.paper.all TABLES_FOLDER` writes; a line for each product. Where the folder has
made.json, a table that is no longer as it was made is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from paper_figs import (
    adaptive_threshold,
    capacity_curves,
    figure_3,
    figure_4,
    figures_5_6,
    pareto_front,
    sensitivity,
    style,
    tables,
    who_comes_back,
)
from paper_figs.command import end, errors_in_one_line
from teltheory.errors import FileError
from teltheory.input_files import read_bytes, read_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTES = "made.json"
LATENCIES = {"wildchat": "figure_5", "sharegpt": "figure_6"}


def figure_of(table: Path) -> tuple[str, Callable[[Path], Figure]] | None:
    """Return the name of a tidy table's figure and what draws it, None where it has none."""
    kind, _, name = table.stem.partition("_")
    by_kind: dict[str, tuple[str, Callable[[Path], Figure]]] = {
        "means": (LATENCIES.get(name, f"latencies_{name}"), figures_5_6.draw),
        "curves": (f"capacity_curves_{name}", capacity_curves.draw),
        "sensitivity": (f"sensitivity_{name}", sensitivity.draw),
    }
    whole = {
        "figure_3": ("figure_3", figure_3.draw),
        "figure_4": ("figure_4", figure_4.draw),
        "adaptive_threshold": ("adaptive_threshold", adaptive_threshold.draw),
        "pareto_front": ("pareto_front", pareto_front.draw),
        "who_comes_back": ("who_comes_back", who_comes_back.draw),
    }
    return whole.get(table.stem) or by_kind.get(kind)


def has_tables(table: Path) -> bool:
    """Whether LaTeX tables are made of a tidy table."""
    return table.stem.partition("_")[0] in ("cells", "improvements", "means")


def check_whole(folder: Path) -> None:
    """Check that every table that `made.json` notes is there and as it was made.

    Raises
    ------
    FileError
        Naming the table.
    """
    notes = folder / NOTES
    if not notes.is_file():
        return
    found = read_json(notes, "notes of tables")
    try:
        digests = {name: digest for name, (_, digest) in found.items()}
    except (ValueError, AttributeError, TypeError):
        raise FileError(f"{notes}: found no notes of tables, expected those of experiments.paper.all") from None
    for name, digest in digests.items():
        table = folder / name
        if sha256(read_bytes(table, f"it as {NOTES} notes it")).hexdigest() != digest:
            raise FileError(f"{table}: found another content than {NOTES} notes, expected it whole and unchanged")


def draw_all(folder: Path, out: Path) -> Iterator[str]:
    """Make every figure and table; yield a line for each.

    Parameters
    ----------
    folder : Path
        Tidy tables.
    out : Path
        Where figures and tables go; made where it is missing.

    Raises
    ------
    FileError
        Where a table is missing, malformed or cut off, or nothing can be written.
    """
    check_whole(folder)
    found = [table for table in sorted(folder.glob("*.csv")) if figure_of(table) or has_tables(table)]
    if not found:
        raise FileError(f"{folder}: found no tidy table, expected those of `python -m experiments.paper.all`")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{out}: {error.strerror}, expected a folder to write figures to") from None
    for table in found:
        yield from products_of(table, out)


def products_of(table: Path, out: Path) -> Iterator[str]:
    """Make the figure and tables of one tidy table; yield a line for each."""
    drawn = figure_of(table)
    if drawn is not None:
        name, draw = drawn
        style.save(lambda: draw(table), out / name)
        yield f"{name}: {', '.join(style.FORMATS)}"
    if has_tables(table):
        for file in tables.write(table, out)[::2]:
            yield f"{file.stem}: tex, csv"


def main(arguments: Sequence[str]) -> None:
    """Make everything, a line each."""
    if len(arguments) != 2:
        end("usage: python -m paper_figs.all TABLES_FOLDER OUT_FOLDER")
    with errors_in_one_line():
        for line in draw_all(Path(arguments[0]), Path(arguments[1])):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
