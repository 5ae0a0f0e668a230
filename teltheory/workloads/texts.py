"""Text files, compressed or not, with never more than one record in memory: a bomb is refused, not unpacked."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TextIO

from teltheory.errors import FileError

LONGEST_RECORD = 1 << 26
MOST_UNPACKED = 1 << 28
MOST_TIMES = 200
COMPRESSED = (".gz", ".zst")


class Text:
    """A text file in UTF-8 that is being read.

    Parameters
    ----------
    path : Path
        The file.
    file : TextIO
        What it holds, unpacked.
    """

    def __init__(self, path: Path, file: TextIO) -> None:
        self.path, self._file = path, file
        self._most = _most_characters(path)
        self._read, self._of_record, self._line = 0, 0, 0

    def lines(self) -> Iterator[str]:
        """Yield the lines, each a record."""
        for line in self.lines_of_records():
            self._of_record = 0
            yield line

    def lines_of_records(self) -> Iterator[str]:
        """Yield the lines; whoever makes records of them calls `next_record` after each.

        Raises
        ------
        FileError
            Where a record is too long, or the file was compressed more than any log is.
        """
        longest = LONGEST_RECORD
        while line := self._file.readline(longest + 1):
            self._line += 1
            self._read += len(line)
            self._of_record += len(line)
            if self._of_record > longest or self._read > self._most:
                self.check_record(self._of_record, f"line {self._line}")
                self._check_whole()
            yield line

    def next_record(self) -> None:
        """Begin a record."""
        self._of_record = 0

    def read(self, size: int) -> str:
        """Return the next `size` characters, fewer at the end."""
        text = self._file.read(size)
        self._read += len(text)
        self._check_whole()
        return text

    def check_record(self, characters: int, place: str) -> None:
        """Raise a `FileError` where a record has more characters than any has."""
        if characters > LONGEST_RECORD:
            expected = f"at most {LONGEST_RECORD:,} characters in a record"
            raise FileError(f"{self.path}, {place}: found more, expected {expected}")

    def _check_whole(self) -> None:
        if self._read > self._most:
            expected = f"at most {MOST_TIMES} times what it has compressed, or {MOST_UNPACKED:,} characters"
            raise FileError(f"{self.path}: found more than {self._most:,} characters, expected {expected}")


def _most_characters(path: Path) -> float:
    if path.suffix.lower() not in COMPRESSED:
        return inf
    return max(MOST_UNPACKED, MOST_TIMES * path.stat().st_size)


@contextmanager
def opened_text(path: Path) -> Iterator[Text]:
    """Open a text file in UTF-8, compressed or not."""
    with _unpacked(path) as file:
        yield Text(path, file)


def _unpacked(path: Path) -> TextIO:
    ending = path.suffix.lower()
    if ending == ".gz":
        return io.TextIOWrapper(gzip.open(path), encoding="utf-8-sig", newline="")
    if ending == ".zst":
        import pyarrow as pa

        return io.TextIOWrapper(pa.input_stream(str(path), compression="zstd"), encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
