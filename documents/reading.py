"""A document as data: its blocks of code, its tables, the marks above them, and the commands that it names.

1. A *fence* is the text between two lines of three backticks. Lines indented by four spaces after an empty line
   are a block too.
2. A *table* is a run of lines that begin with a bar.
3. A *mark* is an HTML comment on a line of its own. It belongs to the next block below it, other comments, empty
   lines and the tags of `<details>` aside; `<!-- printed by: COMMAND -->` belongs to all blocks above
   `<!-- printed until here -->` where that comes before the next such mark.
4. A *command* is a line of an indented block or, after a dollar sign, of a fence of `console`, that begins with a
   program: `teltheory`, `python`, `make`, ...; or such text in backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("teltheory", "python", "make", "pip", "dask", "mkdocs")
_COMMENT = re.compile(r"^<!-- (.*) -->$")
_PROGRAM = re.compile(rf"^((?:[A-Z_]+=\S+ )*)(?:\.venv/bin/)?({'|'.join(PROGRAMS)})(?= |$)")


@dataclass(frozen=True)
class Block:
    """A block of a document.

    Attributes
    ----------
    document : str
        Path of the document.
    line : int
        Of its first line of text, counted from 1.
    kind : str
        "fence", "indented" or "table".
    language : str
        Of a fence, empty where it has none.
    text : str
        Its lines, without fences and indentation.
    marks : tuple of str
        The comments above it, without their arrows.
    """

    document: str
    line: int
    kind: str
    language: str
    text: str
    marks: tuple[str, ...]

    @property
    def place(self) -> str:
        """Document and line, as an editor reads them."""
        return f"{self.document}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command of a document: where, its text without ``.venv/bin/``, whether it is in the midst of a line."""

    document: str
    line: int
    text: str
    inline: bool = False

    @property
    def place(self) -> str:
        """Document and line, as an editor reads them."""
        return f"{self.document}:{self.line}"


def documents(root: Path) -> list[Path]:
    """Return the README and every page of `docs`, sorted."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def read_blocks(document: Path, name: str | None = None) -> list[Block]:
    """Return the blocks of a document in order."""
    lines = document.read_text(encoding="utf-8").splitlines()
    found: list[Block] = []
    marks: list[str] = []
    at = 0
    while at < len(lines):
        comment = _COMMENT.match(lines[at])
        kind = None if comment else _kind(lines, at)
        end = _end(lines, at, kind) if kind else at + 1
        if comment:
            marks.append(comment[1])
        elif kind:
            found.append(_block(name or str(document), lines, at, end, kind, tuple(marks)))
        if kind or _parts(lines[at]):
            marks = []
        at = end
    return found


def mark_of(line: str) -> str | None:
    """Return the mark that a line is, None where it is none."""
    found = _COMMENT.match(line)
    return found[1] if found else None


def _parts(line: str) -> bool:
    """Whether a line parts a mark above it from a block below it."""
    return bool(line.strip()) and not line.lstrip().startswith(("<!--", "<details", "</details", "<summary"))


def _kind(lines: list[str], at: int) -> str | None:
    line = lines[at]
    if line.startswith("```"):
        return "fence"
    if line.startswith("|"):
        return "table"
    after_empty = at == 0 or not lines[at - 1].strip() or _COMMENT.match(lines[at - 1])
    return "indented" if line.startswith("    ") and line.strip() and after_empty else None


def _end(lines: list[str], at: int, kind: str) -> int:
    """Return the index behind a block that begins at `at`."""
    end = at + 1
    if kind == "fence":
        while end < len(lines) and not lines[end].startswith("```"):
            end += 1
        return end + 1
    start = "|" if kind == "table" else "    "
    while end < len(lines) and lines[end].startswith(start):
        end += 1
    return end


def _block(document: str, lines: list[str], at: int, end: int, kind: str, marks: tuple[str, ...]) -> Block:
    if kind == "fence":
        body = "\n".join(lines[at + 1 : end - 1])
        return Block(document, at + 2, kind, lines[at][3:].strip(), body, marks)
    body = "\n".join(line[4 * (kind == "indented") :] for line in lines[at:end])
    return Block(document, at + 1, kind, "", body, marks)


def commands(document: Path, name: str | None = None) -> list[Command]:
    """Return the commands of a document in order: first those of its blocks, then those in the midst of lines."""
    found = [
        Command(block.document, block.line + number, text)
        for block in read_blocks(document, name)
        for number, line in enumerate(block.text.splitlines())
        for text in _commands_of(block, line)
    ]
    return found + list(_inline(document, name or str(document)))


def _commands_of(block: Block, line: str) -> Iterator[str]:
    text = line
    if block.kind == "fence" and block.language == "console":
        if not line.startswith("$ "):
            return
        text = line[2:]
    elif block.kind != "indented":
        return
    if _PROGRAM.match(text):
        yield plain(text)


def plain(text: str) -> str:
    """Return a command without ``.venv/bin/`` and what follows a number sign."""
    return re.sub(r"\s+#\s.*", "", text.replace(".venv/bin/", "")).strip()


def _inline(document: Path, name: str) -> Iterator[Command]:
    fenced = False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        fenced ^= line.startswith("```")
        if fenced or line.startswith(("    ", "<!--")):
            continue
        for text in re.findall(r"`([^`]+)`", line):
            if _PROGRAM.match(text) and " " in text:
                yield Command(name, number, plain(text), inline=True)
