"""The front of prefill against TEL: judged by brute force, by prices alone, and by every policy."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.instances import sampled
from refusals import refused
from replay.instances import Case, assume_feasible, cases, examples, fewer, policies, seeded

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.optimal.costs.front import ENDS, WorkFront
from teltheory.policies import WorkAwareTLRU

SMALL = {"turns": (3, 8), "conversations": 4, "length": 3, "room": 6}


def front_of(case: Case, **options: object) -> WorkFront:
    return tt.work_front(case.trace, case.capacity, case.xi, case.forced, case.initial, **options)


@examples(200)
@given(cases(), st.fractions(0, 3, max_denominator=4), st.data())
def test_costs_are_the_price_of_work_and_the_tail(case: Case, work: Fraction, data: st.DataObject) -> None:
    costs = tt.PiecewiseCosts.of_work(case.trace, case.xi, work, case.initial)
    total, history = case.instance.total, case.instance.history
    reused = np.array([data.draw(st.integers(0, most)) for most in history.tolist()], np.int64)
    uncached = total - reused
    expected = work.numerator * uncached + work.denominator * np.maximum(uncached - case.xi, 0)
    assert costs.of_turns(reused).tolist() == expected.tolist()


@pytest.mark.parametrize("forced", [False, True])
def test_each_plan_has_what_brute_force_finds_and_prices_prove_it(forced):
    for case in seeded(fewer(200), 7, forced=forced, **SMALL):
        front = front_of(case)
        for plan in front.plans:
            p, q = plan.work.as_integer_ratio()
            least = smallest_total(case.instance, lambda u, p=p, q=q, xi=case.xi: p * u + q * max(u - xi, 0))
            costs = tt.PiecewiseCosts.of_work(case.trace, case.xi, plan.work, case.initial)
            given = (case.trace, case.capacity, costs, plan.certificate, case.forced, case.initial)
            assert plan.least * q == least == tt.cost_bound(*given)
            assert plan.work * plan.prefilled + plan.tel == plan.least
            assert case.fits(plan.outcome.cached)
            uncached = plan.outcome.uncached
            assert (plan.prefilled, plan.tel) == (uncached.sum(), np.maximum(uncached - case.xi, 0).sum())


@examples(150)
@given(cases(**SMALL), st.fractions(0, 2, max_denominator=4))
def test_no_policy_is_below_the_front(case: Case, work: Fraction) -> None:
    assume_feasible(case)
    front = front_of(case)
    for policy in [*policies(case).values(), WorkAwareTLRU(case.xi, case.q_hat, work)]:
        outcome = case.replay(policy)
        tel, prefilled = tt.tail_excess_latency(outcome, case.xi), int(outcome.uncached.sum())
        assert prefilled >= front.least_prefilled(tel)
        assert tel >= front.least_tel(prefilled)


def test_the_ends_are_the_least_tel_and_the_least_prefill():
    for case in seeded(fewer(100), 9, **SMALL):
        first, *_, last = front_of(case).plans
        assert first.tel == case.optimum("auto").objective
        everything = tt.hindsight_optimum(case.trace, case.capacity, 0, case.forced, case.initial)
        assert last.prefilled == everything.objective


def test_plans_follow_each_other_and_close_what_is_between():
    case = sampled(600, 20_000)
    front = front_of(case, most=30)
    assert len(front.plans) > 3
    for one, other in pairwise(front.plans):
        assert (one.work, one.tel, other.prefilled) <= (other.work, other.tel, one.prefilled)
        assert front.within(one.tel).prefilled >= front.least_prefilled(one.tel) >= other.prefilled - 1
    assert front.within(front.plans[0].tel - 1) is None
    ends = front_of(case, works=ENDS, most=2)
    assert [plan.work for plan in ends.plans] == [*ENDS]
    middle = (front.plans[0].prefilled + front.plans[-1].prefilled) // 2
    assert front.least_tel(middle) > ends.least_tel(middle)
    refused(ArgumentError, "works", front_of, case, works=[0])
    refused(ArgumentError, "works", front_of, case, works=[])
