"""What the documents say that a command prints, and whether it prints that.

`<!-- printed by: COMMAND -->` marks a block of code or a table. `<!-- machine -->` beside it says that what is
printed depends on the machine, which is never compared; `<!-- slow -->` that the command takes minutes.

A block is up to date where its lines stand in what the command prints, one below the other; empty lines and spaces
at the ends of lines do not count. Of a table the first two lines, the heading, may be missing there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from documents.reading import Block, read_blocks

PRINTED_BY = "printed by: "
UNTIL_HERE = "<!-- printed until here -->"
DATA = "../shared/data/"


@dataclass(frozen=True)
class Printed:
    """A block that a command prints.

    Attributes
    ----------
    block : Block
        What the document shows.
    command : str
        The command, for a shell.
    machine, slow : bool
        Whether it depends on the machine, and whether it takes minutes.
    """

    block: Block
    command: str
    machine: bool
    slow: bool

    @property
    def place(self) -> str:
        """Document and line, as an editor reads them."""
        return self.block.place

    def fault(self, output: str) -> str | None:
        """Return what of the block is not in the output, in one line; None where all of it is."""
        said, shown = _lines(output), _lines(self.block.text)
        if self.block.kind == "table" and shown[0] not in said:
            shown = shown[2:]
        starts = [at for at in range(len(said)) if said[at : at + 1] == shown[:1]]
        if not starts:
            return f"expected {shown[:1]}, which the command does not print"
        return min((_difference(shown, said[at:]) for at in starts), key=lambda found: -found[0])[1]


def wanting(command: str, folder: Path) -> list[str]:
    """Return the files of the data folder that a command reads and that are not in `folder`."""
    names = re.findall(re.escape(DATA) + r"([\w.-]+)", command)
    return [name for name in dict.fromkeys(names) if not (folder / name).is_file()]


def printed_blocks(document: Path, name: str) -> list[Printed]:
    """Return the blocks of a document that are marked with their command."""
    lines = document.read_text(encoding="utf-8").splitlines()
    found: list[Printed] = []
    until = 0
    for block in read_blocks(document, name):
        said = [mark.removeprefix(PRINTED_BY) for mark in block.marks if mark.startswith(PRINTED_BY)]
        if said:
            marked = (said[-1], "machine" in block.marks, "slow" in block.marks)
            until = max(block.line, _end_of_mark(lines[block.line :], block.line))
        if block.kind != "indented" and block.line <= until:
            found.append(Printed(block, *marked))
    return found


def _end_of_mark(below: Sequence[str], line: int) -> int:
    """Return the line of the end below a marked block, 0 where there is none before the next mark."""
    for number, text in enumerate(below, line + 1):
        if text == UNTIL_HERE:
            return number
        if text.startswith(f"<!-- {PRINTED_BY}"):
            break
    return 0


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _difference(shown: Sequence[str], said: Sequence[str]) -> tuple[int, str | None]:
    """Return how many lines agree from the beginning, and the first that does not; None where all do."""
    for number, line in enumerate(shown):
        printed = said[number] if number < len(said) else "nothing"
        if printed != line:
            return number, f"line {number + 1} shows {line!r}, the command prints {printed!r}"
    return len(shown), None
