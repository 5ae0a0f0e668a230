"""Hints that were recorded beside a trace: a message a line, in the envelope that vLLM and SGLang carry.

    {"time": 12.5, "session_id": "a", "protocol_version": "0.1", "message_id": "m", "actions": [
        {"action_id": "1", "action_type": "kv.retain", "action_version": "1.0", "payload": {"duration": 60}}]}

1. `time` is on the trace's clock: seconds, or a text with its unit. The envelope may stand in a field `kv_hints`.
2. A message is about the agent `session_id`, beside the envelope or in an action's payload, which goes first, and
   there about its latest request. Where the trace names no agents, a conversation's name is an agent's.
3. The envelope is vLLM's (`KvHintsEnvelope`, PR 53423), without meanings. Of `action_type` the last word is read:
   `close`, `deref`: the agent is over. `demote`: its blocks go one tier down.
   `retain` (RFC 51428, and vLLM's draft with `directives`; TensorRT-LLM's `KvCacheRetentionConfig`) and
   `set_priority`: `priority` or `value`, and `duration`, `ttl`, `ttl_seconds` or `duration_ms`, in seconds but for
   the last, counted from the message. Without a duration blocks are kept without end. Of several ranges of tokens
   the greatest priority and the latest time are taken, for the whole path. A priority does not run out.
   `resume`: `resume_at`, or `resume_in` from the message (RFC 57103 has the estimate, and no field for it).
4. Other actions are counted, and left out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from teltheory.base.input_files import check_file
from teltheory.errors import ArgumentError, FileError, TraceError
from teltheory.formats.records import Record, records_of
from teltheory.model.hints import CLOSE, DEMOTE, PRIORITY, RESUME, RETAIN, Event, Hints, taken_for_agents
from teltheory.model.trace import Trace
from teltheory.model.units import seconds_of

MEANINGS = {"close": CLOSE, "deref": CLOSE, "demote": DEMOTE, "resume": RESUME}
MEANINGS |= {"retain": RETAIN, "set_priority": PRIORITY}
SPANS = {"duration": 1.0, "ttl": 1.0, "ttl_seconds": 1.0, "duration_ms": 0.001}
RANGES = ("directives", "token_range_retention_configs")


def with_recorded(trace: Trace, path: str | Path) -> Trace:
    """Return a trace with the hints that a file has beside it.

    Raises
    ------
    FileError
        Names file, line and field: a trace without times, an agent without a request, a time before its request.
    """
    file, left_out = Path(path), Counter[str]()
    check_file(file, "hints as JSON lines")
    if trace.arrival is None:
        raise FileError(f"{file}: found hints, expected a trace with arrival times, from which they count")
    hints = trace.hints or _of_conversations(trace)
    found = [(one, event) for record in records_of(file, "jsonl") for one, event in _events(record, left_out)]
    try:
        more = hints.with_events(trace, [event for _, event in found])
    except TraceError as error:
        record, _ = found[error.turn or 0]
        record.fail({"agent": "session_id"}.get(error.field, error.field), error.found, error.expected)
    kinds = Counter(event.what for _, event in found)
    told = ", ".join(f"{what} {count:,}" for what, count in kinds.items()) or "nothing"
    out = "".join(f"; left out: {what} {count:,}" for what, count in sorted(left_out.items()))
    return trace.with_hints(replace(more, said=(*more.said, f"recorded in {file.name}: {told}{out}")))


def _of_conversations(trace: Trace) -> Hints:
    named = trace.names is not None or bool((trace.conversation >= 0).all())
    hints = Hints.of(trace, agent=list(trace.labels) if named else trace.code.tolist())
    return replace(hints, said=(taken_for_agents(trace),))


def _events(record: Record, left_out: Counter[str]) -> Iterator[tuple[Record, Event]]:
    """Yield what a message says, with the record that an error is about."""
    envelope = _object(record, "kv_hints", record.fields)
    time, actions = _seconds(record, "time"), envelope.needed("actions")
    if not isinstance(actions, list):
        envelope.fail("actions", actions, "a list of actions")
    for i, action in enumerate(actions):
        if not isinstance(action, dict):
            envelope.fail(f"actions[{i}]", action, "an action: an object")
        one = Record(record.path, f"{record.place}, actions[{i}]", action)
        kind = one.needed("action_type")
        what = MEANINGS.get(str(kind).rpartition(".")[2].lower())
        if what is None:
            left_out[str(kind)] += 1
            continue
        payload = _object(one, "payload", {})
        agent = _agent(payload, envelope, record)
        yield from ((payload, Event(time, agent, *said)) for said in _said(payload, what, time))


def _said(payload: Record, what: str, time: float) -> Iterator[tuple[str, float | None]]:
    """Yield what an action says, and its value."""
    if what == RESUME:
        later = payload.get("resume_at") is None
        yield what, time + _seconds(payload, "resume_in") if later else _seconds(payload, "resume_at")
    elif what in (RETAIN, PRIORITY):
        priority, kept = retention(payload)
        if priority is not None:
            yield PRIORITY, priority
        yield RETAIN, time + kept
    else:
        yield what, None


def retention(given: Record) -> tuple[float | None, float]:
    """Return the greatest priority of a directive and of its ranges of tokens, and for how many seconds it is."""
    ranges = next((name for name in RANGES if given.get(name) is not None), None)
    parts = [given]
    if ranges is not None:
        listed = given.get(ranges)
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            given.fail(ranges, listed, "a list of ranges of tokens")
        parts = [Record(given.path, f"{given.place}, {ranges}[{i}]", one) for i, one in enumerate(listed)]
    found = [_directive(part) for part in parts] or [(None, 0.0)]
    priorities = [priority for priority, _ in found if priority is not None]
    return max(priorities, default=None), max(kept for _, kept in found)


def _directive(part: Record) -> tuple[float | None, float]:
    """Return a priority, and for how long; one that is 0, or taken back, keeps nothing."""
    name = next((name for name in ("priority", "value") if name in part.fields), None)
    priority = None if name is None else 0.0 if part.get(name) is None else part.number(name, "a number")
    spans = [_seconds(part, span) * unit for span, unit in SPANS.items() if part.get(span) is not None]
    return priority, 0.0 if priority == 0 else max(spans, default=math.inf)


def _agent(*places: Record) -> Any:
    """Return the first name of an agent that stands somewhere."""
    named = (place.get(name) for place in places for name in ("session_id", "session", "agent"))
    found = next((one for one in named if one is not None), None)
    return (
        places[-1].fail("session_id", "nothing", "the agent that the message is about") if found is None else found
    )


def _object(record: Record, name: str, default: Any) -> Record:
    found = record.get(name)
    if not isinstance(found, dict | None):
        record.fail(name, found, "an object")
    return Record(record.path, record.place, default if found is None else found)


def _seconds(record: Record, name: str) -> float:
    """Return seconds: a number, or a text with its unit."""
    value = record.needed(name)
    if not isinstance(value, str):
        return record.number(name, "seconds, or a time with its unit, such as '12.5s'")
    try:
        return float(seconds_of(name, value))
    except ArgumentError as error:
        record.fail(name, value, error.expected)
