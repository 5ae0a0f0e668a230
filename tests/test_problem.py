"""A problem says once what functions take one by one: each verb equals its function."""

from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt

LATENCY, MODEL = tt.A100_LLAMA2_7B, "llama-2-7b"
TURNS = 80
rng = np.random.default_rng(0)
COLUMNS = rng.integers(0, 12, TURNS), rng.integers(1, 60, TURNS), rng.integers(1, 60, TURNS)
CHAINS = tt.Trace.from_turns(*COLUMNS, arrival=np.arange(TURNS))
FOREST = tt.Forest.from_paths([list(range(k % 4 * 10, k % 4 * 10 + 1 + k % 7)) for k in range(TURNS)])
SETS = tt.ModuleTrace.from_requests([[k % 3, 3 + k % 4] for k in range(60)], range(10, 17), [5] * 60)
TIERS = tt.Tiers((600, 900), (0, Fraction(1, 4)))

ASKED = {
    "chains": tt.Problem(CHAINS, 1500, 60),
    "forced": tt.Problem(CHAINS, 6000, 60, forced=True),
    "started": tt.Problem(CHAINS, 900, 60, initial=[(0, 50, 20), (1, 30, 30)]),
    "forest": tt.Problem(FOREST, 12, 1),
    "holes": tt.Problem(FOREST, 12, 1, cache="holes"),
    "several": tt.Problem(FOREST, 21, 5, forced=True, running=3),
    "sets": tt.Problem(SETS, 40, 8),
    "whole": tt.Problem(SETS, 40, 8, cache="whole"),
    "tiers": tt.Problem(CHAINS, TIERS, 60),
    "tiered forest": tt.Problem(FOREST, tt.Tiers((8, 6), (0, Fraction(1, 4))), 1),
}
SEARCHED = ("chains", "forced", "started", "forest", "holes", "several")
"""Those whose violations and percentiles are searched."""


def as_arguments(problem):
    """Return what functions take: requests and capacity, and the rest by name."""
    rest = {name: getattr(problem, name) for name in ("forced", "initial", "cache", "running")}
    return (problem.requests, problem.capacity), rest


@pytest.fixture(params=ASKED)
def problem(request):
    return ASKED[request.param]


def test_a_replay_and_its_counts_are_those_of_the_functions(problem):
    where, rest = as_arguments(problem)
    for policy in (tt.LRU(), tt.TLRU(problem.xi, 3)):
        outcome = problem.replay(policy)
        assert outcome == tt.replay(where[0], policy, where[1], **rest)
        assert problem.tel(outcome) == tt.tail_excess_latency(outcome, problem.xi)
        assert problem.violations(outcome) == tt.slo_violations(outcome, problem.xi)


def test_the_optimum_is_that_of_the_function_and_its_certificate_proves_it(problem):
    where, rest = as_arguments(problem)
    best, same = problem.optimum(), tt.hindsight_optimum(*where, problem.xi, **rest)
    assert (type(best), best.objective, best.outcome) == (type(same), same.objective, same.outcome)
    assert best.certificate == same.certificate
    problem.check_certificate(best.certificate)
    with pytest.raises(tt.CertificateError):
        problem.with_(xi=problem.xi + 1).check_certificate(best.certificate)


def test_regret_lies_between_the_distances_to_both_sides(problem):
    best, tel = problem.optimum(), problem.tel(problem.replay("lru"))
    low, high = problem.regret("lru")
    assert 0 <= low <= high
    assert (low == high) == (best.objective is not None)
    assert (tel - high, tel - low) == (
        getattr(best, "lower", best.objective),
        getattr(best, "upper", best.objective),
    )


@pytest.mark.parametrize("name", SEARCHED)
def test_violations_and_percentiles_are_those_of_the_functions(name):
    problem = ASKED[name]
    (requests, capacity), rest = as_arguments(problem)
    fewest = problem.fewest_violations(method="heuristic", seed=1)
    same = tt.fewest_violations(requests, capacity, problem.xi, method="heuristic", seed=1, **rest)
    assert (fewest.upper, fewest.lower) == (same.upper, same.lower)
    best = problem.best_percentile("p90", time_limit=0)
    same = tt.best_percentile(requests, capacity, 0.9, time_limit=0, **rest)
    assert (best.upper, best.lower) == (same.upper, same.lower)
    assert problem.best_percentile(0.9, time_limit=0).upper == same.upper


@pytest.mark.parametrize("name", ["chains", "forest", "holes"])
def test_a_curve_is_that_of_the_function(name):
    problem = ASKED[name]
    curve = problem.curve("tlru:q_hat=20,trim=least-recent")
    q_hat = 20 // problem.requests.block_size
    same = tt.capacity_curve(problem.requests, tt.TLRU(problem.xi, q_hat, "least-recent"), cache=problem.cache)
    assert curve.tail_excess_latency([5, 500], problem.xi).tolist() == [
        *same.tail_excess_latency([5, 500], problem.xi)
    ]
    assert (curve.policy, curve.cache) == (same.policy, same.cache)


def test_serving_is_that_of_the_function():
    problem = tt.Problem(CHAINS, 1500, 60, forced=False, latency=LATENCY)
    served = problem.serve("tlru:q_hat=20", replicas=2, router="hash")
    same = tt.serve(CHAINS, tt.TLRU(60, 20), 1500, replicas=2, router="hash", latency=LATENCY)
    assert served.ttft.tolist() == same.ttft.tolist()


def test_advice_is_that_of_the_function_for_a_threshold_that_is_a_time():
    problem = tt.Problem(CHAINS, "1.5k", "20ms", model=MODEL)
    assert problem.advise(seed=1) == tt.advise(CHAINS, 1500, "20ms", model=MODEL, seed=1)
    assert problem.with_(xi=None).advise("20ms", seed=1) == problem.advise(seed=1)


@pytest.mark.parametrize("forced", [False, True])
def test_an_adversary_plays_with_the_capacity(forced):
    problem = tt.Problem(CHAINS, 200, 3, forced=forced)
    attack = problem.adversary("lru", phases=2)
    assert attack.trace == tt.adversary(tt.LRU(), 200 // (1 + forced), xi=3, forced=forced, phases=2).trace
    assert attack.game.capacity == 200
    assert attack.expected > attack.optimum == 0


def test_a_curve_reads_text_as_its_problem_does():
    curve = tt.Problem(CHAINS, xi="200ms", model=MODEL).curve("lru")
    assert (
        curve.tail_excess_latency(["1GiB"], "20ms").tolist() == curve.tail_excess_latency([2048], "20ms").tolist()
    )


def test_text_counts_tokens_and_numbers_the_unit_of_the_requests():
    blocks = tt.Forest.from_paths([[0, 1], [0, 1, 2]], block_size=16)
    problem = tt.Problem(blocks, "40", "30")
    assert (problem.memory, problem.threshold) == (2, 1)
    assert (problem.with_(capacity=40).memory, problem.with_(xi=30).threshold) == (40, 30)
    assert problem.with_(capacity=tt.Tiers(("40", 7), (0, 0))).memory.capacities == (2, 7)
    assert problem.policy("tlru:q_hat=17") == tt.TLRU(1, 2)
    assert problem.policy("tlru:xi=64,q_hat=17") == tt.TLRU(4, 2)


def test_with_reads_text_anew():
    problem = tt.Problem(CHAINS, "1GiB", "200ms", model=MODEL)
    assert problem.memory == 2**30 // 524288
    assert problem.threshold == tt.A100_LLAMA2_7B.threshold(Fraction(1, 5))
    assert problem.with_(requests=CHAINS.to_blocks(16)).memory == 2**30 // 524288 // 16
    assert problem.with_(model="llama-3-8b", xi=5).memory == 2**30 // 131072
    assert problem.with_(capacity=7).capacity == 7
    assert (problem.capacity, problem.xi) == ("1GiB", "200ms")


def test_a_latency_stands_in_the_place_of_the_models_own():
    slow = tt.LatencyModel(Fraction(1, 100))
    assert tt.Problem(CHAINS, 5, "200ms", latency=slow).threshold == 20


OUTCOME = tt.replay(CHAINS, tt.LRU(), 100)
WRONG = {
    "capacity: found None, expected a size": lambda: tt.Problem(CHAINS, xi=1).replay("lru"),
    "capacity: found None, expected a size ": lambda: tt.Problem(CHAINS, xi=1).advise("20ms"),
    "xi: found None, expected a threshold": lambda: tt.Problem(CHAINS, 100).optimum(),
    "xi: found None, expected a threshold ": lambda: tt.Problem(CHAINS, 100).tel(OUTCOME),
    "policy: found 'tlru', expected its threshold": lambda: tt.Problem(CHAINS, 100).replay("tlru"),
    "slo: found None, expected a time such as '200ms'": lambda: tt.Problem(CHAINS, 100, 1).advise(),
    "rules: found 'sgl', expected strict, holes": lambda: tt.Problem(CHAINS, rules="sgl"),
    "capacity: found '1x', expected ": lambda: tt.Problem(CHAINS, "1x"),
    "xi: found '2s', expected tokens such as 2800, or the model": lambda: tt.Problem(CHAINS, 1, "2s"),
    "trace: found 'a.jsonl', expected a Trace": lambda: tt.Problem("a.jsonl"),
    "running: found 1.5, expected a whole number": lambda: tt.Problem(FOREST, 1, running=1.5),
    "forced: found True, expected False, as a curve": lambda: ASKED["forced"].curve("lru"),
    "initial: found ((0, 50, 20), (1, 30, 30)), expected ()": lambda: ASKED["started"].serve("lru"),
    "cache: found 'holes', expected 'strict', as advice": lambda: ASKED["holes"].advise("2s"),
    "q: found 'p0', expected a level": lambda: ASKED["chains"].best_percentile("p0"),
    "capacity: found Tiers(": lambda: ASKED["tiers"].adversary("lru"),
}


@pytest.mark.parametrize("begins", WRONG)
def test_a_wrong_question_is_an_error_in_one_line(begins):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is compared below
        WRONG[begins]()
    assert str(error.value).startswith(begins.rstrip())
    assert "\n" not in str(error.value)
