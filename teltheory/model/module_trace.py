"""Requests for sets of modules: what Prompt Cache's server is asked for (Gim et al. 2024).

1. An *item* is what is encoded and kept as one: a module's own text, a scaffold, a schema's anonymous text. It has
   a size in tokens, 1 or more, which never changes.
2. A *request* needs a set of items, in any order, and computes its fresh tokens (arguments, uncached modules, new
   text) whatever is cached. total = fresh + sum of sizes.
3. A cached part of an item is a prefix of it. What a request reuses is the sum of the cached parts of its items;
   after it all of them are at hand, and then the cache is cut to its capacity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.columns import arrivals, lengths
from teltheory.model.display import in_short
from teltheory.model.numbers import INT64_MAX, FloatArray, IntArray, exact_sum, readonly
from teltheory.model.requests import Requests
from teltheory.model.turns import bounds


@in_short
@dataclass(frozen=True, eq=False)
class ModuleTrace(Requests):
    """Requests for sets of items. Make one with `ModuleTrace.from_requests`.

    Attributes
    ----------
    sizes : ndarray of int64, shape (m,)
        Tokens of each item, 1 or more.
    members : ndarray of int64
        Items of all requests, one request after another, each request's in ascending order.
    offsets : ndarray of int64, shape (n + 1,)
        Request k needs ``members[offsets[k]:offsets[k + 1]]``.
    fresh : ndarray of int64, shape (n,)
        Tokens that each request computes whatever is cached.
    arrival : ndarray of float64, shape (n,), or None
        Seconds, never decreasing.
    names : tuple of str, shape (m,), or None
        What a report calls the items.
    """

    sizes: IntArray
    members: IntArray
    offsets: IntArray
    fresh: IntArray
    arrival: FloatArray | None = None
    names: tuple[str, ...] | None = None
    reuses_prefixes: ClassVar[bool] = False

    @classmethod
    def from_requests(
        cls,
        requests: Sequence[Sequence[int]],
        sizes: Sequence[int] | IntArray,
        fresh: Sequence[int] | IntArray | None = None,
        arrival: Sequence[float] | FloatArray | None = None,
        names: Sequence[str] | None = None,
    ) -> ModuleTrace:
        """Make a trace from the items of each request.

        Parameters
        ----------
        requests : sequence of sequences of int
            Items of each request, numbers from 0, each once in a request.
        sizes : sequence of int
            Tokens of each item, 1 or more.
        fresh : sequence of int, optional
            Tokens that each request computes anew; none when left out.
        arrival : sequence of float, optional
            Seconds, finite, never decreasing.
        names : sequence of str, optional
            A name for each item.

        Raises
        ------
        TraceError
            For an item of no size, one that is none, one twice in a request, requests of more than 2**63 - 1
            tokens together: names the request (counted from 0), the value and what was expected.
        """
        kept = lengths("sizes", sizes, len(sizes))
        if len(kept) and kept.min() < 1:
            k = int(kept.argmin())
            raise TraceError("sizes", k, int(kept[k]), "1 token or more in an item")
        for k, request in enumerate(requests):
            _check_request(k, request, len(kept))
        offsets = np.cumsum([0, *map(len, requests)], dtype=np.int64)
        members = np.array([item for request in requests for item in sorted(request)], np.int64)
        new = lengths("fresh", [0] * len(requests) if fresh is None else fresh, len(requests))
        times = None if arrival is None else arrivals(arrival, len(requests))
        if exact_sum(new) + exact_sum(kept[members]) > INT64_MAX:
            raise TraceError("fresh", None, "requests that add up to more than 2**63 - 1", "a smaller sum")
        named = None if names is None else _named(names, len(kept))
        return cls(kept, readonly(members), readonly(offsets), new, times, named)

    def __len__(self) -> int:
        return len(self.fresh)

    def __getitem__(self, key: slice) -> ModuleTrace:
        """Return the requests of a slice such as ``trace[:1000]``, with all items."""
        if not isinstance(key, slice):
            raise ArgumentError("request", key, "a slice such as [:1000]; trace.items(k) has a request's items")
        first, after = bounds(key, len(self))
        offsets = self.offsets[first : after + 1]
        return replace(
            self,
            members=self.members[offsets[0] : offsets[-1]],
            offsets=readonly(offsets - offsets[0]),
            fresh=self.fresh[first:after],
            arrival=None if self.arrival is None else self.arrival[first:after],
        )

    def items(self, request: int) -> IntArray:
        """Return the items of a request, ascending."""
        return self.members[self.offsets[request] : self.offsets[request + 1]]

    @cached_property
    def total(self) -> IntArray:
        """Tokens that each request computes with an empty cache; int64, shape (n,)."""
        up_to = np.concatenate(([0], np.cumsum(self.sizes[self.members])))
        return readonly(self.fresh + up_to[self.offsets[1:]] - up_to[self.offsets[:-1]])

    @cached_property
    def asked(self) -> IntArray:
        """Tokens of each request's items together; shape (n,)."""
        return readonly(self.total - self.fresh)

    @property
    def past(self) -> IntArray:
        """Tokens of each request's items, all of which are at hand after it; shape (n,)."""
        return self.asked

    @property
    def known(self) -> IntArray:
        """Tokens of each request's items that an earlier request had; shape (n,)."""
        return readonly(self.asked - self._new)

    @property
    def held(self) -> IntArray:
        """Tokens of all items that requests had so far, after each; shape (n,)."""
        return readonly(np.cumsum(self._new))

    @property
    def continued_prompts(self) -> IntArray:
        """Rest of the request of each use of an item that was used before."""
        return self.rest[self.previous >= 0]

    @property
    def _new(self) -> IntArray:
        """Tokens of each request's items that no earlier request had; shape (n,)."""
        new, first = np.zeros(len(self), np.int64), self.previous < 0
        np.add.at(new, self.request[first], self.sizes[self.members[first]])
        return new

    @cached_property
    def request(self) -> IntArray:
        """Request of each use, which is a place in `members`; int64."""
        return readonly(np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets)))

    @property
    def rest(self) -> IntArray:
        """Rest of the request of each use: its fresh tokens and other items; int64, places in `members`."""
        return readonly(self.total[self.request] - self.sizes[self.members])

    @cached_property
    def previous(self) -> IntArray:
        """The same item's use before each use, -1 if there is none; int64, places in `members`."""
        return readonly(self._beside(1, -1))

    @cached_property
    def next(self) -> IntArray:
        """The same item's use after each use, the number of all uses if there is none; int64."""
        return readonly(self._beside(-1, len(self.members)))

    def _beside(self, step: int, none: int) -> IntArray:
        """Return the use of the same item one step before (-1: after) each use."""
        by_item = np.argsort(self.members, kind="stable")
        items, near = self.members[by_item], np.roll(by_item, step)
        found = np.empty_like(by_item)
        found[by_item] = np.where(np.roll(items, step) == items, near, none)
        ends = by_item[:1] if step == 1 else by_item[-1:]
        found[ends] = none
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModuleTrace):
            return NotImplemented
        pairs = zip(self._columns(), other._columns(), strict=True)
        return self.names == other.names and all(np.array_equal(*pair) for pair in pairs)

    __hash__ = None  # type: ignore[assignment]

    def _columns(self) -> list[IntArray | FloatArray]:
        arrival = np.zeros(0) if self.arrival is None else self.arrival
        return [self.sizes, self.members, self.offsets, self.fresh, arrival]


def _check_request(k: int, request: Sequence[int], items: int) -> None:
    for item in request:
        if isinstance(item, bool) or not isinstance(item, (int, np.integer)) or not 0 <= item < items:
            raise TraceError("requests", k, item, f"an item, 0 to {items - 1}")
    if len(set(request)) < len(request):
        raise TraceError("requests", k, list(request), "each item once")


def _named(names: Sequence[str], items: int) -> tuple[str, ...]:
    if len(names) != items:
        raise TraceError("names", None, len(names), f"{items}, one for each item")
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TraceError("names", None, names, "a string for each item")
    return tuple(names)
