"""A new kind of requests is one file: this has a class, its loop and its optimum, and enters them in the tables.

Each request reads one document, whole, and computes some fresh tokens. Judges of what comes of it are sets of one
item each, the trace in which each document is a conversation whose history is the document, and Belady's theorem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
class Documents(Requests):
    """Requests that read a document each, of sizes by document, beside fresh tokens."""

    document: np.ndarray
    size: np.ndarray
    fresh: np.ndarray
    arrival = None

    def __len__(self):
        return len(self.document)

    def __getitem__(self, key):
        return replace(self, document=self.document[key], fresh=self.fresh[key])

    @cached_property
    def before(self):
        """The last request for the same document before each, -1 if there is none."""
        seen = (np.flatnonzero(self.document[:k] == one) for k, one in enumerate(self.document))
        return np.array([max(same, default=-1) for same in seen], np.int64)

    @property
    def past(self):
        return self.size[self.document]

    asked = past

    @property
    def total(self):
        return self.past + self.fresh

    @property
    def known(self):
        return np.where(self.before >= 0, self.past, 0)

    @property
    def held(self):
        return np.cumsum(self.past - self.known)

    @property
    def session(self):
        return self.document


@dataclass(frozen=True)
class DocumentInstance:
    """Requests and the cache that meets them, empty."""

    requests: Documents
    capacity: int
    forced: bool = False
    exempt = 0

    def __len__(self):
        return len(self.requests)

    total = property(lambda self: self.requests.total)
    asked = past = property(lambda self: self.requests.past)


@instance_of.register(Documents)
def _instance(requests, capacity, *, forced=False, initial=(), running=1):
    if forced or tuple(initial) or running != 1:
        raise tt.ArgumentError("trace", "Documents", "optional caching and an empty cache with them")
    return DocumentInstance(requests, capacity)


@replayed.register(Documents)
def _replay(requests, asked):
    policy, instance = settled(asked.policy, requests), instance_of(requests, asked.capacity)
    nodes, cache, cached = {}, {}, []
    for k, code in enumerate(requests.document.tolist()):
        size, later = int(requests.size[code]), np.flatnonzero(requests.before == k).tolist()
        node = nodes.setdefault(code, Node(len(nodes), size, 0, None, code))
        cached.append(node.cached)
        node.cached, node.next = size, None
        for turn in later:
            node.next = NextTurn(turn, size, int(requests.fresh[turn]))
        cache.pop(code, None)
        cache[code] = node
        cut(cache, policy, instance.capacity, None)
    return Outcome.of(instance, cached)


@methods.problem_of.register(DocumentInstance)
def _problem(instance, xi, weight=None):
    """Write what is kept from one request for a document to the next as an interval, worth its weight a token."""
    weight = np.ones(len(instance), np.int64) if weight is None else weight
    need = np.maximum(instance.total - xi, 0)
    most = np.minimum(need, instance.requests.known)
    turn = np.flatnonzero(most * weight)
    room = np.append(0, np.full(len(instance), instance.capacity))
    first = instance.requests.before[turn] + 2
    return IntervalProblem(turn, first, turn + 1, most[turn], room, int(weight @ need), weight[turn])


methods.unavoidable_reuse.register(DocumentInstance, lambda instance: np.zeros(len(instance), np.int64))
parts.totals.register(
    DocumentInstance, lambda instance: instance.requests.size[instance.requests.document] + instance.requests.fresh
)
parts.inputs.register(DocumentInstance, lambda instance: instance.requests.size[instance.requests.document])


@parts.parts_read.register(DocumentInstance)
def _parts(instance):
    """Read the documents anew, as what checks a certificate shares nothing with what makes it."""
    latest, rows = {}, []
    for k, document in enumerate(instance.requests.document.tolist()):
        size = instance.requests.size[document]
        rows += [(k, 0, size, latest[document] + 2)] if document in latest else []
        latest[document] = k
    return parts.Parts(*np.array(rows, np.int64).reshape(-1, 4).T)


@least_tel.register(Documents)
def _least_of_the_rest(requests, start, capacity, xi):
    return int(tt.weighted_optimum(requests, capacity, xi, [int(k >= start) for k in range(len(requests))]).lower)


@st.composite
def documents(draw):
    size = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    read = draw(st.lists(st.integers(0, len(size) - 1), max_size=12))
    fresh = draw(st.lists(st.integers(0, 3), min_size=len(read), max_size=len(read)))
    return Documents(*(np.array(column, np.int64) for column in (read, size, fresh)))


CAPACITY = st.integers(0, 12)
POLICIES = ["lru", "belady", "tlru:xi=3,q_hat=1", "threshold-lru:cutoff=2", "tail-optimized-belady:xi=5"]


def pages(document):
    return Documents(document, np.ones(8, np.int64), np.zeros_like(document))


def as_sets(requests):
    items = [[document] for document in requests.document.tolist()]
    return tt.ModuleTrace.from_requests(items, requests.size, requests.fresh)


def as_trace(requests):
    prompt, response = requests.total - requests.known, np.zeros(len(requests), np.int64)
    return tt.Trace.from_turns(requests.document, prompt, response, history=requests.known)


@given(documents(), CAPACITY, st.sampled_from(POLICIES))
def test_a_new_kind_is_replayed_as_the_sets_that_it_is(requests, capacity, policy):
    found = tt.replay(requests, policy, capacity)
    assert found == tt.replay(as_sets(requests), policy, capacity, engine="reference")
    assert tt.capacity_curve(requests, policy).outcome(capacity) == found
    assert tt.Problem(requests, capacity=capacity, xi=0).replay(policy) == found


@given(documents(), CAPACITY, st.integers(0, 7), st.sampled_from(["lp", "greedy", "milp"]))
def test_its_optimum_by_every_method_is_that_of_sets_and_of_the_trace_and_proved(requests, capacity, xi, method):
    best = tt.hindsight_optimum(requests, capacity, xi, method=method)
    assert (best.objective, best.status) == (tt.tail_excess_latency(best.outcome, xi), "optimal")
    for judge in (as_sets(requests), as_trace(requests)):
        assert best.objective == tt.hindsight_optimum(judge, capacity, xi).objective
    for proved in (requests, as_trace(requests)):
        tt.check_certificate(proved, capacity, xi, best.certificate)


@given(documents(), CAPACITY)
def test_belady_is_its_optimum_of_all_that_is_computed(requests, capacity):
    low, high = tt.Problem(requests, capacity=capacity, xi=0).regret("belady")
    assert low == high == 0


def test_a_certificate_of_something_better_is_refused():
    requests = pages(np.array([0, 1, 2, 0, 1, 2]))
    better = tt.hindsight_optimum(requests, 3, 0).certificate
    with pytest.raises(tt.CertificateError):
        tt.check_certificate(requests, 1, 0, better)


def test_it_is_advised_beside_the_optimum_of_the_rest():
    requests = pages(np.random.default_rng(0).integers(0, 8, 400))
    asked = tt.Problem(requests, capacity=4, latency=tt.LatencyModel(Fraction(1)))
    advice = asked.advise("500ms")
    begun, rest = np.unique(requests.document[: advice.start]), requests.document[advice.start :]
    both = tt.hindsight_optimum(pages(np.concatenate((begun, rest))), 4, 0).objective
    assert advice.held_out.optimum == both - len(begun) < sum(row.tel for row in advice.held_out.rows)
    assert str(advice).splitlines()[1].startswith("ADVICE: stay with LRU.")


def test_what_a_kind_has_not_is_refused_by_its_name():
    requests = pages(np.array([0]))
    with pytest.raises(tt.ArgumentError, match=r"trace: found 'Documents', expected .* in tiers"):
        tt.replay(requests, tt.LRU(), tt.Tiers((1, 1), (0, 0)))
    with pytest.raises(tt.ArgumentError, match="trace: found 'list'"):
        tt.replay([[0]], tt.LRU(), 1)
    with pytest.raises(tt.ArgumentError, match="a kind of requests whose parts are registered"):
        parts.parts_read(requests)
