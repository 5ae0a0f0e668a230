"""Readers of request logs: Qwen-Bailian, BurstGPT, and traces of agents with the messages of every call."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.trace import Trace
from teltheory.workloads import counting
from teltheory.workloads.messages import Shape, messages_of
from teltheory.workloads.requests import Requests, whole_inputs
from teltheory.workloads.streams import Record, Stream
from teltheory.workloads.times import Times

ROOT = -1
CALLS = Shape(("messages",))


def read_bailian(streams: Iterable[Stream]) -> Trace:
    """Chain the requests of a Qwen-Bailian trace by their `parent_chat_id`; -1 starts a conversation.

    A parent that no earlier line has, as one before the trace began, starts one too, and is counted.
    """
    requests = Requests()
    known: dict[int, int] = {}
    for record in _all(streams):
        chat, parent = _identifier(record, "chat_id"), _identifier(record, "parent_chat_id")
        if chat in known:
            record.fail("chat_id", chat, "an id that no earlier request has")
        source = known.get(parent, ROOT) if parent != ROOT else ROOT
        requests.odd["parents that are not in the file before"] += parent != ROOT and source == ROOT
        conversation = len(requests) if source == ROOT else requests.conversation[source]
        known[chat] = len(requests)
        requests.parent.append(source)
        seconds = record.number("timestamp", "a number of seconds")
        requests.add(conversation, record.whole("input_length"), record.whole("output_length"), seconds)
    return whole_inputs(requests, "qwen-bailian")


def _identifier(record: Record, name: str) -> int:
    value = record.needed(name)
    if isinstance(value, bool) or not isinstance(value, int):
        record.fail(name, value, "a whole number")
    return value


def _all(streams: Iterable[Stream]) -> Iterable[Record]:
    return (record for stream in streams for record in stream)


def read_burstgpt(streams: Iterable[Stream]) -> Trace:
    """Read a BurstGPT trace; rows of one `Session ID` are a conversation, a row without one is its own.

    Request tokens count as the whole input, history included: they and the total are what the service's API
    accounts for, and its calls carry the conversation. The report's edited says how many inputs are shorter than
    what came before. Rows of 0 and 0 tokens, failed requests, are left out.
    """
    requests = Requests()
    sessions: dict[str, int] = {}
    started = 0
    for record in _all(streams):
        inputs, outputs = record.whole("Request tokens"), record.whole("Response tokens")
        seconds = record.number("Timestamp", "a number of seconds")
        if inputs == outputs == 0:
            requests.odd["failed requests of 0 tokens, left out"] += 1
            continue
        session = str(record.get("Session ID") or "").strip()
        conversation = sessions.setdefault(session, started) if session else started
        started += conversation == started
        requests.add(conversation, inputs, outputs, seconds)
    return whole_inputs(requests, "burstgpt")


@dataclass
class _Session:
    """What a session's last call was: digests of its messages, their tokens, its time."""

    number: int
    digests: Sequence[bytes] = ()
    tokens: Sequence[int] = ()
    seconds: float = field(default=-np.inf)


def read_agentic(streams: Iterable[Stream], tokenizer: object, times: Times | None) -> Trace:
    """Read calls of agents: each record has a `session_id`, all `messages` of the call and its `output_length`.

    An input is the tools and all messages. Its history is what it begins with of the session's call before: all
    of that call's input, and of its response as much as comes back in the assistant's messages after it; or,
    where the messages were edited or compacted, the messages that are the same.
    """
    if tokenizer is None:
        raise ArgumentError("tokenizer", None, f"{counting.EXPECTED}, as agentic holds text and no token counts")
    counter = counting.counter(tokenizer)
    requests = Requests()
    sessions: dict[str, _Session] = {}
    for record in _all(streams):
        session = sessions.setdefault(str(record.needed("session_id")), _Session(len(sessions)))
        _add_call(requests, session, record, counter)
    return whole_inputs(requests, "agentic", times, counter.name)


def _add_call(requests: Requests, session: _Session, record: Record, counter: counting.Counter) -> None:
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
    seconds = _seconds(record, "timestamp")
    output = record.whole("output_length")
    requests.add(session.number, sum(tokens), output, max(seconds, session.seconds), _seconds(record, "delay"))
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


def _seconds(record: Record, name: str) -> float:
    """Return a field of milliseconds in seconds, nan where it is missing."""
    if record.get(name) is None:
        return float(np.nan)
    return record.number(name, "a number of milliseconds") / 1000
