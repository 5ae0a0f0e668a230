"""Traces of applications as JSON lines: a line a request, in order of arrival.

    {"request": "r2", "application": "a", "arrival": 1.5, "after": ["r0", "r1"], "conversation": "a/left",
     "prompt": 120, "response": 40, "history": 300}

`request` is its name, each once. `after` names earlier requests of the application; left out, none. `conversation`
is the chain whose past the input begins with; left out, one that has the application's name. `prompt` are the
new tokens of the input, `response` those of the output. All lines have `arrival`, seconds, or none; all have
`history`, tokens, or none: then it is everything earlier in the conversation. No other field is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from teltheory.base.input_files import check_file, reported
from teltheory.base.whole_files import write_whole
from teltheory.errors import FileError, TraceError, listed, shown
from teltheory.formats.opened import lines_of, opened_text
from teltheory.formats.rows import json_lines
from teltheory.model.applications import ApplicationTrace
from teltheory.model.trace import Trace

FIELDS = ("request", "application", "arrival", "after", "conversation", "prompt", "response", "history")
NEEDED = ("request", "application", "prompt", "response")


def read_application_trace(path: str | Path) -> ApplicationTrace:
    """Read a trace of applications.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    """
    file = Path(path)
    check_file(file, "a trace of applications")
    with reported(file, "a trace of applications"), opened_text(file) as text:
        numbered = list(json_lines(file, lines_of(file, text)))
    lines = Lines(file, [number for number, _ in numbered], [row for _, row in numbered])
    lines.check()
    try:
        return lines.read()
    except TraceError as error:
        found = lines.names[error.found] if error.field == "after" and type(error.found) is int else error.found
        lines.fail(error.turn, error.field, found, error.expected)


def write_application_trace(apps: ApplicationTrace, path: str | Path) -> None:
    """Write a trace of applications to a file that `read_application_trace` reads as the same trace."""
    write_whole(Path(path), lambda beside: beside.write_text("".join(_written(apps)), encoding="utf-8"))


@dataclass(frozen=True)
class Lines:
    """The objects of a file, and the number of the line of each."""

    file: Path
    numbers: Sequence[int]
    rows: Sequence[dict[str, Any]]

    @property
    def names(self) -> list[str]:
        """The requests' names."""
        return [row["request"] for row in self.rows]

    def fail(self, row: int | None, field: str, found: object, expected: str) -> NoReturn:
        """Raise a `FileError` at a row, counted from 0; None for the whole file."""
        line = "" if row is None else f", line {self.numbers[row]}"
        told = found if found == "nothing" else shown(found, 60)
        raise FileError(f"{self.file}{line}, {listed([field])}: found {told}, expected {expected}")

    def check(self) -> None:
        """Refuse fields that are missing or unknown, and names that are none."""
        for k, row in enumerate(self.rows):
            for field in row.keys() - set(FIELDS):
                self.fail(k, field, row[field], f"only {', '.join(FIELDS)}")
            for field in NEEDED:
                if field not in row:
                    self.fail(k, field, "nothing", "a value in every line")
            for field in ("request", "application", "conversation"):
                if not isinstance(row.get(field, ""), str):
                    self.fail(k, field, row[field], "a string")
            after = row.get("after", [])
            if not isinstance(after, list) or not all(isinstance(name, str) for name in after):
                self.fail(k, "after", after, "a list of names of requests")

    def read(self) -> ApplicationTrace:
        """Make the trace; `TraceError` where the columns are wrong."""
        applications = [row["application"] for row in self.rows]
        trace = Trace.from_turns(
            [row.get("conversation", row["application"]) for row in self.rows],
            [row["prompt"] for row in self.rows],
            [row["response"] for row in self.rows],
            self._all_or_none("arrival"),
            self._all_or_none("history"),
        )
        return ApplicationTrace.of(trace, applications, self._after(), self.names)

    def _all_or_none(self, field: str) -> list[Any] | None:
        missing = [k for k, row in enumerate(self.rows) if field not in row]
        if len(missing) == len(self.rows):
            return None
        for k in missing:
            self.fail(k, field, "nothing", "a value in every line or in none")
        return [row[field] for row in self.rows]

    def _after(self) -> list[list[int]]:
        """Return the requests that each one follows, by number; only earlier ones are known."""
        known: dict[str, int] = {}
        found = []
        for k, row in enumerate(self.rows):
            for name in row.get("after", []):
                if name not in known:
                    self.fail(k, "after", name, "a request of an earlier line")
            found.append([known[name] for name in row.get("after", [])])
            if known.setdefault(row["request"], k) != k:
                self.fail(k, "request", row["request"], "a name that no earlier line has")
        return found


def _written(apps: ApplicationTrace) -> Iterator[str]:
    trace = apps.trace
    conversations = trace.labels if trace.names is not None else [str(label) for label in trace.labels]
    for k, name in enumerate(apps.requests):
        row: dict[str, Any] = {"request": name, "application": apps.names[apps.application[k]]}
        if trace.arrival is not None:
            row["arrival"] = float(trace.arrival[k])
        if apps.after[k]:
            row["after"] = [apps.requests[j] for j in apps.after[k]]
        if conversations[k] != row["application"]:
            row["conversation"] = conversations[k]
        row |= {"prompt": int(trace.prompt[k]), "response": int(trace.response[k])}
        if not trace.cumulative:
            row["history"] = int(trace.history[k])
        yield json.dumps(row) + "\n"
