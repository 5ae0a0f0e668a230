"""Every use of an item, as arrays under the names of `teltheory.policies.Node`: one slot a use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.reuses import caps
from teltheory.replay.chains.rules import NextTurns, Nodes
from teltheory.replay.chains.slots import Slots


def slots_of(trace: ModuleTrace) -> Slots:
    """Return one slot a use: an item's past is its size, and it holds that until its first cut."""
    size = readonly(trace.sizes[trace.members])
    return Slots(size, size, trace.previous, trace.next)


@dataclass(frozen=True)
class NextUses(NextTurns):
    """The next uses of all items: the number of all uses, 0 and 0 for what is not used again."""

    trace: ModuleTrace

    @cached_property
    def history(self) -> IntArray:
        """Size of the item."""
        return np.where(self.slots.ended, 0, self.slots.past)

    @cached_property
    def prompt(self) -> IntArray:
        """Rest of the request."""
        return self.slots.of_following(self.trace.rest)

    @cached_property
    def ahead(self) -> IntArray:
        """Sizes of the request's items that are used later than this one before it."""
        return self.history + self.prompt - self.need(0)

    def need(self, xi: int) -> IntArray:
        """Return hindsight's caps; see `Turn.need`."""
        return self.slots.of_following(caps(self.trace, xi))


@dataclass(frozen=True)
class Uses(Nodes):
    """Every item after each use; arrays with an entry a use, computed when a rule reads them."""

    @property
    def trace(self) -> ModuleTrace:
        """The requests."""
        found: Any = self.instance
        requests: ModuleTrace = found.requests
        return requests

    @cached_property
    def first(self) -> IntArray:
        """Rank by first use."""
        return ranks(self.trace)

    @property
    def code(self) -> IntArray:
        """Number of the item."""
        return self.trace.members

    @cached_property
    def last(self) -> IntArray:
        """The use itself."""
        return np.arange(len(self.trace.members))

    @cached_property
    def time(self) -> FloatArray:
        """Arrival of the request in seconds."""
        if self.trace.arrival is None:
            raise ArgumentError("trace", "no arrival times", "arrival times, which the policy looks at")
        return self.trace.arrival[self.trace.request]

    @cached_property
    def asked(self) -> IntArray:
        """Size of all items of the request together."""
        return (self.trace.total - self.trace.fresh)[self.trace.request]

    @cached_property
    def ahead(self) -> IntArray:
        """Size of the items of the request that are used after this one."""
        up_to = np.cumsum(self.slots.past)
        ends = np.concatenate(([0], up_to))[self.trace.offsets[1:]]
        return np.asarray(ends[self.trace.request] - up_to)

    @cached_property
    def coming(self) -> NextUses:
        """The next uses."""
        return NextUses(self.instance, self.slots, self.trace)


def ranks(trace: ModuleTrace) -> IntArray:
    """Return for each use the rank of its item by first use."""
    first = np.zeros(len(trace.sizes), np.int64)
    new = trace.members[trace.previous < 0]
    first[new] = np.arange(len(new))
    return readonly(first[trace.members])
