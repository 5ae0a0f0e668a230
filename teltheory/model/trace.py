"""The trace: turns of conversations in arrival order, validated once, read-only afterwards.

Turn k belongs to conversation c and has a prompt q and a response a (whole tokens). Its history h is the
part of the conversation's past that the turn's input begins with. Left out, h is cumulative: everything
earlier in the conversation. Given, 0 <= h <= the past. After the turn the past is h + q + a.

Turns are counted from 0, in arrival order; turns with the same arrival time keep the order given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.columns import Column, arrivals, checked_block_size, conversation_numbers, lengths
from teltheory.model.display import Summary, counted, duration, mean_of, table_of, unit_of
from teltheory.model.forest import Forest
from teltheory.model.hint_columns import SAID
from teltheory.model.hint_tables import columns_of, with_said
from teltheory.model.hints import Hints, checked_hints
from teltheory.model.numbers import INT64_MAX, FloatArray, IntArray, exact_sum, readonly
from teltheory.model.requests import Requests
from teltheory.model.tables import Tabular, columns_in, made_of
from teltheory.model.turns import (
    INPUTS,
    Turn,
    bounds,
    check_histories,
    following,
    held_together,
    numbers_by_arrival,
    of_inputs,
    preceding,
    sums_before,
)
from teltheory.model.usage import as_turns, is_usage

COLUMNS = ("conversation", "prompt", "response", "arrival", "history")


@dataclass(frozen=True, eq=False)
class Trace(Requests, Tabular):
    """Turns in arrival order. Make one with `Trace.from_turns`, `Trace.from_table` or `teltheory.read_trace`.

    ``trace[:1000]`` are its first turns and ``for turn in trace`` yields named tuples. `to_arrow`, `to_pandas` and
    `to_polars` return a table with the columns of `from_table`; what requests share by blocks is in the table of
    ``trace.forest``.

    Attributes
    ----------
    conversation : ndarray of int64, shape (n,)
        Conversation of each turn.
    prompt, response : ndarray of int64, shape (n,)
        Lengths q and a, in tokens (or in blocks, see `block_size`).
    history : ndarray of int64, shape (n,)
        Length h of the history, for a cache that starts empty.
    arrival : ndarray of float64, shape (n,), or None
        Seconds, never decreasing.
    cumulative : bool
        True if the history was left out, so that each turn begins with its conversation's whole past.
    names : tuple of str or None
        Where conversations were named by strings: the name of conversation i is ``names[i]``.
    block_size : int
        Tokens in one unit of the lengths; 1 unless made by `to_blocks`.
    report : object or None
        What a reader has to say about how it made the trace.
    blocks : Forest or None
        What the requests share by the hashes of their blocks, where they are known; the same requests in order.
    hints : Hints or None
        What applications say of the turns; `blocks` has the same.
    """

    conversation: IntArray
    prompt: IntArray
    response: IntArray
    history: IntArray
    arrival: FloatArray | None
    cumulative: bool
    names: tuple[str, ...] | None = None
    block_size: int = 1
    report: object | None = field(default=None, repr=False)
    blocks: Forest | None = field(default=None, repr=False)
    hints: Hints | None = field(default=None, repr=False)

    @classmethod
    def from_turns(
        cls,
        conversation: Column,
        prompt: Column,
        response: Column,
        arrival: Column | None = None,
        history: Column | None = None,
        *,
        block_size: int = 1,
        report: object | None = None,
    ) -> Trace:
        """Check the columns and make a trace of them.

        A column is a list, an array of NumPy or PyArrow, or a Series of pandas or polars. Floats may stand for
        whole numbers, as in tables where values are missing; a missing value or a fraction is an error.

        Parameters
        ----------
        conversation : sequence of int or of str, shape (n,)
            Conversation of each turn. Strings are numbered in order of first arrival.
        prompt, response : sequence of int, shape (n,)
            Lengths in tokens, 0 or more.
        arrival : sequence of float or of datetime, shape (n,), optional
            Seconds, finite, never decreasing. Datetimes, with or without a time zone, become seconds since the
            first one, exact up to 2**53 of their units, 104 days of nanoseconds, and beyond the nearest float.
        history : sequence of int, shape (n,), optional
            Length of the history, at most the conversation's past. That of a conversation's first turn may be more
            than 0 if an initial cache gives it a past, which is checked where that cache is known.
        block_size, report : int, object
            Tokens in one unit of the lengths; anything, kept as it is.

        Raises
        ------
        TraceError
            Names the column, the turn (counted from 0), the value and what was expected.
        """
        labels, names = conversation_numbers(conversation)
        q = lengths("prompt", prompt, len(labels))
        a = lengths("response", response, len(labels))
        if exact_sum(q) + exact_sum(a) > INT64_MAX:
            raise TraceError("prompt", None, "lengths that add up to more than 2**63 - 1", "a smaller sum")
        h = None if history is None else lengths("history", history, len(labels))
        times = None if arrival is None else arrivals(arrival, len(labels))
        before, size = sums_before(labels, q + a) if h is None else h, checked_block_size(block_size)
        trace = cls(labels, q, a, before, times, h is None, names, size, report=report)
        if h is not None:
            check_histories(trace)
        return trace

    @classmethod
    def from_table(cls, table: Any, columns: Mapping[str, str] | None = None, *, block_size: int = 1) -> Trace:
        """Make a trace of a table with a row a turn, in any order if it has arrival times.

        Parameters
        ----------
        table : DataFrame of pandas or polars, pyarrow.Table, relation of DuckDB, mapping of columns
            Anything with ``__arrow_c_stream__``, or columns by name, with the columns conversation, prompt,
            response and, if they are there, arrival and history, as in `from_turns`, and those of `Hints.of`.
            Other columns are left alone. Columns of usage records, such as prompt_tokens, are found as in a file.
        columns : mapping, optional
            The table's name of a column, such as ``{"conversation": "session_id"}``; ``total`` has whole inputs.
            ``{"conversation": "row"}`` makes each row a conversation of its own.
        block_size : int
            Tokens in one unit of the lengths.

        Raises
        ------
        ArgumentError
            If a column is missing.
        TraceError
            Names the table's column and row (counted from 0), the value and what was expected.
        """
        make, held = with_said(partial(cls.from_turns, block_size=block_size)), columns_in(table)
        if is_usage(held.__contains__):
            table, columns = as_turns(held, columns or {})
        if "total" in (columns or {}):
            return made_of(partial(of_inputs, make), table, columns, INPUTS, (*COLUMNS[3:4], *SAID))
        return made_of(make, table, columns, COLUMNS[:3], (*COLUMNS[3:], *SAID))

    def __len__(self) -> int:
        return len(self.conversation)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        facts = [(t.cumulative, t.names, t.block_size, t.arrival is None) for t in (self, other)]
        same = all(map(np.array_equal, self._columns(), other._columns()))
        return facts[0] == facts[1] and same and self.blocks == other.blocks and self.hints == other.hints

    __hash__ = None  # type: ignore[assignment]

    def _columns(self) -> list[Any]:
        arrival = () if self.arrival is None else self.arrival
        return [self.conversation, self.prompt, self.response, self.history, arrival]

    @cached_property
    def total(self) -> IntArray:
        """Input of each turn, h + q, for a cache that starts empty; shape (n,)."""
        return readonly(self.history + self.prompt)

    @cached_property
    def past(self) -> IntArray:
        """Past of the turn's conversation after the turn, h + q + a; shape (n,)."""
        return readonly(self.total + self.response)

    @cached_property
    def code(self) -> IntArray:
        """Conversation of each turn, numbered 0, 1, ... in order of first arrival; shape (n,)."""
        return readonly(numbers_by_arrival(self.conversation))

    @property
    def labels(self) -> IntArray | list[str]:
        """Conversation of each turn as it was given, by number or by name."""
        return self.conversation if self.names is None else [self.names[i] for i in self.conversation.tolist()]

    @cached_property
    def conversations(self) -> int:
        """Number of conversations."""
        return int(self.code.max()) + 1 if len(self) else 0

    @cached_property
    def is_chains(self) -> bool:
        """Whether conversations share nothing, and no history is shorter than its conversation's past."""
        before = self.past[self.previous_turn] if len(self) else self.past
        return self.blocks is None and bool((~self.continuing | (self.history == before)).all())

    @cached_property
    def forest(self) -> Forest:
        """What requests share: by `blocks`, else conversations as chains, which branch at shortened histories."""
        if self.blocks is not None:
            return self.blocks
        columns = self.code, self.history, self.prompt, self.response
        return Forest.of_turns(*columns, self.arrival, self.block_size).with_hints(self.hints)

    def with_blocks(self, blocks: Forest | None) -> Trace:
        """Return the trace with what its requests share by the hashes of their blocks, in its conversations.

        Raises
        ------
        TraceError
            If the forest has another number of requests.
        """
        if blocks is not None and len(blocks) != len(self):
            raise TraceError("blocks", None, f"{len(blocks)} requests", f"{len(self)}, one a turn")
        if blocks is None:
            return replace(self, blocks=None)
        made = replace(self, blocks=replace(blocks, conversation=self.code))
        return made if self.hints == blocks.hints else made.with_hints(blocks.hints or self.hints)

    def with_hints(self, hints: Hints | None) -> Trace:
        """Return the trace with what applications say of its turns."""
        blocks = None if self.blocks is None else self.blocks.with_hints(hints)
        return replace(self, hints=checked_hints(hints, len(self)), blocks=blocks)

    @property
    def agents(self) -> IntArray:
        """Agent of each turn: that of the hints, else its conversation; shape (n,)."""
        return self.code if self.hints is None else super().agents

    @cached_property
    def next_turn(self) -> IntArray:
        """Next turn of the same conversation, n if there is none; shape (n,)."""
        return following(self.conversation)

    @cached_property
    def previous_turn(self) -> IntArray:
        """Previous turn of the same conversation, -1 if there is none; shape (n,)."""
        return preceding(self.conversation)

    @cached_property
    def continuing(self) -> NDArray[np.bool_]:
        """Whether each turn continues a conversation (is not its first turn); shape (n,)."""
        return readonly(self.previous_turn >= 0)

    @cached_property
    def held(self) -> IntArray:
        """All pasts together after each turn; shape (n,), Python ints if int64 is too narrow."""
        return held_together(self.past, self.previous_turn)

    @property
    def known(self) -> IntArray:
        """History of each turn: what an earlier turn made available; shape (n,)."""
        return self.history

    @property
    def session(self) -> IntArray:
        """Conversation of each turn, as in `code`; shape (n,)."""
        return self.code

    @property
    def continued_prompts(self) -> IntArray:
        """Prompts of the turns that continue a conversation, in the trace's unit."""
        return self.prompt[self.continuing]

    @overload
    def __getitem__(self, key: int) -> Turn: ...

    @overload
    def __getitem__(self, key: slice) -> Trace: ...

    def __getitem__(self, key: int | slice) -> Turn | Trace:
        """Return a turn, or the turns of a slice such as ``trace[:1000]`` or ``trace[5000:]``, as a trace.

        What a server sees that starts empty at the slice: inputs and pasts stay as they are. The first turn of a
        conversation that began before the slice has its history as part of its prompt.
        """
        if isinstance(key, str):
            raise ArgumentError("index", key, "a number or a slice; a column is an attribute such as trace.prompt")
        if not isinstance(key, slice):
            turn = range(len(self))[key]
            return Turn(*(column[0] for column in self._rows(slice(turn, turn + 1))))
        first, after = bounds(key, len(self))
        shown = slice(first, after)
        before = self.previous_turn[shown]
        moved = np.where((before >= 0) & (before < first), self.history[shown], 0)
        hints = None if self.hints is None else self.hints[shown]
        turns = Trace.from_turns(
            self.labels[shown],
            self.prompt[shown] + moved,
            self.response[shown],
            None if self.arrival is None else self.arrival[shown],
            None if self.cumulative else self.history[shown] - moved,
            block_size=self.block_size,
            report=self.report,
        )
        return replace(turns, hints=hints, blocks=None if self.blocks is None else self.blocks[shown])

    def __iter__(self) -> Iterator[Turn]:
        """Yield the turns as named tuples."""
        return map(Turn, *self._rows(slice(None)))

    def _rows(self, shown: slice) -> tuple[list[Any], ...]:
        """Return the columns of a `Turn`, as Python's own numbers."""
        whole = (column[shown].tolist() for column in (self.prompt, self.response, self.history))
        labels = self.conversation[shown].tolist()
        arrival = [None] * len(labels) if self.arrival is None else self.arrival[shown].tolist()
        return labels if self.names is None else [self.names[i] for i in labels], *whole, arrival

    def _table(self) -> dict[str, Any]:
        columns = {"conversation": self.labels, "prompt": self.prompt, "response": self.response}
        optional = {"arrival": self.arrival, "history": None if self.cumulative else self.history}
        given = {name: column for name, column in optional.items() if column is not None}
        return columns | given | columns_of(self)

    def __repr__(self) -> str:
        span = [] if self.arrival is None or not len(self) else [duration(self.arrival[-1] - self.arrival[0])]
        units = [] if self.block_size == 1 else [f"blocks of {counted(self.block_size, 'token')}"]
        shared = [] if self.blocks is None else ["shared prefixes"]
        sizes = counted(len(self), "turn"), counted(self.conversations, "conversation")
        return f"Trace({', '.join([*sizes, *span, *units, *shared])})"

    def _repr_html_(self) -> str:
        lengths = {"input": self.total, "prompt": self.prompt, "response": self.response}
        return table_of(repr(self), {f"mean {name}": mean_of(column) for name, column in lengths.items()})

    def summary(self) -> Summary:
        """Return the first numbers of `describe`: sizes, lengths, footprint, the most that can be hit."""
        from teltheory.model.description import describe

        return describe(self).summary()

    def plot(self, kind: Literal["lengths", "arrivals"] = "lengths", ax: Any = None) -> Any:
        """Draw how long inputs, prompts and responses are, or the turns a second; return Matplotlib's axes.

        Parameters
        ----------
        kind : {"lengths", "arrivals"}
            "lengths" draws the share of turns above each length, "arrivals" the turns a second over time.
        ax : Axes, optional
            New ones if left out.
        """
        from teltheory.plots import values

        if kind == "lengths":
            columns = {"input": self.total, "prompt": self.prompt, "response": self.response}
            return values.tails(columns, f"length ({unit_of(self.block_size)})", ax)
        if kind != "arrivals" or self.arrival is None:
            raise ArgumentError("kind", kind, "'lengths', or 'arrivals' of a trace with arrival times")
        return values.rate(self.arrival, "turns", ax)

    def to_blocks(self, block_size: int) -> Trace:
        """Count in blocks of `block_size` tokens.

        Lengths become differences of floor(cumulative tokens / block_size), so that a history is its
        number of full blocks. From then on capacity, threshold, prompt estimate and cutoffs are in blocks
        too; from tokens, capacity and threshold are floored and the prompt estimate is rounded up. Block
        hashes come along if their blocks are a multiple or a whole part of the new ones.

        Parameters
        ----------
        block_size : int
            Tokens a block, at least 1.
        """
        size = checked_block_size(block_size)
        tokens = self.block_size * size
        fits = self.blocks is not None and 0 in (tokens % self.blocks.block_size, self.blocks.block_size % tokens)
        turns = Trace.from_turns(
            self.labels,
            self.total // size - self.history // size,
            self.past // size - self.total // size,
            self.arrival,
            None if self.cumulative else self.history // size,
            block_size=tokens,
            report=self.report,
        )
        blocks = self.blocks.to_blocks(tokens) if self.blocks is not None and fits else None
        return replace(turns, hints=self.hints, blocks=blocks)
