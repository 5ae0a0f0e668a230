"""The best percentile: against brute force over every sequence of reuses and over thresholds."""

import numpy as np
import pytest
from optimal.instances import MIDDLE, SMALL
from refusals import refused
from replay.instances import Case, fewer, seeded

import teltheory as tt
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.optimal.slo import percentile, violations
from teltheory.optimal.slo.selection import Selection
from teltheory.optimal.slo.solver import Milp
from teltheory.optimal.slo.violations import started


def best(case: Case, q: float, **options: object) -> tt.Optimum:
    return tt.best_percentile(case.trace, case.capacity, q, case.forced, case.initial, **options)


def brute_force(case: Case, allowed: int) -> int:
    xi = 0
    while smallest_total(case.instance, lambda uncached, xi=xi: uncached > xi) > allowed:
        xi += 1
    return xi


def check(case: Case, q: float, found: tt.Optimum) -> None:
    assert found.upper == np.quantile(found.outcome.uncached, q, method="inverted_cdf")
    assert case.fits(found.outcome.cached.tolist())
    assert found.proved <= found.lower <= found.upper
    if found.proved:
        below = (case.trace, case.capacity, found.proved - 1, found.certificate, found.facts["allowed"] + 1)
        tt.check_violations(*below, case.forced, case.initial)


@pytest.mark.parametrize("q", [0.3, 0.5, 0.8, 1.0])
def test_it_is_what_brute_force_finds(q):
    for case in seeded(fewer(100), int(q * 10), **SMALL):
        if not len(case.trace):
            continue
        found = best(case, q)
        assert (found.upper, found.status) == (brute_force(case, found.facts["allowed"]), "optimal"), case
        check(case, q, found)


def test_without_the_heuristic_the_exact_search_finds_it_all_the_same(monkeypatch):
    monkeypatch.setattr(percentile, "packed", lambda search, *others: search)
    for case in seeded(8, 8, **SMALL):
        found = best(case, 0.8)
        assert (found.upper, found.status) == (brute_force(case, found.facts["allowed"]), "optimal"), case
        check(case, 0.8, found)


def test_without_time_the_bounds_are_true_and_no_optimum_is_false():
    for case in seeded(2, 3, forced=False, **MIDDLE):
        true, early = best(case, 0.8), best(case, 0.8, time_limit=0)
        assert true.status == "optimal"
        assert early.lower <= true.upper <= early.upper
        assert (early.status == "optimal") == (early.lower == early.upper)
        check(case, 0.8, true)
        check(case, 0.8, early)


def test_an_interrupt_gives_the_best_so_far(monkeypatch):
    case = next(seeded(1, 3, forced=False, **MIDDLE))

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(percentile, "packed", interrupted)
    found = best(case, 0.8)
    assert found.status == "interrupted"
    check(case, 0.8, found)


@pytest.mark.parametrize("refuted", [1, 37, 60])
def test_a_threshold_that_stays_open_does_not_keep_the_lower_end_down(monkeypatch, refuted):
    """With a solver that refutes the thresholds below some number and knows of no other, the end gets there."""
    case = Case((0, 1, 0, 1), (100,) * 4, (0,) * 4, None, capacity=1000, xi=0, q_hat=0)
    monkeypatch.setattr(percentile, "packed", lambda search, *others: search)
    monkeypatch.setattr(percentile, "sharpened", lambda search, *others: search)
    monkeypatch.setattr(percentile, "exhausted", lambda search, *others, **options: search)
    monkeypatch.setattr(violations, "bound_of", lambda *others: 0)
    monkeypatch.setattr(percentile, "started", lambda instance, xi: asked.append(xi) or started(instance, xi))
    asked: list[int] = []

    def choose(problem: Selection, *others: object) -> Milp:
        return Milp(None, others[-1] - 1 if asked[-1] < refuted else problem.above, "planted")

    monkeypatch.setattr(violations, "choose", choose)
    found = best(case, 1.0)
    assert (found.lower, found.by_solver, found.proved, found.status) == (refuted, True, 0, "time limit")


def test_only_open_thresholds_are_asked_of_the_integer_program_and_of_the_exhaustion(monkeypatch):
    asked = []

    def kept(name):
        def told(search, deadline, target=None):
            asked.append((name, search.is_open_at(target)))
            return search

        return told

    monkeypatch.setattr(percentile, "exactly", kept("exactly"))
    monkeypatch.setattr(percentile, "exhausted", kept("exhausted"))
    monkeypatch.setattr(percentile, "sharpened", lambda search, *others: search)
    monkeypatch.setattr(percentile._Bisection, "prove", lambda self: None)
    for case in seeded(1, 3, forced=False, **MIDDLE):
        best(case, 0.8)
    assert set(asked) == {("exactly", True), ("exhausted", True)}


@pytest.mark.long
def test_what_only_the_milp_proves_is_not_called_proved(monkeypatch):
    for name in ("sharpened", "exhausted"):
        monkeypatch.setattr(percentile, name, lambda search, *others, **options: search)
    below = 0
    for case in seeded(40, 3, forced=False, **MIDDLE):
        found = best(case, 0.8)
        assert found.status == ("optimal by solver" if found.by_solver else "optimal")
        assert found.by_solver == (found.proved < found.lower)
        if found.proved:
            at = (case.trace, case.capacity, found.proved - 1, found.certificate, case.forced, case.initial)
            assert tt.violations_bound(*at) > found.facts["allowed"]
        below += found.proved < found.lower
    assert below


@pytest.mark.parametrize("q", [0, -0.1, 1.5, "0.5", True, float("nan")])
def test_a_wrong_level_is_named(q):
    case = next(seeded(1, 3, forced=False, **MIDDLE))
    refused(tt.ArgumentError, "q: found", best, case, q)


def test_a_trace_without_turns_has_no_percentile():
    refused(tt.ArgumentError, "trace", lambda: best(Case((), (), (), None, 2, 0, 0), 0.5))
