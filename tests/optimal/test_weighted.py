"""Weights of turns: what brute force finds, proved in exact numbers, and no change of a proof passes unnoticed."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import Case, cases, examples, fewer, seeded

import teltheory as tt
from teltheory.optimal.brute_force import smallest_cost
from teltheory.optimal.solver import GrowingProgram, Vertex
from teltheory.workloads.conversations import ConversationModel, sample_conversations

SMALL = {"turns": (3, 8), "conversations": 4, "length": 3, "room": 6}
LARGEST = (1, 3, 1000, 10**12)


def best_of(case: Case, weights: object) -> tt.WeightedOptimum:
    return tt.weighted_optimum(case.trace, case.capacity, case.xi, weights, case.forced, case.initial)


def check(case: Case, weights: object, certificate: tt.WeightedCertificate) -> None:
    arguments = (case.trace, case.capacity, case.xi, weights, certificate, case.forced, case.initial)
    tt.check_weighted_certificate(*arguments)


def proves(case: Case, weights: object, certificate: tt.WeightedCertificate) -> bool:
    try:
        check(case, weights, certificate)
    except tt.CertificateError:
        return False
    return True


def proved(case: Case, weights: Sequence[int | Fraction]) -> int | Fraction:
    best = best_of(case, weights)
    check(case, weights, best.certificate)
    excess = np.maximum(best.outcome.uncached - case.xi, 0).tolist()
    assert best.objective == sum(w * e for w, e in zip(weights, excess, strict=True))
    return best.objective


def judged(case: Case, weights: Sequence[int]) -> int:
    total = case.instance.total.tolist()
    return smallest_cost(case.instance, lambda k, x: weights[k] * max(total[k] - x - case.xi, 0))


def sampled(turns: int, capacity: int) -> Case:
    trace = sample_conversations(ConversationModel(birth_rate=50 / 600), turns, np.random.default_rng(1))
    columns = (tuple(column.tolist()) for column in (trace.code, trace.prompt, trace.response))
    return Case(*columns, None, capacity=capacity, xi=1000, q_hat=0)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_what_brute_force_finds(seed, forced):
    rng = random.Random(seed)
    for case in seeded(fewer(300), 300 + seed, forced=forced, **SMALL):
        weights = [rng.randint(0, rng.choice(LARGEST)) for _ in case.prompt]
        assert proved(case, weights) == judged(case, weights), (case, weights)


@given(case=cases(turns=(1, 14), conversations=4, length=4, room=9))
@examples(150)
def test_weights_of_one_give_the_hindsight_optimum(case):
    ones = [1] * len(case.prompt)
    assert proved(case, ones) == case.optimum("greedy").objective
    assert best_of(case, {}).certificate == best_of(case, ones).certificate


@given(case=cases(turns=(1, 10), conversations=3, length=4, room=9), data=st.data())
@examples(150)
def test_weights_may_be_multiplied_and_fractions_are_exact(case, data):
    n = len(case.prompt)
    weights = data.draw(st.lists(st.fractions(0, 5, max_denominator=12), min_size=n, max_size=n))
    factor = data.draw(st.fractions(Fraction(1, 9), 9, max_denominator=9))
    multiplied = [factor * weight for weight in weights]
    assert proved(case, multiplied) == factor * proved(case, weights)


@given(case=cases(turns=(2, 12), conversations=4, length=4, room=9), data=st.data())
@examples(100)
def test_a_turn_that_weighs_more_computes_no_less_in_all(case, data):
    """The optimum is concave and never falls in the weights; a mapping is one weight a conversation."""
    labels = sorted(set(case.conversation))
    low, high = (
        {label: data.draw(st.integers(0, 4)) for label in labels},
        {label: data.draw(st.integers(0, 4)) for label in labels},
    )
    middle = {label: Fraction(low[label] + high[label], 2) for label in labels}
    values = [best_of(case, weights).objective for weights in (low, middle, high)]
    assert 2 * values[1] >= values[0] + values[2]
    listed = [middle[c] for c in case.conversation]
    assert best_of(case, listed).objective == values[1]
    more = {label: max(low[label], high[label]) for label in labels}
    assert best_of(case, more).objective >= max(values[0], values[2])


@pytest.mark.parametrize("capacity", [0, 10_000, 30_000, 150_000])
@pytest.mark.parametrize("largest", [3, 10**6])
def test_two_thousand_turns(capacity, largest):
    case, rng = sampled(2000, capacity), random.Random(2)
    kinds = [rng.randint(0, largest) for _ in range(5)]
    weights = [kinds[c % 5] for c in case.conversation]
    assert proved(case, [1] * 2000) == case.optimum("greedy").objective
    heavy = proved(case, weights)
    greedy = case.replay(tt.TailOptimizedBelady(case.xi), "kernel")
    excess = np.maximum(greedy.uncached - case.xi, 0).tolist()
    assert heavy <= sum(w * e for w, e in zip(weights, excess, strict=True))


def test_numbers_beyond_int64():
    for case in seeded(40, 11, **SMALL):
        huge = 2**40
        columns = [tuple(huge * v for v in column) for column in (case.prompt, case.response)]
        history = None if case.history is None else tuple(huge * h for h in case.history)
        starts = tuple((c, huge * past, huge * cached) for c, past, cached in case.initial)
        large = Case(case.conversation, *columns, history, huge * case.capacity, huge * case.xi, 0)
        large = replace(large, forced=case.forced, initial=starts)
        weights = [(3 + k % 4) * 2**58 + 1 for k in range(len(case.prompt))]
        plain = [(3 + k % 4) for k in range(len(case.prompt))]
        whole = [weight - 1 for weight in weights]
        assert proved(large, whole) == huge * 2**58 * judged(case, plain)
        assert not proves(large, weights, best_of(large, whole).certificate) or proved(large, whole) == 0


def small_worlds() -> Iterator[tuple[Case, tuple[int, ...]]]:
    """Traces of up to four turns of two conversations, shortest first, then fewest tokens; weights 1 and 2."""
    for n in range(1, 5):
        for lengths in sorted(product((0, 1), repeat=n), key=sum):
            for rest in product((0, 1), repeat=n - 1):
                case = Case((0, *rest), lengths, (0,) * n, None, capacity=1, xi=0, q_hat=0)
                yield from ((case, weights) for weights in product((1, 2), repeat=n))


def test_the_furthest_is_no_longer_what_goes():
    """A(1) B(1) A(0) B(0): the smallest trace where Tail-Optimized Belady, which drops B, is above the optimum."""
    for case, weights in small_worlds():
        greedy = case.replay(tt.TailOptimizedBelady(0)).uncached.tolist()
        tel = sum(w * u for w, u in zip(weights, greedy, strict=True))
        if judged(case, weights) < tel:
            break
    assert (case.conversation, case.prompt, weights) == ((0, 1, 0, 1), (1, 1, 0, 0), (1, 1, 1, 2))
    assert (proved(case, weights), tel) == (3, 4)


def altered(certificate: tt.WeightedCertificate, n: int) -> list[tt.WeightedCertificate]:
    """Every kind of change by one to the prices."""
    prices, changes = certificate.prices, []
    for i, by in product(range(len(prices.steps)), (-1, 1)):
        for name in ("steps", "numerators"):
            values = list(getattr(prices, name))
            values[i] += by
            changes.append(replace(prices, **{name: tuple(values)}))
        changes.append(replace(prices, steps=prices.steps[:i] + prices.steps[i + 1 :]))
    changes += [replace(prices, denominator=prices.denominator + by) for by in (-1, 1, n)]
    return [replace(certificate, prices=change) for change in changes]


def test_a_change_of_any_number_is_caught_or_still_a_proof():
    still = tried = 0
    rng = random.Random(5)
    for case in seeded(fewer(100, 3), 71, **SMALL):
        weights = [rng.randint(0, 5) for _ in case.prompt]
        certificate = best_of(case, weights).certificate
        for by in (-1, 1, Fraction(1, 3)):
            assert not proves(case, weights, replace(certificate, objective=certificate.objective + by))
            for turn in range(len(certificate.kept)):
                kept = certificate.kept.copy()
                kept[turn] += 1 if by == 1 else -1
                passes = proves(case, weights, replace(certificate, kept=kept))
                assert not passes or weights[turn] == 0
        for change in altered(certificate, len(weights)):
            tried += 1
            still += proves(case, weights, change)
        for turn in range(len(weights)):
            other = [*weights[:turn], weights[turn] + 1, *weights[turn + 1 :]]
            if proves(case, other, certificate):
                assert certificate.objective == judged(case, other)
    assert still < tried / 2


def test_no_certificate_proves_less_than_the_optimum():
    rng = random.Random(9)
    forged = 0
    for case in seeded(fewer(120, 3), 72, **SMALL):
        weights, n = [rng.randint(0, 3) for _ in case.prompt], len(case.prompt)
        optimum, total = judged(case, weights), case.instance.total.tolist()
        for _ in range(60):
            steps = sorted(rng.sample(range(1, n + 1), rng.randint(0, n)))
            prices = tt.Prices(tuple(steps), tuple(rng.randint(0, 3) for _ in steps), rng.choice((1, 1, 2)))
            kept = [rng.randint(0, 3) for _ in range(n)]
            tel = sum(w * (max(t - case.xi, 0) - x) for w, t, x in zip(weights, total, kept, strict=True))
            forgery = tt.WeightedCertificate(tel, np.array(kept, np.int64), prices)
            if proves(case, weights, forgery):
                forged += 1
                assert forgery.objective == optimum
    assert forged > 0


SOME = Case((0, 1, 0), (3, 4, 1), (1, 2, 0), None, capacity=1, xi=2, q_hat=0)
NO_PRICES = tt.Prices((), (), 1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: replace(c, objective=c.objective - 1), "objective: found"),
        (lambda c: replace(c, kept=c.kept[1:]), "kept: found 2 values, expected 3"),
        (lambda c: replace(c, kept=c.kept.tolist()), "kept: found list"),
        (lambda c: replace(c, kept=c.kept.astype(float)), "kept: found ndarray"),
        (lambda c: replace(c, kept=c.kept - 1), r"kept\[0\]: found -1"),
        (lambda c: replace(c, kept=c.kept + np.array([0, 0, 1])), "kept: more than the room of 1 at step"),
        (lambda c: replace(c, prices=NO_PRICES), "prices: they bound what is kept by"),
        (lambda c: replace(c, prices=replace(c.prices, denominator=0)), "denominator: found 0"),
        (lambda c: replace(c, prices=tt.Prices((4,), (1,), 1)), r"steps\[0\]: found 4"),
        (lambda c: replace(c, prices=tt.Prices((1,), (-1,), 1)), r"numerators\[0\]: found -1"),
    ],
)
def test_the_error_says_what_fails(change, told):
    certificate = best_of(SOME, [1, 2, 3]).certificate
    with pytest.raises(tt.CertificateError, match=told):
        check(SOME, [1, 2, 3], change(certificate))


def test_what_is_no_certificate_is_refused():
    with pytest.raises(tt.ArgumentError, match="certificate: found 'Certificate'"):
        check(SOME, [1, 1, 1], SOME.optimum("greedy").certificate)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([1, 0.5, 1], r"weights\[1\]: found 0.5, expected a whole number or a Fraction"),
        (np.ones(3), r"weights\[0\]: found 1.0"),
        ([1, True, 1], r"weights\[1\]: found True"),
        ([1, 1, -1], r"weights\[2\]: found -1"),
        ([1, "2", 1], r"weights\[1\]: found '2'"),
        ([1, 1], "weights: found '2 of them', expected 3, one a turn"),
        (7, "weights: found 7"),
        ("abc", "weights: found 'abc'"),
        ({5: 1}, "weights: found 5, expected a conversation of the trace"),
        ({0: -1}, r"weights\[0\]: found -1"),
        ({0: 0.5}, r"weights\[0\]: found 0.5"),
        ([2**63, 1, 1], "weights: found 9223372036854775808"),
    ],
)
def test_wrong_weights_are_refused(weights, told):
    with pytest.raises(tt.ArgumentError, match=told):
        best_of(SOME, weights)


def test_conversations_may_have_names():
    trace = tt.Trace.from_turns(["b", "a", "b", "a"], [2, 2, 1, 1], [0, 0, 0, 0])
    best = tt.weighted_optimum(trace, 2, 0, {"a": Fraction(1, 2), "b": 3})
    assert best.objective == 3 * 2 + 3 + Fraction(1, 2) * (2 + 3)
    assert tt.weighted_optimum(trace, 2, 0, {"a": 8, "b": 3}).objective == 3 * (2 + 3) + 8 * (2 + 1)


@pytest.mark.parametrize("factor", [1, Fraction(1, 3)])
def test_an_early_stop_gives_both_sides(monkeypatch, factor):
    case = sampled(2000, 20_000)
    weights = [factor * (1 + c % 3) for c in case.conversation]
    best = best_of(case, weights).objective
    run, calls = highspy.Highs.run, []

    def slow(self: highspy.Highs) -> object:
        calls.append(self)
        time.sleep(1.2 * (len(calls) == 2))
        return run(self)

    monkeypatch.setattr(highspy.Highs, "run", slow)
    with pytest.raises(tt.SolverError, match="Time limit reached") as error:
        tt.weighted_optimum(case.trace, case.capacity, case.xi, weights, time_limit=1.0)
    assert 0 < error.value.bound <= best < error.value.incumbent
    with pytest.raises(tt.ArgumentError, match="time_limit: found -1"):
        tt.weighted_optimum(case.trace, case.capacity, case.xi, weights, time_limit=-1)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda vertex: Vertex(vertex.values + 1, vertex.prices),
        lambda vertex: Vertex(vertex.values * 0, vertex.prices),
        lambda vertex: Vertex(vertex.values, vertex.prices * 0),
        lambda vertex: Vertex(vertex.values, vertex.prices + 1),
        lambda vertex: Vertex(vertex.values, vertex.prices[::-1]),
    ],
)
def test_a_wrong_answer_of_the_solver_is_caught(monkeypatch, wrong):
    case, weights = sampled(500, 10_000), {0: 5, 3: 2, 7: 0}
    best, solve = best_of(case, weights).objective, GrowingProgram.solve
    monkeypatch.setattr(GrowingProgram, "solve", lambda self, limit: wrong(solve(self, limit)))
    with pytest.raises(tt.SolverError, match="not in whole numbers") as error:
        best_of(case, weights)
    assert error.value.bound <= best <= error.value.incumbent
