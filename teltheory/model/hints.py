"""Hints: what an application says of its requests, and from when on it counts.

1. A request has an *agent*, which may have a parent, is of a kind, and stops for a reason when its response is
   `done`. Without agents each conversation is taken for one, and a request without an id for an agent of its own.
2. An *event* says something of one request and of its agent: that the agent is closed, until when its blocks are
   to be kept, when it comes back, what its priority is, that its path may go a tier down. It counts from the first
   cut whose time, the arrival of that cut's request, is not before the event's, never before its request's own.
3. A column is an event a request: a close or demotion counts from the request's end where that is known, the rest
   from its arrival. Of two events of a kind about one request the later line wins.
4. A close is void if its agent asked again before the event's time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError, TraceError
from teltheory.model import hint_columns
from teltheory.model.announced import (
    LEARNT,
    ORACLE,
    SURE,
    last_requests,
    learnt_silences,
    needed_stops,
    returns,
    seconds_by_stop,
    silences_taken,
)
from teltheory.model.hint_columns import EVENT_COLUMNS, NO_AGENT, WHAT
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, readonly
from teltheory.model.requests import Requests
from teltheory.model.units import Seconds, seconds_of

__all__ = ["CLOSE", "DEMOTE", "NO_AGENT", "PRIORITY", "RESUME", "RETAIN", "WHAT", "Event", "Hints"]

CLOSE, RETAIN, RESUME, PRIORITY, DEMOTE = WHAT


class Event(NamedTuple):
    """Something that an application says: at `time`, in seconds, of an agent."""

    time: float
    agent: int | str | None
    what: str
    value: float | None


@dataclass(frozen=True, eq=False)
class Hints:
    """What applications say of n requests, by m events. Make one with `Hints.of` or `Hints.announce`.

    Attributes
    ----------
    agent : ndarray of int64, shape (n,)
        Agent of each request, by number; -1 for a request without one.
    time : ndarray of float64, shape (m,)
        When each event is said, in seconds, never decreasing.
    request : ndarray of int64, shape (m,)
        The request that each is about.
    what : ndarray of int64, shape (m,)
        What each says, as a place in `WHAT`.
    value : ndarray of float64, shape (m,)
        Seconds of "retain" and "resume", the priority; not a number for "close" and "demote".
    names : tuple of str, or None
        Where agents were named by strings: the name of agent i is ``names[i]``.
    parent : ndarray of int64, shape (n,), or None
        Agent that started each request's agent, -1 for none.
    kind, stop : tuple of str, shape (n,), or None
        Kind of each request or of its agent, and why its response ended; "" where nothing is said.
    done : ndarray of float64, shape (n,), or None
        When each response ended, in seconds.
    said : tuple of str
        What was recorded and what was assumed, in words.
    """

    agent: IntArray
    time: FloatArray
    request: IntArray
    what: IntArray
    value: FloatArray
    names: tuple[str, ...] | None = None
    parent: IntArray | None = None
    kind: tuple[str, ...] | None = None
    stop: tuple[str, ...] | None = None
    done: FloatArray | None = None
    said: tuple[str, ...] = ()

    @classmethod
    def of_agents(cls, agent: IntArray, **facts: Any) -> Hints:
        """Return hints without events."""
        none, events = np.empty(0, np.int64), np.empty(0)
        return cls(readonly(np.array(agent, np.int64)), events, none, none, events, **facts)

    @classmethod
    def of(
        cls,
        requests: Requests,
        *,
        agent: Sequence[Any] | None = None,
        parent_agent: Sequence[Any] | None = None,
        kind: Sequence[str | None] | None = None,
        stop: Sequence[str | None] | None = None,
        done: Sequence[float | None] | None = None,
        closed_at: Sequence[float | None] | None = None,
        retain_until: Sequence[float | None] | None = None,
        resume_at: Sequence[float | None] | None = None,
        priority: Sequence[float | None] | None = None,
        demote_at: Sequence[float | None] | None = None,
    ) -> Hints:
        """Make hints of columns, with an entry a request, None where nothing is said; the rest stays as it is.

        Parameters
        ----------
        requests : Trace or Forest
            What is spoken of; with arrival times, unless there are agents, kinds and stop reasons alone.
        agent, parent_agent, kind, stop : sequence of int or of str; sequence of str
            Who asks, who started that one, what kind of agent or request it is, and why its response ended.
        done, closed_at : sequence of float
            When, in seconds, its response ended and its agent is known to be over: its arrival or later.
        retain_until, resume_at, demote_at : sequence of float
            Until when its blocks are asked to be kept, when its agent is expected back, and when its path may go a
            tier down, as `Demote` says: its arrival or later.
        priority : sequence of float
            Blocks of less go first.

        Raises
        ------
        ArgumentError, TraceError
            For hints without arrival times; or names the column, the request, the value, what was expected.
        """
        n, before = len(requests), requests.hints or cls.of_agents(requests.agents)
        hints = before if agent is None else before._of_agents_named(agent, n)
        if parent_agent is not None:
            hints = hints._with_parents(parent_agent, n)
        if kind is not None:
            hints = replace(hints, kind=hint_columns.texts("kind", kind, n))
        if stop is not None:
            hints = replace(hints, stop=hint_columns.texts("stop", stop, n))
        given = zip(WHAT, (closed_at, retain_until, resume_at, priority, demote_at), strict=True)
        numbers = hint_columns.numbers
        columns = {what: numbers(EVENT_COLUMNS[what], column, n) for what, column in given if column is not None}
        return hints._with_times(requests, None if done is None else numbers("done", done, n), columns)

    @classmethod
    def announce(
        cls,
        requests: Requests,
        delay: Seconds = 0,
        stop: str | None = None,
        *,
        close: bool = True,
        retain: Mapping[str, Seconds] | Seconds | None = None,
        resume: Seconds | None = None,
    ) -> Hints:
        """Return the hints of the requests with what may be assumed beside: when agents are over, and come back.

        Parameters
        ----------
        requests : Trace or Forest
            With arrival times. An agent's last request in them is taken for its last of all.
        delay : Seconds
            How long after its last response an agent is said to be over; or "learnt": nobody announces it, and
            an agent is over once it is silent for longer than 99 % of all silences that were over when it asked,
            after responses that ended for the same reason. If it comes back, that was wrong.
        stop, close : str, optional; bool
            Only agents whose last response ended for this reason; whether ends are announced at all.
        retain : Seconds, or mapping of str to Seconds, optional
            How long after each response its blocks are to be kept; or by the reason why the response ended.
        resume : Seconds, optional
            "oracle": each agent says when it will be back; "stop": the median by why responses end, of these
            requests; "learnt": the same of the silences that were over when it asked, nothing that comes later;
            a time such as "15s": after each response the same.

        Raises
        ------
        ArgumentError
            For requests without times, or without stop reasons where they are looked at.
        """
        hints = requests.hints or cls.of_agents(requests.agents, said=(taken_for_agents(requests),))
        arrival, ended = _arrival(requests), ends_of(requests, hints)
        if close:
            wait, words = hints._silence_before_end(arrival, ended, delay, stop)
            hints = hints._assumed(CLOSE, ended + wait, np.full(len(hints), np.nan), words)
        if retain is not None:
            kept = ended + seconds_by_stop(hints.stop, retain, len(hints))
            hints = hints._assumed(RETAIN, arrival, kept, f"assumed: blocks kept after responses: {retain}")
        if resume is not None:
            silence, words = hints._silence(arrival, ended, resume)
            hints = hints._assumed(RESUME, arrival, ended + silence, words)
        return hints

    def __len__(self) -> int:
        return len(self.agent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hints):
            return NotImplemented
        arrays = [(h.time, h.request, h.what, h.value, h.done) for h in (self, other)]
        facts = [(h.named(h.agent), h.named(h.parent), h.kind, h.stop) for h in (self, other)]
        return facts[0] == facts[1] and all(map(_alike, *arrays))

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, key: slice | IntArray) -> Hints:
        """Return the hints of some requests, in order, with the events about them."""
        chosen = np.arange(len(self))[key]
        place = np.full(len(self), -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        kept = place[self.request] >= 0
        events = {"time": self.time, "request": place[self.request], "what": self.what, "value": self.value}
        some: dict[str, Any] = {name: readonly(column[kept]) for name, column in events.items()}
        for name in ("agent", "parent", "done"):
            column = getattr(self, name)
            some[name] = None if column is None else readonly(column[chosen])
        for name in ("kind", "stop"):
            texts = getattr(self, name)
            some[name] = None if texts is None else tuple(texts[k] for k in chosen.tolist())
        return replace(self, **some)

    @property
    def own_agent(self) -> IntArray:
        """Agent of each request, where one without an id is an agent of its own, below 0; shape (n,)."""
        return np.where(self.agent == NO_AGENT, NO_AGENT - np.arange(len(self)), self.agent)

    @property
    def events(self) -> list[Event]:
        """All events, in order."""
        named: Any = self.named(self.agent[self.request])
        said = zip(self.time.tolist(), named, self.what.tolist(), self.value.tolist(), strict=True)
        return [Event(t, who, WHAT[what], None if math.isnan(value) else value) for t, who, what, value in said]

    def named(self, agent: IntArray | None) -> list[Any] | None:
        """Return agents by name, or by number where they have none; None for no agent."""
        if agent is None:
            return None
        return [None if a == NO_AGENT else self.names[a] if self.names else a for a in agent.tolist()]

    def cuts(self, arrival: FloatArray) -> IntArray:
        """Return the request after whose arrival each event counts first, n if it never does; shape (m,)."""
        return np.maximum(np.searchsorted(arrival, self.time, "left"), self.request)

    def void(self, arrival: FloatArray) -> BoolArray:
        """Return whether each event is a close whose agent asked again before; shape (m,)."""
        closes = self.what == WHAT.index(CLOSE)
        void: BoolArray = closes & (returns(self.own_agent, arrival)[self.request] < self.time)
        return void

    def with_events(self, requests: Requests, events: Iterable[Sequence[Any]]) -> Hints:
        """Return the hints with more events, each (time, agent, what, value), about the agent's latest request.

        Raises
        ------
        TraceError
            Names the event, counted from 0: an unknown agent, one that has not asked yet, an unknown word.
        """
        arrival, found = _arrival(requests), list[tuple[float, int, int, float]]()
        numbers = {name: i for i, name in enumerate(self.names)} if self.names else None
        asked: dict[int, IntArray] = {}
        for i, (time, agent, what, value) in enumerate(events):
            code = agent if numbers is None else numbers.get(agent, len(self))
            if what not in WHAT:
                raise TraceError("what", i, what, "one of " + ", ".join(WHAT), "event")
            if code not in asked:
                asked[code] = np.flatnonzero(self.agent == code) if code != NO_AGENT else np.empty(0, np.int64)
            place = np.searchsorted(arrival[asked[code]], time, "right") - 1
            if place < 0:
                if not len(asked[code]):
                    raise TraceError("agent", i, agent, "an agent that has a request", "event")
                raise TraceError("time", i, time, "a time from its request on", "event")
            said = np.nan if value is None else float(value)
            found.append((float(time), int(asked[code][place]), WHAT.index(what), said))
        if not found:
            return self
        twice = len({*found}) - len({event[:3] for event in found})
        words = (f"{twice} of the events contradict one of the same instant: the later line counts",) * bool(twice)
        hints = self.and_events(*(np.array(column) for column in zip(*found, strict=True)))
        return replace(hints, said=(*self.said, *words))

    def and_events(self, time: Any, request: Any, what: Any, value: Any) -> Hints:
        """Return the hints with more events, in order of time; among equals those that were there come first."""
        times = np.append(self.time, time)
        order = np.argsort(times, kind="stable")
        added = {"request": request, "what": what, "value": value}
        columns = {name: np.append(getattr(self, name), column)[order] for name, column in added.items()}
        about, said = (readonly(columns[name].astype(np.int64)) for name in ("request", "what"))
        return replace(
            self, time=readonly(times[order]), request=about, what=said, value=readonly(columns["value"])
        )

    def _of_agents_named(self, agent: Sequence[Any], n: int) -> Hints:
        found = hint_columns.agents("agent", agent, n)
        texts = dict.fromkeys(one for one in found if isinstance(one, str))
        names: dict[Any, int] = {name: i for i, name in enumerate(texts)}
        codes = [NO_AGENT if one is None else names.get(one, one) for one in found]
        return replace(
            self, agent=readonly(np.array(codes, np.int64)), names=tuple(names) if names else None, parent=None
        )

    def _with_parents(self, parent: Sequence[Any], n: int) -> Hints:
        number: dict[Any, int] = {name: i for i, name in enumerate(self.names or ())}
        found = hint_columns.agents("parent_agent", parent, n)
        known = {*number} if number else {*self.agent.tolist()}
        for k, one in enumerate(found):
            if one is not None and one not in known:
                raise TraceError("parent_agent", k, one, "an agent that has a request", "request")
        codes: Any = [NO_AGENT if one is None else number.get(one, one) for one in found]
        return replace(self, parent=readonly(np.array(codes, np.int64)))

    def _with_times(self, requests: Requests, done: FloatArray | None, columns: Mapping[str, FloatArray]) -> Hints:
        if done is None and not columns:
            return self
        arrival, hints = _arrival(requests), self
        if done is not None:
            hints = replace(self, done=readonly(hint_columns.not_before("done", done, arrival)))
        ended = arrival if hints.done is None else np.fmax(hints.done, arrival)
        for what, column in columns.items():
            timed = what in hint_columns.SAID_WHEN
            if timed:
                hint_columns.not_before(EVENT_COLUMNS[what], column, arrival)
            (about,) = np.nonzero(~np.isnan(column))
            time = np.maximum(column, ended)[about] if timed else arrival[about]
            value = np.full(len(about), np.nan) if timed else column[about]
            hints = hints.and_events(time, about, np.full(len(about), WHAT.index(what)), value)
        return hints

    def _assumed(self, what: str, time: FloatArray, value: FloatArray, words: str) -> Hints:
        """Return hints with an event a request, where its time and its value, if it has one, are known."""
        (about,) = np.nonzero(~np.isnan(time if what == CLOSE else value))
        added = self.and_events(time[about], about, np.full(len(about), WHAT.index(what)), value[about])
        return replace(added, said=(*self.said, words))

    def _silence(self, arrival: FloatArray, ended: FloatArray, resume: Seconds) -> tuple[FloatArray, str]:
        """Return how long after a response its agent is taken to come back, and words for it."""
        if resume == LEARNT:
            learnt = learnt_silences(self.own_agent, arrival, ended, self.stop)
            return learnt, "learnt: agents come back after the median so far"
        known = "when the future says, an oracle" if resume == ORACLE else f"after responses: {resume}"
        found = silences_taken(returns(self.own_agent, arrival) - ended, self.stop, resume)
        return found, f"assumed: agents come back {known}"

    def _silence_before_end(
        self, arrival: FloatArray, ended: FloatArray, delay: Seconds, stop: str | None
    ) -> tuple[FloatArray, str]:
        """Return how long after a response its agent is closed, not a number where it is not, and words for it."""
        last = np.flatnonzero(self.agent >= 0) if delay == LEARNT else last_requests(self.agent)
        last = last[~np.isin(last, self.request[self.what == WHAT.index(CLOSE)])]
        if stop is not None:
            stops = needed_stops(self.stop, f"of which {stop!r} announces an end")
            last = last[[stops[k] == stop for k in last.tolist()]]
        only, wait = "" if stop is None else f" that stop with {stop}", np.full(len(self), np.nan)
        if delay == LEARNT:
            wait[last] = learnt_silences(self.own_agent, arrival, ended, self.stop, SURE)[last]
            return wait, f"learnt: agents{only} are over when silent for longer than {SURE:.0%} of silences so far"
        wait[last] = float(seconds_of("delay", delay))
        each = f"{float(seconds_of('delay', delay)):g} s after their last response"
        return wait, f"assumed: {len(last)} agents{only} are closed {each}"


def taken_for_agents(requests: Requests) -> str:
    """Return what is assumed of requests that name no agents."""
    each = "request" if getattr(requests, "conversation", None) is None else "conversation"
    return f"assumed: each {each} is taken for an agent"


def checked_hints(hints: Hints | None, n: int) -> Hints | None:
    """Return hints if they are of n requests."""
    if not (hints is None or (isinstance(hints, Hints) and len(hints) == n)):
        found = f"those of {len(hints)} requests" if isinstance(hints, Hints) else type(hints).__name__
        raise ArgumentError("hints", found, f"tt.Hints of {n} requests, or None")
    return hints


def _alike(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=True)


def _arrival(requests: Requests) -> FloatArray:
    if requests.arrival is None:
        raise ArgumentError("trace", "no arrival times", "arrival times, from which hints count")
    return requests.arrival


def ends_of(requests: Requests, hints: Hints) -> FloatArray:
    """Return when each response ended, in seconds: its arrival where nothing is said; shape (n,)."""
    arrival = _arrival(requests)
    return arrival if hints.done is None else np.fmax(hints.done, arrival)
