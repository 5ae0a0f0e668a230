"""The rows on Parrot: their judges beside the package, and their cases."""

import numpy as np
import pytest

from proofs_checks.parrot import merged_attention
from proofs_checks.parrot.small_graphs import Session, befores, small_sessions
from proofs_checks.parrot.small_schedules import ONE, TWO, SmallSchedules, least, unshared
from teltheory.optimal.schedules import Scheduling, Task, TaskServer, best_schedule


def test_every_session_is_tried_once():
    every = [case for some in small_sessions(("latency",), 3, 3).classes("quick") for case in some]
    assert len(every) == len(set(every)) == 1 * 2 + 2 * 4 + 8 * 8
    assert len(list(befores(4))) == 2**6
    assert Session(((), (0,), (1,))).reaches(0, 2)
    assert not Session(((), (), (0,))).reaches(1, 2)


def test_every_schedule_is_tried_once():
    space = SmallSchedules({3: 2}, {}, ONE, "any", (1,), tokens=1, arrivals=1)
    every = [case for some in space.classes("quick") for case in some]
    assert len(every) == len(set(every)) > 200
    assert all(case.problem == Scheduling.of(*_arguments(case.problem)) for case in every)


def _arguments(problem):
    return problem.tasks, problem.servers, problem.prefixes, problem.arrivals, problem.goal


def test_the_judge_and_the_program_in_whole_numbers_agree_on_what_algorithm_1_is_held_against():
    for some in SmallSchedules({3: 2}, {}, TWO, "any", (1,)).classes("quick"):
        for case in list(some)[::17]:
            best = best_schedule(case.problem)
            assert least(case.problem, 10**6) == best.objective == least(case.problem, best.upper)


def test_a_request_that_fills_its_own_prefix_takes_as_long_as_alone():
    problem = Scheduling.of([Task(0, 2, prefix=0), Task(1, 1)], [TaskServer()], [3])
    assert [task.work for task in unshared(problem).tasks] == [5, 1]


def test_the_error_of_a_merge_is_seen_in_its_units():
    case = merged_attention.Scores((0, -1), (1,))
    weights = np.exp([0.0, -1.0])
    assert float(merged_attention.in_digits(case)) == pytest.approx((weights @ [1, 4]) / weights.sum(), abs=1e-15)
    assert merged_attention.floats.values(case)["4 n + 16"] == 24
