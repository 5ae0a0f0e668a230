"""OpenTelemetry spans of requests, by the semantic conventions of generative AI: OTLP as JSON lines.

1. A line is what the collector's file exporter writes: `resourceSpans`, in them `scopeSpans`, in them `spans`.
2. A request is a span with `gen_ai.usage.input_tokens` (or `gen_ai.usage.prompt_tokens`, the older name, which
   vLLM and SGLang have) whose `gen_ai.operation.name`, if it has one, asks a model: `chat`, `text_completion` or
   `generate_content`. Spans of agents, whose usage sums that of their calls, and others are left out and counted.
3. `gen_ai.usage.input_tokens` is the whole input, cached tokens in it, as the conventions have it.
4. It arrives at the span's start. Its conversation is `gen_ai.conversation.id`, or `session.id`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from teltheory.formats.format import Format, Source, has_list
from teltheory.formats.mapped import Names
from teltheory.formats.mapped import read as read_log
from teltheory.formats.records import Record
from teltheory.model.trace import Trace

USAGE = "gen_ai.usage."
INPUTS = (f"{USAGE}input_tokens", f"{USAGE}prompt_tokens")
ASKS = frozenset({None, "chat", "text_completion", "generate_content"})
TOP = "resourceSpans"
_DIGITS = re.compile(r"[0-9]{1,19}")


def spans(source: Source, odd: Counter[str], wanted: frozenset[str]) -> Iterator[Record]:
    """Yield the spans of requests, their attributes as fields beside the span's own."""
    for record in source.records():
        number = 0
        for resource in _objects(record, "", record.fields, TOP):
            for scope in _objects(record, TOP, resource, "scopeSpans"):
                for span in _objects(record, "scopeSpans", scope, "spans"):
                    number += 1
                    one = Record(record.path, f"{record.place}, span {number}", _flat(record, span))
                    asks = one.fields.get("gen_ai.operation.name") in ASKS
                    if asks and not one.fields.keys().isdisjoint(INPUTS):
                        yield one
                    else:
                        odd["spans that are no request to a model, left out"] += 1


def _objects(record: Record, place: str, fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = fields.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        record.fail(f"{place}.{name}".lstrip("."), found, "a list of objects")
    return found


def _flat(record: Record, span: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in span.items() if not isinstance(value, (dict, list))}
    for one in _objects(record, "spans", span, "attributes"):
        name, value = one.get("key"), one.get("value")
        if not isinstance(name, str) or not isinstance(value, dict):
            record.fail("attributes", one, "objects with a key and a value")
        for kind, held in value.items():
            whole = kind == "intValue" and _DIGITS.fullmatch(str(held))
            fields[name] = int(held) if whole else held
    return fields


NAMES = Names(
    "otel",
    {
        "conversation": ("gen_ai.conversation.id", "session.id"),
        "total": INPUTS,
        "response": (f"{USAGE}output_tokens", f"{USAGE}completion_tokens"),
        "arrival": ("startTimeUnixNano",),
        "cached_tokens": (f"{USAGE}cache_read.input_tokens", f"{USAGE}cached_tokens"),
    },
    records=spans,
)


def read(source: Source) -> Trace:
    """Make a trace of the spans."""
    return read_log(source, NAMES)


OTEL = Format(
    name="otel",
    fields=(TOP,),
    tells=lambda fields, kind: has_list(fields, TOP),
    read=read,
    columns=True,
)
