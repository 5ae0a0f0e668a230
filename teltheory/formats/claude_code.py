"""Recorded sessions of coding agents: a JSON object each, with hashes of 64-token blocks.

1. Ids are local to a session, unless it says ``"hash_id_scope": "global"``; here they become global.
2. `t` counts in seconds from the session's start, and nothing says when a session starts: of several sessions the
   starts are assumed (`Times(None, rate)`, ``delays:rate=0.1``). Times in a session are the file's.
3. An entry with `requests` of its own is an agent that the session started. Its requests have one of two clocks.
   In sessions of kv-cache-tester they count from the agent's start, and the first is at 0; the agent's `t` is
   when it ended: agents that were started together differ in `t` as they differ in `duration_ms`. So it began at
   t - duration_ms / 1000. In the sessions that SemiAnalysis publishes they count from the session's start: there
   each agent's first request is later than the session's request before it.
4. A session is a conversation, and so is each agent. The history is as far as the ids say: if all full blocks of
   the conversation's request before come back, its input and output; else the blocks that do.
5. Outputs have no ids of their own: the path of a request is its input. A request without ids shares nothing.
6. Hints: each conversation is an agent, and a nested one has its parent. Agents are named by the ids of their
   sessions and their own, if all differ. A request's kind is that of its nested agent, else its own type; it was
   done `api_time` seconds after `t`.
7. `tool_tokens` and `system_tokens` are in every input of a session or agent; the report adds them up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.formats.blocks import FIELD, RequestBlocks
from teltheory.formats.format import Format, Source, has
from teltheory.formats.reading import ints
from teltheory.formats.records import Record
from teltheory.formats.requests import RequestColumns, dated_inputs
from teltheory.model.numbers import FloatArray
from teltheory.model.trace import Trace
from teltheory.workloads.times import Times

NAME = "claude-code"
LOCAL, GLOBAL = "local", "global"
REQUESTS = "requests"
UNSAID = "requests without hash_ids, which share nothing"
NEEDED = "an assumption: Times(None, rate=0.1), or --times delays:rate=0.1"
STARTS = "assumed: sessions start at {:g} a second (Poisson), seed {}; in them the times of the file"
TOLD = {"tool_tokens": "tools", "system_tokens": "system prompts"}
ONE = "those of the file, from the session's start"


@dataclass
class _Sessions:
    """What was read: requests with the session of each, and tokens of tools and of system prompts."""

    requests: RequestColumns = field(default_factory=RequestColumns)
    conversations: int = 0
    sessions: int = 0
    scope: str | None = None

    def scope_of(self, record: Record) -> str:
        """Return the scope of a session's ids; sessions of two scopes are an error."""
        scope = record.get("hash_id_scope") or LOCAL
        if scope not in (LOCAL, GLOBAL) or self.scope not in (None, scope):
            record.fail("hash_id_scope", scope, f"{LOCAL} or {GLOBAL}, the same in all sessions")
        self.scope = scope
        return str(scope)

    def add(self, record: Record, blocks: RequestBlocks) -> None:
        """Add a session and its agents."""
        numbers = dict[tuple[int, ...], int]()
        for agent in _agents(record, 0.0, "", _named(record, "id")):
            parent = numbers.get(agent.place[:-1]) if agent.place else None
            numbers[agent.place] = self.conversations
            self._add_agent(agent, blocks, parent)
        self.sessions += 1

    def _add_agent(self, agent: _Agent, blocks: RequestBlocks, parent: int | None) -> None:
        number, before, model = self.conversations, list[int](), None
        self.conversations += 1
        self.requests.said.names.append(agent.name)
        for name, what in TOLD.items():
            if agent.record.get(name) is not None:
                self.requests.told[what] += agent.record.whole(name) * len(agent.requests)
        for request, seconds in agent.requests:
            tokens, output = request.whole("in"), request.whole("out")
            said = request.get(FIELD) is not None
            ids = blocks.read(request, tokens) if said else _own(len(blocks), tokens // blocks.block_size)
            self.requests.odd[UNSAID] += not said
            self.requests.add(number, tokens, output, seconds)
            self.requests.history.append(_history(before, ids, blocks.block_size, tokens))
            self.requests.session.append(self.sessions)
            blocks.add(request, ids, tokens)
            kind, stop = agent.kind or str(request.get("type") or ""), str(request.get("stop") or "")
            who = {"agent": number, "parent_agent": parent, "kind": kind, "stop": stop}
            self.requests.said.add(**who, lasted=_seconds(request, "api_time", np.nan))
            model, other = request.get("model") if model is None else model, request.get("model")
            self.requests.odd["requests of another model than the first of their agent"] += other != model
            before = ids


@dataclass(frozen=True)
class _Agent:
    """The requests of an agent with their times, in seconds since the session's start; its place among agents."""

    record: Record
    kind: str
    name: str
    place: tuple[int, ...]
    requests: list[tuple[Record, float]]


def read(source: Source) -> Trace:
    """Make a trace of the sessions."""
    found, blocks = _Sessions(), None
    for record in source.records():
        blocks = _blocks(record, blocks, source.blocks)
        if found.scope_of(record) == LOCAL:
            blocks.new_scope()
        found.add(record, blocks)
    requests = found.requests
    requests.blocks = blocks
    starts, words = _starts(found.sessions, source.times)
    arrival = np.array(requests.seconds, np.float64) + starts[ints(requests.session)]
    return dated_inputs(requests, NAME, arrival, words)


def _blocks(record: Record, blocks: RequestBlocks | None, said: int | None) -> RequestBlocks:
    """Return the blocks to which a session adds, of one size."""
    size = record.get("block_size") or said
    expected = said if blocks is None else blocks.block_size
    if size is None:
        record.fail("block_size", "nothing", "the tokens per block, here or as blocks=N (--blocks N)")
    if type(size) is not int or size < 1:
        record.fail("block_size", size, "a whole number above 0")
    if expected not in (None, size):
        record.fail("block_size", size, f"{expected}, as {'given' if blocks is None else 'before'}")
    return RequestBlocks(size) if blocks is None else blocks


def _agents(
    record: Record, start: float | None, kind: str, name: str, place: tuple[int, ...] = ()
) -> Iterator[_Agent]:
    """Yield the agent whose requests a record has, and after it the agents that it started.

    Times count from `start`; None says that those of all agents count from the session's start.
    """
    entries = record.needed(REQUESTS)
    if not isinstance(entries, list):
        record.fail(REQUESTS, entries, "a list of requests")
    own, nested, one_clock = list[tuple[Record, float]](), list[Record](), True
    for i, entry in enumerate(entries):
        if not isinstance(entry, dict):
            record.fail(f"{REQUESTS}[{i}]", entry, "a request: an object")
        request = Record(record.path, f"{record.place}, {REQUESTS}[{i}]", entry)
        if entry.get(REQUESTS) is None:
            own.append((request, _time(request, own, start or 0.0)))
        else:
            nested.append(request)
            one_clock &= _first(request) > (own[-1][1] if own else 0.0)
    if own:
        yield _Agent(record, kind, name, place, own)
    for i, agent in enumerate(nested):
        begun = None if start is None or (one_clock and not kind) else start + _begun(agent)
        known = _named(agent, "agent_id")
        below = f"{name}/{known}" if name and known else ""
        yield from _agents(agent, begun, str(agent.get("subagent_type") or "agent"), below, (*place, i))


def _named(record: Record, field: str) -> str:
    return str(record.get(field) or "").strip()


def _first(agent: Record) -> float:
    """Return when an agent's first request was sent, as far as it says that; infinity if it has none."""
    entries = agent.get(REQUESTS)
    if not isinstance(entries, list) or not entries:
        return math.inf
    seconds = entries[0].get("t") if isinstance(entries[0], dict) else None
    return seconds if isinstance(seconds, int | float) else 0.0


def _begun(agent: Record) -> float:
    return max(_seconds(agent, "t") - _seconds(agent, "duration_ms") / 1000, 0.0)


def _time(request: Record, before: list[tuple[Record, float]], start: float) -> float:
    seconds = start + _seconds(request, "t")
    if before and seconds < before[-1][1]:
        request.fail("t", request.get("t"), f"{before[-1][0].get('t')} or later, the time of the request before")
    return seconds


def _seconds(record: Record, name: str, unsaid: float = 0.0) -> float:
    if name != "t" and record.get(name) is None:
        return unsaid
    value = record.number(name, "a number, 0 or more")
    if value < 0:
        record.fail(name, value, "a number, 0 or more")
    return value


def _history(before: list[int], ids: list[int], size: int, tokens: int) -> int:
    """Return how much of an input the request before may have left: all of it, or the blocks that come back."""
    if ids[: len(before)] == before:
        return tokens if before else 0
    return size * next(i for i, (old, new) in enumerate(zip(before, [*ids, None], strict=False)) if old != new)


def _own(request: int, blocks: int) -> list[int]:
    """Return ids of blocks that no other request has: numbers below 0."""
    return [-(request << 32) - k for k in range(1, blocks + 1)]


def _starts(sessions: int, times: Times | None) -> tuple[FloatArray, str]:
    """Return when each session starts, and what that stands for in words."""
    if times is None:
        if sessions > 1:
            raise ArgumentError(
                "times", None, f"{NEEDED}, as nothing says when each of {sessions} sessions starts"
            )
        return np.zeros(max(sessions, 1)), ONE
    if times.gaps is not None or times.rate is None:
        raise ArgumentError("times", times, f"{NEEDED}, as {NAME} has the times in a session")
    starts = times.arrivals(np.ones(sessions, np.int64), delays=np.empty(0))
    return starts, STARTS.format(times.rate, times.seed)


CLAUDE_CODE = Format(
    name=NAME,
    fields=("requests", "hash_id_scope", "block_size"),
    tells=has("requests", "block_size"),
    read=read,
    delays=True,
    blocks=True,
)
