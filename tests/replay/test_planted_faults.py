"""Faults in what finds an optimum: brute force sees them, and no false optimum leaves the package."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from statistics import mean

import numpy as np
import pytest
from replay.instances import Case, fewer, seeded

import teltheory as tt
from teltheory.model.numbers import IntArray
from teltheory.optimal.chains import greedy
from teltheory.optimal.chains.brute_force import smallest_total
from teltheory.optimal.chains.formulation import hindsight_model
from teltheory.optimal.chains.intervals import IntervalProblem, interval_problem
from teltheory.optimal.solver import solve_intervals, solve_model
from teltheory.policies import NextTurn

pytestmark = pytest.mark.long

SMALL_CASES = tuple(seeded(fewer(250, 3), 2025, turns=(4, 8), conversations=3, length=5, room=8))

Plant = Callable[[pytest.MonkeyPatch], None]


@cache
def brute_force(case: Case) -> int:
    return smallest_total(case.instance, lambda uncached: max(uncached - case.xi, 0))


def misses_the_optimum(found: Callable[[Case], int]) -> bool:
    return any(found(case) != brute_force(case) for case in SMALL_CASES)


def by_greedy(case: Case) -> int:
    return tt.tail_excess_latency(greedy.certified_greedy(case.instance, case.xi)[0], case.xi)


def by_intervals(case: Case) -> int:
    problem = interval_problem(case.instance, case.xi)
    return problem.unavoidable - int(solve_intervals(problem)[0].sum())


def no_false_optimum(method: str) -> bool:
    """Whether what leaves the package is an optimum or a refusal, and at least one is refused."""
    refused = 0
    for case in SMALL_CASES:
        try:
            if case.optimum(method).objective != brute_force(case):
                return False
        except tt.SolverError:
            refused += 1
    return refused > 0


def caps_by_the_mean_prompt(patch: pytest.MonkeyPatch) -> None:
    def by_the_mean(turn: NextTurn, xi: int) -> IntArray:
        prompt = turn.prompt * 0 + round(mean(turn.prompt.tolist() or [0]))
        return np.minimum(turn.history, np.maximum(turn.history + prompt - xi, 0))

    patch.setattr(NextTurn, "need", by_the_mean)


def caps_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(NextTurn, "need", lambda turn, xi: turn.history)


def optimum_ignores_forced(patch: pytest.MonkeyPatch) -> None:
    right = greedy.replay_with_log
    patch.setattr(greedy, "replay_with_log", lambda instance, xi: right(replace(instance, forced=False), xi))


@pytest.mark.parametrize("plant", [caps_by_the_mean_prompt, caps_nothing, optimum_ignores_forced])
def test_brute_force_catches_in_greedy(monkeypatch, plant):
    assert not misses_the_optimum(by_greedy)
    plant(monkeypatch)
    assert misses_the_optimum(by_greedy)
    assert no_false_optimum("greedy")


def intervals_without_forced_room(patch: pytest.MonkeyPatch) -> None:
    right = IntervalProblem.matrix
    patch.setattr(IntervalProblem, "matrix", lambda self: (right(self)[0], right(self)[1] * 0 + self.room.max()))
    patch.setattr(IntervalProblem, "feasible", lambda self, kept: True)


def intervals_without_the_last_row(patch: pytest.MonkeyPatch) -> None:
    right = IntervalProblem.matrix
    patch.setattr(IntervalProblem, "matrix", lambda self: (right(self)[0][:-1], right(self)[1][:-1]))
    patch.setattr(IntervalProblem, "feasible", lambda self, kept: True)


def test_without_a_fault_the_interval_form_is_right():
    assert not misses_the_optimum(by_intervals)


@pytest.mark.parametrize("plant", [intervals_without_forced_room, intervals_without_the_last_row])
def test_brute_force_catches_in_the_interval_form(monkeypatch, plant):
    plant(monkeypatch)
    assert misses_the_optimum(by_intervals)
    assert no_false_optimum("milp")


@pytest.mark.parametrize("method", ["lp", "milp"])
def test_the_exact_check_catches_a_left_out_row(monkeypatch, method):
    right = IntervalProblem.needed_steps
    monkeypatch.setattr(IntervalProblem, "needed_steps", lambda self: right(self)[:-1])
    assert no_false_optimum(method)


def formulation_misses(**options: bool) -> int:
    values = [solve_model(hindsight_model(case.instance, case.xi, **options))[0] for case in SMALL_CASES[:50]]
    return sum(round(value) != brute_force(case) for value, case in zip(values, SMALL_CASES, strict=False))


def test_brute_force_catches_the_printed_formulation():
    assert formulation_misses() == 0
    assert formulation_misses(initial_state=False) > 0


def worse_than_lru(below: int) -> int:
    """On how many traces T-LRU has a larger TEL than LRU, its estimate being the largest prompt less `below`."""
    worse = 0
    for case in seeded(fewer(700, 3), 2026, turns=(5, 12), length=6, given=False):
        continuing = [q for q, again in zip(case.prompt, case.trace.continuing, strict=True) if again]
        arriving = {c for c, _, _ in case.initial}
        first = {c: q for c, q in zip(case.conversation[::-1], case.prompt[::-1], strict=True) if c in arriving}
        bound = max([*continuing, *first.values()], default=0)
        lru = tt.tail_excess_latency(case.replay(tt.LRU()), case.xi)
        for trim in ("round-robin", "least-recent", "eager"):
            policy = tt.TLRU(case.xi, max(0, bound - below), trim)
            worse += tt.tail_excess_latency(case.replay(policy), case.xi) > lru
    return worse


def test_an_estimate_below_a_prompt_breaks_the_dominance_over_lru():
    assert worse_than_lru(below=0) == 0
    assert worse_than_lru(below=2) > 0
