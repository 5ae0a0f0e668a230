"""Hints as columns of a table, and back: the columns of `SAID`.

Columns of events have one event of a kind about each request, said at the time that `Hints.of` gives it. Where
there are others, all events are in the column `EVENTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from teltheory.model.hint_columns import EVENT_COLUMNS, EVENTS, SAID, listed, read_events, spelt
from teltheory.model.hints import CLOSE, WHAT, Hints
from teltheory.model.numbers import FloatArray

Asked = TypeVar("Asked", bound=Any)


def columns_of(requests: Any) -> dict[str, list[Any]]:
    """Return the columns of the hints of a Trace or a Forest, those that say something; none without hints."""
    hints = requests.hints
    if hints is None:
        return {}
    facts = {"agent": hints.named(hints.agent), "parent_agent": hints.named(hints.parent)}
    facts |= {name: getattr(hints, name) for name in ("kind", "stop", "done")}
    found = listed({name: column for name, column in facts.items() if column is not None})
    columns = found | listed(_event_columns(hints))
    if hinted(requests.with_hints(None), columns).hints == hints:
        return columns
    return found | {
        EVENTS: spelt(hints.request.tolist(), hints.time, hints.what.tolist(), hints.value, len(hints))
    }


def _event_columns(hints: Hints) -> dict[str, FloatArray]:
    """Return a column for each kind of events, of each request the last; not a number where there is none."""
    columns = {}
    for code in np.unique(hints.what).tolist():
        about = hints.what == code
        column = columns[EVENT_COLUMNS[WHAT[code]]] = np.full(len(hints), np.nan)
        column[hints.request[about]] = (hints.time if WHAT[code] == CLOSE else hints.value)[about]
    return columns


def hinted(requests: Asked, columns: dict[str, Any]) -> Asked:
    """Return a Trace or a Forest with the hints that columns make, None where nothing is said."""
    if not columns:
        return requests
    said = dict(columns)
    events = read_events(said.pop(EVENTS, [""] * len(requests)), len(requests))
    hints = Hints.of(requests, **said)
    if events:
        hints = hints.and_events(*(np.array(column) for column in zip(*events, strict=True)))
    return requests.with_hints(hints)  # type: ignore[no-any-return]


def with_said(make: Callable[..., Asked]) -> Callable[..., Asked]:
    """Return what makes requests of their columns, and hints of those in `SAID`."""

    def made(*given: Any, **columns: Any) -> Asked:
        said = {name: columns.pop(name) for name in SAID if name in columns}
        return hinted(make(*given, **columns), said)

    return made
