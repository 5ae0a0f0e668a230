"""Files of conversations whose messages are text. The history is cumulative.

A conversation is one record and its number is the record's place, counted from 0. Each is turned into lengths at
once, so that no text is kept; and into blocks of tokens (`teltheory.formats.tokens`) if the user names their size.
A system prompt that the user gives is the beginning of each conversation's first prompt.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.formats.counting import needed_counter
from teltheory.formats.format import Format, Source
from teltheory.formats.messages import Message, MessageShape, messages_of, turns_in
from teltheory.formats.reading import ReadingReport, counted, ints, microseconds
from teltheory.formats.records import Record
from teltheory.formats.requests import RequestColumns, cumulative
from teltheory.formats.tokens import Spoken
from teltheory.model.clocks import since_first
from teltheory.model.numbers import FloatArray
from teltheory.model.trace import Trace
from teltheory.workloads.times import NEEDED, Times

RECEIVED = "a turn is at the time when its response was received in full, as the file has no other"
MESSAGE_FIELDS = ("role", "content", "from", "value", "text", "tool_calls", "function", "name", "arguments")


def chats(
    name: str,
    shape: MessageShape,
    fields: tuple[str, ...],
    tells: Callable[[Mapping[str, Any], str], bool],
    dated: bool = False,
) -> Format:
    """Return a format of conversations; `dated` if responses, or else conversations, have a time stamp."""
    return Format(name, fields, tells, partial(_read, name, shape, dated), text=True, blocks=True)


def _read(name: str, shape: MessageShape, dated: bool, source: Source) -> Trace:
    """Make a trace of the conversations; until all are known, `seconds` has microseconds since 1970."""
    times = source.times
    if not dated and (times is None or times.rate is None):
        needed = NEEDED if times is None else "a rate at which conversations start"
        raise ArgumentError("times", times, f"{needed}, as {name} has no times")
    counter = needed_counter(source.tokenizer, name)
    spoken = Spoken.of(source, counter)
    found, last, places = RequestColumns(blocks=spoken.blocks), list[int](), 0
    wanted = frozenset((*shape.messages, *MESSAGE_FIELDS, *(("timestamp",) if dated else ())))
    for places, record in enumerate(source.records(wanted), 1):
        messages = messages_of(record, shape, found.odd)
        turns = list(turns_in([message.answers for message in messages], found.odd))
        micros = [_received(record, messages[r:e]) for _, r, e in turns] if dated and times is None else []
        if turns and dated and times is not None and times.rate is None:
            last.append(microseconds(record, "timestamp", record.get("timestamp")))
        texts = [message.text for message in messages[: turns[-1][2]]] if turns else []
        tokens = spoken.add(record, texts, [(response, end) for _, response, end in turns])
        _add(found, places - 1, turns, tokens, micros)
    arrival, words = _arrivals(found, last, times)
    sizes = len(np.unique(ints(found.conversation)))
    report = (name, len(found), sizes, places - sizes, counter.name, words, counted(found.odd))
    return cumulative(found, arrival, ReadingReport(*report))


def _add(
    found: RequestColumns, place: int, turns: list[tuple[int, int, int]], tokens: list[int], micros: list[int]
) -> None:
    """Add a conversation; a turn that is dated before an earlier one gets that one's time, and is counted."""
    latest = float("-inf")
    for k, (start, response, end) in enumerate(turns):
        time = micros[k] if micros else latest
        found.odd["turns dated before an earlier one"] += time < latest
        latest = max(latest, time)
        found.add(place, sum(tokens[start:response]), sum(tokens[response:end]), latest)


def _arrivals(found: RequestColumns, last: list[int], times: Times | None) -> tuple[FloatArray, str]:
    if times is None:
        return since_first(np.array(found.seconds, np.float64), RECEIVED)
    sizes = np.unique(ints(found.conversation), return_counts=True)[1]
    if not last:
        return times.arrivals(sizes), times.sentence()
    micros = np.array(last, np.int64)
    arrivals = times.arrivals(sizes, (micros - micros.min()) / 1e6)
    return arrivals - arrivals.min(), times.sentence()


def _received(record: Record, responses: list[Message]) -> int:
    """Return when a response was received: the time stamp of its first message that has one."""
    for message in responses:
        value = message.fields.get("timestamp")
        if value is not None:
            return microseconds(record, f"{message.place}.timestamp", value)
    expected = f"a time stamp in every response, or {NEEDED}"
    record.fail(f"{responses[0].place}.timestamp", "nothing", expected)
