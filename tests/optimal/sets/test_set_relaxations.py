"""Linear relaxations of module sets: whole for divisible items, not for whole items, naive caps or tiers."""

from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.sets.small_sets import some_cases
from replay.instances import examples, fewer
from scipy.sparse import vstack
from strategies import module_traces

import teltheory as tt
from teltheory.model.instance import ModuleInstance
from teltheory.optimal.sets.brute_force import least_tel
from teltheory.optimal.sets.hardness import subset_sum_question
from teltheory.optimal.sets.intervals import group_rows, naive_problem, uncapped_problem
from teltheory.optimal.sets.relaxation import relaxed_tel
from teltheory.optimal.tiers.relaxation import relaxed_tel as relaxed_in_tiers
from teltheory.optimal.trees.greedy import furthest_goes


def rows_of(instance, xi=0):
    """Every row of steps, and a row for each request."""
    problem = uncapped_problem(instance, xi)
    rows, _ = group_rows(problem, np.maximum(instance.total - xi, 0))
    steps = problem.rows(np.arange(1, len(instance) + 1))
    return np.asarray(vstack([steps, rows]).todense()).astype(int)


def square_submatrices(matrix):
    rows, columns = matrix.shape
    for size in range(1, min(rows, columns) + 1):
        for some in combinations(range(rows), size):
            for others in combinations(range(columns), size):
                yield matrix[np.ix_(some, others)]


def test_rows_of_steps_and_requests_are_totally_unimodular():
    """Two items and three requests that need both: all intervals that three requests can have, each twice."""
    trace = tt.ModuleTrace.from_requests([[0, 1, 2], [0, 1], [0, 2], [1, 2]], [1, 1, 1])
    matrix = rows_of(ModuleInstance.of(trace, 1))
    assert matrix.shape == (7, 6)
    assert {round(float(np.linalg.det(part))) for part in square_submatrices(matrix)} == {-1, 0, 1}


@given(module_traces())
@examples(40)
def test_each_column_is_a_path_in_a_tree(trace):
    """The steps are a path 0 -> 1 -> ... -> n; the row of request k is an arc from step k to a leaf of its own."""
    matrix, n = rows_of(ModuleInstance.of(trace, 1)), len(trace)
    requests = np.unique(uncapped_problem(ModuleInstance.of(trace, 1), 0).turn)
    for column in matrix.T:
        steps, (leaf,) = np.flatnonzero(column[:n]), np.flatnonzero(column[n:])
        assert np.all(np.diff(steps) == 1)
        assert steps[-1] == requests[leaf]


def test_the_relaxation_of_divisible_items_is_whole():
    for case in some_cases(fewer(400, 25), 51):
        instance = ModuleInstance.of(case.trace, case.capacity, forced=case.forced)
        assert relaxed_tel(instance, case.xi) == least_tel(case.trace, case.capacity, case.xi, case.forced)


def test_prices_prove_all_of_the_relaxation_of_whole_items():
    for case in some_cases(fewer(300, 25), 52):
        instance = ModuleInstance.of(case.trace, case.capacity, forced=case.forced, whole=True)
        assert case.optimum("lp", "whole").lower == ceil(relaxed_tel(instance, case.xi))


def test_the_relaxation_knows_that_an_item_takes_all_its_room():
    """Both items return and lack 1 of their 3 units; there is room for one of them, or for 1 unit of each."""
    trace = tt.ModuleTrace.from_requests([[0], [1], [0], [1]], [3, 3])
    assert tt.hindsight_optimum(trace, 3, 2).objective == 2
    assert tt.hindsight_optimum(trace, 3, 2, cache="whole").objective == 3


def test_the_smallest_trace_on_which_naive_caps_lose():
    """The second request lacks 1 and keeps 2, so that item 2 has no room."""
    trace = tt.ModuleTrace.from_requests([[0, 1, 2], [0, 1], [2]], [1, 1, 2])
    instance = ModuleInstance.of(trace, 2)
    kept, _ = furthest_goes(naive_problem(instance, 1))
    assert kept.tolist() == [0, 2, 0]
    assert np.maximum(trace.total - kept - 1, 0).sum() == 4
    assert tt.hindsight_optimum(trace, 2, 1).objective == least_tel(trace, 2, 1) == 3


def test_the_smallest_trace_on_which_naive_caps_count_too_much():
    """Both items are kept as far as there is room, although the second request lacks 1 alone."""
    trace = tt.ModuleTrace.from_requests([[0, 1], [0, 1]], [1, 2])
    problem = naive_problem(ModuleInstance.of(trace, 2), 2)
    kept, _ = furthest_goes(problem)
    assert (problem.unavoidable - kept.sum(), least_tel(trace, 2, 2)) == (0, 1)


TWO_ITEMS = tt.ModuleTrace.from_requests([[0, 1], [0, 1]], [2, 2])


def test_the_smallest_trace_on_which_whole_items_have_a_gap():
    """One and a half items are no plan."""
    assert relaxed_tel(ModuleInstance.of(TWO_ITEMS, 3, whole=True), 0) == 5
    sides = tt.hindsight_optimum(TWO_ITEMS, 3, 0, cache="whole")
    assert (sides.lower, sides.upper, sides.objective, sides.gap) == (5, 6, None, 1)
    assert least_tel(TWO_ITEMS, 3, 0, whole=True) == 6
    for method in ("milp", "pyomo"):
        solved = tt.hindsight_optimum(TWO_ITEMS, 3, 0, cache="whole", method=method)
        assert (solved.objective, solved.by_solver) == (6, True)


def test_a_trace_on_which_tiers_have_a_gap():
    trace = tt.ModuleTrace.from_requests([[0, 1], [0], [1]], [2, 2])
    tiers = tt.Tiers((0, 3), (0, Fraction(3, 10)))
    assert relaxed_in_tiers(trace, tiers, 1) == 3
    sides = tt.hindsight_optimum(trace, tiers, 1)
    assert (sides.lower, sides.upper) == (3, Fraction(33, 10))
    assert least_tel(trace, tiers, 1) == Fraction(33, 10)


@pytest.mark.parametrize("numbers", [(3, 5, 7), (2, 4, 6, 8), (1, 1, 5), (4,), (9, 6, 10)])
def test_subset_sum_is_a_question_about_whole_items(numbers):
    sums = {sum(some) for size in range(len(numbers) + 1) for some in combinations(numbers, size)}
    for wanted in range(sum(numbers) + 1):
        question = subset_sum_question(numbers, wanted)
        best = tt.hindsight_optimum(question.trace, question.capacity, 0, cache="whole", method="milp")
        assert (best.upper <= question.tel) == (wanted in sums)


def test_no_number_of_a_subset_sum_is_zero():
    with pytest.raises(tt.ArgumentError, match=r"numbers\[1\]"):
        subset_sum_question((3, 0), 3)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(0, 20))
@examples(25)
def test_the_relaxation_of_whole_items_is_no_weaker_than_divisible_ones(sizes, capacity):
    items = range(len(sizes))
    trace = tt.ModuleTrace.from_requests([items, items], sizes)
    fitting = ModuleInstance.of(trace, capacity, whole=True)
    divisible = tt.hindsight_optimum(trace, capacity, 2).objective
    assert relaxed_tel(fitting, 2) >= divisible
