"""Whether two runs of `make reproduce` give the same files, byte for byte, and print the same.

    python -m release.same_bytes [FIRST SECOND]

compares two folders; without them it runs `teltheory reproduce` twice, into two temporary folders, and compares
what it wrote and what it printed. Names every file that differs, with the first byte that does, and the line where
there are lines; the exit code is 1 where one does, or where there is nothing to compare.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

from teltheory.errors import shown
from teltheory.workloads import data_folder

PRINTED = "printed.txt"


def differences(first: Path, second: Path) -> Iterator[str]:
    """Yield a line for each file that is in one folder alone or is not the same in both."""
    here, there = files(first), files(second)
    if not here | there:
        yield f"{first} and {second}: found no file, expected some to compare"
    for name in sorted(here | there):
        if name not in here or name not in there:
            yield f"{name}: only in {second if name not in here else first}"
            continue
        one, other = (first / name).read_bytes(), (second / name).read_bytes()
        place = first_difference(one, other)
        if place is not None:
            yield f"{name}: differs from byte {place:,} on{lines_at(one, other, place)}"


def files(folder: Path) -> set[str]:
    """Return the names of the files in a folder and its folders."""
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def first_difference(one: bytes, other: bytes) -> int | None:
    """Return where two texts first differ, counted from 0; None where they do not."""
    if one == other:
        return None
    return next(place for place, (a, b) in enumerate(zip_longest(one, other)) if a != b)


def lines_at(one: bytes, other: bytes, place: int) -> str:
    """Return where two texts differ as a line and what stands there in both; nothing where one is not text."""
    try:
        texts = [content.decode("utf-8") for content in (one, other)]
    except UnicodeDecodeError:
        return ""
    line = one.count(b"\n", 0, place)
    found = [shown("".join(text.split("\n")[line : line + 1])) for text in texts]
    return f" (line {line + 1}: {' and '.join(found)})"


def reproduced(folder: Path) -> Path:
    """Run `teltheory reproduce` in a folder and return it, with what it wrote and what it printed."""
    folder.mkdir()
    command = [sys.executable, "-m", "teltheory", "reproduce", "--out", "out"]
    environment = {**os.environ, "TELTHEORY_DATA": str(data_folder().absolute())}
    with (folder / PRINTED).open("wb") as printed:
        done = subprocess.run(command, cwd=folder, env=environment, stdout=printed, check=False)
    if done.returncode:
        sys.exit(f"teltheory reproduce ended with {done.returncode}, expected 0")
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="two, or none")
    given = parser.parse_args(arguments).folders
    if len(given) not in (0, 2):
        parser.error(f"found {len(given)} folder, expected two or none")
    with TemporaryDirectory() as temporary:
        first, second = given or [reproduced(Path(temporary, name)) for name in ("first", "second")]
        found = list(differences(first, second))
        number = len(files(first))
    sys.stdout.writelines(line + "\n" for line in found)
    sys.stdout.write(f"{number} files, {len(found)} differ\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
