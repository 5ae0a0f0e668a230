"""No check of a certificate uses what makers read of a trace: a fault planted there proves nothing that is wrong.

A fault is planted wherever a module of the package knows the function by name, so that a check which shared it
would have the fault as well. Makers do not check their own certificates here.
"""

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
from optimal.sets.small_sets import SetCase, some_cases
from optimal.small_forests import ForestCase, small_cases
from optimal.test_costs import SMALL, random_points, value
from optimal.tiers import small_tiers
from optimal.tiers.test_tiered_forests import small_forests
from replay.instances import Case, fewer, seeded

import teltheory as tt
from teltheory import optimal
from teltheory.errors import CertificateError, SolverError
from teltheory.model.applications import ApplicationTrace
from teltheory.optimal import methods
from teltheory.optimal.applications import application_optimum
from teltheory.optimal.applications.brute_force import least_excess
from teltheory.optimal.applications.certificate import check_application_certificate
from teltheory.optimal.chains import brute_force
from teltheory.optimal.chains.intervals import most_reused
from teltheory.optimal.parts import inputs, rooms, totals
from teltheory.optimal.sets.brute_force import least_tel as least_of_sets
from teltheory.optimal.sets.intervals import set_rooms
from teltheory.optimal.tiers.brute_force import least_tel as least_in_tiers
from teltheory.optimal.tiers.states import least_tel_of_forest
from teltheory.optimal.trees.intervals import needs, rooms_beside
from teltheory.optimal.trees.judge import least_cost, least_tel

for found in walk_packages(optimal.__path__, f"{optimal.__name__}."):
    import_module(found.name)  # a module that is imported while a fault is planted would keep it

Found = tuple[Any, Callable[[], None]]
"""What a certificate says, and its check."""


@cache
def that_know(function: Any) -> list[Any]:
    """Return the modules of the package that know a function by its name."""
    known = [module for name, module in sys.modules.items() if name.startswith("teltheory")]
    return [module for module in known if getattr(module, function.__name__, None) is function]


@contextmanager
def planted(function: Any, more: int) -> Iterator[None]:
    """Give the function a fault, so many units more everywhere, but never below 0."""
    with pytest.MonkeyPatch.context() as patch:
        for module in that_know(function):
            patch.setattr(module, function.__name__, lambda *given: np.maximum(function(*given) + more, 0))
        patch.setattr(methods, "check_against", lambda *given: None)
        yield


def wrong_and_proved(cases: list[Any], least: Any, solve: Any, function: Any, more: int) -> tuple[int, int]:
    """Return how many optima are wrong with a fault planted, and how many of them the check takes for proved."""
    wrong = proved = 0
    for case, right in [(case, least(case)) for case in cases]:
        with planted(function, more):
            try:
                found, check = solve(case)
            except (SolverError, CertificateError):
                continue
            if found != right:
                wrong += 1
                proved += passes(check)
    return wrong, proved


def passes(check: Callable[[], None]) -> bool:
    try:
        check()
    except CertificateError:
        return False
    return True


def of_forest(case: ForestCase) -> int:
    return least_tel(case.instance, case.xi, False)


def by_lp(case: Any) -> Found:
    best = case.optimum("lp")
    return best.certificate.objective, lambda: case.check(best.certificate)


def below_strict(case: ForestCase) -> Found:
    best = case.optimum("greedy", "strict")
    return best.certificate.objective, lambda: case.check(best.certificate)


def weights(case: ForestCase) -> list[int]:
    return [1 + k % 3 for k in range(len(case.forest))]


def of_weights(case: ForestCase) -> int:
    total, weight = case.forest.total.tolist(), weights(case)
    return least_cost(case.instance, lambda k, hits: weight[k] * max(total[k] - hits - case.xi, 0), False)


def weighted(case: ForestCase) -> Found:
    best = tt.weighted_optimum(case.forest, case.capacity, case.xi, weights(case), **case.mode)
    return best.objective, lambda: case.check(best.certificate, weights(case))


@pytest.mark.parametrize(
    ("least", "solve", "function", "more"),
    [
        (of_forest, by_lp, needs, -1),
        (of_forest, by_lp, rooms_beside, -1),
        (of_forest, by_lp, rooms_beside, 1),
        (of_forest, below_strict, rooms_beside, 1),
        (of_weights, weighted, needs, -1),
        (of_weights, weighted, rooms_beside, 1),
    ],
)
def test_no_wrong_optimum_of_a_forest_is_proved(least, solve, function, more):
    wrong, proved = wrong_and_proved(list(small_cases(fewer(1600, 25), 31)), least, solve, function, more)
    assert wrong > 0
    assert proved == 0


def of_sets(case: SetCase) -> int:
    return least_of_sets(case.trace, case.capacity, case.xi, case.forced)


@pytest.mark.parametrize("more", [-1, 1])
def test_no_wrong_optimum_of_sets_is_proved(more):
    cases = list(some_cases(fewer(1000, 20), 62))
    wrong, proved = wrong_and_proved(cases, of_sets, by_lp, set_rooms, more)
    assert wrong > 0
    assert proved == 0


def of_turns(case: Case) -> int:
    total = case.instance.total.tolist()
    return brute_force.smallest_cost(case.instance, lambda k, reused: max(total[k] - reused - case.xi, 0))


def of_chains(case: Case) -> Found:
    best, asked = case.optimum("lp"), (case.trace, case.capacity, case.xi)
    return best.objective, lambda: tt.check_certificate(*asked, best.certificate, case.forced, case.initial)


@pytest.mark.parametrize("more", [-1, 1])
def test_no_wrong_optimum_of_conversations_is_proved(more):
    cases = list(seeded(fewer(400), 5, **SMALL))
    wrong, proved = wrong_and_proved(cases, of_turns, of_chains, most_reused, more)
    assert wrong > 0
    assert proved == 0


def bounded(case: ForestCase) -> tuple[int, int]:
    """Return the violations that are proved, and the fewest."""
    total, asked = case.forest.total.tolist(), (case.forest, case.capacity, case.xi)
    found = tt.fewest_violations(*asked, cache="holes", method="heuristic", **case.mode)
    tt.check_violations(*asked, found.certificate, found.proved, **case.mode)
    return found.proved, least_cost(case.instance, lambda k, hits: int(total[k] - hits > case.xi), False)


def of_whole(case: SetCase, method: str = "greedy") -> tuple[int, int]:
    best = case.optimum(method, "whole")
    case.check(best.certificate)
    return best.certificate.lower, least_of_sets(case.trace, case.capacity, case.xi, case.forced, whole=True)


def in_tiers(case: small_tiers.TieredCase, method: str = "lp") -> tuple[Any, Any]:
    best = case.optimum(method)
    case.check(best.certificate)
    return best.certificate.lower, least_in_tiers(case.trace, case.tiers, case.xi, case.forced)


def forest_in_tiers(case: Any, method: Any = "lp") -> tuple[Any, Any]:
    forest, tiers, xi, forced = case
    best = tt.hindsight_optimum(forest, tiers, xi, forced, method=method, cache="holes")
    tt.check_certificate(forest, tiers, xi, best.certificate, forced)
    return best.certificate.lower, least_tel_of_forest(forest, tiers, xi, forced, False)


def of_costs(case: Case) -> tuple[int, int]:
    points = random_points(case, random.Random(str(case)), convex=True)
    costs = tt.PiecewiseCosts.from_points(points)
    best = tt.cost_optimum(case.trace, case.capacity, costs, case.forced, case.initial)
    return best.proved, brute_force.smallest_cost(case.instance, lambda k, reused: value(points[k], reused))


def applications(cases: int, seed: int) -> Iterator[tuple[Any, ...]]:
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        names, prompt, response = rng.integers(0, 3, 6), rng.integers(0, 3, 6), rng.integers(0, 2, 6)
        apps = ApplicationTrace.of(tt.Trace.from_turns(names, prompt, response), names % 2)
        forced, measure = bool(rng.random() < 0.3), ("sum", "path")[int(rng.integers(2))]
        capacity = int(apps.trace.past.max()) if forced else int(rng.integers(0, 5))
        yield apps, capacity, [int(rng.integers(0, 5))] * apps.applications, measure, forced


def of_applications(case: tuple[Any, ...], method: str = "lp") -> tuple[int, int]:
    apps, capacity, xi, measure, forced = case
    best = application_optimum(apps, capacity, xi, measure, forced, method)
    check_application_certificate(apps, capacity, xi, best.certificate, measure, forced)
    return best.lower, least_excess(apps, capacity, xi, measure, forced)


@pytest.mark.parametrize(
    ("bound", "cases", "function", "more"),
    [
        (bounded, lambda: small_cases(fewer(400), 31), rooms_beside, -1),
        (bounded, lambda: small_cases(fewer(400), 31), rooms_beside, 1),
        (of_whole, lambda: some_cases(fewer(1000), 62), set_rooms, -1),
        (in_tiers, lambda: small_tiers.small_cases(fewer(300), 5), most_reused, -1),
        (forest_in_tiers, lambda: small_forests(fewer(300), 5), rooms_beside, -1),
        (of_costs, lambda: seeded(fewer(400), 5, **SMALL), most_reused, -1),
        (of_applications, lambda: applications(fewer(200), 3), most_reused, -1),
    ],
)
def test_no_bound_above_the_optimum_is_proved(bound, cases, function, more):
    """Bounds are what the check itself finds that prices prove: prices that are bad by a fault prove less."""
    assert never_above(cases(), bound, function, more) > 0


@pytest.mark.parametrize(("function", "more"), [(rooms, -1), (inputs, -1), (totals, 1)])
@pytest.mark.parametrize(
    ("bound", "cases"),
    [
        (bounded, lambda: small_cases(fewer(200), 31)),
        (partial(of_whole, method="milp"), lambda: some_cases(fewer(200), 62)),
        (partial(in_tiers, method="milp"), lambda: small_tiers.small_cases(fewer(100), 5)),
        (partial(forest_in_tiers, method="milp"), lambda: small_forests(fewer(100), 5)),
        (partial(of_applications, method="auto"), lambda: applications(fewer(100), 3)),
    ],
)
def test_no_bound_that_a_fault_of_the_check_raises_passes_a_best_plan(bound, cases, function, more):
    never_above(cases(), bound, function, more)


def never_above(cases: Any, bound: Any, function: Any, more: int) -> int:
    """Check that no bound that is given out is above the optimum; return how many are given out."""
    found = 0
    for case in cases:
        with planted(function, more):
            try:
                lower, least = bound(case)
            except (SolverError, CertificateError):
                continue
        assert lower <= least
        found += 1
    return found
