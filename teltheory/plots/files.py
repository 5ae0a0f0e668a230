"""The files that figures are saved as, and the LaTeX that shows them in a paper."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from teltheory.base.whole_files import write_whole
from teltheory.errors import FileError
from teltheory.plots.latex import escaped
from teltheory.plots.style import COLUMN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = "% Made by teltheory: do not edit."
WIDEST_COLUMN = COLUMN + 0.1


def write_figure(target: str, figure: Figure) -> None:
    """Write a figure to a file, whole or not at all; its ending names the format, and no date goes in."""
    drawn = figure_bytes(figure, Path(target).suffix[1:])
    write_whole(Path(target), lambda beside: beside.write_bytes(drawn))


def figure_bytes(figure: Figure, form: str) -> bytes:
    """Return a figure as a file of a format, such as svg; no date goes in."""
    import matplotlib as mpl

    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
    drawn = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "teltheory", "pdf.fonttype": 42}):
        figure.savefig(drawn, format=form, dpi=200, metadata=undated)
    return drawn.getvalue()


def beside(target: str) -> Path:
    """Return the name of the LaTeX beside a figure."""
    return Path(target).with_suffix(".tex")


def check_snippet(target: str) -> Path:
    """Return the name of the LaTeX beside a figure; a file of that name that is not ours is an error."""
    file = beside(target)
    if file.exists() and OURS not in file.read_text(encoding="utf-8", errors="replace"):
        raise FileError(f"{file}: found a file that is not ours, expected another name for the figure beside it")
    return file


def write_snippet(target: str, figure: Figure, caption: str) -> None:
    """Write the LaTeX that shows a figure beside it."""
    text = snippet(Path(target), figure.get_figwidth(), caption)
    write_whole(check_snippet(target), lambda file: file.write_text(text, encoding="utf-8"))


def snippet(file: Path, width: float, caption: str) -> str:
    """Return LaTeX that shows a figure in its own size, so that letters have the size that they were drawn in.

    Parameters
    ----------
    file : Path
        The figure; the ending is left to LaTeX.
    width : float
        Its width in inches: what is wider than a column stands across both.
    caption : str
        Plain text.
    """
    place = "figure" if width <= WIDEST_COLUMN else "figure*"
    lines = [
        OURS,
        r"% Needs \usepackage{graphicx}; \input it where the figure is to stand.",
        rf"\begin{{{place}}}",
        r"\centering",
        rf"\includegraphics{{{file.stem}}}",
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{fig:{re.sub('[^A-Za-z0-9]+', '-', file.stem)}}}",
        rf"\end{{{place}}}",
    ]
    return "\n".join(lines) + "\n"
