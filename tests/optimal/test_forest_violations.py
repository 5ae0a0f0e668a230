"""Violations and percentiles on forests: against every content of the cache, against chains, and plans by hand."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from optimal.small_forests import ForestCase, small_cases
from refusals import refused
from replay.instances import fewer, seeded

import teltheory as tt
from teltheory.optimal.slo import violations
from teltheory.optimal.slo.cuts import violated_cuts
from teltheory.optimal.slo.selection import selection
from teltheory.optimal.slo.solver import SharesProgram, choose
from teltheory.optimal.trees.closing import closed, keep
from teltheory.optimal.trees.intervals import rooms_beside, runs_of
from teltheory.optimal.trees.judge import begun_of, hits_of, least_cost, running_at

NO_PRICES = tt.Prices((), (), 1)
STAIRS = tt.Forest.from_paths([[1, 2], [1], [3], [1, 2], [3]])
"""Request 3 needs block 2 from request 0 on and block 1 from request 1 on; request 4 needs block 3."""
APART = tt.Forest.from_paths([[1, 2], [3], [3], [1], [1, 2]], total=[2, 1, 2, 1, 3])
"""At xi = 1 nobody needs block 1 before the last request, which needs block 2 too."""


def fewest(case: ForestCase, cache: str = "holes", **options: Any) -> tt.Optimum:
    return tt.fewest_violations(case.forest, case.capacity, case.xi, cache=cache, **case.mode, **options)


def least(case: ForestCase, xi: int, strict: bool) -> int:
    """Return the fewest violations at a threshold by trying every content of the cache."""
    total = case.forest.total.tolist()
    return least_cost(case.instance, lambda k, hits: int(total[k] - hits > xi), strict)


def confirm(case: ForestCase, prices: tt.Prices, violations: int) -> None:
    tt.check_violations(case.forest, case.capacity, case.xi, prices, violations, **case.mode)


def refute(case: ForestCase, prices: tt.Prices, violations: int) -> None:
    refused(tt.CertificateError, "fewer violations are possible", confirm, case, prices, violations)


def states_of(case: ForestCase, kept: np.ndarray) -> list[set[int]]:
    """Return what is cached before each request if the leading units are kept for each."""
    forest, last = case.forest, dict.fromkeys(begun_of(case.instance.by_units()), -1)
    states = [set(running_at(case.instance, k)) for k in range(len(forest))]
    for k in range(len(forest)):
        for depth, unit in enumerate(forest.path(k)):
            if depth < kept[k]:
                for step in range(last[unit] + 1, k + 1):
                    states[step].add(unit)
            last[unit] = k
    return states


def middle_cases(cases: int, seed: int) -> Iterator[ForestCase]:
    """Yield cases with a trunk, branches that are read in part, tails of many lengths, and too little room."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        paths = []
        for _ in range(60):
            branch, trunk = int(rng.integers(8)), int(rng.integers(1, 6))
            below = range(100 * branch + 10, 100 * branch + 10 + int(rng.integers(0, 25)))
            paths.append([*range(trunk), *([*range(trunk, 5), *below] if below else [])])
        total = [len(path) + int(rng.integers(0, 12)) for path in paths]
        yield ForestCase(tt.Forest.from_paths(paths, total=total), int(rng.integers(20, 40)), 12, False, 1)


def test_the_search_finds_what_trying_every_cache_finds():
    avoided = 0
    for case in small_cases(fewer(600, 10), 41):
        holes, strict = (least(case, case.xi, strict) for strict in (False, True))
        best, sides = fewest(case), fewest(case, "strict")
        assert (best.upper, best.lower, best.proved, best.status) == (*[holes] * 3, "optimal"), case
        assert (sides.lower, sides.proved) == (holes, holes)
        assert sides.lower <= strict <= sides.upper
        assert (sides.status == "optimal") == (sides.lower == sides.upper)
        for found in (best, sides):
            assert tt.slo_violations(found.outcome, case.xi) == found.upper
            confirm(case, found.certificate, holes)
        refute(case, best.certificate, holes + 1)
        states = states_of(case, best.outcome.cached)
        assert hits_of(case.instance, states, strict=False) == best.outcome.cached.tolist()
        assert best.facts["unavoidable"] <= holes <= best.facts["unavoidable"] + best.facts["avoidable"]
        avoided += holes < best.facts["unavoidable"] + best.facts["avoidable"]
    assert avoided > 10


@pytest.mark.parametrize("q", [0.3, 0.6, 0.9])
def test_the_percentile_is_what_trying_every_cache_finds(q):
    for case in small_cases(fewer(100, 10), int(10 * q)):
        arguments = (case.forest, case.capacity, q)
        best = tt.best_percentile(*arguments, cache="holes", **case.mode)
        sides = tt.best_percentile(*arguments, **case.mode)
        holes, strict = (
            next(xi for xi in range(99) if least(case, xi, strict) <= best.facts["allowed"])
            for strict in (False, True)
        )
        assert (best.upper, best.lower, best.proved, best.status) == (*[holes] * 3, "optimal"), case
        assert (sides.lower, sides.proved) == (holes, holes)
        assert sides.lower <= strict <= sides.upper
        assert (sides.status == "optimal") == (sides.lower == sides.upper)
        for found in (best, sides):
            assert found.upper == np.quantile(found.outcome.uncached, q, method="inverted_cdf")
            if found.proved:
                confirm(case._replace(xi=found.proved - 1), found.certificate, found.facts["allowed"] + 1)


def test_plans_of_caches_with_holes_fit_and_take_the_room_of_what_they_hold():
    rng = np.random.default_rng(6)
    for case in middle_cases(fewer(60, 3), 6):
        problem, (_, *runs) = selection(case.instance, case.xi), runs_of(case.instance)
        need = problem.reused(np.ones(len(problem), np.bool_), len(case.forest))
        free, kept = np.append(0, rooms_beside(case.instance)), np.zeros_like(need)
        keep(rng.permutation(problem.turn), need, *runs, case.instance.exempt, free, kept, False)
        states = states_of(case, kept)
        assert np.all(np.minimum(kept, case.forest.ask) <= hits_of(case.instance, states, strict=False))
        assert free[1:].tolist() == [case.capacity - len(held) for held in states]
        assert 0 < kept.sum() < need.sum()


@pytest.mark.parametrize("strict", [False, True])
def test_small_plans_take_the_room_of_what_they_hold_up_to_the_last_request(strict):
    rng, held_to_the_end, filled = np.random.default_rng(7), 0, 0
    for case in small_cases(fewer(600, 5), 43, requests=5):
        _, *runs = runs_of(case.instance)
        need = np.minimum(np.maximum(case.forest.known, case.instance.begun), case.forest.ask)
        room = np.append(0, rooms_beside(case.instance))
        free, kept = room.copy(), np.zeros_like(need)
        keep(rng.permutation(np.flatnonzero(need)), need, *runs, case.instance.exempt, free, kept, strict)
        assert free[1:].tolist() == [case.capacity - len(held) for held in states_of(case, kept)]
        held_to_the_end += bool(kept[-1])
        filled += bool(np.any((free == 0) & (room > 0)))
    assert min(held_to_the_end, filled) > 5


def test_plans_of_strict_caches_are_closed_and_fit():
    rng, between = np.random.default_rng(5), 0
    for case in small_cases(fewer(600, 10), 42, requests=12, blocks=9):
        problem, n = selection(case.instance, case.xi), len(case.forest)
        need = problem.reused(np.ones(len(problem), np.bool_), n)
        kept = closed(case.instance, need, rng.permutation(problem.turn))
        found = hits_of(case.instance, states_of(case, kept), strict=True)
        assert np.all(np.minimum(kept, case.forest.ask) <= found)
        between += bool(np.any((kept > 0) & (need == 0)))
    assert between > 0


def test_conversations_have_the_same_numbers_as_chains_and_as_a_forest():
    """Histories shorten, and some conversations are there before the first turn."""
    for case in seeded(fewer(40, 10), 3, turns=(1, 39), conversations=5, length=8):
        given = case.instance.as_forest()
        starts = [(start.code, start.leaf, start.cached) for start in given.initial]
        asked = (case.capacity, case.xi, case.forced)
        chains = tt.fewest_violations(case.trace, *asked, case.initial)
        p90 = tt.best_percentile(case.trace, case.capacity, 0.9, case.forced, case.initial)
        for cache in ("strict", "holes"):
            forest = tt.fewest_violations(given.requests, *asked, starts, cache=cache)
            assert (forest.lower, forest.certificate, forest.status) == (
                chains.lower,
                chains.certificate,
                chains.status,
            )
            assert (forest.upper, forest.facts["unavoidable"]) == (chains.upper, chains.facts["unavoidable"])
            best = tt.best_percentile(given.requests, case.capacity, 0.9, case.forced, starts, cache=cache)
            assert best.upper == p90.upper


def test_what_is_held_grows_towards_the_request():
    """At xi = 0 requests 3 and 4 do not fit a cache of 2: block 3 is held beside 1 and 2 at step 4 alone."""
    problem = selection(ForestCase(STAIRS, 3, 0, False, 1).instance, 0)
    treads = problem.intervals
    rows = [getattr(treads, name).tolist() for name in ("turn", "first", "last", "most")]
    assert list(zip(*rows, strict=True)) == [(1, 2, 2, 1), (3, 2, 2, 1), (3, 3, 4, 2), (4, 4, 5, 1)]
    assert problem.start.tolist() == [0, 1, 3, 4]
    for capacity, expected in ((3, 2), (2, 3), (1, 3), (0, 5)):
        assert tt.fewest_violations(STAIRS, capacity, 0, cache="holes").upper == expected
    # a price of 1 at step 4, where 2 are free and requests 3 and 4 hold 2 and 1: 2 + 1 + 0 + 0 avoided at most
    assert tt.violations_bound(STAIRS, 2, 0, tt.Prices((4,), (1,), 1)) == 2
    # of three weights there only the heavier fits: 3 + 0 + 1
    assert tt.violations_bound(STAIRS, 2, 0, tt.Prices((), (), 1, (tt.Cut(4, (3, 4), (1, 1), 1),))) == 3
    with pytest.raises(tt.CertificateError, match="found turn 4"):
        tt.violations_bound(STAIRS, 2, 0, tt.Prices((), (), 1, (tt.Cut(3, (3, 4), (1, 1), 1),)))


def test_the_two_sides_of_a_strict_cache_are_told_apart():
    holes = tt.fewest_violations(APART, 2, 1, cache="holes")
    sides = tt.fewest_violations(APART, 2, 1)
    assert (holes.upper, holes.status) == (1, "optimal")
    assert (sides.lower, sides.upper, sides.status) == (1, 2, "feasible")
    best = tt.best_percentile(APART, 2, 0.8)
    assert (best.lower, best.upper, best.status) == (1, 2, "feasible")


def test_a_search_that_is_interrupted_is_never_said_to_have_ended_by_itself(monkeypatch):
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(violations, "packed", interrupted)
    for case, cache in product(middle_cases(3, 1), ("holes", "strict")):
        best = fewest(case, cache)
        assert best.lower < best.upper
        assert best.status == "interrupted"


def test_cuts_and_exhaustion_hold_on_staircases():
    """Nothing that fits violates a cut, and the solver finds no more than the check leaves open."""
    seen = sharper = 0
    for case in middle_cases(fewer(20, 4), 1):
        problem = selection(case.instance, case.xi)
        program = SharesProgram(problem)
        program.add_rows(np.inf)
        linear = program.relaxation()
        for cut in violated_cuts(problem, linear.share)[:10]:
            treads = [i for i in problem.covering(cut.row) if problem.choice[i] in cut.choices][:14]
            held, weight = problem.need[treads], cut.weights[: len(treads)]
            subsets = np.array(list(product([0, 1], repeat=len(treads))))
            fit = subsets[subsets @ held <= problem.room[cut.row]]
            assert (fit @ weight).max() <= cut.most
            seen += 1
        best = fewest(case, time_limit=20)
        assert (best.status, best.proved) == ("optimal", best.upper)
        assert best.upper == problem.above - choose(problem, np.zeros(len(problem), np.bool_)).most
        confirm(case, best.certificate, best.proved)
        bound = tt.violations_bound(case.forest, case.capacity, case.xi, linear.prices)
        assert bound <= best.upper
        sharper += bound < best.upper
    assert seen > 5
    assert sharper > 0


@pytest.mark.parametrize("seed", range(2))
def test_bad_prices_prove_nothing_false(seed):
    rng = np.random.default_rng(seed)
    for case in small_cases(fewer(150, 10), 50 + seed):
        expected, good = least(case, case.xi, strict=False), fewest(case).certificate
        numerators = tuple(int(v * 3 * rng.random()) for v in good.numerators)
        weights = tuple(replace(cut, numerator=int(cut.numerator * 3 * rng.random())) for cut in good.cuts)
        for prices in (NO_PRICES, replace(good, numerators=numerators, cuts=weights)):
            bound = tt.violations_bound(case.forest, case.capacity, case.xi, prices, **case.mode)
            assert bound <= expected
            confirm(case, prices, expected)
            refute(case, prices, expected + 1)


def test_what_prices_leave_open_is_proved_by_exhaustion(monkeypatch):
    monkeypatch.setattr(violations, "sharpened", lambda search, deadline: search)
    closed_by_it = 0
    for case in middle_cases(fewer(10, 4), 2):
        best = fewest(case, "holes", method="heuristic", time_limit=20)
        bound = tt.violations_bound(case.forest, case.capacity, case.xi, best.certificate)
        assert bound <= best.proved <= best.upper
        closed_by_it += bound < best.proved
    assert closed_by_it > 0


@pytest.mark.parametrize("arguments", [{"initial": [(0, 1, 3)]}, {"cache": "radix"}, {"running": 2}])
def test_wrong_arguments_are_told(arguments):
    name = next(iter(arguments))
    for ask in (tt.fewest_violations, tt.best_percentile):
        refused(tt.ArgumentError, rf"{name}(\[0\])?: found", ask, APART, 2, 1, **arguments)
    with pytest.raises(tt.ArgumentError, match="cache: found 'holes'"):
        tt.fewest_violations(tt.Trace.from_turns([0], [1], [0]), 2, 1, cache="holes")


def test_the_mooncake_trace_has_known_violations(mooncake_blocks):
    sides = tt.fewest_violations(mooncake_blocks, 1_953, 54)
    assert (sides.upper, sides.lower, sides.facts["unavoidable"], sides.facts["avoidable"]) == (651, 651, 651, 476)
    assert tt.slo_violations(tt.replay(mooncake_blocks, tt.LRU(), 1_953), 54) == 1_070
