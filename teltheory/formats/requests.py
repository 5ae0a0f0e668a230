"""Requests that name their conversation: lengths of inputs and outputs, no text.

An input is the whole input of a request, the history in it. With the requests in the order of their times,
h = min(the conversation's past, own input), where the past is the last request's input + output; where a
request names its parent, h is also at most the parent's input + output. A child joins its parent's
conversation, a branch too. prompt = input - h, response = output. This is the rule of the Mooncake reader.

Times: a request is at its own time stamp; without one it is its delay after the conversation's request before
it, whose service time is in no file and counts as 0.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.reading import ChainingReport, ReadingReport, counted, ints
from teltheory.formats.said import SaidColumns
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, readonly
from teltheory.model.trace import Trace
from teltheory.model.turns import preceding
from teltheory.workloads.times import NEEDED, Times

__all__ = ["RequestColumns", "whole_inputs"]

SUBMITTED = "a turn is at the time when its request was sent"
DELAYED = "; where there is only a delay, that long after the request before it, whose service counts as 0 seconds"


@dataclass
class RequestColumns:
    """Columns that grow while a file is read, one entry a request.

    Attributes
    ----------
    conversation, inputs, outputs : array of int64
        Conversation, tokens in and tokens out.
    parent : array of int64
        Request that it continues, -1 if there is none; empty if requests name no parent.
    history : array of int64
        Length that the input shares with the conversation's request before; empty if it follows by the rule.
    seconds, delay : array of float64
        Time, and seconds since the request before; nan if the file has none.
    odd : Counter
        What was odd, and how often.
    told : Counter
        Tokens of the inputs that the file says are tools, or system prompts.
    blocks : Blocks or None
        What the requests share by the hashes of their blocks, in the same order, if they have some.
    places : array of int64
        Place of each request in the file, which decides between those of one time; empty if they are in its order.
    begins : str
        What time 0 is, in words, if that is known.
    session : array of int64
        What belongs together, if that is more than a conversation: the agents of a session.
    said : SaidColumns
        What the file says of the requests beside their tokens.
    """

    conversation: array[int] = field(default_factory=lambda: array("q"))
    inputs: array[int] = field(default_factory=lambda: array("q"))
    outputs: array[int] = field(default_factory=lambda: array("q"))
    parent: array[int] = field(default_factory=lambda: array("q"))
    history: array[int] = field(default_factory=lambda: array("q"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    delay: array[float] = field(default_factory=lambda: array("d"))
    odd: Counter[str] = field(default_factory=Counter)
    blocks: RequestBlocks | None = None
    told: Counter[str] = field(default_factory=Counter)
    places: array[int] = field(default_factory=lambda: array("q"))
    begins: str = ""
    session: array[int] = field(default_factory=lambda: array("q"))
    said: SaidColumns = field(default_factory=SaidColumns)

    def __len__(self) -> int:
        return len(self.inputs)

    def add(self, conversation: int, inputs: int, outputs: int, seconds: float, delay: float = np.nan) -> None:
        """Add a request."""
        self.conversation.append(conversation)
        self.inputs.append(inputs)
        self.outputs.append(outputs)
        self.seconds.append(seconds)
        self.delay.append(delay)

    def order(self, arrival: FloatArray) -> IntArray:
        """Return the requests in the order of their arrivals, at one time in that of the file."""
        return np.lexsort((ints(self.places), arrival)) if len(self.places) else np.argsort(arrival, kind="stable")


def whole_inputs(
    requests: RequestColumns, format: str, times: Times | None = None, tokenizer: str | None = None
) -> Trace:
    """Make a trace of requests whose inputs hold the history, as the module's first lines say."""
    arrival, words = arrivals(requests, format, times)
    _number(requests, arrival)
    return dated_inputs(requests, format, arrival, words, tokenizer)


def dated_inputs(
    requests: RequestColumns, format: str, arrival: FloatArray, words: str, tokenizer: str | None = None
) -> Trace:
    """Make a trace of whole inputs that arrive at these times, which are in words too."""
    return _chained(requests, arrival, lambda chaining: _report(requests, format, tokenizer, words, chaining))


def chained(requests: RequestColumns, shared_ids: int) -> Trace:
    """Make a trace of requests in the order of their times; its report is a `ChainingReport`."""
    arrival = np.array(requests.seconds, np.float64)
    return _chained(requests, arrival, lambda chaining: replace(chaining, shared_ids=shared_ids))


def _chained(requests: RequestColumns, arrival: FloatArray, report: Callable[[ChainingReport], object]) -> Trace:
    order = requests.order(arrival)
    conversation, inputs = ints(requests.conversation)[order], ints(requests.inputs)[order]
    ends = inputs + ints(requests.outputs)[order]
    before = preceding(conversation)
    past = np.where(before >= 0, ends[before], 0)
    parent = _parents(requests, order) if len(requests.parent) else before
    history = np.minimum(past, inputs)
    if len(requests.history):
        history = np.minimum(history, ints(requests.history)[order])
    elif len(requests.parent):
        history = np.minimum(history, np.where(parent >= 0, ends[parent], 0))
    chaining = _chaining(conversation, inputs, ends, parent, (history < past).sum())
    made = report(chaining)
    made_of = conversation, inputs - history, ends - inputs, arrival[order], history
    return with_blocks(Trace.from_turns(*made_of, report=made), requests, order)


def with_blocks(trace: Trace, requests: RequestColumns, order: IntArray) -> Trace:
    """Return a trace of the requests in an order with what is said of them and what they share, if it is known."""
    trace = trace.with_hints(requests.said.of(trace, order))
    if requests.blocks is None or not len(trace):
        return trace
    forest = requests.blocks.forest(order, trace.arrival)
    if isinstance(trace.report, ChainingReport):
        return trace.with_blocks(forest)
    told = readonly(ints(requests.session or requests.conversation)[order])
    return trace.with_blocks(replace(forest, cluster=told))


def new_inputs(requests: RequestColumns, format: str, times: Times | None = None) -> Trace:
    """Make a trace of requests whose inputs are what is new: the history is cumulative."""
    arrival, words = arrivals(requests, format, times)
    _number(requests, arrival)
    return cumulative(requests, arrival, _report(requests, format, None, words, None))


def cumulative(requests: RequestColumns, arrival: FloatArray, report: ReadingReport) -> Trace:
    """Make a trace of new inputs that arrive at these times; at the same time they keep the order of the file."""
    order = requests.order(arrival)
    c, q, a = (ints(column)[order] for column in (requests.conversation, requests.inputs, requests.outputs))
    return with_blocks(Trace.from_turns(c, q, a, arrival[order], report=report), requests, order)


def undated(trace: Trace) -> Trace:
    """Return the trace without times."""
    blocks = None if trace.blocks is None else replace(trace.blocks, arrival=None)
    return replace(trace, arrival=None, blocks=blocks)


def _number(requests: RequestColumns, arrival: FloatArray) -> None:
    """Give the conversations their numbers, in the order of first arrivals."""
    order = requests.order(arrival)
    _, first, codes = np.unique(ints(requests.conversation)[order], return_index=True, return_inverse=True)
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.argsort(np.argsort(first))[codes]
    requests.conversation = array("q", numbers.tobytes())


def _report(
    requests: RequestColumns, format: str, tokenizer: str | None, words: str, chaining: ChainingReport | None
) -> ReadingReport:
    conversations = len(np.unique(ints(requests.conversation)))
    facts = format, len(requests), conversations, 0, tokenizer, words, counted(requests.odd), chaining
    return ReadingReport(*facts, counted(requests.told))


def arrivals(requests: RequestColumns, format: str, times: Times | None) -> tuple[FloatArray, str]:
    """Return the time of each request in seconds, in the order of the file, and what it stands for in words."""
    conversation = ints(requests.conversation)
    seconds, delay = (np.array(column, np.float64) for column in (requests.seconds, requests.delay))
    by = np.lexsort((seconds if not np.isnan(seconds).any() else np.zeros(len(seconds)), conversation))
    first = np.diff(conversation[by], prepend=-1) != 0
    if times is None:
        found, words = _from_file(seconds[by], delay[by], by, first, format, requests.begins)
        in_file = found[np.argsort(ints(requests.places))] if len(requests.places) else found
        requests.odd["requests out of order"] += int((np.diff(in_file) < 0).sum())
        return found, words
    if times.rate is None:
        raise ArgumentError("times", times, "a rate at which conversations start")
    delays = delay[by][~first]
    if times.gaps is None and np.isnan(delays).any():
        raise ArgumentError("times", times, "a law of gaps, as not every request has a delay")
    drawn = np.empty(len(by))
    drawn[by] = times.arrivals(np.diff(np.append(np.flatnonzero(first), len(by))), None, delays)
    return drawn, times.sentence()


def _from_file(
    seconds: FloatArray, delay: FloatArray, by: IntArray, first: BoolArray, format: str, begins: str
) -> tuple[FloatArray, str]:
    """Fill in, conversation after conversation, times that the file has as delays only."""
    unknown = np.isnan(seconds)
    if (unknown & (first | np.isnan(delay))).any():
        raise ArgumentError("times", None, f"{NEEDED}, as this file of {format} has requests without a time")
    for k in np.flatnonzero(unknown).tolist():
        seconds[k] = seconds[k - 1] + delay[k]
    filled = np.empty(len(by))
    filled[by] = seconds
    return filled, SUBMITTED + begins + (DELAYED if unknown.any() else "")


def _parents(requests: RequestColumns, order: IntArray) -> IntArray:
    """Return for each request in order the place of its parent in that order, -1 if it has none."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    parent = ints(requests.parent)[order]
    return np.where(parent >= 0, place[parent], -1)


def _chaining(
    conversation: IntArray, inputs: IntArray, ends: IntArray, parent: IntArray, shortened: int
) -> ChainingReport:
    child = np.flatnonzero(parent >= 0)
    turns = np.unique(conversation, return_counts=True)[1]
    return ChainingReport(
        requests=len(inputs),
        chained=len(child),
        conversations=len(turns),
        continued_conversations=int((turns > 1).sum()),
        longest_conversation=int(turns.max(initial=0)),
        branches=int((np.bincount(parent[child], minlength=1) > 1).sum()),
        shorter_children=int((inputs[child] < inputs[parent[child]]).sum()),
        edited=int((inputs[child] < ends[parent[child]]).sum()),
        shortened_histories=int(shortened),
        shared_ids=0,
    )
