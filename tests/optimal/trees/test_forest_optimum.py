"""The hindsight optimum of a forest is what trying every content of the cache finds, and is proved."""

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.small_forests import ForestCase, small_cases, small_start
from refusals import refused
from replay.instances import assume_feasible, cases, examples, fewer, seeded
from replay.trees.test_forest_recency import branches, in_long_units
from strategies import forests

import teltheory as tt
from teltheory.errors import CertificateError
from teltheory.model.instance import ForestInstance
from teltheory.optimal.trees import strict_program
from teltheory.optimal.trees.closing import closed
from teltheory.optimal.trees.judge import hits_of, least_cost, least_tel

APART = tt.Forest.from_paths([[1, 2], [3], [3], [1], [1, 2]], total=[2, 1, 2, 1, 3])
"""At xi = 1 nobody needs block 1 before the last request, which needs block 2 too."""


def test_the_greedy_finds_what_trying_every_cache_finds():
    for case in small_cases(fewer(20_000, 100), 31):
        holes, strict = (least_tel(case.instance, case.xi, closed) for closed in (False, True))
        best, sides = case.optimum(), case.optimum(cache="strict")
        assert best.objective == holes == tt.tail_excess_latency(best.outcome, case.xi)
        assert (sides.lower, sides.certificate.objective) == (holes, holes)
        assert sides.lower <= strict <= sides.upper == tt.tail_excess_latency(sides.outcome, case.xi)


def test_solvers_find_what_trying_every_cache_finds():
    for case in small_cases(fewer(200, 20), 32):
        holes, strict = (least_tel(case.instance, case.xi, closed) for closed in (False, True))
        for method in ("lp", "milp", "pyomo"):
            best = case.optimum(method)
            assert (best.objective, best.method) == (holes, method)
            case.check(best.certificate)
            sides = case.optimum(method, "strict")
            assert sides.lower <= strict <= sides.upper
            assert (sides.method, sides.by_solver) == (method, sides.lower > sides.certificate.objective)
            assert method == "lp" or sides.objective == strict


@given(forests() | branches(), st.integers(0, 12), st.integers(0, 6))
def test_lengths_near_2_62_have_the_optimum_of_short_ones(forest, capacity, xi):
    unit, long = in_long_units(forest, capacity, xi)
    for cache in ("holes", "strict"):
        short = tt.hindsight_optimum(forest, capacity, xi, cache=cache)
        best = tt.hindsight_optimum(long, capacity * unit, xi * unit, cache=cache)
        assert (best.lower, best.upper) == (short.lower * unit, short.upper * unit)
    instance, same = ForestInstance.of(forest, capacity), ForestInstance.of(long, capacity * unit)
    order = np.flatnonzero(forest.known)
    assert closed(same, long.known, order).tolist() == (unit * closed(instance, forest.known, order)).tolist()


@pytest.mark.parametrize("total", [[2**62 - 1, 2**62, 1], [2**62] * 2, [2**62] * 3])
@pytest.mark.parametrize("capacity", [0, 1])
def test_a_strict_programs_bound_on_inputs_beyond_64_bits_together_is_no_wrapped_one(total, capacity):
    forest = tt.Forest.from_paths([[1]] * len(total), total=total)
    _, bound = strict_program.strict_states(ForestInstance.of(forest, capacity), 0)
    assert bound == float(sum(total))
    best = tt.hindsight_optimum(forest, capacity, 0, cache="strict")
    assert best.lower == best.upper == sum(total) - capacity * (len(total) - 1)


def test_a_strict_cache_may_need_what_nobody_asks_for():
    holes = tt.hindsight_optimum(APART, 2, 1, cache="holes")
    sides = tt.hindsight_optimum(APART, 2, 1, cache="strict")
    assert (holes.objective, sides.objective, sides.gap) == (1, None, 1)
    for method in ("milp", "pyomo"):
        solved = tt.hindsight_optimum(APART, 2, 1, cache="strict", method=method)
        assert (solved.objective, solved.by_solver, solved.certificate.objective) == (2, True, 1)


def test_states_of_a_solver_that_no_strict_cache_has_are_refused(monkeypatch):
    apart = [set(), {0, 1}, {1, 2}, {1, 2}, {0, 1}]
    monkeypatch.setattr(strict_program, "strict_states", lambda *given: (apart, 1.0))
    refused(tt.SolverError, "without its parent", tt.hindsight_optimum, APART, 2, 1, cache="strict", method="milp")


@given(forests(), st.integers(0, 12), st.integers(0, 6), st.booleans())
@examples(60)
def test_no_policy_beats_the_optimum_in_any_cache(forest, capacity, xi, forced):
    if forced:
        capacity = max(capacity, int(forest.past.max(initial=0)))
    best = tt.hindsight_optimum(forest, capacity, xi, forced, cache="holes")
    tt.check_certificate(forest, capacity, xi, best.certificate, forced)
    assert (
        tt.hindsight_optimum(forest, capacity, xi, forced, method="lp", cache="holes").objective == best.objective
    )
    for policy, cache in product((tt.LRU(), tt.TLRU(xi, 1), tt.TailOptimizedBelady(xi)), ("strict", "holes")):
        outcome = tt.replay(forest, policy, capacity, forced, cache=cache)
        assert tt.tail_excess_latency(outcome, xi) >= best.lower


@given(forests(), st.integers(0, 5))
@examples(20)
def test_the_curve_is_the_optimum_of_every_capacity(forest, xi):
    most = forest.peak
    curve = tt.hindsight_curve(forest, xi, 0, most, tolerance=0)
    for capacity in range(most + 1):
        best = tt.hindsight_optimum(forest, capacity, xi, cache="holes").objective
        assert curve.bounds(capacity) == (best, best)


def agree(case):
    """Histories shorten and branch, some conversations are there before the first turn, some never arrive."""
    forest = case.instance.as_forest()
    mode = {"forced": case.forced, "initial": [(start.code, start.leaf, start.cached) for start in forest.initial]}
    for method, cache in product(("greedy", "lp", "milp"), ("holes", "strict")):
        chains = case.optimum(method)
        best = tt.hindsight_optimum(forest.requests, case.capacity, case.xi, method=method, cache=cache, **mode)
        assert best.objective == chains.objective
        assert method == "milp" or best.certificate == chains.certificate
        assert (method, cache) != ("lp", "holes") or best.outcome.cached.tolist() == chains.outcome.cached.tolist()
        case.check(best.certificate)
        tt.check_certificate(forest.requests, case.capacity, case.xi, chains.certificate, **mode)


@given(cases())
@examples(60)
def test_conversations_have_one_optimum_as_chains_and_as_a_forest(case):
    assume_feasible(case)
    agree(case)


def test_so_they_have_on_many_worlds():
    for case in [*seeded(fewer(200), 51), *seeded(fewer(40), 52, turns=(20, 40), conversations=5, length=9)]:
        agree(case)


def test_an_initial_cache_ends_inside_nodes():
    """Histories branch and stay; what is held and what two paths share ends anywhere in a node of many units."""
    rng, inside = np.random.default_rng(6), 0
    limits = {"turns": (3, 6), "conversations": 2, "length": 2, "room": 5, "given": True, "start": False}
    for case in seeded(fewer(300, 5), 53, **limits):
        forest = case.trace.forest
        one = ForestCase(forest, case.capacity, case.xi, case.forced, 1)
        one = small_start(rng, one) if forest.nodes else one
        units, ends = one.instance.by_units(), [*forest.depth, 0]
        holes, strict = (least_tel(units, case.xi, closed) for closed in (False, True))
        for method in ("greedy", "lp", "milp"):
            assert one.optimum(method).objective == holes
        assert one.optimum("milp", "strict").objective == strict
        inside += any(cached not in ends for _, _, cached in one.initial)
    assert inside > 1


def test_what_is_there_at_first_takes_room_while_the_first_requests_run():
    """Request 0 leaves room for one unit of what is held for request 1; what is there for itself stays."""
    forest, mode = tt.Forest.from_paths([[1, 2], [3, 4]]), {"forced": True, "running": 2}
    starts = {0: [(7, 1, 2)], 1: [(7, 3, 2)]}
    for method in ("greedy", "lp", "milp"):
        best = tt.hindsight_optimum(forest, 3, 0, method=method, cache="holes", initial=starts[1], **mode)
        assert (best.objective, best.outcome.cached.tolist()) == (3, [0, 1])
        for place, reused in ((0, [2, 0]), (1, [0, 0])):
            idle = tt.hindsight_optimum(forest, 3, 2, method=method, cache="holes", initial=starts[place], **mode)
            assert (idle.objective, idle.outcome.cached.tolist()) == (0, reused)
    forged = tt.Certificate(2, np.array([0, 2]), np.array([], np.int64))
    refused(
        tt.CertificateError, "at step 2", tt.check_certificate, forest, 3, 0, forged, initial=starts[1], **mode
    )


BACK = tt.Forest.from_paths([[1, 2], [1], [1, 2]])


@pytest.mark.parametrize(
    ("forest", "mode", "told"),
    [
        (BACK, {}, "trace: found 'a Forest that reads again what it cut'"),
        (BACK[1:], {"initial": [(0, 1, 2)]}, "trace: found 'a Forest that reads again what it cut'"),
        (BACK[:2], {"running": 2, "forced": True}, "running: found 2"),
    ],
)
def test_cuts_that_no_optimum_knows_are_refused(forest, mode, told):
    """The reference replay follows them: two requests that run leave more room than their paths say."""
    cut = replace(forest, conversation=np.zeros(len(forest), np.int64), cut=True)
    for method in ("greedy", "lp", "milp"):
        refused(tt.ArgumentError, told, tt.hindsight_optimum, cut, 3, 0, method=method, cache="holes", **mode)
    nothing = tt.hindsight_optimum(forest, 3, 0, cache="holes").certificate
    refused(tt.ArgumentError, told, tt.check_certificate, cut, 3, 0, nothing, **mode)
    assert len(tt.replay(cut, tt.LRU(), 3, **mode)) == len(cut)


def weighted(case, weights):
    return tt.weighted_optimum(case.forest, case.capacity, case.xi, weights, **case.mode)


def test_weights_of_requests_are_what_trying_every_cache_finds():
    rng = random.Random(8)
    for case in small_cases(fewer(200, 10), 33):
        weights, total = [rng.randint(0, 4) for _ in range(len(case.forest))], case.forest.total.tolist()
        best = weighted(case, weights)
        case.check(best.certificate, weights)
        cost = least_cost(case.instance, lambda k, x: weights[k] * max(total[k] - x - case.xi, 0), False)  # noqa: B023
        assert best.objective == cost


def test_states_that_cannot_follow_each_other_are_told():
    instance = ForestInstance.of(APART, 2)
    assert hits_of(instance, [[], [0, 1], [1, 2], [1, 2], [0, 1]], strict=False) == [0, 0, 1, 0, 2]
    for states, told in (
        ([[], [0, 1], [1, 2], [1, 2], [0, 1]], "without its parent"),
        ([[], [0, 2], [], [], []], "not at hand"),
        ([[], [0, 1], [0, 1, 2], [], []], "expected 2 at most"),
    ):
        refused(CertificateError, told, hits_of, instance, states, strict=True)
    with pytest.raises(CertificateError, match="running request"):
        hits_of(ForestInstance.of(APART, 2, forced=True), [[], [0], [], [], []], strict=True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"initial": [(0, 1, 3)]}, "initial"),
        ({"cache": "radix"}, "cache"),
        ({"method": "best"}, "method"),
        ({"running": 2}, "running"),
    ],
)
def test_wrong_arguments_are_told(arguments, told):
    refused(tt.ArgumentError, told, tt.hindsight_optimum, APART, 2, 1, **arguments)
    with pytest.raises(tt.ArgumentError):
        tt.hindsight_optimum(tt.Trace.from_turns([0], [1], [0]), 2, 1, cache="holes")


def test_the_mooncake_trace_has_its_known_optima(mooncake_blocks):
    for capacity, best in ((586, 36_692), (1_953, 30_610), (5_859, 30_568)):
        sides = tt.hindsight_optimum(mooncake_blocks, capacity, 54)
        assert (sides.objective, sides.gap) == (best, 0)
        tt.check_certificate(mooncake_blocks, capacity, 54, sides.certificate)
