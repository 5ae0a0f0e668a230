r"""Run the blocks of the documents and compare what they print: a plugin of pytest, made of Sybil's parsers.

    python -m pytest -p documents.blocks README.md docs

1. Python blocks run as doctests, one session per document; `<!-- skip: next -->` leaves the next one out.
2. Fences of `console` are a session at a terminal, run in a copy of the project's sources beside the data: after
   `$ ` a command, which goes on below a `\` at the end of its line, then what it prints. A line `[...]` stands
   for any number of lines; times (`in 1.2s`), versions and lines of progress are not compared.
3. `<!-- printed by: COMMAND -->` says which command prints the fence or table below it, or all of them above
   `<!-- printed until here -->`. Their lines stand together in what it prints; the heading of a table may be
   missing there, or stand above other rows. Beside it, `<!-- machine -->` says that the numbers depend on the
   machine, so nothing is compared, and `<!-- slow -->` that the command takes minutes: it runs if
   TELTHEORY_DOCUMENTS holds "slow".

If TELTHEORY_DOCUMENTS holds "reprint", blocks of kinds 2 and 3 that differ are written anew into the document.
"""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from teltheory.workloads import data_folder

ROOT = Path(__file__).parents[1]
SOURCES = ("teltheory", "tests", "docs", "proofs_checks", "pyproject.toml")
DATA = re.compile(r"\.\./shared/data/([\w./-]+)")
MARK = re.compile(r"^<!-- printed by: (.*) -->\n(?:\s*<!-- (machine|slow) -->\n)?", re.MULTILINE)
UNTIL_HERE = "<!-- printed until here -->"
STEP = re.compile(r"\$ ((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", re.DOTALL)
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```$|^((?:\|[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"^teltheory: (?:.*, \d+ s|loading .*, which takes more than a second)$", re.MULTILINE)
NOT_COMPARED = re.compile(r"(?<= in )\d+\.\d+s\b|\b\d+\.\d+\.\d+\b")


class Shown(NamedTuple):
    """A block that a command prints."""

    command: str
    text: str
    table: bool
    slow: bool


def printed_blocks(document: Document) -> Iterator[Region]:
    """Yield each block that is marked with its command, unless it depends on the machine."""
    marks = list(MARK.finditer(document.text))
    ends = [*(mark.start() for mark in marks), len(document.text)][1:]
    for mark, end in zip(marks, ends, strict=True):
        until = document.text.find(UNTIL_HERE, mark.end(), end)
        blocks = list(BLOCK.finditer(document.text, mark.end(), end if until < 0 else until))
        for block in blocks[:1] if until < 0 else blocks:
            at = 1 if block[1] is not None else 2
            shown = Shown(mark[1], block[at], at == 2, mark[2] == "slow")
            if mark[2] != "machine":
                yield Region(*block.span(at), shown, is_printed)


def is_printed(example: Example) -> str | None:
    """Compare a block with what its command prints in an empty folder beside the data."""
    shown: Shown = example.parsed
    if shown.slow and not asked("slow"):
        pytest.skip("takes minutes")
    skip_without_data(shown.command)
    code, output = in_empty_folder(shown.command)
    if code:
        return f"{shown.command}\nended with {code}: {output.strip()[-300:]}"
    fault = difference(shown.text, output, shown.table)
    if fault and asked("reprint"):
        heading = 2 if shown.table and lines(shown.text)[0] not in lines(output) else 0
        fault = reprint(example, shown.text, output.splitlines(), heading)
    return fault and f"{shown.command}\n{fault}"


@cache
def in_empty_folder(command: str) -> tuple[int, str]:
    """Return a command's exit code and what it prints, run once, with the data folder where documents have it."""
    with TemporaryDirectory() as folder:
        return in_shell(f"set -euo pipefail; {command}", beside_data(folder), subprocess.PIPE)


def skip_without_data(command: str) -> None:
    """Skip what names a file that the data folder does not have."""
    for name in DATA.findall(command):
        if not (data_folder() / name).exists():
            pytest.skip(f"the data folder has no {name}")


def beside_data(folder: str) -> Path:
    """Make an empty folder in another one, such that the data is where documents have it."""
    here, shared = Path(folder, "here"), Path(folder, "shared")
    here.mkdir()
    shared.mkdir()
    (shared / "data").symlink_to(data_folder().absolute(), target_is_directory=True)
    return here


def in_shell(command: str, folder: Path, errors: int = subprocess.STDOUT) -> tuple[int, str]:
    """Return a command's exit code and what it prints, its errors among that, or only if it fails."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    without_width = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**without_width, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout if done.returncode == 0 else done.stdout + (done.stderr or "")


def difference(text: str, output: str, table: bool = False) -> str | None:
    """Return how a block differs from what a command prints, None if its lines stand there together."""
    shown, said = lines(text), lines(output)
    if not shown:
        return "shows nothing"
    if together(shown, said) or (table and shown[2:] and together(shown[2:], said)):
        return None
    if table and shown[0] not in said:
        shown = shown[2:]
    missing = next((line for line in shown if line not in said), None)
    return "shows its lines in another order" if missing is None else f"shows {missing!r}, which is not printed"


def together(shown: Sequence[str], said: Sequence[str]) -> bool:
    """Whether lines stand there one below the other."""
    return any(said[at : at + len(shown)] == shown for at in range(len(said)))


def lines(text: str) -> list[str]:
    """Return the lines that are not empty, without spaces at their ends."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def session(example: Example) -> str | None:
    """Run the commands of a fence of `console` and compare what they print."""
    skip_without_data(example.parsed.text)
    if "folder" not in example.namespace:
        example.namespace["folder"] = copied_sources()
    folder = Path(example.namespace["folder"].name, "here")
    told, fault = [], None
    for step in re.split(r"^(?=\$ )", example.parsed.text, flags=re.MULTILINE)[1:]:
        command, shown = split(step)
        said = PROGRESS.sub("", in_shell(command, folder)[1])
        same = agrees(shown, said)
        told.append(step if same else f"$ {command}\n{said.rstrip()}\n")
        fault = fault or (None if same else f"{command}\nprinted is\n{said}")
    if fault and asked("reprint"):
        return reprint(example, example.parsed.text, "".join(told).splitlines(), 0)
    return fault


def split(step: str) -> tuple[str, str]:
    """Return the command of a step of a session, and what it prints."""
    command, shown = STEP.fullmatch(step).groups()  # type: ignore[union-attr]  # it begins with `$ `
    return command, shown


def copied_sources() -> TemporaryDirectory[str]:
    """Return a folder, in which the folder `here` has the project's sources."""
    folder = TemporaryDirectory()
    here = beside_data(folder.name)
    for name in SOURCES:
        source, target = ROOT / name, here / name
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, ignore=ignored) if source.is_dir() else shutil.copy(source, target)
    return folder


def agrees(shown: str, said: str) -> bool:
    """Whether a document shows what was printed, except for times, versions and lines that it leaves out."""
    wanted = [".*" if line == "[...]" else re.escape(NOT_COMPARED.sub("?", line)) for line in lines(shown)]
    printed = "\n".join(NOT_COMPARED.sub("?", line) for line in lines(said))
    return re.fullmatch("\n".join(wanted), printed, re.DOTALL) is not None


def asked(what: str) -> bool:
    """Whether TELTHEORY_DOCUMENTS holds a word."""
    return what in os.environ.get("TELTHEORY_DOCUMENTS", "").split(",")


def reprint(example: Example, shown: str, said: Sequence[str], heading: int) -> str | None:
    """Write into the document what is printed today; return why it can't be."""
    old = shown.splitlines()[heading:]
    part = [line.rstrip() for line in said if line.strip() or not heading]
    starts = [at for at, line in enumerate(part) if old and line.rstrip() == old[0]]
    if example.parsed.__class__ is Shown:
        if not starts:
            return f"{old[:1]} is not printed: choose by hand what the document shows"
        part = part[starts[0] : starts[0] + len(old)]
    file = Path(example.path)
    new = "\n".join([*shown.splitlines()[:heading], *part]) + "\n"
    file.write_text(file.read_text("utf-8").replace(shown, new, 1), "utf-8")
    return None


pytest_collect_file = Sybil(
    parsers=[
        SkipParser(),
        PythonCodeBlockParser(doctest_optionflags=doctest.ELLIPSIS),
        CodeBlockParser("console", session),
        printed_blocks,
    ],
    path=str(ROOT),
    patterns=["README.md", "docs/*.md"],
).pytest()
