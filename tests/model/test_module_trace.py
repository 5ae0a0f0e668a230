"""Traces of module sets: what is no item, no name, or more than a count can hold, is refused and not rounded."""

import numpy as np
import pytest

import teltheory as tt


@pytest.mark.parametrize("item", [0.5, 0.0, True, np.bool_(False), "0", None, -1, 2])
def test_an_item_is_a_whole_number_of_one_that_is_there(item):
    with pytest.raises(tt.TraceError, match=r"turn 1.*expected an item, 0 to 1"):
        tt.ModuleTrace.from_requests([[np.int64(1)], [item]], sizes=[3, 4])


@pytest.mark.parametrize("names", ["ab", ["a", 1]])
def test_names_are_strings(names):
    with pytest.raises(tt.TraceError, match=r"names.*expected a string for each item"):
        tt.ModuleTrace.from_requests([], sizes=[3, 4], names=names)


def test_tokens_of_all_requests_are_a_count_that_fits():
    most = 2**63 - 1
    full = tt.ModuleTrace.from_requests([[0], [0]], sizes=[2**62 - 1], fresh=[1, 0])
    assert full.total.tolist() == [2**62, 2**62 - 1]
    for requests, sizes, fresh in (
        ([[0], [0]], [2**62], [0, 0]),
        ([[0]], [1], [most]),
        ([[0, 1]], [most, 1], [0]),
    ):
        with pytest.raises(tt.TraceError, match=r"more than 2\*\*63 - 1', expected a smaller sum"):
            tt.ModuleTrace.from_requests(requests, sizes, fresh)
