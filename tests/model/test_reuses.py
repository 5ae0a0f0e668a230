"""Uses of items before and after each use, and what hindsight promises to each reuse."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import module_traces

import teltheory as tt
from teltheory.model.reuses import caps


def uses(trace):
    """Every use as (request, item), in order."""
    return [(k, int(item)) for k in range(len(trace)) for item in trace.items(k)]


@given(trace=module_traces())
def test_the_uses_before_and_after_are_the_nearest_of_the_same_item(trace):
    all_uses = uses(trace)
    assert trace.request.tolist() == [k for k, _ in all_uses]
    for place, (_, item) in enumerate(all_uses):
        same = [other for other, (_, one) in enumerate(all_uses) if one == item]
        assert trace.previous[place] == max((other for other in same if other < place), default=-1)
        assert trace.next[place] == min((other for other in same if other > place), default=len(all_uses))


def promised(trace, xi):
    """Walk each request's items, those used last first, and hand out what it can use."""
    found, last = {}, {}
    for k in range(len(trace)):
        left = max(0, int(trace.total[k]) - xi)
        for item in sorted((one for one in trace.items(k).tolist() if one in last), key=last.get, reverse=True):
            found[k, item] = min(int(trace.sizes[item]), left)
            left -= found[k, item]
        last |= {item: (k, item) for item in trace.items(k).tolist()}
    return [found.get(use, 0) for use in uses(trace)]


@given(trace=module_traces(), xi=st.integers(0, 15))
def test_caps_are_promised_to_the_items_used_last_first(trace, xi):
    assert caps(trace, xi).tolist() == promised(trace, xi)


def test_a_request_promises_what_it_can_use_to_the_latest_of_its_items():
    trace = tt.ModuleTrace.from_requests([[0], [1, 2], [0, 1, 2]], sizes=[5, 4, 3], fresh=[0, 0, 2])
    assert trace.total.tolist() == [5, 7, 14]
    assert caps(trace, 0).tolist() == [0, 0, 0, 5, 4, 3]
    assert caps(trace, 6).tolist() == [0, 0, 0, 1, 4, 3]
    assert caps(trace, 9).tolist() == [0, 0, 0, 0, 2, 3]
    assert caps(trace, 14).tolist() == [0] * 6
