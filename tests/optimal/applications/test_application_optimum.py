"""Both sides of the optimum of applications, against every content of a cache, and against jobs with intervals."""

from dataclasses import replace
from itertools import permutations
from math import ceil

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from refusals import refused
from systems.apps.application_worlds import of_case, worlds

import teltheory as tt
from proofs_checks.parrot.small_applications import Applications
from proofs_checks.parrot.tail_plans import relaxed
from teltheory.cost.applications import application_tel
from teltheory.errors import ArgumentError, CertificateError
from teltheory.model.applications import ApplicationTrace
from teltheory.optimal import solver
from teltheory.optimal.applications import application_optimum
from teltheory.optimal.applications.brute_force import least_excess
from teltheory.optimal.applications.certificate import RouteShare, check_application_certificate
from teltheory.optimal.applications.hardness import job_question, most_jobs
from teltheory.optimal.costs.prices import Prices

NESTED = ApplicationTrace.of(tt.Trace.from_turns([0, 1, 1, 1, 0], [1, 1, 0, 0, 1], [0] * 5), [0, 1, 1, 1, 0])
"""One application waits while the other, of three turns, comes and goes: half a token is worth keeping."""


@settings(max_examples=40)
@given(worlds(max_turns=6, most=2), st.booleans(), st.sampled_from(["auto", "milp"]))
@example(Applications(((0, 0, 1, 0), (0, 0, 2, 0)), ((), ()), 1), True, "auto")
def test_both_sides_hold_against_every_content(case, forced, method):
    """Under forced caching all pasts fit but the last, after which nothing is cut."""
    apps = of_case(case)
    capacity = max([case.capacity, *case.pasts[:-1]]) if forced else min(case.capacity, 4)
    xi = [case.xi] * apps.applications
    found = application_optimum(apps, capacity, xi, case.measure, forced, method)
    least = least_excess(apps, capacity, xi, case.measure, forced)
    assert found.lower <= least == found.upper
    assert found.bound is None or found.bound <= least + 1e-6
    assert application_tel(apps, found.outcome, xi, case.measure) == least
    check_application_certificate(apps, capacity, xi, found.certificate, case.measure, forced)


@settings(max_examples=40)
@given(worlds(max_turns=7, most=2))
@example(Applications(((0, 0, 0, 1), (0, 0, 1, 0)), ((), ()), 2, 0, "path"))
def test_the_certificate_proves_all_that_the_relaxation_says(case):
    """By "path" too, where a flow may begin at a turn that has others before it, as they cost nothing."""
    apps = of_case(case)
    found = application_optimum(apps, case.capacity, [case.xi] * apps.applications, case.measure, method="lp")
    assert found.lower == ceil(relaxed(case))


@pytest.mark.parametrize("measure", ["sum", "path"])
@pytest.mark.parametrize("forced", [False, True])
def test_the_problem_as_it_is_written(measure, forced):
    rng = np.random.default_rng(7)
    for _ in range(4):
        names, prompts, responses = rng.integers(0, 3, 6), rng.integers(0, 3, 6), rng.integers(0, 2, 6)
        apps = ApplicationTrace.of(tt.Trace.from_turns(names, prompts, responses), names % 2)
        capacity = int(apps.trace.past.max()) if forced else 3
        xi = rng.integers(0, 6, apps.applications)
        found = application_optimum(apps, capacity, xi, measure, forced, "pyomo")
        assert found.upper == least_excess(apps, capacity, xi, measure, forced) == round(found.bound)


def test_the_bound_is_the_word_of_the_solver_and_no_plan(monkeypatch):
    right = solver.solve_model
    monkeypatch.setattr(solver, "solve_model", lambda *given: (right(*given)[0], right(*given)[1] - 1 / 2))
    found = application_optimum(NESTED, 1, 2, method="pyomo")
    assert (found.upper, round(found.bound, 6)) == (1, 1 / 2)


def test_the_relaxation_is_not_integral_but_its_bound_is_rounded_up():
    found = application_optimum(NESTED, 1, 2)
    assert (found.lower, found.upper, found.gap, found.objective) == (1, 1, 0, 1)
    twice = tt.Trace.from_turns(
        [*NESTED.trace.conversation, *NESTED.trace.conversation + 2], [1, 1, 0, 0, 1] * 2, [0] * 10
    )
    both = application_optimum(ApplicationTrace.of(twice, [*NESTED.application, *NESTED.application + 2]), 1, 2)
    assert (both.lower, both.upper, both.objective, round(both.bound)) == (1, 2, None, 2)


def test_at_a_threshold_of_0_the_optimum_is_that_of_turns():
    trace = tt.Trace.from_turns([0, 1, 0, 2, 1, 2, 0], [4, 6, 1, 5, 2, 3, 1], [1] * 7)
    chains = ApplicationTrace.of(trace, trace.conversation)
    single = application_optimum(chains, 8, 0)
    best = tt.hindsight_optimum(trace, 8, 0)
    assert single.objective == best.objective
    assert application_optimum(chains, 8, 0, method="lp").lower == best.objective


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_jobs_with_intervals_are_a_question_about_applications(sizes, random):
    times = list(range(2 * sum(sizes)))
    random.shuffle(times)
    pairs = iter([tuple(sorted(times[k : k + 2])) for k in range(0, len(times), 2)])
    jobs = [[next(pairs) for _ in range(size)] for size in sizes]
    question = job_question(jobs)
    for measure in ("sum", "path"):
        assert application_optimum(*question, measure).upper == len(jobs) - most_jobs(jobs)


def test_jobs_that_cannot_all_be_served():
    assert most_jobs([[(0, 3)], [(1, 4)], [(2, 5), (6, 7)]]) == 2
    for jobs in ([[(0, 1)], [(1, 2)]], [[]], [[(2, 1)]]):
        refused(ArgumentError, "jobs", job_question, jobs)


@pytest.mark.parametrize("measure", ["sum", "path"])
def test_bad_prices_and_shares_prove_less_and_wrong_ones_nothing(measure):
    chain = ApplicationTrace.of(NESTED.trace, [0, 1, 1, 1, 0])
    certificate = application_optimum(chain, 1, 2, measure).certificate
    check = lambda **other: check_application_certificate(chain, 1, 2, replace(certificate, **other), measure)  # noqa: E731
    check()
    check(lower=0, prices=Prices((), (), 1), shares=())
    wrong = {
        "lower: found 2, expected 1 at most": {"lower": 2},
        "lower: found 1, expected 0 at most": {"shares": ()},
        "expected a route": {"shares": (RouteShare((0, 1), 1),)},
        r"shares\[0\]: found -1": {"shares": (RouteShare((0, 4), -1),)},
        "shares of 720721 for application '0', expected 720720 at most": {
            "shares": (RouteShare((0, 4), 720_721),)
        },
        "cuts": {"prices": replace(certificate.prices, cuts=(None,))},
    }
    for said, changed in wrong.items():
        refused(CertificateError, said, check, **changed)
    refused(ArgumentError, "certificate: found 'int'", check_application_certificate, chain, 1, 2, 5)


def test_a_flow_is_taken_apart_into_paths():
    branches = [[], [0], [0], [1, 2], [3]]
    diamond = ApplicationTrace.of(tt.Trace.from_turns(range(5), [3] * 5, [0] * 5), ["a"] * 5, branches)
    found = application_optimum(diamond, 4, 2, "path")
    assert found.objective == 4 * 3 - 2
    assert {share.turns for share in found.certificate.shares} <= {(0, 1, 3, 4), (0, 2, 3, 4)}


def test_the_order_of_thresholds_is_that_of_applications():
    trace = tt.Trace.from_turns([0, 1, 0, 1], [5, 5, 1, 1], [0] * 4)
    apps = ApplicationTrace.of(trace, ["a", "b", "a", "b"])
    least = {xi: application_optimum(apps, 5, xi).objective for xi in permutations((6, 100))}
    assert least == {(6, 100): 0, (100, 6): 0}
    assert application_optimum(apps, 5, 6).objective == 5


def test_what_is_empty_and_what_is_refused():
    nothing = ApplicationTrace.of(tt.Trace.from_turns([], [], []), [])
    for method in ("auto", "lp", "milp", "pyomo"):
        assert application_optimum(nothing, 3, 0, method=method).objective == 0
    refused(ArgumentError, "method: found 'greedy'", application_optimum, NESTED, 3, 0, method="greedy")
    refused(ArgumentError, "measure: found 'max'", application_optimum, NESTED, 3, 0, "max")


def test_a_search_without_time_has_two_sides():
    found = application_optimum(NESTED, 1, 2, method="milp", time_limit=0)
    assert found.lower <= 1 <= found.upper
