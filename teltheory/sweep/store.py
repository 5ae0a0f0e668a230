"""The store of a sweep: a file of JSON lines, one a measurement, found again by what determines it.

1. A line is an object: the format's version, the key, what determines the measurement (the key is its digest), and
   the measurement. Nothing in it depends on when, where or on how many processes it was made.
2. The lines of a job are appended with a single write, and are on disk before the sweep goes on.
3. A last line without its end was cut off when a process was killed. It counts as missing, and the next writer
   cuts it away. Writers take turns by a lock on the file; the system drops the lock of one that dies.
4. Any other line that is no record is an error: the file is no store, or it was damaged.
5. A record of another version of the format is passed over and kept.

Besides it only the record of a probe (`teltheory.calibration.record`) writes to disk outside of the command line.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from teltheory.errors import FileError
from teltheory.sweep.jobs import Job, Measurement, digest

FORMAT = 1
VERSION_FIELD = "teltheory_sweep"
_BEGINNING = re.compile(rb'\{"teltheory_sweep": \d+[,}]')
_MEASURED = {field.name for field in fields(Measurement)}
_DETERMINING = {"results", "trace", "policy", "capacity", "forced", "xi", "latency"}
_FIELDS = {VERSION_FIELD, "key"} | _DETERMINING | _MEASURED


class Store:
    """Measurements in a file.

    Parameters
    ----------
    path : str or Path
        The file; it is made by the first measurement that is added.

    Raises
    ------
    FileError
        Where the file is no store, a line is damaged, or the file can't be read or written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._measurements: dict[str, Measurement] = {}
        _check_place(self.path)
        for key, measurement in _records(self.path):
            self._measurements[key] = measurement

    def __len__(self) -> int:
        return len(self._measurements)

    def find(self, job: Job, xi: int) -> Measurement | None:
        """Return the measurement of a job at a threshold, None where it is not there."""
        return self._measurements.get(job.key(xi))

    def add(self, job: Job, measurements: Sequence[Measurement]) -> None:
        """Append the measurements of a job, one for each of its thresholds; they are on disk afterwards.

        Raises
        ------
        FileError
            Where that fails; what was there before stays as it was.
        """
        lines = []
        for xi, measurement in zip(job.thresholds, measurements, strict=True):
            self._measurements[job.key(xi)] = measurement
            record = {VERSION_FIELD: FORMAT, "key": job.key(xi), **job.determinants(xi), **asdict(measurement)}
            lines.append(json.dumps(record, allow_nan=False) + "\n")
        _append(self.path, "".join(lines).encode())


def _check_place(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise FileError(f"{path}: found no folder {path.parent}, expected one for the store")
    if path.is_dir():
        raise FileError(f"{path}: found a folder, expected a file for the store")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise FileError(f"{path}: Permission denied, expected a file that can be written")


def _records(path: Path) -> Iterator[tuple[str, Measurement]]:
    """Yield key and measurement of every record; a line that was cut off at the end is not there."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}, expected a file that can be read") from None
    *lines, last = content.split(b"\n")
    if last and not _is_cut_off(last):
        raise _damaged(path, len(lines) + 1, "a line that is no record")
    for number, line in enumerate(lines, start=1):
        record = _object(path, number, line)
        if record[VERSION_FIELD] == FORMAT:
            yield _checked(path, number, record)


def _is_cut_off(line: bytes) -> bool:
    """Whether a line is the beginning of a record."""
    start = f'{{"{VERSION_FIELD}": {FORMAT}, "key": "'.encode()
    return start.startswith(line) or _BEGINNING.match(line) is not None


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise _damaged(path, number, "a line that is no JSON") from None
    version = record.get(VERSION_FIELD) if isinstance(record, dict) else None
    if type(version) is not int:
        raise _damaged(path, number, f"a line without {VERSION_FIELD!r}")
    return dict(record)


def _checked(path: Path, number: int, record: dict[str, Any]) -> tuple[str, Measurement]:
    for field in sorted(_FIELDS ^ set(record)):
        raise _damaged(path, number, f"{'no' if field in _FIELDS else 'a'} field {field!r}")
    if record["key"] != digest({field: record[field] for field in _DETERMINING}):
        raise _damaged(path, number, "a key that does not belong to the record")
    measured = {field: record[field] for field in _MEASURED}
    for field, value in measured.items():
        if not _is_measure(field, value):
            raise _damaged(path, number, f"{field} {value!r}")
    return record["key"], Measurement(**measured)


def _is_measure(field: str, value: object) -> bool:
    if field in ("violations", "tel"):
        return type(value) is int and value >= 0
    return value is None or type(value) is float


def _damaged(path: Path, number: int, found: str) -> FileError:
    return FileError(f"{path}, line {number}: found {found}, expected a record of a sweep")


def _append(path: Path, lines: bytes) -> None:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            with _locked(file):
                end = _cut_away_unfinished(file)
                if os.write(file, lines) != len(lines):
                    os.ftruncate(file, end)
                    raise OSError(None, "No space for a whole record")
                os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}, expected a file that can be written") from None


def _cut_away_unfinished(file: int) -> int:
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
def _locked(file: int) -> Iterator[None]:
    """Keep other writers out; where the system has no such locks, one sweep at a time must write to a store."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
