"""T-LRU with one threshold an application, against a plain replay that goes through all routes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from systems.apps.application_worlds import by_application, of_case, worlds

import teltheory as tt
from proofs_checks.parrot import plain_applications as plain
from proofs_checks.parrot.small_applications import SmallApplications
from teltheory.cost.applications import application_excess
from teltheory.errors import ArgumentError
from teltheory.model.applications import ApplicationTrace
from teltheory.policies.application_tlru import ApplicationTLRU, Share
from teltheory.replay.applications import replay_applications
from teltheory.serving.applications import GroupAffinity
from teltheory.serving.applications import by_application as together

SPLITS = {"equal": plain.equal, "reserve": plain.reserve, "request": plain.request_level}


def agrees(case, split, trim):
    """Whether the package and the judge compute the same, turn by turn."""
    apps, expected = of_case(case), plain.computed(case, SPLITS[split], trim)
    totals = [total + case.over for total in case.totals]
    policy = ApplicationTLRU(case.xi, split, case.measure, trim, totals)
    outcome = replay_applications(apps, policy, case.capacity)
    excess = application_excess(apps, outcome, case.xi, case.measure).tolist()
    return outcome.uncached.tolist() == expected and excess == by_application(case.excesses(expected))


@given(worlds(), st.sampled_from(list(SPLITS)), st.sampled_from(plain.TRIMS))
def test_the_replay_is_that_of_the_judge(case, split, trim):
    assert agrees(case, split, trim)


@pytest.mark.parametrize("measure", ["sum", "path"])
def test_the_replay_is_that_of_the_judge_on_small_worlds(measure):
    space = SmallApplications({2: 3, 3: 3}, {}, measure, edges=True, over=(0, 1))
    cases = [case for some in space.classes("quick") for case in some]
    assert len(cases) > 2_000
    assert all(agrees(case, split, "least-recent") for split in SPLITS for case in cases[::61])


@given(worlds(), st.sampled_from(plain.TRIMS))
def test_reserve_is_never_worse_than_lru_for_any_application(case, trim):
    apps = of_case(case)
    totals = [total + case.over for total in case.totals]
    policy = ApplicationTLRU(case.xi, "reserve", case.measure, trim, totals)
    ours, lru = (replay_applications(apps, one, case.capacity) for one in (policy, tt.LRU()))
    ours, lru = (application_excess(apps, one, case.xi, case.measure) for one in (ours, lru))
    assert np.all(ours <= lru)


APPS = ApplicationTrace.of(
    tt.Trace.from_turns([0, 1, 2, 0, 3], [5, 4, 3, 2, 1], [1, 1, 1, 1, 1], range(5)),
    ["a", "a", "a", "a", "b"],
    [[], [0], [0], [1, 2], []],
)


@pytest.mark.parametrize(("measure", "expected"), [
    ("sum", [Share(20, 5, 2, 16), Share(20, 5, 2, 17), Share(20, 5, 1, 12)]),
    ("path", [Share(20, 5, 2, 13), Share(20, 5, 2, 13), Share(20, 5, 1, 9)]),
])  # fmt: skip
def test_what_a_split_knows(measure, expected):
    seen = []
    policy = ApplicationTLRU(20, lambda share: seen.append(share) or 0, measure).on(APPS)
    assert policy.shares(0, [5]) == {1: 0, 2: 0, 3: 0}
    assert seen == expected


def test_thresholds_of_the_splits():
    after_two = {split: ApplicationTLRU(20, split).on(APPS).shares(0, [5, 4]) for split in SPLITS}
    assert after_two == {"equal": {2: 5, 3: 11}, "reserve": {2: 3, 3: 8}, "request": {2: 20, 3: 20}}


def test_a_threshold_for_each_application_and_forced_caching():
    reused = {
        xi: replay_applications(APPS, ApplicationTLRU(xi, "reserve"), 13, forced=True).cached.tolist()
        for xi in ((0, 0), (16, 0), (0, 16))
    }
    assert reused == {(0, 0): [0, 0, 0, 6, 0], (16, 0): [0, 0, 0, 5, 0], (0, 16): [0, 0, 0, 6, 0]}


def test_a_trace_without_applications():
    nothing = ApplicationTrace.of(tt.Trace.from_turns([], [], []), [])
    assert len(replay_applications(nothing, ApplicationTLRU([], "equal"), 1)) == 0


@pytest.mark.parametrize(("wrong", "said"), [
    ({"split": "fair"}, "split: found 'fair', expected equal, reserve, request or a function of a Share"),
    ({"measure": "max"}, "measure: found 'max'"),
    ({"trim": "never"}, "trim: found 'never'"),
    ({"totals": [1]}, "totals: found '1 values', expected 5, one a turn"),
    ({"totals": [1, 2, 3, 4, -5]}, r"totals\[4\]: found -5"),
    ({"split": lambda share: share.xi / 2}, r"split: found 10\.0, expected a whole number for turn 1"),
])  # fmt: skip
def test_wrong_arguments_are_named(wrong, said):
    refused(ArgumentError, said, lambda: replay_applications(APPS, ApplicationTLRU(20, **wrong), 5))


def test_what_is_no_trace_of_applications_is_refused():
    refused(ArgumentError, "apps: found 'Trace'", lambda: replay_applications(APPS.trace, tt.LRU(), 5))


def test_an_application_stays_at_one_replica():
    trace = tt.Trace.from_turns([0, 1, 2, 3, 4, 5], [900] * 6, [1] * 6, [0.0, 0.0, 0.0, 0.01, 0.02, 0.03])
    apps = ApplicationTrace.of(trace, ["a", "b", "a", "b", "c", "a"])
    served = tt.serve(trace.forest, tt.LRU(), 10**6, replicas=3, router=together(apps))
    homes = {}
    for application, replica in zip(apps.application.tolist(), served.replica.tolist(), strict=True):
        assert homes.setdefault(application, replica) == replica
    assert sorted(homes.values()) == [0, 1, 2]
    said = "router: found 'groups of 2 requests', expected a group for each of 6"
    refused(ArgumentError, said, tt.serve, trace, tt.LRU(), 5, replicas=2, router=GroupAffinity((0, 1)))
