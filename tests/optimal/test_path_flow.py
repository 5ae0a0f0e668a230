"""Unsplittable flows on a path as traces: which tasks fit is which turns can keep the SLO together."""

from fractions import Fraction
from itertools import combinations
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusals

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.optimal.chains.brute_force import all_reuses
from teltheory.optimal.slo.path_flow import (
    PathFlow,
    PathTask,
    percentile_question,
    violations_question,
    with_uniform_capacity,
)

TASKS = st.builds(
    lambda span, demand: PathTask(min(span), max(span), demand),
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    st.integers(1, 5),
)
FLOWS = st.builds(
    lambda tasks, room: PathFlow(tuple(tasks), room), st.lists(TASKS, min_size=1, max_size=7), st.integers(1, 9)
)
SMALL = [
    PathFlow((PathTask(1, 2, 2), PathTask(2, 3, 1), PathTask(1, 3, 1)), 2),
    PathFlow((PathTask(1, 1, 1), PathTask(1, 2, 1), PathTask(2, 2, 2)), 2),
    PathFlow((PathTask(1, 1, 2), PathTask(2, 2, 2), PathTask(1, 2, 1)), 2),
    PathFlow((PathTask(2, 3, 3), PathTask(3, 3, 1)), 2),
]


def most(flow):
    numbers = range(len(flow.tasks))
    return max(k for k in range(len(numbers) + 1) if any(flow.fits(some) for some in combinations(numbers, k)))


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("flow", SMALL)
def test_the_same_sets_fit_and_keep_the_slo(flow, forced):
    question = violations_question(flow, forced)
    instance = Instance.of(question.trace, question.capacity, forced=forced)
    needed = instance.total - question.xi
    kept = {
        frozenset(k for k, turn in enumerate(question.returns) if reuses[turn] >= needed[turn])
        for reuses in all_reuses(instance)
    }
    numbers = range(len(flow.tasks))
    sets = [frozenset(some) for size in range(len(numbers) + 1) for some in combinations(numbers, size)]
    assert kept == {some for some in sets if flow.fits(some)}


@settings(max_examples=40, deadline=None)
@given(FLOWS, st.booleans())
def test_as_many_tasks_fit_as_turns_keep_the_slo(flow, forced):
    question = violations_question(flow, forced)
    found = tt.fewest_violations(question.trace, question.capacity, question.xi, forced=forced)
    assert not found.by_solver
    assert len(flow.tasks) - found.upper == len(flow.tasks) - found.lower == most(flow)
    slow = np.flatnonzero(found.outcome.uncached > question.xi)
    assert {*slow.tolist()} <= {*question.returns}
    assert flow.fits([k for k, turn in enumerate(question.returns) if turn not in slow])


@given(FLOWS, st.fractions(Fraction(1, 32), Fraction(31, 32), max_denominator=100), st.booleans(), st.data())
def test_turns_are_added_until_the_percentile_allows_just_the_tasks_that_need_not_fit(flow, q, forced, data):
    wanted = data.draw(st.integers(0, len(flow.tasks)))
    question, core = percentile_question(flow, q, wanted, forced), violations_question(flow, forced).trace
    n, added = len(question.trace), question.trace.prompt[len(core) :]
    assert question.trace[: len(core)] == core
    assert n - ceil(q * n) == np.count_nonzero(added > question.xi) + len(flow.tasks) - wanted
    assert not question.trace.continuing[len(core) :].any()
    assert min(question.trace.prompt.min(), question.trace.response.min()) >= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(TASKS, min_size=1, max_size=4), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_fillers_leave_own_capacities(tasks, capacities):
    flow, fillers = with_uniform_capacity(tasks, capacities)
    numbers = range(len(tasks))
    alone = max(
        size
        for size in range(len(tasks) + 1)
        for some in combinations(numbers, size)
        if all(
            sum(tasks[k].demand for k in some if tasks[k].first <= edge <= tasks[k].last) <= room
            for edge, room in enumerate(capacities, start=1)
        )
    )
    found = violations_question(flow)
    best = tt.fewest_violations(found.trace, found.capacity, found.xi)
    assert best.upper == best.lower
    assert len(flow.tasks) - best.upper == alone + fillers


test_wrong_arguments_are_named = refusals(
    ArgumentError,
    (r"tasks: found .* expected at least one task", lambda: PathFlow((), 1)),
    ("capacity: found 0, expected 1 or more", lambda: PathFlow((PathTask(1, 1, 1),), 0)),
    (r"tasks\[0\]: found .* expected 1 <= first <= last", lambda: PathFlow((PathTask(2, 1, 1),), 1)),
    (r"tasks\[0\]: found .* a demand of 1 or more", lambda: PathFlow((PathTask(1, 1, 0),), 1)),
    ("q: found '1', expected a level above 0 and below 1", lambda: percentile_question(SMALL[0], Fraction(1), 1)),
    ("wanted: found 4, expected 3 tasks at most", lambda: percentile_question(SMALL[0], Fraction(1, 2), 4)),
    (r"capacities: found .* one for each edge", lambda: with_uniform_capacity([PathTask(1, 2, 1)], [1])),
)
