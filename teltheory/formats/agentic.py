"""Calls of agents: each record has a `session_id`, all `messages` of the call and its `output_length`.

An input is the tools and all messages. Its history is what it begins with of the session's call before: all of
that call's input, and of its response as much as comes back in the assistant's messages after it; or, if the
messages were edited or compacted, the messages that are the same.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from teltheory.formats.counting import Counter, needed_counter
from teltheory.formats.format import Format, Source, has_list
from teltheory.formats.messages import Shape, messages_of
from teltheory.formats.records import Record
from teltheory.formats.requests import Requests, whole_inputs
from teltheory.model.trace import Trace

CALLS = Shape(("messages",))


@dataclass
class _Session:
    """What a session's last call was: digests of its messages, their tokens, its time."""

    number: int
    digests: Sequence[bytes] = ()
    tokens: Sequence[int] = ()
    seconds: float = field(default=-np.inf)


def read(source: Source) -> Trace:
    """Make a trace of the calls."""
    counter = needed_counter(source.tokenizer, "agentic")
    requests, sessions = Requests(), dict[str, _Session]()
    for record in source.records():
        session = sessions.setdefault(str(record.needed("session_id")), _Session(len(sessions)))
        _add_call(requests, session, record, counter)
    return whole_inputs(requests, "agentic", source.times, counter.name)


def _add_call(requests: Requests, session: _Session, record: Record, counter: Counter) -> None:
    if record.get("message_mode") not in (None, "history"):
        record.fail("message_mode", record.get("message_mode"), "'history': every call with all its messages")
    messages = messages_of(record, CALLS, requests.odd)
    tools = record.get("tools")
    texts = [json.dumps(tools) if tools else "", *(message.text for message in messages)]
    answers = [False, *(message.answers for message in messages)]
    digests = [_digest(text, answer) for text, answer in zip(texts, answers, strict=True)]
    common = _common(session.digests, digests)
    tokens = [*session.tokens[:common], *counter.count(texts[common:])]
    history = sum(tokens[:common])
    if common == len(session.digests) > 0:
        end = next((i for i in range(common, len(answers)) if not answers[i]), len(answers))
        history += sum(tokens[common:end])
    seconds = record.seconds("timestamp")
    output = record.whole("output_length")
    requests.add(session.number, sum(tokens), output, max(seconds, session.seconds), record.seconds("delay"))
    requests.history.append(history)
    requests.odd["turns dated before an earlier one"] += seconds < session.seconds
    session.digests, session.tokens = digests, tokens
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
    tells=lambda fields, kind: has_list(fields, "messages") and "session_id" in fields,
    read=read,
    data="calls of agents, as AIPerf replays them; on the hub: Green-Lab/customer-service-agent-traces",
    text=True,
    delays=True,
)
