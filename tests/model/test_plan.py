"""What a policy can keep: the check of plans against every sequence of reuses that some policy reaches."""

import random
from itertools import product

import numpy as np
import pytest
from optimal.instances import FOUR_TURNS
from refusals import refused
from replay.instances import Case, seeded

import teltheory as tt
from teltheory.errors import CertificateError
from teltheory.model.plan import check_plan
from teltheory.optimal.chains.brute_force import all_reuses

TINY = {"turns": (1, 4), "conversations": 2, "length": 2, "room": 4}


def plans(case: Case) -> list[tuple[int, ...]]:
    return list(product(*(range(history + 2) for history in case.instance.history.tolist())))


def judged(case: Case, plan: tuple[int, ...], reuses: set[tuple[int, ...]]) -> bool:
    return any(all(a >= b for a, b in zip(reached, plan, strict=True)) for reached in reuses)


@pytest.mark.parametrize("seed", range(3))
def test_a_plan_passes_if_and_only_if_some_policy_reuses_as_much(seed):
    rng, verdicts = random.Random(seed), []
    for case in seeded(25, seed, **TINY):
        every, reuses = plans(case), all_reuses(case.instance)
        for plan in rng.sample(every, min(len(every), 40)):
            verdicts.append(case.fits(plan))
            assert verdicts[-1] == judged(case, plan, reuses), (case, plan)
    assert 50 < sum(verdicts) < len(verdicts) - 50


def test_it_says_what_fails_and_where():
    trace = FOUR_TURNS.trace
    for kept, told in (
        ((0, 0, 50, 1), "kept: found 51 at step 3, expected at most the room of 50"),
        ((0, 0, 101, 0), r"kept\[2\]: found 101, expected 0 to 100"),
        ((0, -1, 0, 0), r"kept\[1\]: found -1, expected 0 to 0"),
        ((0, 0, 0), "kept: found 3 values, expected 4 values"),
    ):
        refused(CertificateError, told, check_plan, trace, 50, np.array(kept, np.int64))
    refused(CertificateError, "kept: found list", check_plan, trace, 50, [0, 0, 0, 0])


def test_it_returns_what_each_turn_computes():
    uncached = check_plan(FOUR_TURNS.trace, 50, np.array((0, 0, 20, 30), np.int64))
    assert uncached.tolist() == [100, 100, 180, 170]


def test_what_the_searches_find_are_plans():
    for case in seeded(6, 3, turns=(60, 60), conversations=8, length=40):
        few = tt.fewest_violations(
            case.trace, case.capacity, case.xi, case.forced, case.initial, method="heuristic"
        )
        uncached = check_plan(case.trace, case.capacity, few.outcome.cached, case.forced, case.initial)
        assert np.array_equal(uncached, few.outcome.uncached)
