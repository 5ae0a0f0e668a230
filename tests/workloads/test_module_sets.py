"""Drawn traces of module sets: what every request has, how popular items are, and how sets come back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.workloads import draw_module_trace, fixed
from teltheory.workloads.module_sets import came_back


def drawn(requests=200, items=20, together=3, seed=0, **options):
    return draw_module_trace(requests, items, together, fixed(7), fixed(2), np.random.default_rng(seed), **options)


@given(st.integers(2, 12), st.integers(0, 6), st.integers(0, 3), st.floats(0, 2), st.floats(0, 1))
def test_every_request_has_its_items_once_and_those_of_all(items, together, always, zipf, again):
    trace = drawn(30, items, min(together, items // 2), always=always, zipf=zipf, again=again)
    checked = tt.ModuleTrace.from_requests([trace.items(k) for k in range(30)], trace.sizes, trace.fresh)
    assert checked == trace
    assert (np.diff(trace.offsets) == min(together, items // 2) + always).all()
    assert all(trace.items(k)[-always:].tolist() == [*range(items, items + always)] for k in range(30) if always)


def test_of_one_item_a_request_popularity_is_zipf():
    """1 : 1/2 : 1/3 : 1/4 of 60,000; and without replacement the second item is the first's rival alone."""
    number = np.bincount(drawn(60_000, 4, 1).members, minlength=4)
    assert number == pytest.approx(60_000 * np.array([12, 6, 4, 3]) / 25, rel=0.03)
    pairs = drawn(60_000, 4, 2).members.reshape(-1, 2)
    both = (12 / 25) * (6 / 13) + (6 / 25) * (12 / 19)
    assert np.mean((pairs == [0, 1]).all(axis=1)) == pytest.approx(both, rel=0.03)


@given(st.integers(0, 40), st.floats(0, 1), st.integers(1, 9), st.integers(0, 5))
def test_what_comes_back_was_chosen_by_an_earlier_request(n, again, within, seed):
    source = came_back(n, again, within, np.random.default_rng(seed))
    assert (source <= np.arange(n)).all()
    assert (source[source] == source).all()


def test_shares_that_come_back():
    places = np.arange(10_000)
    for again, own in ((0.0, 1.0), (0.25, 0.75), (1.0, 0.0)):
        source = came_back(10_000, again, 1, np.random.default_rng(0))
        assert np.mean(source == places) == pytest.approx(own, abs=0.02)


def test_wrong_arguments_are_named():
    for options, message in (
        ({"together": 11}, "together: found 11, expected at most half of the 20 items"),
        ({"zipf": 2.5}, "zipf"),
        ({"again": 1.5}, "again"),
        ({"within": 0}, "within: found 0, expected 1 request or more"),
    ):
        with pytest.raises(tt.ArgumentError, match=message):
            drawn(**options)
