"""A kind of requests of one's own, made and registered in this file alone: its optimum, proved, and its check.

Each request reads one document and computes some fresh tokens. As a trace each document is a conversation whose
history is the document: the optimum and its certificate have to be those of that trace.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.instance import instance_of
from teltheory.model.requests import Requests
from teltheory.model.turns import consecutive_turns
from teltheory.optimal import methods, parts
from teltheory.optimal.chains.intervals import IntervalProblem


@dataclass(frozen=True, eq=False)
class Documents(Requests):
    document: np.ndarray
    size: np.ndarray
    fresh: np.ndarray
    arrival = None

    def __len__(self):
        return len(self.document)

    def __getitem__(self, key):
        return replace(self, document=self.document[key], fresh=self.fresh[key])

    @property
    def total(self):
        return self.past + self.fresh

    @property
    def asked(self):
        return self.past

    @cached_property
    def past(self):
        return self.size[self.document]

    @property
    def known(self):
        return np.where(last_before(self) >= 0, self.past, 0)

    @property
    def held(self):
        return np.cumsum(self.past - self.known)

    def as_trace(self):
        prompt, response = self.total - self.known, np.zeros(len(self), np.int64)
        return tt.Trace.from_turns(self.document, prompt, response, history=self.known)


@dataclass(frozen=True)
class OfDocuments:
    requests: Documents
    capacity: int
    forced: bool = False
    exempt: int = 0

    def __len__(self):
        return len(self.requests)

    total = property(lambda self: self.requests.total)
    asked = property(lambda self: self.requests.asked)
    past = property(lambda self: self.requests.past)


def last_before(requests):
    earlier, later = consecutive_turns(requests.document)
    before = np.full(len(requests), -1)
    before[later] = earlier
    return before


def as_problem(instance, xi, weight=None):
    need = np.maximum(instance.total - xi, 0)
    most, turn = np.minimum(need, instance.requests.known), np.arange(len(instance))
    some = np.flatnonzero(most)
    first, room = last_before(instance.requests)[some] + 2, np.full(len(instance) + 1, instance.capacity)
    return IntervalProblem(turn[some], first, some + 1, most[some], room, int(need.sum()), np.ones_like(some))


def as_parts(instance):
    some = np.flatnonzero(instance.requests.known)
    first = last_before(instance.requests)[some] + 2
    return parts.Parts(some, np.zeros_like(some), instance.requests.size[instance.requests.document[some]], first)


instance_of.register(Documents, lambda trace, capacity, **mode: OfDocuments(trace, capacity))
methods.problem_of.register(OfDocuments, as_problem)
methods.unavoidable_reuse.register(OfDocuments, lambda instance: np.zeros(len(instance), np.int64))
parts.parts_read.register(OfDocuments, as_parts)
parts.totals.register(OfDocuments, lambda instance: instance.requests.past + instance.requests.fresh)
parts.inputs.register(OfDocuments, lambda instance: instance.requests.past)


@st.composite
def documents(draw):
    size = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    read = draw(st.lists(st.integers(0, len(size) - 1), max_size=9))
    fresh = draw(st.lists(st.integers(0, 3), min_size=len(read), max_size=len(read)))
    return Documents(*(np.array(column, np.int64) for column in (read, size, fresh)))


@given(documents(), st.integers(0, 9), st.integers(0, 7))
@pytest.mark.parametrize("method", ["greedy", "lp", "milp"])
def test_the_optimum_of_an_own_kind_is_that_of_the_trace(method, requests, capacity, xi):
    best = tt.hindsight_optimum(requests, capacity, xi, method=method)
    asked = tt.hindsight_optimum(requests.as_trace(), capacity, xi)
    assert (best.objective, best.status) == (asked.objective, "optimal")
    assert tt.tail_excess_latency(best.outcome, xi) == best.objective
    tt.check_certificate(requests, capacity, xi, best.certificate)
    tt.check_certificate(requests.as_trace(), capacity, xi, best.certificate)


def test_a_kind_that_is_not_registered_has_no_proof():
    with pytest.raises(tt.ArgumentError, match="a kind of requests whose parts are registered"):
        parts.parts_read(CHATS)


CHATS = tt.Trace.from_turns([0], [1], [0])
