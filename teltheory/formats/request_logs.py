"""Plain logs of requests with their texts, as JSON lines: a line a request.

    {"id": "r7", "user": "ann", "time": 12.5, "end": 14.1, "prompt": "Shorten: ...", "response": "..."}

`prompt` and `response` are needed. `id` names the request (its line number if left out), `user` who sent it
(one for all who are not named), `time` when it arrived and `end` when its response was there, in seconds. All
lines have `time` or none; then they are in the order of arrival as they stand. Other fields are passed over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from teltheory.base.input_files import check_file, reported
from teltheory.errors import FileError, shown
from teltheory.formats.opened import lines_of, opened_text
from teltheory.formats.rows import json_lines


@dataclass(frozen=True)
class Logged:
    """A request of a log: its texts, who sent it, and when, in seconds; None where the log does not say."""

    name: str
    prompt: str
    response: str
    user: str = ""
    time: float | None = None
    end: float | None = None


def read_log(path: str | Path) -> list[Logged]:
    """Read a log, in order of arrival; of one time, in the order of the file.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    """
    file = Path(path)
    check_file(file, "a log of requests as JSON lines")
    with reported(file, "a log of requests"), opened_text(file) as text:
        found = [
            (number, _logged(_Line(file, number, row))) for number, row in json_lines(file, lines_of(file, text))
        ]
    names: dict[str, int] = {}
    for number, one in found:
        if names.setdefault(one.name, number) != number:
            _Line(file, number, {}).fail("id", one.name, f"a name that line {names[one.name]} does not have")
        if (one.time is None) != (found[0][1].time is None):
            _Line(file, number, {}).fail("time", one.time, "a time in every line or in none")
    return sorted((one for _, one in found), key=lambda one: one.time or 0.0)


def _logged(line: _Line) -> Logged:
    time, end = line.seconds("time"), line.seconds("end")
    if end is not None and (time is None or end < time):
        line.fail("end", end, "a time that is not before `time`")
    name = line.text("id", str(line.number))
    return Logged(name, line.text("prompt"), line.text("response"), line.text("user", ""), time, end)


@dataclass(frozen=True)
class _Line:
    """The object of a line, and where it stands."""

    file: Path
    number: int
    row: dict[str, Any]

    def fail(self, field: str, found: object, expected: str) -> NoReturn:
        told = "nothing" if found is None else shown(found, 60)
        raise FileError(f"{self.file}, line {self.number}, {field}: found {told}, expected {expected}")

    def text(self, field: str, default: str | None = None) -> str:
        value = self.row.get(field, default)
        if not isinstance(value, str):
            self.fail(field, value, "a text")
        return value

    def seconds(self, field: str) -> float | None:
        value = self.row.get(field)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
            self.fail(field, value, "seconds, 0 or more")
        return float(value)
