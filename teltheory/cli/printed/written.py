"""What a command writes besides what it prints: JSON, its rows as CSV, and its tables as LaTeX."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from types import MappingProxyType
from typing import Any

from rich.table import Table

from teltheory.cli.asked.options import bundled, table_options
from teltheory.cli.parts import option
from teltheory.cli.printed.output import check_targets, console, show, write_json, write_text
from teltheory.cli.printed.tables import FittingTable
from teltheory.plots.latex import table_of
from teltheory.sweep.cells import columns_of


@dataclass(frozen=True)
class Written:
    """Files to write, None for none and ``-`` for standard output, on which nothing is printed then."""

    target: str | None = None
    csv: str | None = None
    latex: str | None = None

    @property
    def aloud(self) -> bool:
        """Whether standard output is free for tables."""
        return "-" not in (self.target, self.csv, self.latex)

    def check(self, others: Mapping[str, str | None] = MappingProxyType({})) -> None:
        """Check, before long work, that these files and others can be written, each to a place of its own."""
        check_targets({"--json": self.target, "--csv": self.csv, "--latex": self.latex, **others})

    def report(self, parts: Iterable[str | Table], data: Mapping[str, Any]) -> None:
        """Print what a command found, unless standard output takes a file, and write the files."""
        shown = list(parts)
        if self.aloud:
            show(console(), *shown)
        self.write(shown, data)

    def write(self, parts: Iterable[str | Table], data: Mapping[str, Any]) -> None:
        """Write the files: JSON of the data, CSV of its rows, LaTeX of the tables among the parts."""
        if self.target is not None:
            write_json(self.target, data)
        if self.csv is not None:
            write_text(self.csv, as_csv(data["rows"]))
        if self.latex is not None:
            write_text(self.latex, "\n".join(as_latex(one) for one in parts if isinstance(one, FittingTable)))


written_options = bundled(
    "written",
    Written,
    table_options,
    option("--csv", metavar="FILE", help="Also write all rows as CSV to FILE, or to standard output for -."),
    option("--latex", metavar="FILE", help="Also write the tables as LaTeX to FILE, or to standard output for -."),
)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, in the columns of `teltheory.sweep.Cells`; a list in a cell is JSON."""
    columns, text = columns_of(rows), StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    table.writerows([*map(_cell, row)] for row in zip(*columns.values(), strict=True))
    return text.getvalue()


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, tuple)) else value


def as_latex(table: FittingTable) -> str:
    """Return a table as LaTeX."""
    return table_of(*table.plain)
