"""Piecewise-linear costs: evaluated exactly, bounded by prices, and optimal where brute force can tell."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.instances import sampled
from refusals import refusals, refused
from replay.instances import Case, cases, examples, fewer, seeded

import teltheory as tt
from teltheory.optimal.chains.brute_force import smallest_cost
from teltheory.optimal.costs import optimum as search
from teltheory.optimal.costs.pieces import Chosen, Pieces, pieces_of, pooled, turns_problem
from teltheory.optimal.slo.filling import Filling

SMALL = {"turns": (3, 8), "conversations": 4, "length": 3, "room": 6}
Points = list[list[tuple[int, int]]]


def random_points(case: Case, rng: random.Random, *, convex: bool) -> Points:
    """Up to three pieces a turn, also beyond its history; some gain nothing, and the end costs up to 2."""
    turns = []
    for history in case.instance.history.tolist():
        breaks = sorted(rng.sample(range(1, history + 3), rng.randint(0, min(3, history + 2))))
        gains = sorted((rng.randint(0, rng.choice((3, 50))) for _ in breaks), reverse=True)
        if not convex:
            rng.shuffle(gains)
        points = [
            (
                0,
                rng.randint(0, 2)
                + sum(g * (b - a) for g, (a, b) in zip(gains, pairwise([0, *breaks]), strict=True)),
            )
        ]
        for gain, end in zip(gains, breaks, strict=True):
            points.append((end, points[-1][1] - gain * (end - points[-1][0])))
        turns.append(points)
    return turns


def value(points: list[tuple[int, int]], reuse: int) -> int:
    for (low, dear), (high, cheap) in pairwise(points):
        if reuse <= high:
            return dear - (dear - cheap) // (high - low) * (reuse - low)
    return points[-1][1]


def best_of(case: Case, costs: tt.PiecewiseCosts, **options: object) -> tt.Optimum:
    return tt.cost_optimum(case.trace, case.capacity, costs, case.forced, case.initial, **options)


def bound_of(case: Case, costs: tt.PiecewiseCosts, prices: tt.Prices) -> int:
    return tt.cost_bound(case.trace, case.capacity, costs, prices, case.forced, case.initial)


def checked(case: Case, points: Points, **options: object) -> tt.Optimum:
    """The optimum, after its cost and what its prices prove were counted again."""
    costs = tt.PiecewiseCosts.from_points(points)
    best = best_of(case, costs, **options)
    assert best.upper == sum(map(value, points, best.outcome.cached.tolist()))
    assert best.proved == bound_of(case, costs, best.certificate) <= best.lower <= best.upper
    assert (best.status == "optimal") == (best.upper == best.proved)
    assert (best.status == "optimal by solver") == (best.by_solver and best.gap == 0)
    return best


def judged(case: Case, points: Points) -> int:
    return smallest_cost(case.instance, lambda k, x: value(points[k], x))


@pytest.mark.parametrize("forced", [False, True])
def test_convex_costs_are_proved_by_whole_prices_to_be_what_brute_force_finds(forced):
    rng = random.Random(1)
    for case in seeded(fewer(400), 21, forced=forced, **SMALL):
        points = random_points(case, rng, convex=True)
        best = checked(case, points)
        assert (best.method, best.status, best.certificate.denominator) == ("lp", "optimal", 1)
        assert best.upper == best.proved == judged(case, points), (case, points)


@pytest.mark.parametrize("forced", [False, True])
def test_other_costs_are_between_two_sides_that_meet_at_what_brute_force_finds(forced):
    rng, methods, gaps = random.Random(2), set(), 0
    for case in seeded(fewer(500, 4), 22, forced=forced, **SMALL):
        points = random_points(case, rng, convex=False)
        best = checked(case, points)
        assert best.upper == best.lower == judged(case, points), (case, points)
        methods.add(best.method)
        gaps += best.proved < best.lower
    assert methods == {"lp", "milp"}
    assert gaps > 2


@given(case=cases(turns=(0, 14), conversations=4, length=4, room=9))
@examples(150)
def test_linear_costs_give_the_hindsight_optimum(case):
    costs = tt.PiecewiseCosts.linear(case.trace, case.xi, case.initial)
    best = best_of(case, costs)
    assert (best.method, best.status) == ("lp", "optimal")
    assert best.upper == best.proved == case.optimum("greedy").objective
    assert best.upper == tt.tail_excess_latency(best.outcome, case.xi)


@given(case=cases(turns=(1, 9), conversations=3, length=4, room=9), data=st.data())
@examples(150)
def test_any_prices_bound_any_costs(case, data):
    points = random_points(case, random.Random(data.draw(st.integers(0, 999))), convex=data.draw(st.booleans()))
    steps = sorted(data.draw(st.sets(st.integers(1, len(points)))))
    numerators = tuple(data.draw(st.integers(0, 60)) for _ in steps)
    prices = tt.Prices(tuple(steps), numerators, data.draw(st.integers(1, 3)))
    outcome = case.replay(tt.LRU())
    costs = tt.PiecewiseCosts.from_points(points)
    assert bound_of(case, costs, prices) <= costs.total(outcome.cached)


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 9)), max_size=4), min_size=1, max_size=5),
    st.data(),
)
@examples(200)
def test_costs_between_points_and_up_to_a_limit(turns, data):
    points = []
    for pieces in turns:
        line = [(0, 3 + sum(length * gain for length, gain in pieces))]
        for length, gain in pieces:
            line.append((line[-1][0] + length, line[-1][1] - length * gain))
        points.append(line)
    costs = tt.PiecewiseCosts.from_points(points)
    reuse = [data.draw(st.integers(0, 26)) for _ in points]
    limit = [data.draw(st.integers(0, 26)) for _ in points]
    assert costs.of_turns(np.array(reuse)).tolist() == list(map(value, points, reuse))
    cut = costs.up_to(np.array(limit))
    within = list(map(min, reuse, limit))
    assert cut.of_turns(np.array(reuse)).tolist() == list(map(value, points, within))
    assert (cut.reuse <= np.array(limit)[cut.turn]).all()


def test_pooled_pieces_are_the_lower_convex_envelope():
    pieces = Pieces(*(np.array(c) for c in ([0, 0, 0, 1, 1, 2], [2, 1, 3, 2, 2, 5], [2, 4, 3, 8, 2, 5])))
    assert pieces.rising.tolist() == [1]
    found = pooled(pieces)
    assert list(zip(found.turn.tolist(), found.length.tolist(), found.gain.tolist(), strict=True)) == [
        (0, 3, 6),
        (0, 3, 3),
        (1, 2, 8),
        (1, 2, 2),
        (2, 5, 5),
    ]


@pytest.mark.parametrize("top", [1, 7, 8, 9, 2**19 - 1, 2**19])
def test_prices_are_as_fine_as_twenty_bits_of_the_largest_gain_allow(top):
    """Two units together gain twice as much, the first alone nothing."""
    case = Case((0, 0), (2, 0), (0, 0), None, 2, xi=0, q_hat=0)
    best = checked(case, [[(0, 0)], [(0, 2 * top), (1, 2 * top), (2, 0)]])
    assert best.upper == 0
    assert 2**18 <= top * best.certificate.denominator < 2**20


@pytest.mark.parametrize("slo", [0, 0.1, 0.3])
@pytest.mark.parametrize("segments", [1, 3, 20])
def test_latency_costs_are_never_above_the_curve_and_close_to_it(slo, segments):
    case, model = sampled(300, 10_000), tt.A100_LLAMA2_7B_ATTENTION
    costs = tt.PiecewiseCosts.of_latency(case.trace, model, slo, segments)
    history, total = case.instance.history, case.instance.total
    rng = np.random.default_rng(3)
    for share in (0, 0.5, 1, *rng.random(20)):
        cached = np.minimum((history * share).astype(np.int64), history)
        curve = np.maximum(model.ttft(total - cached, cached) - slo, 0)
        found = costs.of_turns(cached) / 1e9
        length = history / segments + 1
        allowed = float(model.per_pair) * (length / 2) ** 2 + (length + 2) * 1e-9
        assert (found <= curve).all()
        assert (found >= curve - allowed).all()
    assert len(pieces_of(case.instance, costs).rising) > 0 or segments == 1


@pytest.mark.long
def test_larger_instances_stay_between_two_sides():
    model, found = tt.A100_LLAMA2_7B_ATTENTION, []
    for capacity in (0, 10_000, 40_000):
        case = sampled(1000, capacity)
        costs = tt.PiecewiseCosts.of_latency(case.trace, model, Fraction(1, 5), 3)
        best = best_of(case, costs, time_limit=3)
        assert best.method == "milp"
        assert best.proved == bound_of(case, costs, best.certificate)
        assert 0 <= best.gap <= best.upper / 50
        for policy in (tt.LRU(), tt.TailOptimizedBelady(2000)):
            assert best.lower <= costs.total(case.replay(policy, "kernel").cached)
        found.append(best.upper)
    assert found == sorted(found, reverse=True)


def test_filling_keeps_plans_that_fit_and_cost_no_more():
    rng = random.Random(4)
    for case in seeded(60, 31, turns=(20, 40), conversations=4, length=9):
        points = random_points(case, rng, convex=False)
        costs = tt.PiecewiseCosts.from_points(points)
        problem = turns_problem(case.instance, pieces_of(case.instance, costs))
        filling, score = Filling(problem, parts=True), np.arange(len(problem.turn), dtype=float)

        def cost_of(kept: np.ndarray, costs: object = costs, problem: object = problem) -> int:
            return costs.total(problem.reused(kept, len(costs)))

        plan, last = np.zeros_like(problem.most), costs.total(np.zeros(len(points), np.int64))
        for seed in range(4):
            plan = filling.improve(plan, score, cost_of, 0, np.random.default_rng(seed), np.inf, 5)
            assert problem.feasible(plan)
            assert cost_of(plan) <= last
            last = cost_of(plan)


def test_a_time_limit_leaves_both_sides(monkeypatch):
    case = sampled(1000, 10_000)
    costs = tt.PiecewiseCosts.of_latency(case.trace, tt.A100_LLAMA2_7B_ATTENTION, 0.2, 3)
    for convex in (costs, tt.PiecewiseCosts.linear(case.trace, 1000)):
        best = best_of(case, convex, time_limit=0)
        assert best.status == "time limit"
        assert best.proved == bound_of(case, convex, best.certificate) < best.upper
    refused(tt.ArgumentError, "time_limit: found -1", best_of, case, costs, time_limit=-1)
    monkeypatch.setattr(Filling, "improve", interrupted)
    best = best_of(case, costs)
    assert best.status == "interrupted"
    assert best.lower < best.upper


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def hard_case() -> tuple[Case, tt.PiecewiseCosts, tt.Optimum]:
    """The first small instance where the prices alone do not prove the optimum."""
    rng = random.Random(2)
    for case in seeded(fewer(300), 22, forced=False, **SMALL):
        costs = tt.PiecewiseCosts.from_points(random_points(case, rng, convex=False))
        best = best_of(case, costs)
        if best.proved < best.lower:
            return case, costs, best
    raise AssertionError("there is one")


def test_a_solver_that_contradicts_a_plan_is_caught(monkeypatch):
    case, costs, _ = hard_case()
    monkeypatch.setattr(search, "choose_pieces", lambda *_: Chosen(None, 0.0, None))
    refused(tt.SolverError, "a bound above a plan", best_of, case, costs)


def test_without_an_answer_of_the_integer_program_the_proved_bound_stays(monkeypatch):
    case, costs, best = hard_case()
    monkeypatch.setattr(search, "choose_pieces", lambda *_: Chosen(None, float("inf"), None))
    found = best_of(case, costs)
    assert found.lower == found.proved == best.proved
    assert found.status == "feasible"


def test_a_worse_plan_of_the_integer_program_is_not_taken(monkeypatch):
    case, costs, best = hard_case()
    nothing = np.zeros(len(turns_problem(case.instance, pieces_of(case.instance, costs)).turn), np.int64)
    monkeypatch.setattr(search, "choose_pieces", lambda *_: Chosen(nothing, float("inf"), None))
    found = best_of(case, costs)
    assert found.upper < costs.total(np.zeros(len(costs), np.int64))
    assert found.lower == best.proved


def test_filling_stops_at_its_deadline_and_when_it_is_good_enough():
    case, costs, _ = hard_case()
    problem = turns_problem(case.instance, pieces_of(case.instance, costs))
    nothing, counted = np.zeros_like(problem.most), []
    filling, ones, rng = Filling(problem, parts=True), np.ones(len(nothing)), np.random.default_rng(1)
    for enough, deadline in ((0, 0.0), (7, np.inf)):
        found = filling.improve(nothing, ones, lambda kept: counted.append(kept) or 7, enough, rng, deadline)
        assert found is nothing
    assert len(counted) == 2


def test_the_integer_program_is_asked_only_where_plan_and_proof_do_not_meet(monkeypatch):
    """Items that are worth something whole alone, all as much a unit: most plans of the relaxation keep parts."""
    asked, met = [], 0
    monkeypatch.setattr(search, "choose_pieces", lambda *_: asked.append(1) or Chosen(None, float("inf"), None))
    for sizes in sorted(set(permutations((1, 2, 2, 2)))):
        points = [[(0, 0)]] * 4 + [[(0, 2), (1, 0)] if s == 1 else [(0, 4), (1, 4), (2, 0)] for s in sizes]
        for room in range(1, 7):
            asked.clear()
            best = checked(Case((0, 1, 2, 3) * 2, sizes + (0,) * 4, (0,) * 8, None, room, xi=0, q_hat=0), points)
            assert best.method == "milp"
            assert bool(asked) == (best.proved < best.upper), (sizes, room)
            met += not asked
    assert met > 2


def test_convex_costs_need_no_integer_program(monkeypatch):
    monkeypatch.setattr(highspy.Highs, "setSolution", None)
    case = sampled(1000, 10_000)
    assert best_of(case, tt.PiecewiseCosts.linear(case.trace, 1000)).status == "optimal"


test_wrong_points_are_refused = refusals(
    tt.ArgumentError,
    ("offsets[2]: found 1, expected at least one point", lambda: tt.PiecewiseCosts.from_points([[(0, 3)], []])),
    ("reuse[0], turn 0: found 1, expected 0", lambda: tt.PiecewiseCosts.from_points([[(1, 3)]])),
    ("reuse[2], turn 1: found 0", lambda: tt.PiecewiseCosts.from_points([[(0, 3)], [(0, 2), (0, 1)]])),
    ("cost[1], turn 0: found 4, expected no more", lambda: tt.PiecewiseCosts.from_points([[(0, 3), (2, 4)]])),
    ("cost[1], turn 0: found 2", lambda: tt.PiecewiseCosts.from_points([[(0, 3), (2, 2)]])),
    ("cost: found 0.5", lambda: tt.PiecewiseCosts.from_points([[(0, 0.5)]])),
    ("cost: found -1", lambda: tt.PiecewiseCosts.from_points([[(0, -1)]])),
    ("points[0]: found (0,)", lambda: tt.PiecewiseCosts.from_points([[(0,)]])),
)


def test_wrong_arguments_are_refused():
    case = sampled(20, 100)
    costs = tt.PiecewiseCosts.linear(case.trace, 10)
    model = tt.A100_LLAMA2_7B_ATTENTION
    table = tt.TableLatency((1,), (0,), ((1,),))
    other, free = replace(case, conversation=(1,), prompt=(1,), response=(1,)), tt.Prices((), (), 1)
    for call, told in (
        (lambda: best_of(other, costs), "20 turns"),
        (lambda: bound_of(other, costs, free), "20 turns"),
        (lambda: best_of(case, [[(0, 1)]]), "costs: found 'list'"),
        (lambda: bound_of(case, [[(0, 1)]], free), "costs: found 'list'"),
        (lambda: tt.PiecewiseCosts(costs.offsets, costs.reuse, costs.cost[1:]), "cost: found"),
        (lambda: tt.PiecewiseCosts(costs.offsets[1:], costs.reuse, costs.cost), "offsets: found"),
        (
            lambda: tt.PiecewiseCosts(costs.offsets, costs.reuse, costs.cost / 2),
            "cost: found '1 dimensions of float",
        ),
        (lambda: tt.PiecewiseCosts.of_latency(case.trace, model, -1), "slo: found -1"),
        (lambda: tt.PiecewiseCosts.of_latency(case.trace, model, 1, 0), "segments: found 0"),
        (lambda: tt.PiecewiseCosts.of_latency(case.trace, replace(model, floor=2), 1), "latency: found LatencyM"),
        (lambda: tt.PiecewiseCosts.of_latency(case.trace, table, 1), "latency: found TableLatency"),
        (lambda: tt.PiecewiseCosts.of_latency(case.trace.to_blocks(16), model, 1), "trace: found 'blocks of 16"),
    ):
        refused(tt.ArgumentError, told, call)


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        (tt.Prices((1, 2), (1,), 1), "prices: found 1, expected 2"),
        (tt.Prices((1,), (0.5,), 1), r"numerators\[0\]: found 0.5"),
        (tt.Prices((1.0,), (1,), 1), r"steps\[0\]: found 1.0"),
        (tt.Prices((1,), (1,), 1.5), "denominator: found 1.5"),
        (tt.Prices((2, 2), (1, 1), 1), r"steps\[1\]: found 2"),
        (tt.Prices((2, 1), (1, 1), 1), r"steps\[1\]: found 1"),
        (((1,), (1,), 1), "prices: found tuple"),
    ],
)
def test_wrong_prices_are_refused(prices, told):
    case = sampled(20, 100)
    refused(tt.CertificateError, told, lambda: bound_of(case, tt.PiecewiseCosts.linear(case.trace, 10), prices))
