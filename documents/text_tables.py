"""Tables in a text, Markdown's or a terminal's, as columns of cells.

1. A Markdown table is a heading, a line of dashes between bars, and the lines with bars below.
2. A terminal's table is a heading above a line of ─ and the lines below, up to an empty line or to one in which a
   cell stands under no heading. Cells are parted by two spaces or more. A cell belongs to the heading that ends
   where it ends, or begins where it begins. The line above the heading is the table's caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

_CELL = re.compile(r"\S+(?: \S+)*")
_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")
_RULE = re.compile(r"^\|(?: *:?-+:? *\|)+$")


@dataclass(frozen=True)
class Table:
    """A table: its caption, empty where it has none, and its rows, from heading to text."""

    caption: str
    rows: tuple[dict[str, str], ...]

    def cells(self, column: str, labels: Sequence[str]) -> list[str]:
        """Return the cells of a column in all rows that have each label as a cell, or as a part of the caption."""
        return [
            row[column]
            for row in self.rows
            if row.get(column) and all(label in row.values() or label in self.caption for label in labels)
        ]


def number(text: str) -> Decimal:
    """Return the first number of a text, exactly.

    Raises
    ------
    ValueError
        For a text without one.
    """
    found = _NUMBER.search(text)
    if found is None:
        raise ValueError(f"found {text!r}, expected a number")
    return Decimal(found[0].replace(",", "").replace("−", "-"))


def tables_of(text: str) -> Iterator[Table]:
    """Yield the tables of a text, in order."""
    lines = text.splitlines()
    for at in range(1, len(lines)):
        if _RULE.match(lines[at]) and lines[at - 1].startswith("|"):
            yield _of_markdown(lines[at - 1], lines[at + 1 :])
        elif set(lines[at].strip()) == {"─"}:
            yield _of_terminal(lines[at - 2] if at > 1 else "", lines[at - 1], lines[at + 1 :])


def _of_markdown(heading: str, below: Sequence[str]) -> Table:
    names = _told_apart(_between_bars(heading))
    rows = []
    for line in below:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(names, _between_bars(line), strict=False)))
    return Table("", tuple(rows))


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return headings, with a number at those that stood there before: "closed", "closed (2)"."""
    counts = [names[: at + 1].count(name) for at, name in enumerate(names)]
    return [name if count == 1 else f"{name} ({count})" for name, count in zip(names, counts, strict=True)]


def _between_bars(line: str) -> list[str]:
    return [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]


def _of_terminal(caption: str, heading: str, below: Sequence[str]) -> Table:
    headings = list(_CELL.finditer(heading))
    names = _told_apart([found[0] for found in headings])
    ends = {found.end(): name for found, name in zip(headings, names, strict=True)}
    starts = {found.start(): name for found, name in zip(headings, names, strict=True)}
    rows = []
    for line in below:
        named = [(ends.get(c.end()) or starts.get(c.start()), c[0]) for c in _CELL.finditer(line)]
        if not named or None in (name for name, _ in named):
            break
        rows.append({str(name): text for name, text in named})
    return Table(caption.strip(), tuple(rows))
