"""From the lengths that a reader finds, turn after turn, to a trace in arrival order, and what it says of that.

While a file is read only whole numbers are kept, 8 bytes each: for a turn its conversation, prompt, response
and time, for a conversation its turns and time. Times are in microseconds since 1970 until all are known; then
the first turn of the trace is at 0.

A turn that the file dates before an earlier turn of its conversation gets that turn's time, and is counted.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from teltheory.formats.records import Record
from teltheory.numbers import FloatArray, IntArray
from teltheory.trace import Trace
from teltheory.workloads.times import Times

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_LOOK_LIKE = 10**11
_LATEST = 10**14


@dataclass(frozen=True)
class ChainingReport:
    """What the chaining did.

    Attributes
    ----------
    requests, chained, conversations : int
        Requests in the file, those with a parent, and conversations made of them.
    continued_conversations, longest_conversation : int
        Conversations of more than one turn, and the turns of the longest.
    branches : int
        Requests that are the parent of more than one.
    shorter_children : int
        Chained requests whose input is shorter than their parent's input.
    edited : int
        Chained requests whose input is shorter than their parent's input + output (edits, regenerations).
    shortened_histories : int
        Turns whose history is shorter than their conversation's past.
    shared_ids : int
        Hash ids that stand in more than 1 % of all requests.
    """

    requests: int
    chained: int
    conversations: int
    continued_conversations: int
    longest_conversation: int
    branches: int
    shorter_children: int
    edited: int
    shortened_histories: int
    shared_ids: int

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)

    def sentence(self) -> str:
        """Return the counts in words."""
        counts = ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in self.as_dict().items())
        return f"Chaining: {counts}."

    def sentences(self) -> list[str]:
        """Return the report in sentences, one a line."""
        return [self.sentence()]


@dataclass(frozen=True)
class ReadingReport:
    """How a reader made a trace of a file.

    Attributes
    ----------
    format : str
        What the file was read as.
    turns, conversations, without_turns : int
        Turns and conversations of the trace, and conversations of the file that have no turn.
    tokenizer : str or None
        What counted the tokens; None where the file has counts.
    times : str
        What the arrival times stand for, or what was assumed.
    odd : tuple of (str, int)
        What was odd about the file, and how often.
    chaining : ChainingReport or None
        Where requests were chained into conversations.
    """

    format: str
    turns: int
    conversations: int
    without_turns: int
    tokenizer: str | None
    times: str
    odd: tuple[tuple[str, int], ...] = ()
    chaining: ChainingReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        chaining = None if self.chaining is None else self.chaining.as_dict()
        return {**self.__dict__, "odd": dict(self.odd), "chaining": chaining}

    def sentences(self) -> list[str]:
        """Return the report in sentences, one a line."""
        lines = [f"Read as {self.format}."]
        if self.without_turns:
            lines.append(f"Left out: {self.without_turns:,} conversations without a turn.")
        if self.tokenizer is not None:
            lines.append(f"Tokens: {self.tokenizer}.")
        lines.append(f"Times: {self.times}.")
        if self.odd:
            lines.append("Odd: " + ", ".join(f"{what} {count:,}" for what, count in self.odd) + ".")
        return lines if self.chaining is None else [*lines, self.chaining.sentence()]


@dataclass
class Lengths:
    """Columns that grow while a file is read.

    Attributes
    ----------
    conversation, prompt, response, micros : array of int64
        One entry a turn, conversation after conversation; `micros` stays empty where the file has no times of
        turns.
    sizes, last : array of int64
        Turns of each conversation that has any, and its time, where the file has one.
    places : int
        Conversations in the file so far.
    odd : Counter
        What was odd, and how often.
    """

    conversation: array[int] = field(default_factory=lambda: array("q"))
    prompt: array[int] = field(default_factory=lambda: array("q"))
    response: array[int] = field(default_factory=lambda: array("q"))
    micros: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("q"))
    last: array[int] = field(default_factory=lambda: array("q"))
    places: int = 0
    odd: Counter[str] = field(default_factory=Counter)

    def add(self, turns: Sequence[tuple[int, int]], micros: Sequence[int], last: int | None) -> None:
        """Add a conversation: (prompt, response) of its turns, their times where known, and its own."""
        for prompt, response in turns:
            self.conversation.append(self.places)
            self.prompt.append(prompt)
            self.response.append(response)
        latest = None
        for time in micros:
            self.odd["turns dated before an earlier one"] += latest is not None and time < latest
            latest = time if latest is None else max(latest, time)
            self.micros.append(latest)
        if turns:
            self.sizes.append(len(turns))
            if last is not None:
                self.last.append(last)
        self.places += 1

    def trace(self, format: str, tokenizer: str, times: Times | None, stands_for: str) -> Trace:
        """Return the trace, in arrival order; turns at the same time keep the order of the file."""
        arrival, words = self._arrivals(times, stands_for)
        order = np.argsort(arrival, kind="stable")
        sizes = ints(self.sizes)
        report = ReadingReport(
            format,
            len(order),
            len(sizes),
            self.places - len(sizes),
            tokenizer,
            words,
            tuple(sorted((what, count) for what, count in self.odd.items() if count)),
        )
        c, q, a = (ints(column)[order] for column in (self.conversation, self.prompt, self.response))
        return Trace.from_turns(c, q, a, arrival[order], report=report)

    def _arrivals(self, times: Times | None, stands_for: str) -> tuple[FloatArray, str]:
        if times is None:
            return since_first(ints(self.micros), stands_for)
        if not len(self.sizes):
            return np.empty(0), times.sentence()
        if times.rate is not None:
            return times.arrivals(ints(self.sizes)), times.sentence()
        micros = ints(self.last)
        arrivals = times.arrivals(ints(self.sizes), (micros - micros.min()) / 1e6)
        return arrivals - arrivals.min(), times.sentence()


def since_first(micros: IntArray, stands_for: str) -> tuple[FloatArray, str]:
    """Return seconds since the earliest of some times, and what they stand for in words."""
    if not len(micros):
        return np.empty(0), stands_for
    first = int(micros.min())
    return (micros - first) / 1e6, f"{stands_for}; 0 is {(EPOCH + timedelta(microseconds=first)).isoformat()}"


def ints(values: array[int]) -> IntArray:
    """Return a view of the values."""
    return np.frombuffer(values, np.int64) if len(values) else np.empty(0, np.int64)


def microseconds(record: Record, place: str, value: object) -> int:
    """Return a point in time as microseconds since 1970.

    Taken are a date and time (of Parquet), a text in ISO 8601 (without a zone it is UTC), and a number of
    milliseconds since 1970, as pandas and `datasets` write times in JSON.
    """
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return (aware - EPOCH) // timedelta(microseconds=1)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and _SECONDS_LOOK_LIKE < value < _LATEST:
        return round(value * 1000)
    record.fail(place, "nothing" if value is None else value, "a time in ISO 8601, or milliseconds since 1970")
