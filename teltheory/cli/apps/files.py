"""The files that all commands on applications take, told by their first record.

1. Applications as a client submits them: JSON objects with `requests` (`teltheory.systems.apps.records`).
2. A log of requests with texts, `prompt` or OpenAI's `messages`, and responses (`teltheory.formats.request_logs`).
   Applications are lifted from it.
3. A trace of lengths: JSON lines with `application` (`teltheory.formats.applications`). It has no texts, so it can
   be replayed, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from teltheory.errors import FileError
from teltheory.formats.applications import read_application_trace
from teltheory.formats.records import kind_of, records_of
from teltheory.formats.request_logs import Logged, read_log
from teltheory.model.applications import ApplicationTrace
from teltheory.systems.apps.lift import Count, as_applications, as_trace, lift
from teltheory.systems.apps.records import Application, read_applications
from teltheory.systems.apps.rendered import as_lengths

APPLICATIONS, TRACE, LOG = "applications", "a trace of lengths", "a log of requests"


def told(file: str, otherwise: str) -> str:
    """Return which of the three a file is; `otherwise` for one that can't be read, or says nothing."""
    kind = kind_of(Path(file))
    with suppress(FileError):
        first = next(records_of(Path(file), "jsonl" if kind in (None, "log") else kind), None)
        fields = {} if first is None else first.fields
        if "requests" in fields:
            return APPLICATIONS
        if "application" in fields:
            return TRACE
        if {"messages", "prompt"} & fields.keys() and "request" not in fields:
            return LOG
    return otherwise


def applications_in(file: str, count: Count) -> tuple[Application, ...]:
    """Return the applications of a file; those of a log are lifted from it, outputs as long as `count` says."""
    kind = told(file, APPLICATIONS)
    if kind == TRACE:
        raise FileError(
            f"{file}: found {TRACE}, expected texts: applications, or {LOG}; apps replay takes lengths"
        )
    return read_applications(file) if kind == APPLICATIONS else as_applications(lift(read_log(file)), count)


def trace_in(file: str, count: Count, said: Callable[[str], object]) -> ApplicationTrace:
    """Return the trace of a file; `said` is told what is assumed where it has texts."""
    kind = told(file, TRACE)
    if kind == TRACE:
        return read_application_trace(file)
    log: Sequence[Logged] = read_log(file) if kind == LOG else ()
    if kind == LOG:
        said("Applications are lifted from the log: a prompt that holds an earlier output depends on it.")
        return as_trace(lift(log), count)
    said("No output is known before it is made: each is as long as its max_tokens.")
    return as_lengths(read_applications(file), count)


def log_in(file: str) -> list[Logged]:
    """Return the log of a file."""
    kind = told(file, LOG)
    if kind != LOG:
        raise FileError(f"{file}: found {kind}, expected {LOG} with responses, which applications are lifted from")
    return read_log(file)
