"""Text files in UTF-8, compressed or not, whose lines have a longest length."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from teltheory.errors import FileError

LONGEST_LINE = 1 << 26
COMPRESSED = (".gz", ".zst")


def opened_bytes(path: Path) -> Any:
    """Open a file that may be compressed, as its name says."""
    ending = path.suffix.lower()
    if ending == ".gz":
        return gzip.open(path)
    if ending == ".zst":
        import pyarrow as pa

        return pa.input_stream(str(path), compression="zstd")
    return path.open("rb")


def opened_text(path: Path) -> TextIO:
    """Open a text file in UTF-8 that may be compressed."""
    return io.TextIOWrapper(opened_bytes(path), encoding="utf-8-sig", newline="")


def lines_of(path: Path, file: TextIO) -> Iterator[str]:
    """Yield the lines of an open file; one that is longer than any record is a FileError."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            expected = f"at most {LONGEST_LINE:,} characters in a line"
            raise FileError(f"{path}, line {number}: found more, expected {expected}")
        yield line
