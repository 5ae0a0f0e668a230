"""A file of JSON lines, one a record, that a killed process leaves in order.

1. A line is an object whose first field is the version of its format; the field's name says what the file is.
2. Lines that belong together are appended with a single write, and are on disk afterwards.
3. A last line without its end was cut off when a process was killed. It counts as missing, and the next writer
   cuts it away. Writers take turns by a lock on the file, readers share it; the system drops the lock of one
   that dies.
4. Any other line that is no record is an error: the file is another one, or it was damaged.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teltheory.errors import FileError
from teltheory.input_files import check_file, reported
from teltheory.whole_files import check_place


@dataclass(frozen=True)
class Records:
    """Records in a file.

    Attributes
    ----------
    path : Path
        The file; it is made by the first record that is appended.
    version_field : str
        First field of each record, whose value is the version of its format.
    kind : str
        What a record is, for errors: "a record of a sweep".
    """

    path: Path
    version_field: str
    kind: str

    def check_place(self) -> None:
        """Check that the file can be made or appended to.

        Raises
        ------
        FileError
            Where it can't.
        """
        path = self.path
        check_place(path, "for the store")
        if path.exists():
            check_file(path, "a file for the store")
        if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise FileError(f"{path}: Permission denied, expected a file that can be written")

    def read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield number of the line and record; a line that was cut off at the end is not there.

        Raises
        ------
        FileError
            For a line that is no record, or a file that can't be read.
        """
        if not self.path.exists():
            return
        check_file(self.path, "a file for the store")
        with (
            reported(self.path, "a file for the store"),
            self.path.open("rb") as file,
            locked(file.fileno(), shared=True),
        ):
            content = file.read()
        *lines, last = content.split(b"\n")
        if last and not self._is_cut_off(last):
            raise self.damaged(len(lines) + 1, "a line that is no record")
        for number, line in enumerate(lines, start=1):
            yield number, self._object(number, line)

    def _is_cut_off(self, line: bytes) -> bool:
        """Whether a line is the beginning of a record."""
        start = f'{{"{self.version_field}": '.encode()
        return start.startswith(line) or re.match(re.escape(start) + rb"\d+([,}]|$)", line) is not None

    def _object(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise self.damaged(number, "a line that is no JSON") from None
        version = record.get(self.version_field) if isinstance(record, dict) else None
        if type(version) is not int:
            raise self.damaged(number, f"a line without {self.version_field!r}")
        return dict(record)

    def damaged(self, number: int, found: str) -> FileError:
        """Return the error about a line that is no record."""
        return FileError(f"{self.path}, line {number}: found {found}, expected {self.kind}")

    def append(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Append records; they are on disk afterwards.

        Raises
        ------
        FileError
            Where that fails; what was there before stays as it was.
        """
        lines = "".join(json.dumps(record, allow_nan=False) + "\n" for record in records).encode()
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                _append(file, lines)
            finally:
                os.close(file)
        except OSError as error:
            message = f"{self.path}: {error.strerror or error}, expected a file that can be written"
            raise FileError(message) from None


def _append(file: int, lines: bytes) -> None:
    with locked(file):
        end = cut_away_unfinished(file)
        if os.write(file, lines) != len(lines):
            os.ftruncate(file, end)
            raise OSError(None, "No space for a whole record")
        os.fsync(file)


def cut_away_unfinished(file: int) -> int:
    """Cut away a last line without its end; return where the file ends now."""
    size = end = os.lseek(file, 0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 4096)
        os.lseek(file, start, os.SEEK_SET)
        newline = os.read(file, end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)
    return end


@contextmanager
def locked(file: int, *, shared: bool = False) -> Iterator[None]:
    """Keep writers out, and readers unless it is shared; without such locks one at a time must write to a file."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
