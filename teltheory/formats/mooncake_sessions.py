"""Mooncake traces that name the conversation: `session_id`, with `timestamp` or `delay` in milliseconds.

Two readings of `input_length` are in use. In "mooncake" it is the whole input, the history in it; in
"mooncake-delta" it is what is new, and the history is cumulative. Where a session's next request has `hash_ids`
that begin as those of the request before, inputs are whole; where they begin otherwise, they are new. A file in
which both or neither occur tells nothing, and its format must be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teltheory.errors import FileError
from teltheory.formats.requests import Requests, new_inputs, whole_inputs
from teltheory.formats.rows import Rows
from teltheory.model.numbers import INT64_MAX
from teltheory.model.trace import Trace
from teltheory.workloads.times import Times

WHOLE, DELTA = "mooncake", "mooncake-delta"
MAKE = {WHOLE: whole_inputs, DELTA: new_inputs}


def read_sessions(rows: Rows, format: str, times: Times | None) -> Trace:
    """Make a trace of requests that name their session; `times` stand in place of those in the file."""
    names = rows.column("session_id")
    for row, name in enumerate(names):
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            rows.fail(row, "session_id", name, "a name or a whole number")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    requests = Requests()
    columns = (rows.whole_column("input_length"), rows.whole_column("output_length"))
    seconds = (_seconds(rows, "timestamp"), _seconds(rows, "delay"))
    for name, inputs, outputs, time, delay in zip(names, *columns, *seconds, strict=True):
        requests.add(numbers[name], inputs, outputs, time, delay)
    reading = _reading(rows, names) if format == "auto" else format
    return MAKE[reading](requests, reading, times)


def _seconds(rows: Rows, field: str) -> list[float]:
    values = []
    for row, value in enumerate(rows.columns.get(field, [None] * len(rows))):
        number = not isinstance(value, bool) and isinstance(value, (int, float))
        if value is not None and not (number and abs(value) <= INT64_MAX):
            rows.fail(row, field, value, "a number of milliseconds")
        values.append(float(np.nan) if value is None else value / 1000)
    return values


def _reading(rows: Rows, names: Sequence[Any]) -> str:
    """Return the reading of `input_length` that the hash ids tell."""
    hashes = rows.columns.get("hash_ids", [None] * len(rows))
    last: dict[Any, object] = {}
    begins_alike = set()
    for name, ids in zip(names, hashes, strict=True):
        first = ids[0] if isinstance(ids, list) and ids else None
        if name in last and None not in (first, last[name]):
            begins_alike.add(first == last[name])
        last[name] = first
    if len(last) == len(names):
        return WHOLE
    if len(begins_alike) != 1:
        found = "hash_ids that tell nothing" if not begins_alike else "sessions of both kinds"
        expected = f"the format by name: {WHOLE} (whole inputs) or {DELTA} (new tokens)"
        raise FileError(f"{rows.path}, input_length: found {found}, expected {expected}")
    return WHOLE if begins_alike.pop() else DELTA
