"""A new kind of requests is one file: this one has a class and its loop, and enters both in the tables of kinds.

The kind: each request asks for one item, which is kept whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.instance import instance_of
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.policies.node import Node, Turn
from teltheory.policies.policy import settled
from teltheory.replay.chains.reference import cut
from teltheory.replay.kinds import replayed


@dataclass(frozen=True, eq=False)
class Items(Requests):
    """Requests for single items of given sizes, and the place of each one's item among the sizes."""

    sizes: np.ndarray
    item: np.ndarray
    arrival: np.ndarray | None = None

    def __len__(self):
        return len(self.item)

    def __getitem__(self, key):
        return Items(self.sizes, self.item[key])

    @property
    def total(self):
        return self.sizes[self.item]

    @property
    def past(self):
        return self.total

    @cached_property
    def known(self):
        return np.where([item in self.item[:k] for k, item in enumerate(self.item)], self.total, 0)

    @property
    def held(self):
        return np.cumsum(self.total - self.known)

    @property
    def session(self):
        return self.item

    def as_sets(self):
        """Return the same as sets of one item each, which judge what is here."""
        return tt.ModuleTrace.from_requests([[item] for item in self.item.tolist()], self.sizes)


@dataclass(frozen=True)
class ItemInstance:
    """Requests and the cache that meets them, empty."""

    requests: Items
    capacity: int
    forced: bool = False

    def __len__(self):
        return len(self.requests)

    @property
    def total(self):
        return self.requests.total


@instance_of.register(Items)
def _instance(requests, capacity, *, forced=False, initial=(), running=1):
    if tuple(initial) or running != 1:
        raise tt.ArgumentError("initial", initial, "an empty cache of items")
    return ItemInstance(requests, capacity, forced)


@replayed.register(Items)
def _replay(requests, asked):
    """Replay item by item; what a cut leaves of an item is of no use."""
    policy, cached = settled(asked.policy, requests), []
    nodes, cache = {}, {}
    turns = [Turn(k, size, 0) for k, size in enumerate(requests.total.tolist())]
    for k, code in enumerate(requests.item.tolist()):
        node = nodes.setdefault(code, Node(len(nodes), 0, 0, None, code))
        cached.append(node.cached)
        node.past = node.cached = turns[k].history
        node.last, node.hits = k, node.hits + 1
        node.next = next((turn for turn in turns[k + 1 :] if requests.item[turn.turn] == code), None)
        cache.pop(code, None)
        cache[code] = node
        cut(cache, policy, asked.capacity, None)
        for one in list(cache.values()):
            if one.cached < one.past:
                cache.pop(one.code).cached = 0
    return Outcome.of(instance_of(requests, asked.capacity), cached)


@st.composite
def items(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    item = draw(st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=12))
    return Items(np.array(sizes), np.array(item))


@given(items(), st.integers(0, 12), st.sampled_from(["lru", "belady", "threshold-lru:cutoff=3"]))
def test_a_new_kind_is_replayed_as_the_sets_that_it_is(requests, capacity, policy):
    found = tt.replay(requests, policy, capacity)
    assert found == tt.replay(requests.as_sets(), policy, capacity, cache="whole", engine="reference")
    assert tt.capacity_curve(requests, policy).outcome(capacity) == found
    assert tt.capacity_curve(requests, policy).peak == requests.held[-1]


def test_what_a_kind_has_not_is_refused_by_its_name():
    requests = Items(np.array([1]), np.array([0]))
    with pytest.raises(tt.ArgumentError, match=r"trace: found 'Items', expected .* in tiers"):
        tt.replay(requests, tt.LRU(), tt.Tiers((1, 1), (0, 0)))
    with pytest.raises(tt.ArgumentError, match="trace: found 'list'"):
        tt.replay([[0]], tt.LRU(), 1)
