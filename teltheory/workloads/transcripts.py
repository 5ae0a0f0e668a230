"""Readers of chats: files of conversations whose messages are text. The history is cumulative.

A conversation is one record and its number is the record's place, counted from 0: `conversation_hash` of
WildChat is a hash of the content that two conversations may share. Each is turned into lengths at once, so that
no text is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.trace import Trace
from teltheory.workloads import counting
from teltheory.workloads.messages import Message, Shape, messages_of, turns_in
from teltheory.workloads.reading import Lengths, microseconds
from teltheory.workloads.streams import Record, Stream
from teltheory.workloads.times import NEEDED, Times

RECEIVED = "a turn is at the time when its response was received in full, as the file has no other"
MESSAGE_FIELDS = ("role", "content", "from", "value", "text", "tool_calls", "function", "name", "arguments")


@dataclass(frozen=True)
class Chat:
    """A format of conversations.

    Attributes
    ----------
    name : str
        Its name in the dict of readers.
    shape : Shape
        Where it keeps its messages.
    dated : bool
        Whether responses, or else conversations, have a time stamp.
    """

    name: str
    shape: Shape
    dated: bool = False

    @property
    def wanted(self) -> frozenset[str]:
        """The columns of a Parquet file that are read."""
        return frozenset((*self.shape.messages, *MESSAGE_FIELDS, *(("timestamp",) if self.dated else ())))


def read_chat(chat: Chat, streams: Iterable[Stream], tokenizer: object, times: Times | None) -> Trace:
    """Make a trace of conversations.

    Parameters
    ----------
    chat : Chat
        The format.
    streams : iterable of Stream
        Its shards.
    tokenizer : object
        As for `teltheory.read_trace`.
    times : Times or None
        What is assumed about arrival times, in place of those in the file.
    """
    _check_times(chat, times)
    if tokenizer is None:
        expected = f"{counting.EXPECTED}, as {chat.name} holds text and no token counts"
        raise ArgumentError("tokenizer", None, expected)
    counter = counting.counter(tokenizer)
    lengths = Lengths()
    for stream in streams:
        for record in stream:
            messages = messages_of(record, chat.shape, lengths.odd)
            _add(lengths, record, messages, counter, times, chat.dated)
    return lengths.trace(chat.name, counter.name, times, RECEIVED)


def _check_times(chat: Chat, times: Times | None) -> None:
    if not chat.dated and times is None:
        raise ArgumentError("times", None, f"{NEEDED}, as {chat.name} has no times")
    if not chat.dated and times is not None and times.rate is None:
        raise ArgumentError("times", times, f"a rate at which conversations start, as {chat.name} has no times")


def _add(
    lengths: Lengths,
    record: Record,
    messages: list[Message],
    counter: counting.Counter,
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


WILDCHAT = Chat("wildchat", Shape(("conversation",)), dated=True)
SHAREGPT = Chat("sharegpt", Shape(("conversations", "items"), ("from", "role"), ("value", "content")))
LMSYS = Chat("lmsys", Shape(("conversation", "messages")))
VLLM_MULTI_TURN = Chat("vllm-multi-turn", Shape(("messages",)))
