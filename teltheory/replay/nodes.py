"""All slots' conversations after their turns, as arrays under the names of `teltheory.policies.Node`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.numbers import BoolArray, FloatArray, IntArray
from teltheory.policies.node import Turn
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.compiled import compiled
from teltheory.replay.slots import Slots, first_arrival_ranks


@dataclass(frozen=True)
class NextTurns:
    """The next turns of all slots: n, 0 and 0 for what never returns."""

    instance: Instance
    slots: Slots

    @property
    def turn(self) -> IntArray:
        """Number of the turn."""
        return self.slots.following

    @cached_property
    def history(self) -> IntArray:
        """History of the turn."""
        return self.slots.of_following(self.instance.history)

    @cached_property
    def prompt(self) -> IntArray:
        """Prompt of the turn."""
        return self.slots.of_following(self.instance.trace.prompt)

    def need(self, xi: int) -> IntArray:
        """Return what each turn can use; see `Turn.need`."""
        columns: Any = self.slots.following, self.instance.history, self.instance.trace.prompt
        needs: Any = Turn(*columns).need(xi)
        return self.slots.of_following(needs)


@dataclass(frozen=True)
class Nodes:
    """Every slot's conversation after its turn; arrays of shape (m + n,), computed when a rule reads them."""

    instance: Instance
    slots: Slots

    @property
    def past(self) -> IntArray:
        """L of each conversation."""
        return self.slots.past

    depth = length = past

    @property
    def cached(self) -> IntArray:
        """Refuse: it changes from cut to cut."""
        raise NotCompiledError("policy", "rules that look at what is cached", "engine='reference' for it")

    @cached_property
    def first(self) -> IntArray:
        """Rank by first arrival."""
        return first_arrival_ranks(self.instance)

    @cached_property
    def code(self) -> IntArray:
        """Number of the conversation, as in `Trace.code`."""
        starts = [start.code for start in self.instance.initial]
        return np.concatenate((np.array(starts, np.int64), self.instance.trace.code))

    @cached_property
    def last(self) -> IntArray:
        """Last turn, -1 for the initial cache."""
        n = len(self.instance.trace)
        return np.maximum(np.arange(n - len(self.slots.past), n), -1)

    @cached_property
    def hits(self) -> IntArray:
        """How many turns the conversation has had."""
        return _hits(self.slots.previous, len(self.slots.past))

    @cached_property
    def time(self) -> FloatArray:
        """Arrival of the last turn in seconds."""
        arrival = self.instance.trace.arrival
        if arrival is None:
            raise ArgumentError("trace", "no arrival times", "arrival times, which the policy looks at")
        return np.asarray(arrival[np.maximum(self.last, 0)], np.float64)

    @property
    def ended(self) -> BoolArray:
        """Whether the conversation never returns."""
        return self.slots.ended

    @cached_property
    def coming(self) -> NextTurns:
        """The next turns."""
        return NextTurns(self.instance, self.slots)

    @property
    def next(self) -> NextTurns:
        """The next turns, as `coming`."""
        return self.coming


@compiled
def _hits(previous: IntArray, slots: int) -> IntArray:
    hits = np.zeros(slots, np.int64)
    for k in range(len(previous)):
        hits[slots - len(previous) + k] = hits[previous[k]] + 1 if previous[k] >= 0 else 1
    return hits
