"""The file of a probe: a plan, then one measurement a line, each on disk before the next is made.

1. The first line is an object with the format's version, the plan, the kind of prompts and when it started.
2. Every other line is one measurement. A line is appended with a single write and synced.
3. A last line without its end was cut off when the probe was killed; the next writer cuts it away.
4. Any other line that is no measurement of the plan is an error: the file is another one, or it was damaged.
5. One probe at a time writes to a file, by a lock that the system drops when the probe dies.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from teltheory.base.input_files import check_file
from teltheory.base.whole_files import check_place
from teltheory.errors import FileError, shown
from teltheory.server.grid import ProbePlan, ProbeStep

FORMAT = 1
VERSION_FIELD = "teltheory_probe"
KINDS = ("tokens", "text")
_WHOLE: dict[str, tuple[type, ...]] = dict.fromkeys(
    ("prompt_tokens", "requested_cached_tokens", "cell", "repeat"), (int,)
)
_OPTIONAL = dict.fromkeys(("cached_tokens", "reported_cached_tokens"), (int, type(None)))
_KINDS = _WHOLE | _OPTIONAL | {"ttft_s": (float,), "mismatch": (bool,), "started": (str,)}
_BEGINNING = f'{{"{VERSION_FIELD}": '.encode()


@dataclass(frozen=True)
class Measured:
    """One measurement, as the file has it; tokens are as the server reported them, None if it did not.

    `mismatch`: requested and reported differ by more than a block, and nothing may use the measurement.
    """

    prompt_tokens: int
    cached_tokens: int | None
    ttft_s: float
    requested_cached_tokens: int
    reported_cached_tokens: int | None
    mismatch: bool
    cell: int
    repeat: int
    started: str


class ProbeRecord:
    """The file of a probe, open for appending to one process; a context manager."""

    def __init__(self, path: str | Path, plan: ProbePlan) -> None:
        self.path, self.plan = Path(path), plan
        self.kind: str | None = None
        self.measured: list[Measured] = []
        self._file = self._opened()
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ProbeRecord:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let other probes write to it."""
        os.close(self._file)

    def missing(self) -> tuple[ProbeStep, ...]:
        """Return the measurements of the plan that the file lacks, in their order."""
        done = {(line.cell, line.repeat) for line in self.measured}
        return tuple(step for step in self.plan.steps() if (step.cell, step.repeat) not in done)

    def begin(self, kind: str) -> None:
        """Write the first line; `kind` is ``"tokens"`` or ``"text"``."""
        self.kind = kind
        header = {VERSION_FIELD: FORMAT, "plan": self.plan.as_dict(), "prompts": kind, "started": now()}
        self._append(header)

    def add(self, line: Measured) -> None:
        """Append a measurement; it is on disk afterwards, or what was there before stays as it was."""
        self._append(asdict(line))
        self.measured.append(line)

    def _opened(self) -> int:
        check_place(self.path, "for the measurements")
        if self.path.exists():
            check_file(self.path, "a file of measurements")
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise _unusable(self.path, error) from None
        if not _locked(file):
            os.close(file)
            raise FileError(f"{self.path}: found another probe that writes to it, expected one at a time")
        return file

    def _load(self) -> None:
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise _unusable(self.path, error) from None
        *lines, last = content.split(b"\n")
        if not lines and last and not (_BEGINNING.startswith(last) or last.startswith(_BEGINNING)):
            raise _damaged(self.path, 1, "a line that is no beginning of a probe")
        if lines:
            self.kind = _kind_of(self.path, lines[0], self.plan)
            self.measured = _measurements(self.path, lines[1:], self.plan)
        if last:
            os.ftruncate(self._file, len(content) - len(last))

    def _append(self, record: dict[str, Any]) -> None:
        line = (json.dumps(record, allow_nan=False) + "\n").encode()
        try:
            end = os.lseek(self._file, 0, os.SEEK_END)
            if os.write(self._file, line) != len(line):
                os.ftruncate(self._file, end)
                raise OSError(None, "No space for a whole line")
            os.fsync(self._file)
        except OSError as error:
            raise _unusable(self.path, error) from None


def now() -> str:
    """Return the time in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise _damaged(path, number, "a line that is no JSON") from None
    if not isinstance(record, dict):
        raise _damaged(path, number, "a line that is no object")
    return record


def _kind_of(path: Path, line: bytes, plan: ProbePlan) -> str:
    """Return the kind of prompts in the first line, after comparing its plan."""
    header = _object(path, 1, line)
    if header.get(VERSION_FIELD) != FORMAT:
        raise _damaged(path, 1, f"no {VERSION_FIELD!r} of version {FORMAT}")
    theirs, ours = header.get("plan"), plan.as_dict()
    if not isinstance(theirs, dict) or header.get("prompts") not in KINDS:
        raise _damaged(path, 1, "a first line without plan and prompts")
    for field in sorted(theirs.keys() | ours.keys()):
        if theirs.get(field) != ours.get(field):
            given = shown(theirs.get(field))
            found = f"found measurements with {field[:60]} {given}, expected {ours.get(field)!r}"
            raise FileError(f"{path}: {found}; use another file, or the same options")
    return str(header["prompts"])


def _measurements(path: Path, lines: Sequence[bytes], plan: ProbePlan) -> list[Measured]:
    wanted = {(step.cell, step.repeat) for step in plan.steps()}
    measured = []
    for number, line in enumerate(lines, start=2):
        record = _object(path, number, line)
        for field in sorted(_KINDS.keys() ^ record.keys()):
            raise _damaged(path, number, f"{'a' if field in record else 'no'} field {shown(field, 60)}")
        for field, value in record.items():
            number_below_0 = type(value) in (int, float) and not 0 <= value < float("inf")
            if type(value) not in _KINDS[field] or number_below_0:
                raise _damaged(path, number, f"{field} {shown(value)}")
        place = record["cell"], record["repeat"]
        if place not in wanted:
            raise _damaged(path, number, f"cell {place[0]}, repeat {place[1]}, which are not missing")
        wanted.remove(place)
        measured.append(Measured(**record))
    return measured


def _damaged(path: Path, number: int, found: str) -> FileError:
    return FileError(f"{path}, line {number}: found {found}, expected a file of this probe; use another file")


def _unusable(path: Path, error: OSError) -> FileError:
    return FileError(f"{path}: {error.strerror or error}, expected a file that can be read and written")


def _locked(file: int) -> bool:
    """Whether nobody else writes to the file; where the system has no such locks, nobody is asked."""
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
