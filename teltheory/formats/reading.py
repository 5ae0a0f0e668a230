"""What a reader says of the trace that it made, and points in time."""

from __future__ import annotations

from array import array
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from teltheory.formats.records import Record
from teltheory.model.clocks import EPOCH
from teltheory.model.numbers import IntArray

_SECONDS_LOOK_LIKE = 10**11
_LATEST = 10**14


@dataclass(frozen=True)
class ChainingReport:
    """What the chaining did: numbers of requests, of conversations and of turns.

    `branches` are parents of several, `shorter_children` have a shorter input than their parent's input, `edited`
    than its input and output, and `shared_ids` stand in more than 1 % of all requests.
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

    def sentences(self) -> list[str]:
        """Return the report in sentences, one a line."""
        counts = ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in self.as_dict().items())
        return [f"Chaining: {counts}."]


@dataclass(frozen=True)
class ReadingReport:
    """How a reader made a trace; `tokenizer` is None if the file has counts, `odd` counts what was odd.

    `told` has tokens of the inputs that the file says are tools or system prompts, where it says so. `assumed` are
    sentences about how the fields of a log were read.
    """

    format: str
    turns: int
    conversations: int
    without_turns: int
    tokenizer: str | None
    times: str
    odd: tuple[tuple[str, int], ...] = ()
    chaining: ChainingReport | None = None
    told: tuple[tuple[str, int], ...] = ()
    assumed: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        chaining = None if self.chaining is None else self.chaining.as_dict()
        return {
            **self.__dict__,
            "odd": dict(self.odd),
            "chaining": chaining,
            "told": dict(self.told),
            "assumed": list(self.assumed),
        }

    def sentences(self) -> list[str]:
        """Return the report in sentences, one a line."""
        lines = [f"Read as {self.format}."]
        if self.without_turns:
            lines.append(f"Left out: {self.without_turns:,} conversations without a turn.")
        if self.tokenizer is not None:
            lines.append(f"Tokens: {self.tokenizer}.")
        lines += [f"Times: {self.times}.", *self.assumed]
        if self.odd:
            lines.append("Odd: " + ", ".join(f"{what} {count:,}" for what, count in self.odd) + ".")
        return lines if self.chaining is None else [*lines, *self.chaining.sentences()]


def counted(odd: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Return what was odd, by name, and how often."""
    return tuple(sorted((what, count) for what, count in odd.items() if count))


def ints(values: array[int]) -> IntArray:
    """Return a view of the values."""
    return np.frombuffer(values, np.int64) if len(values) else np.empty(0, np.int64)


def microseconds(record: Record, place: str, value: object) -> int:
    """Return a date and time, ISO 8601 text (UTC without a zone) or milliseconds since 1970 in microseconds."""
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return (aware - EPOCH) // timedelta(microseconds=1)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and _SECONDS_LOOK_LIKE < value < _LATEST:
        return round(value * 1000)
    record.fail(place, "nothing" if value is None else value, "a time in ISO 8601, or milliseconds since 1970")
