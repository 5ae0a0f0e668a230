"""Arrival times of another file: how bursty a service is, for a trace that has no times or other ones.

Azure's traces have times and lengths and name no conversation, so they are no trace, but good arrivals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import FileError, TraceError, listed, shown
from teltheory.formats.datasets import placed
from teltheory.formats.format import Source
from teltheory.formats.records import fields_of
from teltheory.model.clocks import Clock
from teltheory.model.columns import arrivals
from teltheory.model.hints import RESUME, RETAIN, WHAT, Hints
from teltheory.model.numbers import FloatArray
from teltheory.model.trace import Trace

AZURE = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
MOONCAKE = "hash_ids"
FIELDS = ("arrival", "TIMESTAMP", "timestamp", "Timestamp", "arrived_at", "created_at", "created", "time", "ts")


def read_arrivals(path: str | Path, column: str | None = None) -> FloatArray:
    """Read the times of a file of requests, such as Azure's LLM inference traces.

    Parameters
    ----------
    path : str or Path
        CSV, JSON lines, a JSON array or Parquet, with a request a row.
    column : str, optional
        Field of the times: dates in ISO 8601, numbers of seconds, or epochs (docs/formats-logs.md);
        milliseconds in Mooncake's files. Left out, the first that is there of `arrival`, `TIMESTAMP`,
        `timestamp`, `Timestamp`, `arrived_at`, `created_at`, `created`, `time`, `ts`.

    Returns
    -------
    ndarray of float64
        Seconds since the first, in order.

    Raises
    ------
    FileError
        Names file, line and field, what was found and what was expected.
    """
    source, clock = Source(placed(path)), Clock()
    file, kind = source.files()[0]
    there = fields_of(file, kind)
    name = column if column is not None else next((one for one in FIELDS if one in there), FIELDS[0])
    for record in source.records(frozenset(name.split("."))):
        if record.get(name) is None:
            expected = f"a time in {shown(name, 60)}, or the field of the times by name"
            raise FileError(
                f"{record.path}, {record.place}: found {listed(list(record.fields))}, expected {expected}"
            )
        clock.add(record, name, milliseconds=MOONCAKE in there)
    seconds = np.sort(clock.arrivals("")[0])
    since: FloatArray = seconds - seconds[:1].sum()
    since.setflags(write=False)
    return since


def with_arrivals(trace: Trace, times: Sequence[float] | NDArray[Any]) -> Trace:
    """Return a trace whose turns, in their order, arrive at the first of some times.

    Parameters
    ----------
    trace : Trace
        Its own times are replaced, and what hints say is later or earlier with its request; blocks stay.
    times : sequence of float
        Seconds, never decreasing, one a turn or more.

    Raises
    ------
    TraceError
        If there are fewer times than turns.
    """
    if len(times) < len(trace):
        raise TraceError("arrival", None, f"{len(times):,} times", f"{len(trace):,}, one a turn")
    found = arrivals(np.asarray(times, np.float64)[: len(trace)], len(trace))
    blocks = None if trace.blocks is None else replace(trace.blocks, arrival=found)
    moved = replace(trace, arrival=found, blocks=blocks)
    if trace.hints is None or trace.arrival is None:
        return moved
    return moved.with_hints(_later(trace.hints, found - trace.arrival))


def _later(hints: Hints, by: FloatArray) -> Hints:
    """Return the hints of requests that come so much later: each time moves with the request that it is about."""
    timed = np.isin(hints.what, [WHAT.index(RETAIN), WHAT.index(RESUME)])
    value = hints.value + np.where(timed, by[hints.request], 0)
    plain = replace(Hints.of_agents(hints.agent), names=hints.names, parent=hints.parent, said=hints.said)
    plain = replace(plain, kind=hints.kind, stop=hints.stop, done=None if hints.done is None else hints.done + by)
    return plain.and_events(hints.time + by[hints.request], hints.request, hints.what, value)


def refuse(path: Path, fields: Mapping[str, Any]) -> None:
    """Raise a `FileError` if fields are those of Azure's arrivals."""
    if set(AZURE) <= set(fields):
        found = f"found arrivals ({', '.join(AZURE)}) that name no conversation"
        expected = f"a trace; --arrivals {path.name} gives another trace, or a sample, these times"
        raise FileError(f"{path}: {found}, expected {expected}")
