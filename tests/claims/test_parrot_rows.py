"""The rows on Parrot: their judges beside the package, planted faults, and the counterexamples replayed."""

from dataclasses import replace

import numpy as np
import pytest
from claims.expected_verdicts import PARROT_ROWS
from claims.planting import plant

from proofs_checks import all_claims
from proofs_checks.parrot import app_dispatch, app_groups, app_labels, app_schedules, merged_attention
from proofs_checks.parrot.small_graphs import Session, befores, small_sessions
from proofs_checks.parrot.small_schedules import ONE, TWO, SmallSchedules, least, unshared
from teltheory.claims.listed import Listed
from teltheory.claims.search import decide
from teltheory.optimal.schedules import Scheduling, Server, Task, best_schedule
from teltheory.systems.apps import schedules
from teltheory.systems.apps.engines.attention import Partial

ROWS = {claim.id: claim for claim in all_claims() if claim.id in PARROT_ROWS}


FEW = SmallSchedules({2: 2, 3: 1}, {}, TWO, goal="makespan")
FAULTS = {
    "labels that are not passed on": (
        "parrot.labels.least",
        app_labels,
        "labels",
        lambda exact: (
            lambda graph, gets, rule: {
                k: gets.get(request.outputs[0], "throughput") for k, request in graph.requests.items()
            }
        ),
    ),
    "the first get wins": (
        "parrot.labels.order",
        app_labels,
        "labels",
        lambda exact: lambda graph, gets, rule: exact(graph, gets, rule="first"),
    ),
    "a request and the one that needs it are a group": (
        "parrot.groups.stage",
        app_groups,
        "groups",
        lambda exact: lambda graph, labels, reading: [tuple(graph.order)],
    ),
    "the last application first": (
        "parrot.schedules.order",
        schedules,
        "algorithm_1",
        lambda exact: (
            lambda queue, engines, **how: exact([replace(job, app=-job.app) for job in queue], engines, **how)
        ),
    ),
    "a plan that nobody can make": (
        "parrot.schedules.equal-chains",
        app_schedules,
        "least",
        lambda exact: lambda problem, upper: exact(problem, upper) - 1,
    ),
    "an engine that nobody uses": (
        "parrot.schedules.graham",
        schedules,
        "algorithm_1",
        lambda exact: (
            lambda queue, engines, **how: [] if engines[0].jobs else exact(queue, engines[:1], **how)[:1]
        ),
    ),
    "twice the capacity": (
        "parrot.algorithm.capacity",
        app_dispatch,
        "algorithm_1",
        lambda exact: (
            lambda queue, views: exact(queue, [replace(one, capacity=8, latency_capacity=8) for one in views])
        ),
    ),
    "a group in pieces": (
        "parrot.algorithm.group",
        app_dispatch,
        "algorithm_1",
        lambda exact: lambda queue, views: exact(queue, views, groups=False),
    ),
    "parts that are not scaled": (
        "parrot.merge.floats",
        merged_attention,
        "merge",
        lambda exact: lambda parts: exact([Partial(one.values, one.total, 0 * one.top) for one in parts]),
    ),
    "shares that are left out": (
        "parrot.merge.exact",
        merged_attention,
        "merged",
        lambda exact: (
            lambda parts: merged_attention.Part(
                parts[0].top, sum(one.total for one in parts), sum(one.weighted for one in parts)
            )
        ),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_changes_a_verdict(name, monkeypatch):
    row, *fault = FAULTS[name]
    claim = ROWS[row]
    space = claim.space
    if isinstance(space, Listed):
        space = replace(space, quick=min(space.quick, 3))
    if row == "parrot.schedules.graham":
        space = FEW
    plant(monkeypatch, *fault)
    assert decide(replace(claim, space=space)).verdict == "refuted"


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
        for case in list(some)[::9]:
            best = best_schedule(case.problem)
            assert least(case.problem, 10**6) == best.objective == least(case.problem, best.upper)


def test_a_request_that_fills_its_own_prefix_takes_as_long_as_alone():
    problem = Scheduling.of([Task(0, 2, prefix=0), Task(1, 1)], [Server()], [3])
    assert [task.work for task in unshared(problem).tasks] == [5, 1]


def test_the_error_of_a_merge_is_seen_in_its_units():
    case = merged_attention.Scores((0, -1), (1,))
    weights = np.exp([0.0, -1.0])
    assert float(merged_attention.in_digits(case)) == pytest.approx((weights @ [1, 4]) / weights.sum(), abs=1e-15)
    assert merged_attention.floats.values(case)["4 n + 16"] == 24
