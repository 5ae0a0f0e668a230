"""All visited pieces after their requests, as arrays under the names of `teltheory.policies.Node`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import INT64_MAX, BoolArray, FloatArray, IntArray
from teltheory.policies.node import NextTurn
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.trees.visits import Visits


class UnitsDifferError(Exception):
    """A rule looks at what differs from unit to unit of a piece."""


@dataclass(frozen=True)
class VisitPieces:
    """Every visit's piece after the request; arrays of shape (visits,), computed when a rule reads them.

    `mark` says what the past is (`teltheory.policies.policy.mark_of`); `by_units` that a piece is one unit.
    """

    forest: Forest
    visits: Visits
    mark: str
    by_units: bool = False

    @cached_property
    def past(self) -> IntArray:
        """The mark L of each piece; for "resident" the high-water mark, which the loop replaces."""
        if self.mark == "next":
            return np.asarray(self.coming.history)
        ends = self.forest.past[self.visits.request]
        if self.mark != "last":
            call("raise_to_largest", len(ends), self.visits.previous, ends)
        return ends

    @property
    def depth(self) -> IntArray:
        """Depth of the unit that each piece is."""
        if not self.by_units:
            raise UnitsDifferError
        return self.visits.end

    @property
    def asked(self) -> IntArray:
        """What a request asks for beside a path: nothing, so the past."""
        return self.past

    @property
    def ahead(self) -> IntArray:
        """What of that is more recent than the piece: nothing."""
        return np.zeros_like(self.past)

    @property
    def length(self) -> IntArray:
        """Every unit has length 1."""
        return np.ones(len(self.visits.piece), np.int64)

    @property
    def cached(self) -> IntArray:
        """Refuse: it changes from cut to cut."""
        raise NotCompiledError("policy", "rules that look at what is cached", "engine='reference' for it")

    @property
    def since(self) -> IntArray:
        """Refuse: it changes from cut to cut."""
        raise NotCompiledError("policy", "rules that look at what was evicted", "engine='reference' for it")

    reads = since

    @property
    def first(self) -> IntArray:
        """Rank by first arrival."""
        return self.visits.piece

    code = first

    @property
    def last(self) -> IntArray:
        """Last request."""
        return self.visits.request

    @cached_property
    def hits(self) -> IntArray:
        """How many requests went through the piece."""
        counts = np.empty(len(self.visits.piece), np.int64)
        call("count_visits", len(counts), self.visits.previous, counts)
        return counts

    @cached_property
    def time(self) -> FloatArray:
        """Arrival of the last request in seconds."""
        arrival = self.forest.arrival
        if arrival is None:
            raise ArgumentError("forest", "no arrival times", "arrival times, which the policy looks at")
        return np.asarray(arrival[self.visits.request], np.float64)

    @cached_property
    def ended(self) -> BoolArray:
        """Whether no later request goes through the piece."""
        return np.asarray(self.visits.following < 0)

    @cached_property
    def coming(self) -> Any:
        """The next request through each piece; what it knows stands for its history."""
        n = len(self.forest)
        request = np.where(self.ended, n, np.append(self.visits.request, n)[self.visits.following])
        known, total = np.append(self.forest.known, 0), np.append(self.forest.total, 0)
        turn: Any = np.where(self.ended, INT64_MAX, request)
        columns: Any = known[request], (total - known)[request]
        return NextTurn(turn, *columns)

    @property
    def next(self) -> Any:
        """The next request, as `coming`."""
        return self.coming
