"""Columns of hints, checked: an error names the column, the request, the value and what was expected."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from teltheory.errors import TraceError
from teltheory.model.columns import is_missing
from teltheory.model.numbers import FloatArray

NO_AGENT = -1
EVENTS = "hint_events"
"""A column of what no other column can hold: in each row a JSON list of [place, time, what, value]."""
AGENTS, TEXTS = ("agent", "parent_agent"), ("kind", "stop")
EVENT_COLUMNS = {
    "close": "closed_at",
    "retain": "retain_until",
    "resume": "resume_at",
    "priority": "priority",
    "demote": "demote_at",
}
WHAT = tuple(EVENT_COLUMNS)
"""What an event may say."""
SAID_WHEN = "close", "demote"
"""What has no value: its column is its time."""
TIMED = ("done", *EVENT_COLUMNS.values())
"""Columns that only requests with arrival times may have."""
NEEDED_TIMES = "arrival times, from which hints count"
SAID = (*AGENTS, *TEXTS, *TIMED, EVENTS)
"""Columns of hints, by the names that tables and files have."""


def entries(name: str, column: Sequence[Any], n: int) -> Sequence[Any]:
    """Return a column of n entries."""
    if len(column) != n:
        raise TraceError(name, None, f"{len(column)} values", f"{n}, one a request")
    return column


def agents(name: str, column: Sequence[Any], n: int) -> list[int | str | None]:
    """Return names of agents, or whole numbers; None where nothing is said, as where a table has no number."""
    found = [_plain(one) for one in entries(name, column, n)]
    named = any(isinstance(one, str) for one in found)
    for k, one in enumerate(found):
        right = isinstance(one, str) if named else type(one) is int and one >= 0
        if one is not None and not right:
            raise TraceError(name, k, one, "a name, or throughout a whole number, 0 or more, or None", "request")
    return found


def _plain(one: Any) -> Any:
    """Return a number of NumPy's as Python's, a whole float as an int, and what is missing as None."""
    one = one.item() if isinstance(one, np.generic) else one
    whole = isinstance(one, float) and one.is_integer()
    return None if is_missing(one) else int(one) if whole else one


def texts(name: str, column: Sequence[Any], n: int) -> tuple[str, ...]:
    """Return texts, "" where nothing is said."""
    found = [_plain(one) for one in entries(name, column, n)]
    for k, one in enumerate(found):
        if not (one is None or isinstance(one, str)):
            raise TraceError(name, k, one, "text or None", "request")
    return tuple("" if one is None else one for one in found)


def numbers(name: str, column: Any, n: int) -> FloatArray:
    """Return finite numbers, not a number where nothing is said."""
    told = [None if is_missing(one) else one for one in entries(name, column, n)]
    for k, one in enumerate(told):
        if one is not None and (isinstance(one, bool) or not isinstance(one, Real)):
            raise TraceError(name, k, one, "a number or None", "request")
        if one is not None and abs(one) == math.inf and name != EVENT_COLUMNS["retain"]:
            raise TraceError(name, k, one, "a finite number or None", "request")
    return np.array([np.nan if one is None else one for one in told], np.float64)


def not_before(name: str, column: FloatArray, arrival: FloatArray) -> FloatArray:
    """Return times that are not before those of their requests."""
    for k in np.flatnonzero(column < arrival)[:1]:
        raise TraceError(name, int(k), float(column[k]), f"{arrival[k]} or later, its arrival", "request")
    return column


def spelt(request: Sequence[int], time: FloatArray, what: Sequence[int], value: FloatArray, n: int) -> list[str]:
    """Return the column `EVENTS` of n requests."""
    rows: list[list[Any]] = [[] for _ in range(n)]
    for place, (k, t, said, v) in enumerate(zip(request, time.tolist(), what, value.tolist(), strict=True)):
        rows[k].append([place, t, WHAT[said], None if math.isnan(v) else v])
    return [json.dumps(row) for row in rows]


def read_events(column: Sequence[Any], n: int) -> list[tuple[float, int, int, float]]:
    """Return the events of a column `EVENTS` in order, each (time, request, what, value)."""
    found = list[tuple[int, tuple[float, int, int, float]]]()
    for k, text in enumerate(entries(EVENTS, column, n)):
        try:
            for place, time, what, value in json.loads(text or "[]"):
                said = float("nan") if value is None else float(value)
                found.append((int(place), (float(time), k, WHAT.index(what), said)))
        except (TypeError, ValueError):
            raise TraceError(EVENTS, k, text, "a JSON list of [place, time, what, value]", "request") from None
    return [event for _, event in sorted(found)]


def listed(column: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns as lists, None where a number is none."""
    return {
        name: [None if isinstance(one, float) and math.isnan(one) else one for one in np.asarray(values).tolist()]
        for name, values in column.items()
    }
