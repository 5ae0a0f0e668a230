"""Whole items and tiers: two sides around what trying every content of the cache finds, each checked."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from optimal.instances import proves
from optimal.sets.small_sets import every_case, some_cases
from refusals import refused
from replay.instances import fewer

import teltheory as tt
from teltheory.errors import CertificateError
from teltheory.model.instance import ModuleInstance
from teltheory.optimal.sets.brute_force import least_tel
from teltheory.optimal.sets.certificate import whole_outcome
from teltheory.optimal.sets.whole import plans, whole_problem


def judged(case):
    return least_tel(case.trace, case.capacity, case.xi, case.forced, whole=True)


def around_the_optimum(cases, methods):
    """Hold both sides of each method against the judge; return how many cases, and how often they meet."""
    count = met = 0
    for case in cases:
        expected = judged(case)
        for method in methods:
            best = case.optimum(method, "whole")
            assert best.lower <= expected <= best.upper == tt.tail_excess_latency(best.outcome, case.xi), case
            assert method in {"greedy", "lp"} or best.objective == expected, case
            case.check(best.certificate)
            count, met = count + 1, met + (best.gap == 0)
    return count, met


def test_both_sides_are_right_on_small_worlds():
    count, met = around_the_optimum(islice(every_case(items=2, requests=2, size=2), 0, None, 2), ("greedy", "lp"))
    assert count == 206
    assert met > 0.95 * count


@pytest.mark.long
def test_both_sides_are_right_on_larger_worlds():
    around_the_optimum(every_case(items=2, requests=3, size=2), ("greedy", "lp", "milp"))


def test_every_method_is_right_on_random_traces():
    methods = ("auto", "greedy", "lp", "milp", "pyomo")
    count, met = around_the_optimum(some_cases(fewer(300, 15), 61), methods)
    assert met > 0.8 * count


def changed(certificate):
    """Yield certificates that claim or give more: a higher side, other prices, other shares."""
    yield replace(certificate, lower=certificate.lower + 1)
    for k in range(len(certificate.shares)):
        for share in (0, certificate.prices.denominator):
            shares = certificate.shares.copy()
            shares[k] = share
            yield replace(certificate, shares=shares)
    numerators = certificate.prices.numerators
    for i, number in enumerate(numerators):
        for other in (0, 2 * number):
            prices = replace(certificate.prices, numerators=(*numerators[:i], other, *numerators[i + 1 :]))
            yield replace(certificate, prices=prices)


def test_no_changed_certificate_proves_what_is_false():
    caught = 0
    for case in some_cases(fewer(300, 25), 62):
        optimum = judged(case)
        for method in ("greedy", "lp"):
            for other in changed(case.optimum(method, "whole").certificate):
                if proves(case, other):
                    assert other.lower <= optimum
                else:
                    caught += 1
    assert caught > 0


TRACE = tt.ModuleTrace.from_requests([[0], [1], [0, 1], [0]], [3, 2], [1, 1, 0, 0])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"lower": 1000}, "lower: found 1000"),
        ({"lower": True}, "lower: found True"),
        ({"shares": np.array([1, 1, 1], np.int64)}, "shares"),
        ({"shares": np.array([0, 0, 0, -1], np.int64)}, r"shares\[3\]: found -1"),
        ({"shares": np.array([0, 0, 2, 0], np.int64)}, r"shares\[2\]: found 2, expected 0 to 1"),
        ({"prices": tt.Prices((5,), (1,), 1)}, "steps"),
        ({"prices": tt.Prices((3,), (-1,), 1)}, "numerators"),
        ({"prices": tt.Prices((3,), (1,), 1, (tt.Cut(3, (2,), (1,), 1),))}, "expected none"),
    ],
)
def test_what_is_no_certificate_is_told(changes, told):
    certificate = tt.hindsight_optimum(TRACE, 4, 0, cache="whole", method="greedy").certificate
    tt.check_certificate(TRACE, 4, 0, certificate)
    refused(CertificateError, told, lambda: tt.check_certificate(TRACE, 4, 0, replace(certificate, **changes)))


@pytest.mark.parametrize(
    ("kept", "told"),
    [([0, 0, 2, 2, 0], "expected 0 or 3"), ([3, 0, 0, 0, 0], "expected 0 or 0"), ([0, 0, 3, 2, 0], "room of 4")],
)
def test_what_is_no_plan_is_told(kept, told):
    instance = ModuleInstance.of(TRACE, 4, whole=True)
    refused(CertificateError, told, lambda: whole_outcome(instance, np.array(kept, np.int64)))


def test_items_larger_than_the_cache_are_never_kept():
    best = tt.hindsight_optimum(TRACE, 2, 0, cache="whole")
    assert (best.objective, best.plan.tolist()) == (
        tt.hindsight_optimum(TRACE, 2, 0, cache="whole").lower,
        [0, 0, 0, 2, 0],
    )


def asked_twice(rng):
    """Return the problem of twelve items of many sizes, each asked twice, alone or with two others."""
    sizes, asked = rng.integers(1, 20, 12), [rng.permutation(12).reshape(-1, rng.choice((1, 3))) for _ in "ab"]
    trace = tt.ModuleTrace.from_requests([one.tolist() for part in asked for one in part], sizes.tolist())
    instance = ModuleInstance.of(trace, int(sizes.sum() * 2 // 3), whole=True)
    return whole_problem(instance, int(rng.integers(9)))


def test_what_is_wanted_whole_comes_before_what_is_wanted_in_part():
    """Half of each of two plans wants whole what both keep: that is kept, unless its request lacks nothing."""
    rng, wanted_whole = np.random.default_rng(66), 0
    for _ in range(40):
        problem = asked_twice(rng)
        most, turn = problem.pieces.most, problem.pieces.turn
        both = [list(plans(problem, rng.random(len(most)) * most))[-1] for _ in "ab"]
        plan = list(plans(problem, np.mean(both, axis=0)))[-1]
        lacks = (problem.pieces.reused(plan, len(problem.total)) < problem.useful)[turn]
        whole = (both[0] == most) & (both[1] == most)
        assert (plan[whole & lacks] == most[whole & lacks]).all()
        wanted_whole += int(whole.sum())
    assert wanted_whole > 0


def tiered(rng, mode, loading):
    first, second = (int(rng.integers(0, 5)) for _ in range(2))
    slower = max(first, second) if mode == "inclusive" else second
    return tt.Tiers((first, slower), (0, Fraction(int(rng.integers(1, 10)), 10)), mode, loading)


@pytest.mark.parametrize("mode", ["exclusive", "inclusive"])
@pytest.mark.parametrize("loading", ["additive", "overlapped"])
def test_both_sides_are_right_in_tiers(mode, loading):
    rng = np.random.default_rng(63)
    for case in some_cases(fewer(200, 8), 64, items=3, requests=5):
        tiers = tiered(rng, mode, loading)
        expected = least_tel(case.trace, tiers, case.xi)
        for method in ("lp", "milp"):
            best = tt.hindsight_optimum(case.trace, tiers, case.xi, method=method)
            assert best.lower <= expected <= best.upper == tt.tail_excess_latency(best.outcome, case.xi)
            assert method == "lp" or best.objective == expected
            tt.check_certificate(case.trace, tiers, case.xi, best.certificate)
            too_much = replace(best.certificate, lower=best.upper + 1)
            with pytest.raises(CertificateError):
                tt.check_certificate(case.trace, tiers, case.xi, too_much)


def test_what_is_copied_in_inclusive_tiers_is_counted_item_by_item():
    """Item 0 is written to the second tier once, and is there for both of its next requests."""
    trace = tt.ModuleTrace.from_requests([[0], [1], [0, 1], [0]], [2, 1])
    best = tt.hindsight_optimum(trace, tt.Tiers((0, 3), (0, Fraction(1, 10)), "inclusive"), 0)
    assert best.plan.tolist() == [[0, 0, 0, 0], [0, 0, 3, 2]]
    assert best.outcome.copied.tolist() == [[2, 1, 0, 0]]


def test_one_tier_is_a_cache():
    for case in some_cases(fewer(100, 10), 65):
        if not case.forced:
            best = tt.hindsight_optimum(case.trace, tt.Tiers((case.capacity,)), case.xi)
            assert best.lower == case.optimum().objective <= best.upper


def test_wrong_arguments_in_tiers_are_told():
    tiers = tt.Tiers((1, 2), (0, Fraction(1, 2)))
    for arguments, told in (
        ({"cache": "whole"}, "cache"),
        ({"method": "pyomo"}, "method"),
        ({"running": 2}, "capacity"),
    ):
        refused(tt.ArgumentError, told, tt.hindsight_optimum, TRACE, tiers, 1, **arguments)
