"""A new kind of requests is one file: this has a class, its loop and its optimum, and enters them in the tables.

The kind is paging: each request asks for one page of one token. Sets of one item each, and LRU's and Belady's own
theorems, judge what comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.advice.alone import least_tel
from teltheory.model.instance import instance_of
from teltheory.model.outcome import Outcome
from teltheory.model.requests import Requests
from teltheory.optimal import methods, parts
from teltheory.optimal.chains.intervals import IntervalProblem
from teltheory.policies.node import NextTurn, Node
from teltheory.policies.policy import settled
from teltheory.replay.chains.reference import cut
from teltheory.replay.kinds import replayed


@dataclass(frozen=True, eq=False)
class Pages(Requests):
    """Requests for a page each."""

    page: np.ndarray
    arrival: np.ndarray | None = None

    def __len__(self):
        return len(self.page)

    def __getitem__(self, key):
        return Pages(self.page[key], None if self.arrival is None else self.arrival[key])

    @cached_property
    def before(self):
        """The last request for the same page before each, -1 if there is none."""
        seen = (np.flatnonzero(self.page[:k] == page) for k, page in enumerate(self.page))
        return np.array([max(same, default=-1) for same in seen], np.int64)

    @property
    def total(self):
        return np.ones_like(self.page)

    @property
    def past(self):
        return self.total

    @property
    def known(self):
        return (self.before >= 0).astype(np.int64)

    @property
    def held(self):
        return np.cumsum(self.total - self.known)

    @property
    def session(self):
        return self.page


@dataclass(frozen=True)
class PageInstance:
    """Requests and the cache that meets them, empty."""

    requests: Pages
    capacity: int
    forced: bool = False
    exempt = 0

    def __len__(self):
        return len(self.requests)

    total = asked = past = property(lambda self: self.requests.total)


@instance_of.register(Pages)
def _instance(requests, capacity, *, forced=False, initial=(), running=1):
    if forced or tuple(initial) or running != 1:
        raise tt.ArgumentError("trace", "Pages", "optional caching and an empty cache with them")
    return PageInstance(requests, capacity)


@replayed.register(Pages)
def _replay(requests, asked):
    policy, instance = settled(asked.policy, requests), instance_of(requests, asked.capacity)
    nodes, cache, cached = {}, {}, []
    for k, code in enumerate(requests.page.tolist()):
        node = nodes.setdefault(code, Node(len(nodes), 1, 0, None, code))
        cached.append(node.cached)
        node.cached = 1
        node.next = next((NextTurn(later, 1, 0) for later in np.flatnonzero(requests.before == k).tolist()), None)
        cache.pop(code, None)
        cache[code] = node
        cut(cache, policy, instance.capacity, None)
    return Outcome.of(instance, cached)


@methods.problem_of.register(PageInstance)
def _problem(instance, xi, weight=None):
    """Write what is kept from one request for a page to the next as an interval, which is worth its weight."""
    weight = instance.total if weight is None else weight
    useful = np.maximum(instance.total - xi, 0)
    turn = np.flatnonzero(instance.requests.known * useful * weight)
    room = np.append(0, np.full(len(instance), instance.capacity))
    first = instance.requests.before[turn] + 2
    return IntervalProblem(turn, first, turn + 1, useful[turn], room, int(weight @ useful), weight[turn])


methods.unavoidable_reuse.register(PageInstance, lambda instance: np.zeros(len(instance), np.int64))
parts.totals.register(PageInstance, lambda instance: np.ones(len(instance), np.int64))
parts.inputs.register(PageInstance, lambda instance: np.ones(len(instance), np.int64))


@parts.parts_read.register(PageInstance)
def _parts(instance):
    """Read the pages anew, as what checks a certificate shares nothing with what makes it."""
    latest, rows = {}, []
    for k, page in enumerate(instance.requests.page.tolist()):
        rows += [(k, 0, 1, latest[page] + 2)] if page in latest else []
        latest[page] = k
    return parts.Parts(*np.array(rows, np.int64).reshape(-1, 4).T)


@least_tel.register(Pages)
def _least_of_the_rest(requests, start, capacity, xi):
    return int(tt.weighted_optimum(requests, capacity, xi, [int(k >= start) for k in range(len(requests))]).lower)


PAGES = st.lists(st.integers(0, 4), max_size=14).map(lambda pages: Pages(np.array(pages, np.int64)))
CAPACITY = st.integers(0, 5)


def as_sets(requests):
    return tt.ModuleTrace.from_requests([[page] for page in requests.page.tolist()], [1] * 5)


@given(PAGES, CAPACITY, st.sampled_from(["lru", "belady", "tlru:xi=1,q_hat=0", "threshold-lru:cutoff=1"]))
def test_a_new_kind_is_replayed_as_the_sets_that_it_is(requests, capacity, policy):
    found = tt.replay(requests, policy, capacity)
    assert found == tt.replay(as_sets(requests), policy, capacity, engine="reference")
    assert tt.capacity_curve(requests, policy).outcome(capacity) == found
    assert tt.Problem(requests, capacity=capacity, xi=0).replay(policy) == found


@given(PAGES, CAPACITY, st.sampled_from(["lp", "greedy", "milp"]))
def test_it_has_an_optimum_by_every_method_with_a_certificate_that_is_checked(requests, capacity, method):
    best = tt.hindsight_optimum(requests, capacity, 0, method=method)
    assert best.objective == tt.hindsight_optimum(as_sets(requests), capacity, 0).objective
    assert best.objective == int(tt.replay(requests, "belady", capacity).uncached.sum())
    tt.check_certificate(requests, capacity, 0, best.certificate)
    low, high = tt.Problem(requests, capacity=capacity, xi=0).regret("belady")
    assert low == high == 0


def test_a_certificate_of_something_better_is_refused():
    requests = Pages(np.array([0, 1, 2, 0, 1, 2]))
    better = tt.hindsight_optimum(requests, 3, 0).certificate
    with pytest.raises(tt.CertificateError):
        tt.check_certificate(requests, 1, 0, better)


def test_it_is_advised_beside_the_optimum_of_the_rest():
    requests = Pages(np.random.default_rng(0).integers(0, 8, 400))
    asked = tt.Problem(requests, capacity=4, latency=tt.LatencyModel(Fraction(1)))
    advice = asked.advise("500ms")
    begun, rest = np.unique(requests.page[: advice.start]), requests.page[advice.start :]
    both = tt.hindsight_optimum(Pages(np.concatenate((begun, rest))), 4, 0).objective
    assert advice.held_out.optimum == both - len(begun) < sum(row.tel for row in advice.held_out.rows)
    assert str(advice).splitlines()[1].startswith("ADVICE: stay with LRU.")


def test_what_a_kind_has_not_is_refused_by_its_name():
    requests = Pages(np.array([0]))
    with pytest.raises(tt.ArgumentError, match=r"trace: found 'Pages', expected .* in tiers"):
        tt.replay(requests, tt.LRU(), tt.Tiers((1, 1), (0, 0)))
    with pytest.raises(tt.ArgumentError, match="trace: found 'list'"):
        tt.replay([[0]], tt.LRU(), 1)
