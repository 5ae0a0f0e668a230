"""One face of all kinds of requests: what an endless cache holds and knows, counted by hand for each kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.instance import ForestInstance, Instance, ModuleInstance, instance_of, prefix_instance
from teltheory.model.requests import Requests
from tests.strategies import forests, module_traces, turn_columns

CHATS = tt.Trace.from_turns([5, 5, 7], [3, 4, 2], [1, 1, 1], arrival=[0, 1, 2])
SHARED = tt.Forest.from_paths([[1, 2], [1, 2, 3], [1, 4]], ask=[1, 3, 2], block_size=4, tokens=[5, 12, 9])
SETS = tt.ModuleTrace.from_requests([[0, 1], [1, 2], [0]], [2, 3, 1], [1, 0, 4])
NAMES = ("total", "asked", "past", "output", "known", "inputs", "held", "session", "continued_prompts")
KINDS = {"chats": CHATS, "shared": SHARED, "sets": SETS}
FACE = {
    "chats": ([3, 8, 2], [3, 8, 2], [4, 9, 3], [1, 1, 1], [0, 4, 0], [3, 8, 2], [4, 9, 12], [0, 0, 1], [4]),
    "shared": ([1, 3, 2], [1, 3, 2], [2, 3, 2], [1, 0, 0], [0, 2, 1], [5, 12, 9], [2, 3, 4], [0, 0, 0], [4, 5]),
    "sets": ([6, 4, 6], [5, 4, 2], [5, 4, 2], [0, 0, 0], [0, 3, 2], [6, 4, 6], [5, 6, 6], [0, 1, 2], [1, 4]),
}


@pytest.mark.parametrize("kind", FACE)
def test_the_face_of_a_kind(kind):
    requests = KINDS[kind]
    found = [getattr(requests, name).tolist() for name in NAMES]
    assert dict(zip(NAMES, found, strict=True)) == dict(zip(NAMES, FACE[kind], strict=True))
    assert requests.peak == requests.held[-1]
    assert requests.scale == (4 if kind == "shared" else 1)
    assert requests.is_private == (kind != "shared")


kinds = st.one_of(turn_columns().map(lambda columns: tt.Trace.from_turns(**columns)), forests(), module_traces())


@given(kinds, st.integers(0, 6), st.integers(0, 6))
def test_laws_of_every_kind(requests: Requests, first, turns):
    assert (requests.known <= requests.asked).all()
    assert (requests.asked <= requests.total).all()
    assert (requests.output >= 0).all()
    assert requests.peak == requests.held.max(initial=0)
    some = requests[first : first + turns]
    assert type(some) is type(requests)
    assert some.past.tolist() == requests.past[first : first + turns].tolist()
    assert some.total.tolist() == requests.total[first : first + turns].tolist()
    assert some.held[-1:].tolist() <= requests.held[first : first + turns][-1:].tolist()
    assert requests[:turns].held.tolist() == requests.held[:turns].tolist()


@pytest.mark.parametrize(
    ("requests", "made"), [(CHATS, Instance), (SHARED, ForestInstance), (SETS, ModuleInstance)], ids=FACE
)
def test_an_instance_has_the_face_of_its_requests(requests, made):
    instance = instance_of(requests, 20, forced=True)
    assert type(instance) is made
    assert (instance.requests, instance.capacity, instance.exempt, len(instance)) == (requests, 20, 1, 3)
    for name in ("total", "asked", "past"):
        assert np.array_equal(getattr(instance, name), getattr(requests, name))


def test_what_is_no_kind_has_no_instance():
    with pytest.raises(tt.ArgumentError, match="trace: found 'list', expected a Trace"):
        instance_of([], 3)
    with pytest.raises(tt.ArgumentError, match="trace: found 'ModuleTrace', expected a Trace"):
        prefix_instance(SETS, 30)
    with pytest.raises(tt.ArgumentError, match="no initial cache or running requests with it"):
        instance_of(SETS, 30, running=2)


def test_a_request_of_sets_is_not_had_by_number():
    with pytest.raises(tt.ArgumentError, match=r"trace.items\(k\) has a request's items"):
        SETS[1]
