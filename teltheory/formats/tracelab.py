"""TraceLab: a record a step (a round) of a coding agent, Claude Code or Codex, of counts alone.

1. `input_tokens_total` is the whole input, `output_tokens` the output with its reasoning, `prefix_tokens` what the
   provider had cached, which is reported and is no history.
2. A step arrives when its input is ready: at its latest `user_message` or `tool_result` before its first
   `tool_call`, as TraceLab has it. Without such an event it is at its first event; without any it is left out.
3. `session_id` names the conversation. A subagent has a session of its own, and nothing names its parent.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

from teltheory.formats.format import Format, Source, has
from teltheory.formats.mapped import Names
from teltheory.formats.mapped import read as read_log
from teltheory.formats.records import Record
from teltheory.model.trace import Trace

EVENTS, INPUTS, CALL = "timing_events", ("user_message", "tool_result"), "tool_call"
LEFT_OUT = "steps without a time, left out"


def steps(source: Source, odd: Counter[str], wanted: frozenset[str]) -> Iterator[Record]:
    """Yield the steps with the time of each in the place of its events."""
    for record in source.records(wanted and wanted | {"event_type", "timestamp"}):
        times = _times(record)
        if times:
            yield replace(record, fields={**record.fields, EVENTS: times[-1]})
        else:
            odd[LEFT_OUT] += 1


def _times(record: Record) -> list[Any]:
    """Return the times of what came in before the first call of a tool; if nothing came in, of the first event."""
    events = record.get(EVENTS) or []
    if not isinstance(events, list) or not all(isinstance(one, dict) for one in events):
        record.fail(EVENTS, events, "a list of events: objects")
    dated = [one for one in events if one.get("timestamp") is not None]
    before = takewhile(lambda one: one.get("event_type") != CALL, dated)
    came = [one["timestamp"] for one in before if one.get("event_type") in INPUTS]
    return came or [one["timestamp"] for one in dated[:1]]


FIELDS = ("session_id", "input_tokens_total", "output_tokens", EVENTS)
NAMES = {
    "conversation": ("session_id",),
    "total": ("input_tokens_total",),
    "response": ("output_tokens",),
    "arrival": (EVENTS,),
    "cached_tokens": ("prefix_tokens",),
}


def read(source: Source) -> Trace:
    """Make a trace of the steps."""
    return read_log(source, Names("tracelab", NAMES, records=steps))


TRACELAB = Format(
    name="tracelab",
    fields=FIELDS,
    tells=has(*FIELDS),
    read=read,
    columns=True,
)
