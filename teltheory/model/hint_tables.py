"""Hints as columns of a table, and back: the columns of `SAID`.

Columns of events have one event of a kind about each request, said at the time that `Hints.of` gives it. Where
there are others, all events are in the column `EVENTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from teltheory.model.display import counted
from teltheory.model.hint_columns import (
    EVENT_COLUMNS,
    EVENTS,
    NO_AGENT,
    SAID,
    SAID_WHEN,
    listed,
    read_events,
    spelt,
)
from teltheory.model.hints import WHAT, Hints, taken_for_agents
from teltheory.model.numbers import FloatArray, IntArray

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
        column[hints.request[about]] = (hints.time if WHAT[code] in SAID_WHEN else hints.value)[about]
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
    return requests.with_hints(replace(hints, said=recorded(hints, requests, "agent" in said)))  # type: ignore[no-any-return]


def recorded(hints: Hints, requests: Any, named: bool) -> tuple[str, ...]:
    """Return in words what a file or a table says, and what is assumed where no agents are named."""
    n, words = len(hints), list[str]()
    agents, started = ({*codes.tolist()} - {NO_AGENT} for codes in (hints.agent, _started(hints)))
    if named:
        words.append(counted(len(agents), "agent"))
    if started:
        words.append(f"{len(started):,} of them started by others")
    if hints.kind is not None:
        words.append(counted(len({*hints.kind} - {""}), "kind"))
    if hints.stop is not None:
        words.append(f"why {sum(map(bool, hints.stop)):,} of {n:,} responses ended")
    if hints.done is not None:
        words.append(f"when {np.count_nonzero(~np.isnan(hints.done)):,} of {n:,} ended")
    words += [f"{EVENT_COLUMNS[what]} {count:,}" for what, count in events_by_kind(hints).items()]
    return (f"recorded: {', '.join(words)}", *(() if named else (taken_for_agents(requests),)))


def as_data(hints: Hints) -> dict[str, Any]:
    """Return how many agents and events there are, and what is said of them, as plain data."""
    agents = len({*hints.agent.tolist()} - {NO_AGENT})
    return {"agents": agents, "events": events_by_kind(hints), "said": list(hints.said)}


def events_by_kind(hints: Hints) -> dict[str, int]:
    """Return how many events of each kind there are."""
    return {WHAT[code]: int((hints.what == code).sum()) for code in np.unique(hints.what).tolist()}


def _started(hints: Hints) -> IntArray:
    """Return the agent of each request whose agent another one started."""
    return hints.agent[:0] if hints.parent is None else hints.agent[hints.parent != NO_AGENT]


def with_said(make: Callable[..., Asked]) -> Callable[..., Asked]:
    """Return what makes requests of their columns, and hints of those in `SAID`."""

    def made(*given: Any, **columns: Any) -> Asked:
        said = {name: columns.pop(name) for name in SAID if name in columns}
        return hinted(make(*given, **columns), said)

    return made
