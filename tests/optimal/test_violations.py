"""The fewest SLO violations: against brute force, and bounds and plans against each other."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from optimal.instances import FOUR_TURNS, MIDDLE, SMALL
from refusals import refusals, refused
from replay.instances import Case, examples, fewer, seeded

import teltheory as tt
from teltheory.optimal.chains.brute_force import all_reuses, smallest_total
from teltheory.optimal.slo import violations
from teltheory.optimal.slo.selection import Selection, selection
from teltheory.optimal.slo.solver import Milp, SharesProgram, choose

TINY = {"turns": (1, 4), "conversations": 2, "length": 2, "room": 4}
IN_A_ROW = Case((0, 0), (2, 0), (0, 0), None, capacity=5, xi=1, q_hat=0, forced=True)


def fewest(case: Case, method: str = "auto", **options: object) -> tt.Optimum:
    return tt.fewest_violations(case.trace, case.capacity, case.xi, case.forced, case.initial, method, **options)


def brute_force(case: Case) -> int:
    return smallest_total(case.instance, lambda uncached: uncached > case.xi)


def linear_prices(case: Case) -> tt.Prices:
    program = SharesProgram(selection(case.instance, case.xi))
    program.add_rows(np.inf)
    return program.relaxation().prices


def recheck(case: Case, prices: tt.Prices) -> int:
    return tt.violations_bound(case.trace, case.capacity, case.xi, prices, case.forced, case.initial)


def confirm(case: Case, best: tt.Optimum) -> None:
    tt.check_violations(
        case.trace, case.capacity, case.xi, best.certificate, best.proved, case.forced, case.initial
    )


def middle_cases() -> list[Case]:
    return [replace(case, xi=40) for case in seeded(12, 3, forced=False, **MIDDLE)]


@cache
def solved() -> list[tuple[Case, tt.Optimum]]:
    return [(case, fewest(case)) for case in middle_cases()]


@pytest.mark.parametrize("seed", range(2))
def test_the_search_finds_what_brute_force_finds_and_the_bounds_hold(seed):
    for case in seeded(fewer(500), seed, **SMALL):
        expected, best = brute_force(case), fewest(case)
        assert (best.upper, best.lower, best.proved, best.status) == (*[expected] * 3, "optimal"), case
        assert not best.by_solver
        confirm(case, best)
        assert recheck(case, best.certificate) <= expected, case
        assert case.fits(best.outcome.cached.tolist()), case
        assert tt.slo_violations(best.outcome, case.xi) == expected
        quick = fewest(case, "heuristic")
        assert quick.proved <= quick.lower <= expected <= quick.upper, case
        assert best.facts["unavoidable"] <= expected <= best.facts["unavoidable"] + best.facts["avoidable"]


def test_the_solver_alone_finds_what_brute_force_finds():
    """Without the heuristic, from an empty start, with and without a target."""
    for case in seeded(fewer(200), 11, **SMALL):
        problem, expected = selection(case.instance, case.xi), brute_force(case)
        most, nothing = problem.above - expected, np.zeros(len(problem), np.bool_)
        if not len(problem):
            continue
        answer = choose(problem, nothing)
        assert answer.most == most == answer.chosen.sum(), case
        assert problem.intervals.feasible(problem.amounts(answer.chosen))
        assert choose(problem, nothing, target=most + 1).most == most
        assert choose(problem, nothing, target=most).chosen.sum() == most


def test_every_plan_is_one_that_some_policy_reaches():
    for case in seeded(fewer(120), 9, **TINY):
        assert tuple(fewest(case).outcome.cached.tolist()) in all_reuses(case.instance), case


def test_a_plan_counts_the_reuse_that_no_policy_avoids():
    assert fewest(IN_A_ROW).outcome.cached.tolist() == [0, 2]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(1, 5))
@example([0, 1, 0, 1], 3)
@examples(100)
def test_where_each_history_fills_the_cache_those_that_end_first_are_kept(conversations, size):
    """Intervals of which no two may overlap: the most are found by taking them as they end."""
    last, free, kept, history = dict[int, int](), 0, 0, []
    for k, conversation in enumerate(conversations):
        history.append(size if conversation in last else 0)
        if conversation in last and last[conversation] >= free:
            free, kept = k, kept + 1
        last[conversation] = k
    turns = len(history)
    case = Case(tuple(conversations), (size,) * turns, (0,) * turns, tuple(history), size, size, 0)
    best = fewest(case)
    assert best.upper == best.lower == turns - history.count(0) - kept
    assert case.fits(best.outcome.cached.tolist())


def test_the_instances_are_worth_solving():
    """Some have room for some avoidable violations and not for all, and some a linear bound below the optimum."""
    between = 0
    for case in seeded(40, 2, **SMALL):
        best = fewest(case)
        between += best.facts["unavoidable"] < best.upper < best.facts["unavoidable"] + best.facts["avoidable"]
    assert between >= 3
    middle = [best for _, best in solved()]
    assert sum(recheck(case, linear_prices(case)) < best.upper for case, best in solved()) >= 2
    assert (
        sum(
            best.facts["unavoidable"] < best.upper < best.facts["unavoidable"] + best.facts["avoidable"]
            for best in middle
        )
        >= 5
    )


@pytest.mark.parametrize("forced", [False, True])
def test_larger_instances_have_true_bounds_and_plans_that_fit(forced):
    for case in seeded(2, 3, forced=forced, **MIDDLE):
        for xi in (10, 40, 120):
            larger = replace(case, xi=xi)
            best, quick = fewest(larger, time_limit=20), fewest(larger, "heuristic")
            assert (best.status, best.proved) == ("optimal", best.lower)
            assert recheck(larger, best.certificate) <= best.proved
            assert best.upper <= quick.upper
            assert quick.lower <= best.upper
            assert larger.fits(best.outcome.cached.tolist())


def test_four_turns_by_hand():
    best = fewest(FOUR_TURNS)
    assert (best.upper, best.facts["unavoidable"], best.facts["avoidable"]) == (1, 0, 2)
    assert fewest(replace(FOUR_TURNS, capacity=80)).upper == 0
    assert fewest(replace(FOUR_TURNS, capacity=39)).upper == 2
    # a price of 1/40 at the one step where both overlap: 50/40 avoided at most; of 1/80: 50/80 + 1/2 + 1/2
    assert recheck(FOUR_TURNS, tt.Prices((3,), (1,), 40)) == 1
    assert recheck(FOUR_TURNS, tt.Prices((3,), (1,), 80)) == 1
    assert recheck(FOUR_TURNS, tt.Prices((), (), 1)) == 0
    assert recheck(FOUR_TURNS, tt.Prices((3,), (1,), 20)) == 0


test_malformed_prices_are_refused = refusals(
    tt.CertificateError,
    ("numerators", lambda: recheck(FOUR_TURNS, tt.Prices((3,), (-1,), 80))),
    ("steps", lambda: recheck(FOUR_TURNS, tt.Prices((5,), (1,), 80))),
    ("steps", lambda: recheck(FOUR_TURNS, tt.Prices((0,), (1,), 80))),
    ("steps", lambda: recheck(FOUR_TURNS, tt.Prices((3, 3), (1, 1), 80))),
    ("prices", lambda: recheck(FOUR_TURNS, tt.Prices((3,), (), 80))),
    ("denominator", lambda: recheck(FOUR_TURNS, tt.Prices((3,), (1,), 0))),
)


def test_no_time_still_gives_true_bounds_and_no_false_optimum():
    case = replace(next(seeded(1, 3, forced=False, **MIDDLE)), xi=40)
    true, early = fewest(case), fewest(case, time_limit=0)
    assert early.lower <= true.upper <= early.upper
    assert (early.status == "optimal") == (early.lower == early.upper)


def test_an_interrupt_gives_the_best_so_far(monkeypatch):
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(violations, "packed", interrupted)
    best = fewest(FOUR_TURNS)
    assert (best.upper, best.status) == (2, "interrupted")
    assert best.lower == 1


@pytest.mark.parametrize("method", ["auto", "heuristic", "milp"])
def test_what_is_proved_the_check_confirms_and_what_only_the_solver_says_is_labelled(method):
    """Without cuts and good plans, so that something is left to the solver and to searches."""
    told = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(violations, "sharpened", lambda search, deadline: search)
        patch.setattr(violations, "packed", lambda search, *others: search)
        for case in [*middle_cases(), *seeded(fewer(60), 12, **SMALL)]:
            best = fewest(case, method, time_limit=20)
            assert best.proved <= best.lower <= best.upper
            confirm(case, best)
            assert best.by_solver <= (best.proved < best.lower)
            assert (best.status == "optimal") == (best.lower == best.upper and not best.by_solver)
            assert (best.status == "optimal by solver") == (best.lower == best.upper and best.by_solver)
            told.add(best.status)
    more = {"auto": set(), "heuristic": {"feasible"}, "milp": {"optimal by solver"}}
    assert told == {"optimal", *more[method]}


def off_by_one(problem: Selection, start: np.ndarray, *others: object) -> Milp:
    """Say that one less can be chosen than can be, or than was chosen already."""
    return Milp(None, max(choose(problem, start).most - 1, 0), "Optimal")


def test_a_solver_that_is_off_by_one_is_an_error_or_only_a_label(monkeypatch):
    """Whoever finds the better plan contradicts it; where none is looked for, the answer says who claims it."""
    monkeypatch.setattr(violations, "sharpened", lambda search, deadline: search)
    monkeypatch.setattr(violations, "packed", lambda search, *others: search)
    monkeypatch.setattr(violations, "choose", off_by_one)
    monkeypatch.setattr(violations, "FEW_STATES", 1)
    caught = 0
    for case in middle_cases():
        if not solver_is_asked(case):
            continue
        refused(tt.SolverError, "no optimum was proved", fewest, case, time_limit=20)
        alone = fewest(case, "milp")
        assert alone.by_solver
        assert alone.status != "optimal"
        confirm(case, alone)
        caught += 1
    assert caught > 5


def solver_is_asked(case: Case) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(violations, "choose", choose)
        return fewest(case, time_limit=20).method == "milp"


def test_a_choice_of_the_solver_that_does_not_fit_is_not_taken(monkeypatch):
    monkeypatch.setattr(violations, "choose", lambda *arguments: Milp(np.array([True, True]), 2, "Optimal"))
    monkeypatch.setattr(violations, "bound_of", lambda *arguments: 0)
    best = fewest(FOUR_TURNS, "milp")
    assert (best.upper, best.status) == (1, "time limit")


def test_a_bound_of_the_solver_below_a_plan_is_an_error(monkeypatch):
    monkeypatch.setattr(violations, "choose", lambda *arguments: Milp(np.array([True, False]), 0, "Optimal"))
    monkeypatch.setattr(violations, "bound_of", lambda *arguments: 0)
    refused(tt.SolverError, "no optimum was proved", fewest, FOUR_TURNS, "milp")


@pytest.mark.parametrize("wrong", [{"method": "lp"}, {"time_limit": -1}, {"time_limit": "1"}, {"seed": -1}])
def test_wrong_arguments_are_named(wrong):
    refused(tt.ArgumentError, next(iter(wrong)), fewest, FOUR_TURNS, **wrong)
