"""The hindsight optimum: every method against brute force, and every outcome against what a cache can do."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from optimal.instances import SMALL
from refusals import refused
from replay.instances import Case, cases, examples, fewer, forced_need, lengths, seeded

import teltheory as tt
from teltheory.optimal.chains.brute_force import all_reuses, smallest_rising_total, smallest_total

METHODS = ("greedy", "lp", "milp", "pyomo")
NINE = {"turns": (5, 9), "conversations": 4, "length": 6, "room": 12}
TINY = {"turns": (1, 4), "conversations": 2, "length": 2, "room": 4}
SOME = Case((0, 1, 0), (3, 4, 1), (1, 2, 0), None, capacity=5, xi=2, q_hat=0)
FORCED_IN_A_ROW = Case((0, 0), (2, 0), (0, 0), None, capacity=5, xi=1, q_hat=0, forced=True)
HELD_AT_THE_START = Case((0,), (0,), (0,), None, capacity=2, xi=1, q_hat=0, initial=((0, 2, 2),))


def brute_force(case: Case) -> int:
    return smallest_rising_total(case.instance, lambda uncached: max(uncached - case.xi, 0))


WRONG_WITH_PRESOLVE = Case(
    (0, 1, 2, 3, 2, 2, 0, 1, 3),
    (5, 4, 3, 2, 4, 0, 4, 3, 0),
    (6, 6, 5, 3, 2, 6, 2, 4, 5),
    None,
    capacity=10,
    xi=7,
    q_hat=0,
)
"""HiGHS 1.15.1 with presolve says 12 with the bound 12.0 (docs/claims.md)."""


@pytest.mark.parametrize("method", METHODS)
def test_no_method_takes_a_solver_s_word(method):
    assert brute_force(WRONG_WITH_PRESOLVE) == 11
    check_answer(WRONG_WITH_PRESOLVE, method, 11)


@given(case=cases(turns=(1, 5), conversations=3, length=3, room=5))
@examples(300)
def test_brute_force_over_full_caches_is_brute_force_over_all(case):
    assert brute_force(case) == smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0))


def check_answer(case: Case, method: str, expected: int) -> None:
    check(case.optimum(method), case, method, expected)


def check(best: tt.Optimum, case: Case, method: str, expected: int) -> None:
    reuses = best.outcome.cached.tolist()
    assert best.objective == expected, (method, case)
    assert best.method == method
    case.check(best.certificate)
    assert tt.tail_excess_latency(best.outcome, case.xi) == expected
    assert (best.outcome.cached + best.outcome.uncached).tolist() == [total for _, total, _ in lengths(case)]
    assert case.fits(reuses), (method, reuses, case)
    if method == "greedy":
        assert best.bound is None
    else:
        assert best.bound == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_greedy_lp_and_milp_find_what_brute_force_finds(seed):
    """And pyomo, which takes long, in a few cases."""
    for number, case in enumerate(seeded(fewer(350), seed, **SMALL)):
        expected = brute_force(case)
        for method in METHODS if number % 10 == 0 else METHODS[:3]:
            check_answer(case, method, expected)


def test_the_instances_are_worth_solving():
    """Many have an optimum between no reuse and full reuse, below LRU's, in every mode."""
    for forced in (False, True):
        for given_too in (False, True):
            below_lru = below_nothing = 0
            for case in seeded(60, 2, forced=forced, given=given_too, **SMALL):
                best = case.optimum("greedy").objective
                below_lru += best < tt.tail_excess_latency(case.replay(tt.LRU()), case.xi)
                below_nothing += 0 < best < sum(max(total - case.xi, 0) for _, total, _ in lengths(case))
            assert below_lru >= 1
            assert below_nothing >= 15


@pytest.mark.parametrize("method", METHODS)
def test_every_outcome_is_one_that_some_policy_reaches(method):
    for case in seeded(20, 9, **TINY):
        cached = case.optimum(method).outcome.cached.tolist()
        reached = all_reuses(case.instance)
        assert tuple(cached) in reached, (method, case)


@pytest.mark.parametrize(
    ("method", "case"),
    [(method, case) for method in ("lp", "milp") for case in (FORCED_IN_A_ROW, HELD_AT_THE_START)],
)
def test_solver_outcomes_count_the_reuse_that_no_policy_avoids(method, case):
    reached = all_reuses(case.instance)
    assert len(reached) == 1
    assert tuple(case.optimum(method).outcome.cached.tolist()) in reached


@given(case=cases(**TINY))
@examples(150)
def test_replays_reach_only_what_brute_force_reaches(case):
    reached = all_reuses(case.instance)
    for policy in (tt.LRU(), tt.TLRU(case.xi, case.q_hat), tt.Belady(), tt.TailOptimizedBelady(case.xi)):
        assert tuple(case.replay(policy).cached.tolist()) in reached
    assert brute_force(case) == min(
        sum(max(total - y - case.xi, 0) for (_, total, _), y in zip(lengths(case), reuses, strict=True))
        for reuses in reached
    )


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("seed", [0, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 3, 4, 5))])
def test_methods_agree_on_larger_instances(seed, forced):
    limits = {"turns": (200, 200), "length": 300, "forced": forced, "given": seed % 3 == 2}
    for case in seeded(2, 100 + seed, conversations=5, **limits):
        rng = random.Random(seed)
        largest = max(total for _, total, _ in lengths(case))
        need = forced_need(case) if forced else 0
        for _ in range(3):
            tight = replace(
                case,
                xi=rng.randint(0, largest // 2),
                capacity=max(need + rng.randint(0, 600), sum(cached for _, _, cached in case.initial)),
            )
            objective = tight.optimum("greedy").objective
            check_answer(tight, "lp", objective)
            check_answer(tight, "milp", objective)
            assert objective <= tt.tail_excess_latency(tight.replay(tt.TLRU(tight.xi, 300)), tight.xi)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [10**6, 2**40])
def test_the_optimum_grows_with_the_unit(method, factor):
    def grown(values):
        return None if values is None else tuple(value * factor for value in values)

    for case in seeded(10, 21, turns=(5, 20), conversations=4):
        large = replace(
            case,
            prompt=grown(case.prompt),
            response=grown(case.response),
            history=grown(case.history),
            capacity=case.capacity * factor,
            xi=case.xi * factor,
            initial=tuple((c, past * factor, cached * factor) for c, past, cached in case.initial),
        )
        assert large.optimum(method).objective == case.optimum("greedy").objective * factor


def test_auto_is_greedy():
    for case in seeded(20, 4, **SMALL):
        auto, greedy = case.optimum("auto"), case.optimum("greedy")
        assert (auto.objective, auto.method, auto.outcome) == (greedy.objective, "greedy", greedy.outcome)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("forced", [False, True])
def test_no_turn_and_one_turn(method, forced):
    empty = Case((), (), (), None, capacity=3, xi=2, q_hat=0, forced=forced, initial=((4, 3, 2),))
    assert empty.optimum(method).objective == 0
    assert len(empty.optimum(method).outcome) == 0
    one = Case((4,), (5,), (9,), None, capacity=3, xi=2, q_hat=0, forced=forced, initial=((4, 3, 2),))
    assert one.optimum(method).objective == 5 + 3 - 2 - 2
    assert replace(one, xi=50).optimum(method).objective == 0


@pytest.mark.parametrize("method", ["simplex", "", None, 1])
def test_unknown_method(method):
    refused(tt.ArgumentError, "method: found", SOME.optimum, method)


@pytest.mark.parametrize("xi", [-1, 1.0, True, None])
def test_wrong_threshold(xi):
    refused(tt.ArgumentError, "xi: found", lambda: replace(SOME, xi=xi).optimum("auto"))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_names_a_wrong_time_limit(method):
    with pytest.raises(tt.ArgumentError, match="time_limit: found -1, expected seconds, 0 or more"):
        tt.hindsight_optimum(SOME.trace, SOME.capacity, SOME.xi, method=method, time_limit=-1)


def test_caching_is_optional_unless_it_is_asked_to_be_forced():
    """In a cache that no past fits into, all that a turn computes above xi counts."""
    everything = sum(max(total - SOME.xi, 0) for _, total, _ in lengths(SOME))
    assert tt.hindsight_optimum(SOME.trace, 0, SOME.xi).objective == everything
    assert tt.weighted_optimum(SOME.trace, 0, SOME.xi, [1, 1, 1]).objective == everything


def test_infeasible_forced_caching():
    with pytest.raises(tt.ForcedCachingError, match=r"turn 1: .* length 6, expected at most the capacity 5"):
        replace(SOME, forced=True).optimum("auto")


@pytest.mark.parametrize("method", METHODS)
def test_the_outcome_is_read_only_whole_numbers(method):
    outcome = SOME.optimum(method).outcome
    assert outcome.cached.dtype == outcome.uncached.dtype == np.int64
    with pytest.raises(ValueError, match="read-only"):
        outcome.cached[0] = 1
