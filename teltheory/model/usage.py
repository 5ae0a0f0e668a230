"""The names that fields of usage records usually have, in a log and in a table.

A table of such records has no column conversation, prompt or response, and is read as a log of them is
(`teltheory.formats.usage`): whole inputs, times that are dates or numbers, Anthropic's cached tokens added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from teltheory.errors import TraceError
from teltheory.model.clocks import Clock
from teltheory.model.columns import column_of

PLACES = ("usage.", "response.usage.", "response.body.usage.", "")
CONVERSATIONS = ("conversation_id", "session_id", "conversation", "thread_id", "session", "chat_id")
TIMES = (
    *("timestamp", "created_at", "created", "time", "start_time", "request_time", "arrival", "response.created"),
    *("ts", "datetime"),
)
CACHED = ("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cached_tokens")
READ, WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
ASKED, ANSWERED = ("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens")


def _everywhere(*names: str) -> tuple[str, ...]:
    return tuple(place + name for place in PLACES for name in names)


NAMES = {
    "conversation": (*CONVERSATIONS, *(f"metadata.{name}" for name in CONVERSATIONS), "user_id", "user"),
    "total": _everywhere(*ASKED),
    "response": _everywhere(*ANSWERED),
    "arrival": TIMES,
    "cached_tokens": _everywhere(*CACHED, READ),
}
ADDED = {f"{place}input_tokens": (f"{place}{READ}", f"{place}{WRITTEN}") for place in PLACES}


def is_usage(has: Callable[[str], bool]) -> bool:
    """Whether there are fields that count a request's input and its output; `has` says whether one is there."""
    pairs = zip(ASKED, ANSWERED, strict=True)
    return any(has(place + asked) and has(place + answered) for asked, answered in pairs for place in PLACES)


def as_turns(held: Mapping[str, Any], given: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the columns of a table of usage records, and which of them are ours, but for those that are given."""
    roles = {"conversation", "total", "response", "arrival"} - given.keys()
    roles -= {"total"} if {"prompt", "history"} & given.keys() else set()
    found = {role: next((name for name in NAMES[role] if name in held), "") for role in roles}
    names = {role: name for role, name in found.items() if name}
    columns = dict(held)
    if "arrival" in names:
        columns[names["arrival"]] = _seconds(names["arrival"], held[names["arrival"]])
    if more := [held[name] for name in ADDED.get(names.get("total", ""), ()) if name in held]:
        columns[names["total"]] = column_of("total", held[names["total"]]) + sum(map(_or_zero, more))
    return columns, {**names, **given}


def _or_zero(values: Any) -> Any:
    """Return a column with 0 where a value is missing."""
    given = column_of("", values).tolist()
    return np.array([0 if one is None or np.isnan(one) else int(one) for one in given], object)


def _seconds(name: str, values: Any) -> Any:
    """Return times as a log has them in seconds; what is a column of dates stays one."""
    column = column_of(name, values)
    if column.dtype.kind in "mM":
        return values
    clock = Clock()
    for row, value in enumerate(column.tolist()):
        clock.add(_TableRow(row, value), name)
    return clock.arrivals("")[0]


@dataclass(frozen=True)
class _TableRow:
    """A row of a column, as a clock asks it."""

    row: int
    value: Any

    def needed(self, name: str) -> Any:
        """Return the value; one that is missing is an error."""
        return self.fail(name, None, "a time in every row") if self.value is None else self.value

    def fail(self, name: str, found: object, expected: str) -> NoReturn:
        """Raise the error about this row."""
        raise TraceError(name, self.row, found, expected, "row")
