"""The hindsight optimum of module sets is what trying every content of the cache finds, and is proved."""

from itertools import islice
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.sets.small_sets import SetCase, every_case, some_cases
from refusals import refused
from replay.instances import examples, fewer
from strategies import module_traces

import teltheory as tt
from teltheory.model.instance import ModuleInstance
from teltheory.model.reuses import caps
from teltheory.optimal.hindsight import Method
from teltheory.optimal.sets.brute_force import least_tel
from teltheory.optimal.sets.intervals import set_problem


def judged(case):
    return least_tel(case.trace, case.capacity, case.xi, case.forced)


def same_everywhere(cases):
    """Hold greedy and linear program against the judge; return how many cases there were."""
    count = 0
    for case in cases:
        best = case.optimum("greedy")
        assert best.objective == judged(case) == tt.tail_excess_latency(best.outcome, case.xi), case
        assert case.optimum("lp").objective == best.objective, case
        count += 1
    return count


def test_greedy_and_linear_program_are_optimal_on_all_small_worlds():
    assert same_everywhere(islice(every_case(items=2, requests=3, size=1), 0, None, 2)) == 114
    assert same_everywhere(every_case(items=1, requests=3, size=2)) == 35


@pytest.mark.long
@pytest.mark.parametrize(
    ("items", "requests", "size"), [(2, 3, 3), (3, 3, 1), (2, 4, 2), (3, 4, 1), (2, 5, 1), (1, 5, 3)]
)
def test_greedy_and_linear_program_are_optimal_on_all_larger_worlds(items, requests, size):
    same_everywhere(every_case(items, requests, size))


def test_all_methods_find_what_trying_every_cache_finds():
    for case in some_cases(fewer(300, 12), 41):
        expected = judged(case)
        for method in ("greedy", "lp", "milp", "pyomo"):
            best = case.optimum(method)
            assert (best.lower, best.upper, best.method) == (expected, expected, method)
            assert best.bound is None or abs(best.bound - expected) < 1e-6
            case.check(best.certificate)


def test_greedy_is_optimal_under_optional_and_forced_caching():
    assert same_everywhere(some_cases(fewer(20_000, 150), 42)) > 0


@given(module_traces(), st.integers(0, 20), st.integers(0, 12), st.booleans())
@examples(60)
def test_what_is_kept_item_by_item_is_a_plan(trace, capacity, xi, forced):
    if forced:
        capacity = max(capacity, int((trace.total - trace.fresh)[:-1].max(initial=0)))
    best = tt.hindsight_optimum(trace, capacity, xi, forced)
    sizes = trace.sizes[trace.members]
    assert np.all((best.plan >= 0) & (best.plan <= np.where(trace.previous >= 0, sizes, 0)))
    for step in range(1, len(trace)):
        covers = (trace.request >= step) & (trace.previous >= 0) & (trace.request[trace.previous] < step)
        running = covers & (trace.request[trace.previous] == step - 1) & forced
        held = int(best.plan[covers & ~running].sum())
        exempt = int(sizes[trace.request == step - 1].sum()) if forced else 0
        assert held + exempt <= capacity
    together = np.zeros(len(trace), np.int64)
    np.add.at(together, trace.request, best.plan)
    assert np.array_equal(together, best.outcome.cached)


@given(module_traces(), st.integers(0, 12))
@examples(60)
def test_the_caps_are_those_of_the_replay(trace, xi):
    instance = ModuleInstance.of(trace, 3)
    problem, promised = set_problem(instance, xi), caps(trace, xi)
    assert sorted(zip(problem.turn.tolist(), problem.most.tolist(), strict=True)) == sorted(
        zip(trace.request[promised > 0].tolist(), promised[promised > 0].tolist(), strict=True)
    )


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=12), st.integers(0, 15), st.integers(0, 9)
)
@examples(40)
def test_sets_of_one_item_are_trees_of_a_forest(uses, capacity, xi):
    sizes = [4, 1, 3, 2, 5]
    trace = tt.ModuleTrace.from_requests([[item] for item, _ in uses], sizes, [fresh for _, fresh in uses])
    paths = [[10 * item + unit for unit in range(sizes[item])] for item, _ in uses]
    forest = tt.Forest.from_paths(paths, total=trace.total.tolist())
    best = tt.hindsight_optimum(trace, capacity, xi)
    assert best.objective == tt.hindsight_optimum(forest, capacity, xi, cache="holes").objective


TEXTBOOK = SetCase(tt.ModuleTrace.from_requests([[0], [1], [0, 1]], [2, 2], [0, 0, 0]), 2, 1)


def test_a_textbook_trace():
    """Request 3 exceeds xi by 3: item 1, used last, takes all the room at one step, so item 0 gets none."""
    best = TEXTBOOK.optimum()
    assert (best.objective, best.outcome.cached.tolist(), best.plan.tolist()) == (3, [0, 0, 2], [0, 0, 0, 2])
    assert (best.gap, best.by_solver) == (0, False)


def test_exempt_items_take_room():
    """Under forced caching item 1 fills the cache when item 0 returns."""
    trace = tt.ModuleTrace.from_requests([[0], [1], [0]], [1, 1])
    assert tt.hindsight_optimum(trace, 1, 0).objective == 2
    assert tt.hindsight_optimum(trace, 1, 0, forced=True).objective == 3 == least_tel(trace, 1, 0, forced=True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"initial": [(0, 1, 1)]}, "initial"),
        ({"cache": "holes"}, "cache: found 'holes', expected 'strict' or 'whole'"),
        ({"method": "best"}, "method"),
        ({"running": 2, "forced": True}, "running"),
        ({"forced": True, "capacity": 1}, "request 0|turn 0"),
        ({"xi": -1}, "xi"),
    ],
)
def test_wrong_arguments_are_told(arguments, told):
    given_arguments = {"trace": TEXTBOOK.trace, "capacity": 4, "xi": 1, **arguments}
    refused(ValueError, told, tt.hindsight_optimum, **given_arguments)


@pytest.mark.parametrize("cache", ["strict", "whole"])
@pytest.mark.parametrize("method", get_args(Method))
def test_a_wrong_time_limit_is_told_by_methods_that_take_no_time_too(method, cache):
    for wrong in (-1, "1", True, float("nan")):
        with pytest.raises(tt.ArgumentError, match="time_limit: found"):
            tt.hindsight_optimum(TEXTBOOK.trace, 4, 1, method=method, cache=cache, time_limit=wrong)


def test_a_certificate_of_something_else_is_told():
    refused(tt.ArgumentError, "WholeCertificate", tt.check_certificate, TEXTBOOK.trace, 2, 1, "trust me")
    with pytest.raises(tt.ArgumentError, match="weights"):
        tt.check_certificate(TEXTBOOK.trace, 2, 1, TEXTBOOK.optimum().certificate, weights=[1, 1, 1])
