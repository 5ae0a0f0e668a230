"""Hints that are assumed where nothing recorded them: ends, times to keep, times of return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.hints import (
    CLOSE,
    RESUME,
    RETAIN,
    WHAT,
    Hints,
    ends_of,
    returns_of,
    seconds_by_stop,
)
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.model.requests import Requests
from teltheory.model.units import Seconds, seconds_of

ORACLE, BY_STOP = "oracle", "stop"


def announced(
    requests: Requests,
    delay: Seconds,
    stop: str | None,
    close: bool,
    retain: Mapping[str, Seconds] | Seconds | None,
    resume: Seconds | None,
) -> Hints:
    """Return what `Hints.announce` does."""
    hints = requests.hints or Hints.of_agents(requests.agents)
    ended = ends_of(requests, hints)
    if close:
        hints = _with_ends(hints, ended, float(seconds_of("delay", delay)), stop)
    if retain is not None:
        kept = seconds_by_stop(hints, retain, len(hints), "retain")
        hints = _with(hints, RETAIN, requests, ended + kept, f"blocks kept after responses: {retain}")
    if resume is not None:
        back = ended + times_of_return(requests, hints, resume)
        known = "of the future, an oracle" if resume == ORACLE else f"after responses: {resume}"
        hints = _with(hints, RESUME, requests, back, f"agents come back {known}")
    return hints


def _with(hints: Hints, what: str, requests: Requests, value: FloatArray, words: str) -> Hints:
    """Return hints with an event a request at its arrival, where a value is known."""
    arrival = requests.arrival
    assert arrival is not None
    (about,) = np.nonzero(~np.isnan(value))
    added = hints._and(arrival[about], about, np.full(len(about), WHAT.index(what)), value[about])
    return replace(added, said=(*hints.said, f"assumed: {words}"))


def last_requests(hints: Hints) -> IntArray:
    """Return the last request of each agent that has an id."""
    last = dict(zip(hints.agent.tolist(), range(len(hints)), strict=True))
    last.pop(-1, None)
    return np.array(sorted(last.values()), np.int64)


def _with_ends(hints: Hints, ended: FloatArray, delay: float, stop: str | None) -> Hints:
    last = last_requests(hints)
    recorded = hints.request[hints.what == WHAT.index(CLOSE)]
    last = last[~np.isin(last, recorded)]
    if stop is not None:
        if hints.stop is None:
            raise ArgumentError("trace", "no stop reasons", f"stop reasons, of which {stop!r} announces an end")
        last = last[[hints.stop[k] == stop for k in last.tolist()]]
    times = ended[last] + delay
    added = hints._and(times, last, np.full(len(last), WHAT.index(CLOSE)), np.full(len(last), np.nan))
    only = "" if stop is None else f" that stop with {stop}"
    words = f"assumed: {len(last)} agents{only} are closed {delay:g} s after their last response"
    return replace(added, said=(*hints.said, words))


def times_of_return(requests: Requests, hints: Hints, resume: Seconds) -> FloatArray:
    """Return how long after each response its agent is taken to come back; not a number where it says nothing."""
    gaps = returns_of(requests, hints) - ends_of(requests, hints)
    if resume == ORACLE:
        return gaps
    if resume != BY_STOP:
        return np.full(len(hints), float(seconds_of("resume", resume)))
    if hints.stop is None:
        raise ArgumentError("trace", "no stop reasons", "stop reasons, by which agents come back")
    stops = np.array(hints.stop)
    known = {stop: gaps[(stops == stop) & ~np.isnan(gaps)] for stop in {*hints.stop}}
    medians = {stop: float(np.median(found)) if len(found) else np.nan for stop, found in known.items()}
    return np.array([medians[stop] for stop in hints.stop], np.float64)
