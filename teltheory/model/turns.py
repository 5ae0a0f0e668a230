"""Turns of conversations in arrival order: which follow each other, and what comes before each."""

import numpy as np

from teltheory.model.numbers import IntArray, readonly


def consecutive_turns(conversation: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs (earlier, later) of consecutive turns of one conversation, as two arrays."""
    order = np.argsort(conversation, kind="stable")
    same = conversation[order[1:]] == conversation[order[:-1]]
    return order[:-1][same], order[1:][same]


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
