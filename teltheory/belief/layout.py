"""Where the allocations of some conversations lie in one array: only those that fit, in lexicographic order.

The last conversation has just arrived. A *state* is what is cached of the others, as of the last all is cached; a
*decision* is what is kept of all of them. So the decisions whose first entries are those of a state lie in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from teltheory.model.numbers import IntArray

Caps = tuple[int, ...]
"""The most that can be kept of each conversation: its past, or the capacity."""


def fitting(caps: Caps, capacity: int) -> IntArray:
    """Return every allocation up to some caps whose sum is at most the capacity, in lexicographic order.

    Returns
    -------
    ndarray of int64, shape (allocations, conversations)
    """
    sizes = [cap + 1 for cap in caps]
    every = np.indices(sizes, np.int64).reshape(len(caps), prod(sizes)).T
    return np.asarray(every[every.sum(axis=1) <= capacity])


@dataclass(frozen=True)
class Layout:
    """The states and the decisions of n conversations.

    Attributes
    ----------
    caps : tuple of int
        The most that can be kept of each.
    capacity : int
        C.
    """

    caps: Caps
    capacity: int

    @cached_property
    def states(self) -> IntArray:
        """What is cached of all but the last; shape (states, n - 1)."""
        return fitting(self.caps[:-1], self.capacity)

    @cached_property
    def decisions(self) -> IntArray:
        """What is kept; shape (decisions, n)."""
        return fitting(self.caps, self.capacity)

    @cached_property
    def first(self) -> IntArray:
        """Where each state's row of decisions begins, and where the last one ends; shape (states + 1,)."""
        lengths = np.minimum(self.caps[-1], self.capacity - self.states.sum(axis=1)) + 1
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))

    @cached_property
    def without(self) -> IntArray:
        """Where each decision lies among those about all but one; shape (n, decisions)."""
        return np.array(
            [
                _places(np.delete(self.decisions, i, 1), self.caps[:i] + self.caps[i + 1 :], self.capacity)
                for i in range(len(self.caps))
            ],
            np.int64,
        )

    @cached_property
    def less(self) -> IntArray:
        """The state with one token less of one conversation, or the state itself; shape (n - 1, states)."""
        ones = np.eye(len(self.caps) - 1, dtype=np.int64)
        return np.array(
            [_places(np.maximum(self.states - one, 0), self.caps[:-1], self.capacity) for one in ones], np.int64
        ).reshape(len(self.caps) - 1, len(self.states))

    @cached_property
    def place_of_state(self) -> dict[Caps, int]:
        """Where each state lies."""
        return {tuple(state): i for i, state in enumerate(self.states.tolist())}

    @cached_property
    def place_of_decision(self) -> dict[Caps, int]:
        """Where each decision lies."""
        return {tuple(kept): i for i, kept in enumerate(self.decisions.tolist())}

    def pairs(self, forced: bool) -> int:
        """Return the number of pairs of a state and a decision that it allows."""
        rows = np.diff(self.first)
        number = np.where(rows > self.caps[-1], 1, 0) if forced else rows
        sizes = [cap + 1 for cap in self.caps[:-1]]
        where = self.states @ _weights(self.caps[:-1])
        box = np.zeros(prod(sizes), np.int64)
        box[where] = number
        box = box.reshape(sizes)
        for axis in range(len(sizes)):
            np.cumsum(box, axis=axis, out=box)
        return int(box.ravel()[where].sum())


def _places(allocations: IntArray, caps: Caps, capacity: int) -> IntArray:
    """Return where allocations that fit lie among all that do."""
    every = fitting(caps, capacity)
    weights = _weights(caps)
    return np.searchsorted(every @ weights, allocations @ weights).astype(np.int64)


def _weights(caps: Caps) -> IntArray:
    """Return the weights that number allocations in lexicographic order; shape (conversations,)."""
    sizes = np.array([cap + 1 for cap in caps], np.int64)
    return np.append(np.cumprod(sizes[:0:-1])[::-1], 1)[: len(caps)].astype(np.int64)
