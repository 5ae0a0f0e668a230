"""The best schedules: by hand, by trying everything, by two programs, and what proves their sides."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.schedules.small_schedules import drawn
from refusals import refusals, refused
from replay.instances import fewer

from teltheory.errors import ArgumentError, SolverError
from teltheory.optimal.schedules import (
    PlacedTask,
    Scheduling,
    Task,
    TaskServer,
    best_schedule,
    by_order,
    cost_of,
    dispatched,
    ends_of,
    optimum,
)
from teltheory.optimal.schedules.bounds import horizon, least_by_chains
from teltheory.optimal.schedules.brute_force import least_cost

TWO_APPS = Scheduling.of([Task(0, 2), Task(1, 1)])
SHARED = Scheduling.of([Task(0, 1, prefix=0), Task(1, 1, prefix=0)], [TaskServer(), TaskServer()], [3])
MAPS = [Task(0, 2, prefix=0) for _ in range(3)] + [Task(0, 1, (0, 1, 2))]


@pytest.mark.parametrize(
    ("problem", "cost"),
    [
        (TWO_APPS, 1 + 3),
        (Scheduling.of([Task(0, 2), Task(1, 1)], goal="makespan"), 3),
        (SHARED, 4 + 4),
        (Scheduling.of(SHARED.tasks, [TaskServer()], [3]), 4 + 5),
        (Scheduling.of(SHARED.tasks, [TaskServer(1, 2)], [3]), 4 + 4),
        (Scheduling.of([Task(0, 1), Task(0, 1, (0,))], [TaskServer(2), TaskServer(3)]), 4),
        (Scheduling.of(MAPS, [TaskServer(), TaskServer()], [1], goal="makespan"), 1 + 4 + 1),
        (Scheduling.of(MAPS, [TaskServer(1, 3)], [1]), 1 + 2 + 1),
        (Scheduling.of([Task(0, 1), Task(1, 1)], arrivals=[0, 5]), 1 + 1),
        (Scheduling.of([Task(0, 2, tokens=2), Task(1, 1), Task(2, 1)], [TaskServer(1, 2)]), 1 + 1 + 3),
        (Scheduling.of([]), 0),
    ],
)
def test_by_hand(problem, cost):
    assert least_cost(problem) == cost
    for method in ("milp", "pyomo"):
        assert best_schedule(problem, method).objective == cost
    assert best_schedule(problem, "lp").lower <= cost


def counted(problem, best):
    return cost_of(problem, ends_of(problem, best.plan))


def agree(problem):
    expected = least_cost(problem)
    for method in ("milp", "pyomo"):
        best = best_schedule(problem, method)
        assert best.lower == best.upper == expected == counted(problem, best), problem
        assert best.proved <= expected
    relaxed = best_schedule(problem, "lp")
    assert relaxed.lower == relaxed.proved <= expected <= relaxed.upper == counted(problem, relaxed), problem
    assert not relaxed.by_solver


def test_both_programs_find_what_trying_everything_finds():
    rng = np.random.default_rng(27)
    for _ in range(fewer(300, 25)):
        agree(drawn(rng, int(rng.integers(1, 5))))


@pytest.mark.long
def test_both_programs_find_it_with_five_tasks():
    rng = np.random.default_rng(28)
    for _ in range(40):
        agree(drawn(rng, 5, work=2))


def test_ten_requests_are_solved_and_the_part_that_is_proved_is_told():
    rng = np.random.default_rng(5)
    problem = replace(drawn(rng, 8), goal="latency")
    best = best_schedule(problem)
    assert best.objective == counted(problem, best)
    assert best.by_solver == (best.proved < best.objective)
    at_once = best_schedule(problem, time_limit=0.0)
    assert at_once.lower <= best.objective <= at_once.upper


@given(st.integers(0, 2**32), st.integers(1, 6), st.permutations(range(6)))
def test_a_plan_of_any_order_is_counted_the_same_by_the_dispatcher(seed, tasks, order):
    problem = drawn(np.random.default_rng(seed), tasks)
    plan = dispatched(problem, by_order([j for j in order if j < tasks]))
    ends, cost = ends_of(problem, plan), cost_of(problem, ends_of(problem, plan))
    assert all(end <= horizon(problem, cost) for end in ends)
    assert least_by_chains(problem) <= cost


def test_a_task_that_starts_while_its_prefix_is_filled_waits_for_it():
    problem = Scheduling.of(SHARED.tasks, [TaskServer(2, 2)], [3])
    assert ends_of(problem, (PlacedTask(0, 0), PlacedTask(0, 1))) == (8, 8)
    assert ends_of(problem, (PlacedTask(0, 0), PlacedTask(0, 7))) == (8, 9)


def test_the_dispatcher_counts_the_first_fill_of_a_prefix():
    sharing = [Task(app, 1, prefix=0) for app in range(3)]
    problem = Scheduling.of([*sharing, Task(3, 1, tokens=3)], [TaskServer(1, 3)], [3], [0, 1, 2, 3])
    plan = dispatched(problem, by_order(range(4)))
    assert [start for _, start in plan] == [0, 1, 2, 4]


def test_a_task_before_what_it_follows_is_refused():
    problem = Scheduling.of([Task(0, 2), Task(0, 1, (0,))], [TaskServer(1, 2)])
    refused(ArgumentError, "a start at 2 or later", lambda: ends_of(problem, (PlacedTask(0, 0), PlacedTask(0, 1))))


test_wrong_arguments_are_named = refusals(
    ArgumentError,
    ("plan: found 1, expected 2 tasks", lambda: ends_of(TWO_APPS, (PlacedTask(0, 0),))),
    ("plan, server 0 at 1: found '2 tokens'", lambda: ends_of(TWO_APPS, (PlacedTask(0, 0), PlacedTask(0, 1)))),
    (
        "plan, task 1: found 1, expected one of 1 servers",
        lambda: ends_of(TWO_APPS, (PlacedTask(0, 0), PlacedTask(1, 2))),
    ),
    ("plan, task 1: found -1", lambda: ends_of(TWO_APPS, (PlacedTask(0, 0), PlacedTask(0, -1)))),
    ("task 0, work: found 0", lambda: Scheduling.of([Task(0, 0)])),
    ("task 0, after: found (0,)", lambda: Scheduling.of([Task(0, 1, (0,))])),
    ("task 0, prefix: found 1", lambda: Scheduling.of([Task(0, 1, prefix=1)], [TaskServer()], [2])),
    ("task 0, tokens: found 2", lambda: Scheduling.of([Task(0, 1, tokens=2)])),
    ("task 0, tokens: found 0", lambda: Scheduling.of([Task(0, 1, tokens=0)])),
    ("arrivals: found [0]", lambda: Scheduling.of([Task(1, 1)], [TaskServer()], (), [0])),
    ("pace: found 0", lambda: Scheduling.of([Task(0, 1)], [TaskServer(0)])),
    ("capacity: found 0", lambda: Scheduling.of([Task(0, 1)], [TaskServer(), TaskServer(1, 0)])),
    ("goal: found 'mean'", lambda: Scheduling.of([Task(0, 1)], [TaskServer()], (), None, "mean")),
    ("rule", lambda: dispatched(TWO_APPS, lambda moment: [(0, 0), (1, 0)])),
    ("rule", lambda: dispatched(TWO_APPS, lambda moment: [(2, 0)])),
    ("rule", lambda: dispatched(TWO_APPS, lambda moment: [])),
    ("method: found 'ortools'", lambda: best_schedule(TWO_APPS, "ortools")),
)


def test_a_lying_solver_is_no_optimum(monkeypatch):
    """A bound above the plan, and a plan that is none."""
    slow = Scheduling.of([Task(0, 2), Task(0, 2), Task(0, 3)], [TaskServer(), TaskServer()], goal="makespan")
    slow = Scheduling.of([*slow.tasks, Task(1, 3), Task(1, 2)], slow.servers, goal="makespan")
    honest = optimum._solved
    assert best_schedule(slow).objective == 6
    monkeypatch.setattr(optimum, "_proved", lambda program, time_limit: 0)
    monkeypatch.setattr(optimum, "_solved", lambda *given: (honest(*given)[0], 100.0))
    with pytest.raises(SolverError):
        best_schedule(slow)
    monkeypatch.setattr(optimum, "_solved", lambda *given: ([(PlacedTask(0, 0),) * 5], 0.0))
    refused(ArgumentError, "server 0 at 0", best_schedule, slow)
