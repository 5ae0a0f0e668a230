"""Hints: what an application says of its requests, and from when on it counts.

1. A request has an *agent*, which may have a parent, is of a kind, and stops for a reason when its response is
   `done`. Without agents each conversation is taken for one, and a request without an id for an agent of its own.
2. An *event* says something of one request and of its agent: that the agent is closed, until when its blocks are
   to be kept, when it comes back, what its priority is. It counts from the first cut whose time, the arrival of
   that cut's request, is not before the event's, and never before the request's own cut.
3. A column is an event a request: a close counts from the request's end where that is known, the rest from its
   arrival. Of two events of a kind about one request the later line wins.
4. A close is void if its agent asked again before the event's time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, readonly
from teltheory.model.requests import Requests
from teltheory.model.turns import consecutive_turns
from teltheory.model.units import Seconds, seconds_of

WHAT = CLOSE, RETAIN, RESUME, PRIORITY = ("close", "retain", "resume", "priority")
"""What an event may say."""
NO_AGENT = -1
COLUMNS = {CLOSE: "closed_at", RETAIN: "retain_until", RESUME: "resume_at", PRIORITY: "priority"}


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
        Seconds of "retain" and "resume", the priority; not a number for "close".
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
    ) -> Hints:
        """Make hints of columns, with an entry a request, None where nothing is said.

        What is left out stays as the requests have it, their events included.

        Parameters
        ----------
        requests : Trace or Forest
            What is spoken of; with arrival times, unless there are agents, kinds and stop reasons alone.
        agent, parent_agent : sequence of int or of str
            Who asks, and who started that one.
        kind, stop : sequence of str
            What kind of agent or request it is, and why its response ended.
        done : sequence of float
            When its response ended, in seconds; its arrival or later.
        closed_at : sequence of float
            When the agent is known to be over after it; its arrival or later.
        retain_until : sequence of float
            Until when its blocks are asked to be kept.
        resume_at : sequence of float
            When the agent is expected back.
        priority : sequence of float
            Its priority; blocks of less go first.

        Raises
        ------
        ArgumentError
            For hints without arrival times.
        TraceError
            Names the column, the request, the value and what was expected.
        """
        n, before = len(requests), requests.hints or cls.of_agents(requests.agents)
        hints = before if agent is None else before._of_agents_named(agent, n)
        if parent_agent is not None:
            hints = hints._with_parents(parent_agent, n)
        texts = {name: said for name, said in (("kind", kind), ("stop", stop)) if said is not None}
        read: dict[str, Any] = {name: _texts(name, column, n) for name, column in texts.items()}
        hints = replace(hints, **read)
        given = zip(WHAT, (closed_at, retain_until, resume_at, priority), strict=True)
        columns = {what: _numbers(COLUMNS[what], column, n) for what, column in given if column is not None}
        if done is not None or columns:
            hints = hints._with_times(requests, None if done is None else _numbers("done", done, n), columns)
        return hints

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
            How long after its last response an agent is announced to be over.
        stop : str, optional
            Only agents whose last response ended for this reason.
        close : bool
            Whether ends are announced at all.
        retain : Seconds, or mapping of str to Seconds, optional
            How long after each response its blocks are to be kept; or by the reason why the response ended.
        resume : Seconds, optional
            "oracle": each agent says when it will be back; "stop": the median by why responses end, of these
            requests; a time such as "15s": after each response the same.

        Raises
        ------
        ArgumentError
            For requests without times, or without stop reasons where they are looked at.
        """
        from teltheory.model.announced import announced

        return announced(requests, delay, stop, close, retain, resume)

    def __len__(self) -> int:
        return len(self.agent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hints):
            return NotImplemented
        arrays = [(h.agent, h.time, h.request, h.what, h.value, h.parent, h.done) for h in (self, other)]
        facts = [(h.names, h.kind, h.stop) for h in (self, other)]
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
        agents: list[Any] = self.agent[self.request].tolist()
        named = [None if a == NO_AGENT else self.names[a] if self.names else a for a in agents]
        said = zip(self.time.tolist(), named, self.what.tolist(), self.value.tolist(), strict=True)
        return [Event(t, who, WHAT[what], None if math.isnan(value) else value) for t, who, what, value in said]

    def cuts(self, arrival: FloatArray) -> IntArray:
        """Return the request after whose arrival each event counts first, n if it never does; shape (m,)."""
        return np.maximum(np.searchsorted(arrival, self.time, "left"), self.request)

    def void(self, arrival: FloatArray) -> BoolArray:
        """Return whether each event is a close whose agent asked again before; shape (m,)."""
        following = np.full(len(self) + 1, np.inf)
        earlier, later = consecutive_turns(self.own_agent)
        following[earlier] = arrival[later]
        void: BoolArray = (self.what == WHAT.index(CLOSE)) & (following[self.request] < self.time)
        return void

    def with_events(self, requests: Requests, events: Iterable[Sequence[Any]]) -> Hints:
        """Return the hints with more events, each (time, agent, what, value), about the agent's latest request.

        Raises
        ------
        ArgumentError
            Names the event, counted from 0: an unknown agent, one that has not asked yet, an unknown word.
        """
        arrival, found = _arrival(requests), list[tuple[float, int, int, float]]()
        numbers = {name: i for i, name in enumerate(self.names)} if self.names else None
        asked: dict[int, IntArray] = {}
        for i, (time, agent, what, value) in enumerate(events):
            code = agent if numbers is None else numbers.get(agent, len(self))
            if what not in WHAT:
                raise ArgumentError(f"events[{i}]", what, "one of " + ", ".join(WHAT))
            if code not in asked:
                asked[code] = np.flatnonzero(self.agent == code) if code != NO_AGENT else np.empty(0, np.int64)
            place = np.searchsorted(arrival[asked[code]], time, "right") - 1
            if place < 0:
                wanted = "an agent that has a request" if not len(asked[code]) else "a time from its request on"
                raise ArgumentError(f"events[{i}]", agent if not len(asked[code]) else time, wanted)
            said = np.nan if value is None else float(value)
            found.append((float(time), int(asked[code][place]), WHAT.index(what), said))
        return self._and(*(np.array(column) for column in zip(*found, strict=True))) if found else self

    def _and(self, time: Any, request: Any, what: Any, value: Any) -> Hints:
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
        names = list(dict.fromkeys(one for one in _entries("agent", agent, n) if isinstance(one, str)))
        number = {name: i for i, name in enumerate(names)}
        codes = np.array([_agent(k, one, number) for k, one in enumerate(agent)], np.int64)
        return replace(self, agent=readonly(codes), names=tuple(names) if names else None, parent=None)

    def _with_parents(self, parent: Sequence[Any], n: int) -> Hints:
        number = {name: i for i, name in enumerate(self.names or ())}
        entries = _entries("parent_agent", parent, n)
        known = {*number} if number else {*self.agent.tolist()}
        for k, one in enumerate(entries):
            if one is not None and one not in known:
                raise TraceError("parent_agent", k, one, "an agent that has a request", "request")
        codes = [NO_AGENT if one is None else number.get(one, one) for one in entries]
        return replace(self, parent=readonly(np.array(codes, np.int64)))

    def _with_times(self, requests: Requests, done: FloatArray | None, columns: Mapping[str, FloatArray]) -> Hints:
        arrival, hints = _arrival(requests), self
        if done is not None:
            _check_late("done", done, arrival)
            hints = replace(self, done=readonly(done))
        ended = arrival if hints.done is None else np.fmax(hints.done, arrival)
        for what, column in columns.items():
            if what == CLOSE:
                _check_late(COLUMNS[what], column, arrival)
            (about,) = np.nonzero(~np.isnan(column))
            time = np.maximum(column, ended)[about] if what == CLOSE else arrival[about]
            value = np.full(len(about), np.nan) if what == CLOSE else column[about]
            hints = hints._and(time, about, np.full(len(about), WHAT.index(what)), value)
        return hints


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


def _entries(name: str, column: Sequence[Any], n: int) -> Sequence[Any]:
    if len(column) != n:
        raise TraceError(name, None, f"{len(column)} values", f"{n}, one a request")
    return column


def _agent(k: int, one: Any, number: Mapping[str, int]) -> int:
    if one is None:
        return NO_AGENT
    if number or isinstance(one, bool) or not isinstance(one, int | np.integer) or one < 0:
        if one in number:
            return number[one]
        raise TraceError("agent", k, one, "a name, or throughout a whole number, 0 or more, or None", "request")
    return int(one)


def _texts(name: str, column: Sequence[Any], n: int) -> tuple[str, ...]:
    for k, one in enumerate(_entries(name, column, n)):
        if not (one is None or isinstance(one, str)):
            raise TraceError(name, k, one, "text or None", "request")
    return tuple("" if one is None else one for one in column)


def _numbers(name: str, column: Any, n: int) -> FloatArray:
    """Return a column of numbers, not a number where nothing is said."""
    for k, one in enumerate(_entries(name, column, n)):
        if one is not None and (isinstance(one, bool | str) or not np.isreal(one)):
            raise TraceError(name, k, one, "a number or None", "request")
    return np.array([np.nan if one is None else one for one in column], np.float64)


def _check_late(name: str, column: FloatArray, arrival: FloatArray) -> None:
    for k in np.flatnonzero(column < arrival)[:1]:
        raise TraceError(name, int(k), float(column[k]), f"{arrival[k]} or later, its arrival", "request")


def ends_of(requests: Requests, hints: Hints) -> FloatArray:
    """Return when each response ended, in seconds: its arrival where nothing is said; shape (n,)."""
    arrival = _arrival(requests)
    return arrival if hints.done is None else np.fmax(hints.done, arrival)


def returns_of(requests: Requests, hints: Hints) -> FloatArray:
    """Return when each request's agent asks again, not a number if never; shape (n,)."""
    returns = np.full(len(requests), np.nan)
    earlier, later = consecutive_turns(hints.own_agent)
    returns[earlier] = _arrival(requests)[later]
    return returns


def seconds_by_stop(hints: Hints, given: Mapping[str, Seconds] | Seconds, n: int, name: str) -> FloatArray:
    """Return seconds for each request, given for all or by why its response ended; not a number where not."""
    if not isinstance(given, Mapping):
        return np.full(n, float(seconds_of(name, given)))
    if hints.stop is None:
        raise ArgumentError("trace", "no stop reasons", f"stop reasons, by which {name} is given")
    read = {stop: float(seconds_of(name, value)) for stop, value in given.items()}
    return np.array([read.get(stop, np.nan) for stop in hints.stop], np.float64)
