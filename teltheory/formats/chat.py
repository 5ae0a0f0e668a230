"""Files of conversations whose messages are text. The history is cumulative.

A conversation is one record and its number is the record's place, counted from 0. Each is turned into lengths at
once, so that no text is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.formats.counting import Counter, needed_counter
from teltheory.formats.format import Format, Source
from teltheory.formats.messages import Message, Shape, messages_of, turns_in
from teltheory.formats.reading import Lengths, microseconds
from teltheory.formats.records import Record
from teltheory.trace import Trace
from teltheory.workloads.times import NEEDED, Times

RECEIVED = "a turn is at the time when its response was received in full, as the file has no other"
MESSAGE_FIELDS = ("role", "content", "from", "value", "text", "tool_calls", "function", "name", "arguments")


@dataclass(frozen=True)
class Chat:
    """A format of conversations.

    Attributes
    ----------
    name : str
        Its name.
    shape : Shape
        Where it keeps its messages.
    dated : bool
        Whether responses, or else conversations, have a time stamp.
    """

    name: str
    shape: Shape
    dated: bool = False

    def format(
        self, fields: tuple[str, ...], tells: Callable[[Mapping[str, Any], str], bool], data: str
    ) -> Format:
        """Return the format of traces; the arguments are those of `Format`."""
        return Format(self.name, fields, tells, self.read, data, text=True)

    def read(self, source: Source) -> Trace:
        """Make a trace of the conversations."""
        times = source.times
        _check_times(self, times)
        counter = needed_counter(source.tokenizer, self.name)
        lengths = Lengths()
        wanted = frozenset((*self.shape.messages, *MESSAGE_FIELDS, *(("timestamp",) if self.dated else ())))
        for record in source.records(wanted):
            messages = messages_of(record, self.shape, lengths.odd)
            _add(lengths, record, messages, counter, times, self.dated)
        return lengths.trace(self.name, counter.name, times, RECEIVED)


def _check_times(chat: Chat, times: Times | None) -> None:
    if not chat.dated and times is None:
        raise ArgumentError("times", None, f"{NEEDED}, as {chat.name} has no times")
    if not chat.dated and times is not None and times.rate is None:
        raise ArgumentError("times", times, f"a rate at which conversations start, as {chat.name} has no times")


def _add(
    lengths: Lengths,
    record: Record,
    messages: list[Message],
    counter: Counter,
    times: Times | None,
    dated: bool,
) -> None:
    turns = list(turns_in([message.answers for message in messages], lengths.odd))
    used = [message.text for message in messages[: turns[-1][2]]] if turns else []
    tokens = counter.count(used) if used else []
    micros = [_received(record, messages[r:end]) for _, r, end in turns] if dated and times is None else []
    anchored = bool(turns) and dated and times is not None and times.rate is None
    last = microseconds(record, "timestamp", record.get("timestamp")) if anchored else None
    lengths.add([(sum(tokens[s:r]), sum(tokens[r:end])) for s, r, end in turns], micros, last)


def _received(record: Record, responses: list[Message]) -> int:
    """Return when a response was received: the time stamp of its first message that has one."""
    for message in responses:
        value = message.fields.get("timestamp")
        if value is not None:
            return microseconds(record, f"{message.place}.timestamp", value)
    expected = f"a time stamp in every response, or {NEEDED}"
    record.fail(f"{responses[0].place}.timestamp", "nothing", expected)
