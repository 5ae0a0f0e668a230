"""Numbers in the sentences of the documents, held against the tables that they are taken from.

`<!-- says: P95 falls by {100 - min(cells("P95", "1,000")):.1f} % -->` above a paragraph or a list is what a
sentence there says, as the inside of an f-string. Filled in, it must stand in the text below, before the next
heading; line breaks, the kind of minus and bold letters do not count. In its braces are

- `cells(COLUMN, LABEL, ...)`: numbers of a table's column, of the rows that have each label as a cell or in the
  table's caption; the first number of a cell stands for it;
- `cell(...)`: the same where it is one number;
- `texts(...)`: the cells as they stand;
- `found(PATTERN)`: the numbers that the group of a regular expression (without backslashes) finds in a block;

of the nearest block above that has any, or else below. With `<!-- printed by: COMMAND -->` above the mark, they
are of what the command prints. Numbers are decimal and exact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from documents.printed import PRINTED_BY
from documents.reading import Block, mark_of, read_blocks
from documents.text_tables import number, tables_of

SAYS = "says: "
Numbers = list[Decimal]
Found = TypeVar("Found")


@dataclass(frozen=True)
class Sentence:
    """What a sentence says of tables.

    Attributes
    ----------
    document : str
        Path of the document.
    line : int
        Of the mark, counted from 1.
    template : str
        The inside of an f-string.
    below : str
        The document's text from the mark to the next heading.
    sources : tuple of str
        Texts of the blocks that numbers may come from, nearest first; none where a command has them.
    command : str or None
        The command that prints the numbers.
    machine, slow : bool
        Whether the command depends on the machine, and whether it takes minutes.
    """

    document: str
    line: int
    template: str
    below: str
    sources: tuple[str, ...]
    command: str | None = None
    machine: bool = False
    slow: bool = False

    @property
    def place(self) -> str:
        """Document and line, as an editor reads them."""
        return f"{self.document}:{self.line}"

    def fault(self, output: str | None = None) -> str | None:
        """Return why the text does not say what the tables have, in one line; None where it does."""
        try:
            wanted = filled(self.template, self.sources if output is None else (output,))
        except (LookupError, ValueError, ArithmeticError, TypeError, NameError, SyntaxError) as error:
            return f"{self.template!r} can't be filled in: {error}"
        if _plain(wanted) in _plain(self.below):
            return None
        return f"expected {wanted!r}, which does not stand in the text below"


def sentences(document: Path, name: str) -> list[Sentence]:
    """Return the marked sentences of a document, in order."""
    lines = document.read_text(encoding="utf-8").splitlines()
    blocks = read_blocks(document, name)
    found: list[Sentence] = []
    marks: list[str] = []
    for number_of_line, line in enumerate(lines, 1):
        mark = mark_of(line)
        marks = [*marks, mark] if mark else []
        if mark and mark.startswith(SAYS):
            command = [said.removeprefix(PRINTED_BY) for said in marks if said.startswith(PRINTED_BY)]
            found.append(
                Sentence(
                    name,
                    number_of_line,
                    mark.removeprefix(SAYS),
                    _below(lines[number_of_line:]),
                    _nearest(blocks, number_of_line),
                    command[-1] if command else None,
                    "machine" in marks,
                    "slow" in marks,
                )
            )
    return found


def filled(template: str, sources: Sequence[str]) -> str:
    """Return a template with its numbers, taken from the first of some texts that has any.

    Raises
    ------
    LookupError
        Where no text has what the template asks for, or `cell` finds several numbers.
    """

    def texts(column: str, *labels: str) -> list[str]:
        def of(source: str) -> list[str]:
            return [text for table in tables_of(source) for text in table.cells(column, labels)]

        return _first(of, sources, f"a cell of {column!r} at {labels}")

    def cells(column: str, *labels: str) -> Numbers:
        return [number(text) for text in texts(column, *labels)]

    def cell(column: str, *labels: str) -> Decimal:
        (only, *more) = cells(column, *labels)
        if more:
            raise LookupError(f"found {1 + len(more)} cells of {column!r} at {labels}, expected one")
        return only

    def found(pattern: str) -> Numbers:
        def of(source: str) -> Numbers:
            return [number(text) for text in re.findall(pattern, source, re.MULTILINE)]

        return _first(of, sources, f"what {pattern!r} finds")

    given = {"texts": texts, "cells": cells, "cell": cell, "found": found}
    return str(eval(f"f'''{template}'''", given))  # noqa: S307 - our own documents, whose blocks are run too


def _first(of: Callable[[str], list[Found]], sources: Sequence[str], what: str) -> list[Found]:
    for source in sources:
        if there := of(source):
            return there
    raise LookupError(f"no block has {what}")


def _nearest(blocks: Sequence[Block], line: int) -> tuple[str, ...]:
    """Return the blocks above a line, the nearest first, then those below it."""
    above = [block.text for block in reversed(blocks) if block.line < line]
    return (*above, *(block.text for block in blocks if block.line > line))


def _below(lines: Sequence[str]) -> str:
    """Return lines up to the next heading."""
    end = next((at for at, line in enumerate(lines) if line.startswith("#")), len(lines))
    return "\n".join(line for line in lines[:end] if mark_of(line) is None)


def _plain(text: str) -> str:
    """Return a text on one line, with one kind of minus and no bold letters."""
    return re.sub(r"\s+", " ", text.replace("−", "-").replace("*", "")).strip()
