"""Calls of agents: each record has a `session_id`, all `messages` of the call and its `output_length`.

Calls are in the order of their time stamps, in a session where all have one. An input is the tools and all
messages. Its history is what it begins with of the session's call before: all of that call's input, and of its
response as much as comes back in the assistant's messages after it; or, if the messages were edited or compacted,
the messages that are the same. A system prompt that the user gives comes before
the tools. In LMCache's `lmcache-agentic-traces` the messages are called `input`, and the delay `pre_gap`, in
seconds. If the user names a block size, requests share blocks of their inputs' tokens: outputs are lengths here.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from teltheory.formats.counting import needed_counter
from teltheory.formats.format import Format, Source, has_list
from teltheory.formats.messages import MessageShape, messages_of
from teltheory.formats.records import Record, in_session_order
from teltheory.formats.requests import RequestColumns, whole_inputs
from teltheory.formats.tokens import Spoken, joined, names
from teltheory.model.trace import Trace

CALLS = MessageShape(("messages", "input"))


@dataclass
class _Session:
    """What a session's last call was: digests of its messages, their tokens (and their ids), its time."""

    number: int
    digests: Sequence[bytes] = ()
    tokens: Sequence[int] = ()
    encoded: Sequence[Sequence[int]] = ()
    seconds: float = field(default=-np.inf)


def read(source: Source) -> Trace:
    """Make a trace of the calls."""
    counter = needed_counter(source.tokenizer, "agentic")
    spoken = Spoken.of(source, counter)
    requests, sessions = RequestColumns(blocks=spoken.blocks), dict[str, _Session]()
    keys = ((str(record.needed("session_id")), record.seconds("timestamp")) for record in source.records())
    for record in in_session_order(source.records(), keys, requests.places):
        session = sessions.setdefault(str(record.needed("session_id")), _Session(len(sessions)))
        _add_call(requests, session, record, spoken)
    return whole_inputs(requests, "agentic", source.times, counter.name)


def _add_call(requests: RequestColumns, session: _Session, record: Record, spoken: Spoken) -> None:
    if record.get("message_mode") not in (None, "history"):
        record.fail("message_mode", record.get("message_mode"), "'history': every call with all its messages")
    messages = messages_of(record, CALLS, requests.odd)
    tools = record.get("tools")
    texts = [json.dumps(tools) if tools else "", *(message.text for message in messages)]
    answers = [False, *(message.answers for message in messages)]
    digests = [_digest(text, answer) for text, answer in zip(texts, answers, strict=True)]
    common = _common(session.digests, digests)
    encoded, fresh = [], texts[common:]
    if spoken.blocks is not None:
        encoded = [*session.encoded[:common], *spoken.counter.encode(fresh)]
    counts = list(map(len, encoded[common:])) if encoded else spoken.counter.count(fresh)
    tokens = [*session.tokens[:common], *counts]
    first = len(spoken.system)
    history = sum(tokens[:common]) + first * bool(session.digests)
    if common == len(session.digests) > 0:
        end = next((i for i in range(common, len(answers)) if not answers[i]), len(answers))
        history += sum(tokens[common:end])
    seconds, delay = record.seconds("timestamp"), record.seconds("delay")
    if record.get("pre_gap") is not None:
        delay = record.number("pre_gap", "a number of seconds")
    inputs, output = first + sum(tokens), record.whole("output_length")
    requests.add(session.number, inputs, output, max(seconds, session.seconds), delay)
    if spoken.blocks is not None:
        named = names(joined([spoken.system, *encoded]), spoken.blocks.block_size)
        spoken.add_named(record, named, inputs, inputs)
    requests.history.append(history)
    requests.odd["turns dated before an earlier one"] += seconds < session.seconds
    session.digests, session.tokens, session.encoded = digests, tokens, encoded
    session.seconds = max(session.seconds, seconds) if not math.isnan(seconds) else session.seconds


def _digest(text: str, answers: bool) -> bytes:
    salt = b"response" if answers else b"prompt"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, salt=salt).digest()


def _common(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    n = 0
    while n < min(len(left), len(right)) and left[n] == right[n]:
        n += 1
    return n


AGENTIC = Format(
    name="agentic",
    fields=("session_id", "messages"),
    tells=lambda fields, kind: (
        "session_id" in fields and (has_list(fields, "messages") or has_list(fields, "input"))
    ),
    read=read,
    text=True,
    delays=True,
    blocks=True,
)
