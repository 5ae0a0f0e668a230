"""Turns of conversations in arrival order: which follow each other, and what comes before each."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.columns import Column, conversation_numbers, lengths
from teltheory.model.numbers import INT64_MAX, IntArray, exact_sum, readonly

Made = TypeVar("Made")
INPUTS = ("conversation", "total", "response")
"""Columns of `of_inputs`."""


class Turn(NamedTuple):
    """One turn of a trace; `conversation` by name where it has one, `arrival` None if unknown."""

    conversation: int | str
    prompt: int
    response: int
    history: int
    arrival: float | None


def bounds(key: slice, n: int) -> tuple[int, int]:
    """Return the first turn of a slice of n turns, and the one after its last."""
    if key.step not in (None, 1):
        raise ArgumentError("slice", key, "neighbours, such as [:1000] or [500:]")
    first, after, _ = key.indices(n)
    return first, max(first, after)


def numbers_by_arrival(conversation: IntArray) -> IntArray:
    """Return the conversation of each turn, numbered 0, 1, ... in order of first arrival; shape (n,)."""
    _, first, inverse = np.unique(conversation, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def consecutive_turns(conversation: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs (earlier, later) of consecutive turns of one conversation, as two arrays."""
    order = np.argsort(conversation, kind="stable")
    same = conversation[order[1:]] == conversation[order[:-1]]
    return order[:-1][same], order[1:][same]


def following(conversation: IntArray) -> IntArray:
    """Return the next turn of each turn's conversation, n if there is none; shape (n,)."""
    found = np.full(len(conversation), len(conversation), np.int64)
    earlier, later = consecutive_turns(conversation)
    found[earlier] = later
    return readonly(found)


def preceding(conversation: IntArray) -> IntArray:
    """Return the previous turn of each turn's conversation, -1 if there is none; shape (n,)."""
    found = np.full(len(conversation), -1, np.int64)
    earlier, later = consecutive_turns(conversation)
    found[later] = earlier
    return readonly(found)


def held_together(past: IntArray, previous: IntArray) -> IntArray:
    """Return all pasts together after each turn; Python ints if int64 is too narrow."""
    past = past.astype(object) if exact_sum(past) > INT64_MAX else past
    before = np.where(previous >= 0, past[previous], 0) if len(past) else past
    return readonly(np.cumsum(past - before))


def sums_before(conversation: IntArray, values: IntArray) -> IntArray:
    """Return the sum of a conversation's values before each of its turns; shape (n,)."""
    order = np.argsort(conversation, kind="stable")
    before = np.cumsum(values[order]) - values[order]
    starts = np.flatnonzero(np.diff(conversation[order], prepend=conversation[order][:1] - 1))
    sizes = np.diff(np.append(starts, len(order)))
    sums = np.empty(len(order), np.int64)
    sums[order] = before - np.repeat(before[starts], sizes)
    return readonly(sums)


def turn_numbers(conversation: IntArray) -> IntArray:
    """Return how many turns of the same conversation come before each turn; shape (n,)."""
    return sums_before(conversation, np.ones(len(conversation), np.int64))


def of_inputs(
    make: Callable[..., Made], conversation: Column, total: Column, response: Column, **more: Any
) -> Made:
    """Make a trace of whole inputs: a history is what of the conversation's past fits in the input."""
    labels, _ = conversation_numbers(conversation)
    inputs, outputs = lengths("total", total, len(labels)), lengths("response", response, len(labels))
    earlier, later = consecutive_turns(labels)
    history = np.zeros(len(labels), np.int64)
    history[later] = np.minimum(inputs[later], inputs[earlier] + outputs[earlier])
    return make(conversation, inputs - history, response, history=history, **more)


def check_histories(trace: Any) -> None:
    """Raise `TraceError` for lengths of a trace that are too large together, or a history beyond its past."""
    first = trace.history[~trace.continuing]
    if exact_sum(first) + exact_sum(trace.prompt) + exact_sum(trace.response) > INT64_MAX:
        raise TraceError("history", None, "lengths that add up to more than 2**63 - 1", "a smaller sum")
    past_before = trace.past[trace.previous_turn]
    for turn in np.flatnonzero(trace.continuing & (trace.history > past_before))[:1]:
        found, most = int(trace.history[turn]), int(past_before[turn])
        raise TraceError("history", int(turn), found, f"at most {most}, the conversation's past")
