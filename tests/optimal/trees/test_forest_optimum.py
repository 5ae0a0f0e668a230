"""The hindsight optimum of a forest is what trying every content of the cache finds, and is proved."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.small_forests import small_cases
from refusals import refused
from replay.instances import examples, fewer
from strategies import forests

import teltheory as tt
from teltheory.errors import CertificateError
from teltheory.model.instance import ForestInstance
from teltheory.optimal.trees import strict_program
from teltheory.optimal.trees.states import hits_of, least_cost, least_tel

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


def test_conversations_have_one_optimum_as_chains_and_as_a_forest():
    rng = np.random.default_rng(3)
    for _ in range(fewer(60, 4)):
        n = int(rng.integers(1, 40))
        prompt, response = rng.integers(0, 9, n), rng.integers(0, 9, n)
        trace = tt.Trace.from_turns(rng.integers(0, 6, n).tolist(), prompt.tolist(), response.tolist())
        capacity, xi = int(rng.integers(0, 60)), int(rng.integers(0, 20))
        chains, forest = (
            tt.hindsight_optimum(kind, capacity, xi, **mode)
            for kind, mode in ((trace, {}), (trace.forest, {"cache": "holes"}))
        )
        assert chains.objective == forest.objective
        assert chains.certificate == forest.certificate


def weighted(case, weights):
    return tt.weighted_optimum(case.forest, case.capacity, case.xi, weights, case.forced, running=case.running)


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
        ({"initial": [(0, 1, 1)]}, "initial"),
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
