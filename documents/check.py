"""Hold what the documents show against what their commands print today.

    python -m documents.check [--slow] [DOCUMENT.md ...]

runs each command that marks a block (`documents.printed`) once, in an empty folder beside the data folder, and
names every block that is not what was printed: document, line, the first line that differs. Sentences that mark
what they say of a table (`documents.sentences`) are held against it. With ``--slow`` commands that take minutes
are run too. What depends on the machine is left out, and what needs a file that the data folder has not; both are
counted. The exit code is 1 where a block or a sentence is out of date or a command fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from documents.printed import Printed, printed_blocks, wanting
from documents.reading import documents
from documents.sentences import Sentence, sentences
from teltheory.workloads import data_folder

ROOT = Path(__file__).parents[1]


def run(command: str, data: Path) -> tuple[int, str]:
    """Run a command in an empty folder with the data beside it, and return its exit code and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / "here"
        here.mkdir()
        (Path(folder) / "shared").mkdir()
        (Path(folder) / "shared" / "data").symlink_to(data, target_is_directory=True)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        done = subprocess.run(
            ["bash", "-c", f"set -euo pipefail; {command}"],
            cwd=here,
            env={**os.environ, "PATH": path, "TELTHEORY_DATA": str(data)},
            capture_output=True,
            text=True,
            check=False,
        )
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def reason_to_leave_out(shown: Printed | Sentence, slow: bool, data: Path) -> str | None:
    """Return why a block or a sentence is not compared, None where it is."""
    if shown.machine:
        return "depends on the machine"
    if shown.slow and not slow:
        return "takes minutes: --slow"
    missing = wanting(shown.command or "", data)
    return f"the data folder has no {missing[0]}" if missing else None


def check(
    shown: Iterable[Printed | Sentence], slow: bool, data: Path
) -> Iterator[tuple[Printed | Sentence, str, str | None]]:
    """Yield each block or sentence with "left out", "as printed" or "STALE", and the reason or the difference."""
    outputs: dict[str, tuple[int, str]] = {}
    for one in shown:
        reason = reason_to_leave_out(one, slow, data)
        if reason:
            yield one, "left out", reason
            continue
        if one.command and one.command not in outputs:
            outputs[one.command] = run(one.command, data)
        fault = _fault(one, outputs)
        yield one, "STALE" if fault else "as printed", fault


def _fault(shown: Printed | Sentence, outputs: Mapping[str, tuple[int, str]]) -> str | None:
    if shown.command is None:
        return shown.fault()
    code, output = outputs[shown.command]
    return shown.fault(output) if code == 0 else f"the command ended with {code}: {output.strip()[-300:]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the documents, print a line a block, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="*", type=Path, help="all of them when left out")
    parser.add_argument("--slow", action="store_true", help="also run what takes minutes")
    given = parser.parse_args(arguments)
    files = given.documents or documents(ROOT)
    shown = [found for file in files for found in shown_by(file)]
    counts = {"as printed": 0, "left out": 0, "STALE": 0}
    for one, state, why in check(shown, given.slow, data_folder().absolute()):
        counts[state] += 1
        sys.stdout.write(f"{one.place}: {state}{f', {why}' if why else ''}: {one.command or 'a sentence'}\n")
        sys.stdout.flush()
    sys.stdout.write(", ".join(f"{number} {state}" for state, number in counts.items()) + "\n")
    return int(counts["STALE"] > 0)


def shown_by(document: Path) -> list[Printed | Sentence]:
    """Return the marked blocks of a document, then its marked sentences."""
    name = _name(document)
    return [*printed_blocks(document, name), *sentences(document, name)]


def _name(file: Path) -> str:
    """Return a document's name from the project's folder, or as it was given."""
    return str(file.absolute().relative_to(ROOT)) if file.absolute().is_relative_to(ROOT) else str(file)


if __name__ == "__main__":
    sys.exit(main())
