"""Both sides of the optimum in tiers against every content of the tiers, and plans that are carried out."""

from dataclasses import replace
from fractions import Fraction
from operator import attrgetter

import numpy as np
import pytest
from optimal.tiers.carried_out import carried_out
from optimal.tiers.small_tiers import TieredCase, branching_tiers, branching_trace, small_cases
from refusals import refused
from replay.instances import fewer

import teltheory as tt
from teltheory.optimal.tiers.brute_force import least_tel
from teltheory.optimal.tiers.outcome import outcome_of
from teltheory.optimal.tiers.relaxation import relaxed_tel

TWO = tt.Tiers((1, 1), (0, Fraction(1, 2)))


replayed = attrgetter("replayed")


def judged(case: TieredCase) -> Fraction:
    return least_tel(case.trace, case.tiers, case.xi, case.forced)


def test_milp_finds_what_trying_every_content_finds():
    exact = 0
    for case in small_cases(fewer(1000, 16), 41):
        least, best = judged(case), case.optimum("milp")
        assert best.certificate.lower <= best.objective == least == tt.tail_excess_latency(best.outcome, case.xi)
        assert best.bound == pytest.approx(float(least), abs=1e-5)
        exact += best.certificate.lower == least
    assert fewer(1000, 16) * 9 / 10 < exact


def test_all_that_is_kept_is_whole_where_the_linear_program_keeps_halves():
    """Seventeen turns whose best plan is one of many pieces; the naive formulation judges."""
    trace = tt.Trace.from_turns(
        [2, 1, 1, 1, 2, 3, 0, 0, 2, 1, 1, 0, 1, 2, 0, 1, 1],
        [1, 0, 5, 5, 0, 0, 5, 4, 5, 3, 4, 3, 5, 5, 0, 5, 4],
        [2, 0, 3, 3, 0, 2, 3, 0, 2, 3, 3, 2, 3, 1, 2, 3, 2],
        history=[0, 0, 0, 2, 3, 0, 0, 7, 3, 10, 4, 6, 7, 0, 10, 14, 17],
    )
    case = TieredCase(trace, tt.Tiers((14, 11), (0, Fraction(5, 8))), 5)
    relaxed, whole, naive = map(case.optimum, ("lp", "milp", "pyomo"))
    assert relaxed.lower <= whole.objective == naive.objective < relaxed.upper


def test_the_relaxation_is_at_most_that_and_equal_at_xi_0():
    for case in small_cases(fewer(1000, 40), 42):
        least, relaxed = judged(case), relaxed_tel(case.trace, case.tiers, case.xi, case.forced)
        sides = case.optimum()
        assert sides.upper == tt.tail_excess_latency(sides.outcome, case.xi) >= least
        parts = relaxed * case.tiers.denominator
        assert relaxed <= least
        assert sides.lower == Fraction(-(-parts // 1), case.tiers.denominator)
        if case.xi == 0 and case.tiers.loading == "additive":
            assert relaxed == least == sides.objective


def test_pyomo_finds_what_trying_every_content_finds():
    for case in small_cases(fewer(200, 40), 43):
        best = case.optimum("pyomo")
        assert best.objective == judged(case)
        assert best.method == "pyomo"
        assert best.bound == (pytest.approx(float(best.objective), abs=1e-5) if len(case.trace) else None)


@pytest.mark.parametrize("method", ["lp", "milp", "pyomo"])
def test_nothing_rises_before_its_turn(method):
    """A and B share tier 0 at step 3; then B is done, but A does not rise into its room for nothing."""
    case = TieredCase(tt.Trace.from_turns([0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]), TWO, 0)
    assert case.optimum(method).objective == judged(case) == Fraction(5, 2)


def test_one_tier_is_the_optimum_of_one_cache():
    for case in small_cases(fewer(500, 50), 44):
        for capacity in (0, 2, 5):
            try:
                plain = tt.hindsight_optimum(case.trace, capacity, case.xi, case.forced)
            except tt.ForcedCachingError:
                continue
            tiered = tt.hindsight_optimum(case.trace, tt.Tiers((capacity,)), case.xi, case.forced)
            assert tiered.objective == plain.objective
            assert tiered.outcome.cached.shape == (1, len(case.trace))


def test_a_plan_is_carried_out_by_sinking_what_is_needed_in_the_slowest_tier():
    for case in small_cases(fewer(1000, 25), 45):
        best = case.optimum()
        met = carried_out(case.instance, case.tiers, best.plan)
        assert (np.cumsum(met, axis=0) >= np.cumsum(best.plan, axis=0)).all()


def test_belady_in_every_tier_is_the_optimum_at_xi_0():
    for case in filter(replayed, small_cases(fewer(1000, 40), 46)):
        additive = tt.Tiers(case.tiers.capacities, case.tiers.loads, case.tiers.mode)
        outcome = tt.replay(case.trace, tt.Belady(), additive, case.forced)
        best = tt.hindsight_optimum(case.trace, additive, 0, case.forced)
        assert tt.tail_excess_latency(outcome, 0) == best.objective


@pytest.mark.parametrize("mode", ["exclusive", "inclusive"])
def test_so_it_is_on_conversations_that_branch(mode):
    rng = np.random.default_rng(48)
    for _ in range(fewer(5000, 100)):
        trace, tiers = branching_trace(rng), branching_tiers(rng, mode)
        outcome, best = tt.replay(trace, tt.Belady(), tiers), tt.hindsight_optimum(trace, tiers, 0)
        assert tt.tail_excess_latency(outcome, 0) == best.objective, (trace, tiers)


def test_no_policy_is_better_than_the_lower_side():
    for case in filter(replayed, small_cases(fewer(300, 15), 47)):
        lower = case.optimum().lower
        for policy in (tt.LRU(), tt.Belady(), tt.TailOptimizedBelady(case.xi), tt.TLRU(case.xi, 1)):
            outcome = tt.replay(case.trace, policy, case.tiers, case.forced)
            assert tt.tail_excess_latency(outcome, case.xi) >= lower


def example(xi: int = 1, tiers: tt.Tiers = TWO) -> TieredCase:
    return TieredCase(tt.Trace.from_turns([0, 1, 0, 1], [1, 1, 1, 1], [1, 1, 0, 0]), tiers, xi)


def test_an_optimum_is_easy_to_print():
    best = example().optimum()
    assert str(best) == "TEL 2.5"
    assert (best.objective, best.gap, best.by_solver, best.method) == (Fraction(5, 2), 0, False, "lp")
    assert best.plan.tolist() == best.outcome.cached.tolist()
    assert str(replace(best, lower=Fraction(1, 2))) == "TEL 0.5 to 2.5, 80.00%"


def test_a_plan_that_does_not_fit_is_refused():
    case = example()
    for plan, told in (
        ([[0, 0, 1, 1], [0, 0, 1, 1]], "more than the room of 1 at step 3"),
        ([[0, 0, 0, 0], [0, 0, 2, 1]], "more than the room of 2 at step 3"),
        ([[0, 0, 0, 0], [0, 0, 3, 0]], r"plan\[:, 2\]: found \[0, 3\], expected 0 to 2"),
        ([[0, 0, 1, 0], [0, 0, 0, 0]], r"plan\[:, 2\]: found \[1, 0\], expected"),
        ([[0, -1, 0, 0], [0, 0, 0, 0]], r"plan\[:, 1\]: found \[-1, 0\], expected"),
    ):
        refused(tt.CertificateError, told, outcome_of, case.instance, case.tiers, np.array(plan), True)


def test_what_moves_in_a_plan():
    case = example()
    outcome = outcome_of(case.instance, case.tiers, np.array([[0, 0, 1, 0], [0, 0, 1, 1]]), True)
    moved = [column.tolist() for column in (outcome.written, outcome.copied, outcome.loaded)]
    assert moved == [[2, 2, 2, 2], [[0, 1, 0, 0]], [[0, 0, 0, 1]]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"capacity": tt.Tiers((1, 1), (0, 0), "swap-out-once")}, "mode: found 'swap-out-once'"),
        ({"method": "greedy"}, "method: found 'greedy'"),
        ({"cache": "holes"}, "cache: found 'holes'"),
        ({"initial": [(0, 1, 1)]}, "capacity: found"),
        ({"running": 2}, "capacity: found"),
        ({"xi": -1}, "xi: found -1"),
        ({"time_limit": -1}, "time_limit: found -1"),
    ],
)
def test_what_is_refused(change, told):
    asked = {"trace": example().trace, "capacity": TWO, "xi": 1} | change
    refused(tt.ArgumentError, told, tt.hindsight_optimum, **asked)


def test_time_can_be_up():
    refused(tt.SolverError, "Time limit", lambda: tt.hindsight_optimum(example().trace, TWO, 1, time_limit=0))


def test_a_step_that_costs_nothing_is_none_of_a_certificate():
    trace = tt.Trace.from_turns(*np.random.default_rng(7).integers(0, 12, (3, 200)))
    certificate = tt.hindsight_optimum(trace, tt.Tiers((60, 120), (0, Fraction(3, 10))), 9).certificate
    assert len(certificate.numerators) > 0
    assert (certificate.numerators > 0).all()
