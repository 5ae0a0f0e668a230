"""Forests without what their requests begin with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests

import teltheory as tt
from teltheory.model.preambles import first_units, system_prompt, tools, without

SIZE = 16


def paths_of(forest):
    """The unit blocks of each request, by their content: the number of the node and the place in it."""
    found = []
    for k in range(len(forest)):
        units = [(node, i) for node in forest.path(k) for i in range(int(forest.length[node]))]
        found.append(units)
    return found


def common(one, other):
    """How long a beginning two paths have in common."""
    same = [a == b for a, b in zip(one, other, strict=False)]
    return (*same, False).index(False)


def shared(paths):
    """What each pair of requests has in common."""
    return [[common(one, other) for other in paths] for one in paths]


@given(forests(), st.integers(0, 6))
def test_paths_lose_their_first_units(forest, units):
    less = without(forest, first_units(forest, units))
    assert shared(paths_of(less)) == shared([path[units:] for path in paths_of(forest)])
    lost = np.minimum(units, forest.ask)
    assert (less.ask == forest.ask - lost).all()
    assert (less.total == forest.total - lost).all()
    assert (less.inputs == forest.inputs - lost * forest.block_size).all()
    assert (less.length > 0).all()
    assert tt.replay(less, tt.LRU(), 0).prefilled == tt.replay(forest, tt.LRU(), 0).prefilled - lost.sum()


def test_what_nobody_loses_stays_as_it_is():
    forest = tt.Forest.from_paths([[1, 2], [1, 3]], block_size=SIZE, tokens=[40, 33])
    assert without(forest, first_units(forest, 0)) == forest


def test_a_system_prompt_is_what_nine_in_ten_begin_with():
    nine = tt.Forest.from_paths([[1, 2, 2 + k] for k in range(1, 10)] + [[50, 51]])
    assert without(nine, system_prompt(nine)).past.tolist() == [1] * 9 + [2]
    eight = tt.Forest.from_paths([[1, 2, 2 + k] for k in range(1, 9)] + [[50], [51]])
    assert system_prompt(eight).sum() == 0


def test_an_output_is_no_beginning_of_an_input():
    forest = tt.Forest.from_paths([[1, 2]] * 10, ask=[1] * 10)
    assert system_prompt(forest).tolist() == [1, 0]


def test_tools_are_what_more_than_ten_conversations_begin_with():
    """Eleven conversations have blocks 1 and 2 in common, a long one reads 3 alone, ten others share 4."""
    paths = [[1, 2, 100 + k] for k in range(11)] + [[1, 3]] * 30 + [[1, 4, 200 + k] for k in range(10)]
    conversation = np.array([*range(11), *[11] * 30, *range(12, 22)])
    forest = tt.Forest.from_paths(paths)
    left = without(forest, tools(forest, conversation))
    assert left.past.tolist() == [1] * 11 + [1] * 30 + [2] * 10
    assert without(forest, system_prompt(forest)).past.tolist() == [2] * 11 + [1] * 30 + [2] * 10


def test_units_are_a_whole_number():
    with pytest.raises(tt.ArgumentError, match="units"):
        first_units(tt.Forest.from_paths([[1]]), -1)
