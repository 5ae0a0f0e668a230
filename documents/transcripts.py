"""Sessions at a terminal in the documents: run them again, and compare or write what they print.

    python -m documents.transcripts docs/first-half-hour-engineer.md

writes the document anew, with what its commands print today. A transcript is all fences of `console` in a
document, run in one folder, a copy of the project's sources: lines that begin with a dollar sign and a space are
commands, the lines below each what it prints, standard output and errors together. A line `[...]` stands for any
number of lines. How long something took (`in 1.2s`) and versions are not compared.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from os import chdir, environ, pathsep
from pathlib import Path
from shlex import split
from tempfile import TemporaryDirectory

from documents.reading import Block, read_blocks

ROOT = Path(__file__).parents[1]
SOURCES = ("teltheory", "tests", "docs", "proofs_checks", "pyproject.toml")
CONSOLE = "console"
SOME_LINES = "[...]"
_TIMES = (re.compile(r"(?<= in )\d+\.\d+s\b"), re.compile(r"\b\d+\.\d+\.\d+\b"))


@dataclass(frozen=True)
class Step:
    """A command of a transcript, the line it stands in, and what the document says that it prints."""

    line: int
    command: str
    shown: tuple[str, ...]


def consoles(document: Path) -> list[Block]:
    """Return the fences of `console` in a document."""
    return [block for block in read_blocks(document) if block.language == CONSOLE]


def steps(block: Block) -> Iterator[Step]:
    """Yield the commands of a fence, each with the lines below it."""
    lines = block.text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Step(block.line + start, lines[start][2:], tuple(lines[start + 1 : end]))


def run_in_copy(blocks: list[Block]) -> Iterator[tuple[Step, list[str]]]:
    """Run the commands of a transcript in one copy of the sources; yield each with the lines that it printed."""
    with TemporaryDirectory() as folder:
        for name in SOURCES:
            source, target = ROOT / name, Path(folder) / name
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
        for block in blocks:
            for step in steps(block):
                yield step, printed(step.command, Path(folder))


def printed(command: str, folder: Path) -> list[str]:
    """Return the lines that a command prints in a folder, without spaces at their ends."""
    plain = command.startswith("teltheory ") and not set(command) & set("|<>;&$*")
    text = _in_process(command, folder) if plain else _in_shell(command, folder)
    return [line.rstrip() for line in text.rstrip().splitlines()]


def _in_process(command: str, folder: Path) -> str:
    from teltheory.cli import main

    said, before = StringIO(), Path.cwd()
    chdir(folder)
    try:
        with redirect_stdout(said), redirect_stderr(said):
            main(split(command)[1:])
    except SystemExit:
        pass
    finally:
        chdir(before)
    return said.getvalue()


def _in_shell(command: str, folder: Path) -> str:
    path = pathsep.join([str(Path(sys.executable).parent), environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def agrees(shown: tuple[str, ...], said: list[str]) -> bool:
    """Whether a document shows what was said, but for times, versions and lines that it leaves out."""
    wanted = [".*" if line.strip() == SOME_LINES else re.escape(_without_times(line)) for line in shown]
    return re.fullmatch("\n".join(wanted), "\n".join(map(_without_times, said)), re.DOTALL) is not None


def _without_times(line: str) -> str:
    for pattern in _TIMES:
        line = pattern.sub("?", line.rstrip())
    return line


def written_anew(document: Path, run: Callable[[list[Block]], Iterator[tuple[Step, list[str]]]]) -> str:
    """Return a document with what its commands print; a step that leaves lines out and agrees stays as it is."""
    lines = document.read_text(encoding="utf-8").splitlines()
    found = list(run(consoles(document)))
    for step, said in reversed(found):
        if not agrees(step.shown, said):
            lines[step.line : step.line + len(step.shown)] = said
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Write documents anew."""
    if not arguments:
        sys.exit("usage: python -m documents.transcripts DOCUMENT.md ...")
    for name in arguments:
        document = Path(name)
        document.write_text(written_anew(document, run_in_copy), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
