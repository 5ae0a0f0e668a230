"""Weights of turns: what brute force finds, in exact numbers, and what leads away from a plain optimum."""

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optimal.instances import SMALL, sampled
from optimal.test_certificate import judged
from optimal.test_lazy import before_run, seconds_go_by
from refusals import refusals
from replay.instances import Case, cases, examples, fewer, seeded

import teltheory as tt

LARGEST = (1, 3, 1000, 10**12)
SOME = Case((0, 1, 0), (3, 4, 1), (1, 2, 0), None, capacity=1, xi=2, q_hat=0)


def best_of(case: Case, weights: object) -> tt.Optimum:
    return tt.weighted_optimum(case.trace, case.capacity, case.xi, weights, case.forced, case.initial)


def proved(case: Case, weights: Sequence[int | Fraction]) -> int | Fraction:
    best = best_of(case, weights)
    case.check(best.certificate, weights)
    excess = np.maximum(best.outcome.uncached - case.xi, 0).tolist()
    assert best.objective == sum(w * e for w, e in zip(weights, excess, strict=True))
    return best.objective


@pytest.mark.parametrize("forced", [False, True])
def test_the_optimum_is_what_brute_force_finds(forced):
    rng = random.Random(1)
    for case in seeded(fewer(400), 300, forced=forced, **SMALL):
        weights = [rng.randint(0, rng.choice(LARGEST)) for _ in case.prompt]
        assert proved(case, weights) == judged(case, weights), (case, weights)


@given(case=cases(turns=(1, 12), conversations=4, length=4, room=9), data=st.data())
@examples(100)
def test_weights_of_one_are_none_and_any_may_be_multiplied(case, data):
    n = len(case.prompt)
    assert proved(case, [1] * n) == case.optimum("greedy").objective
    assert best_of(case, {}).certificate == best_of(case, [1] * n).certificate
    weights = data.draw(st.lists(st.fractions(0, 5, max_denominator=12), min_size=n, max_size=n))
    factor = data.draw(st.fractions(Fraction(1, 9), 9, max_denominator=9))
    assert proved(case, [factor * weight for weight in weights]) == factor * proved(case, weights)


@given(case=cases(turns=(2, 12), conversations=4, length=4, room=9), data=st.data())
@examples(60)
def test_the_optimum_is_concave_and_never_falls_in_the_weights(case, data):
    """A mapping is one weight per conversation."""
    labels = sorted(set(case.conversation))
    low, high = ({label: data.draw(st.integers(0, 4)) for label in labels} for _ in range(2))
    middle = {label: Fraction(low[label] + high[label], 2) for label in labels}
    values = [best_of(case, weights).objective for weights in (low, middle, high)]
    assert 2 * values[1] >= values[0] + values[2]
    assert best_of(case, [middle[c] for c in case.conversation]).objective == values[1]
    more = {label: max(low[label], high[label]) for label in labels}
    assert best_of(case, more).objective >= max(values[0], values[2])


@pytest.mark.parametrize("capacity", [0, 10_000, 30_000, 150_000])
@pytest.mark.parametrize("largest", [3, 10**6])
@pytest.mark.long
def test_two_thousand_turns(capacity, largest):
    case, rng = sampled(2000, capacity), random.Random(2)
    kinds = [rng.randint(0, largest) for _ in range(5)]
    weights = [kinds[c % 5] for c in case.conversation]
    assert proved(case, [1] * 2000) == case.optimum("greedy").objective
    excess = np.maximum(case.replay(tt.TailOptimizedBelady(case.xi), "kernel").uncached - case.xi, 0).tolist()
    assert proved(case, weights) <= sum(w * e for w, e in zip(weights, excess, strict=True))


def test_the_furthest_is_no_longer_what_goes():
    """A(1) B(1) A(0) B(0): Tail-Optimized Belady drops B, whose last turn weighs most."""
    case, weights = Case((0, 1, 0, 1), (1, 1, 0, 0), (0,) * 4, None, capacity=1, xi=0, q_hat=0), (1, 1, 1, 2)
    greedy = case.replay(tt.TailOptimizedBelady(0)).uncached.tolist()
    assert (proved(case, weights), sum(w * u for w, u in zip(weights, greedy, strict=True))) == (3, 4)


test_wrong_weights_are_refused = refusals(
    tt.ArgumentError,
    ("weights[1]: found 0.5, expected a whole number or a Fraction", lambda: best_of(SOME, [1, 0.5, 1])),
    ("weights[0]: found 1.0", lambda: best_of(SOME, np.ones(3))),
    ("weights[1]: found True", lambda: best_of(SOME, [1, True, 1])),
    ("weights[2]: found -1", lambda: best_of(SOME, [1, 1, -1])),
    ("weights[1]: found '2'", lambda: best_of(SOME, [1, "2", 1])),
    (r"weights: found '2 of them', expected '?3, one per turn", lambda: best_of(SOME, [1, 1])),
    ("weights: found 7", lambda: best_of(SOME, 7)),
    ("weights: found 'abc'", lambda: best_of(SOME, "abc")),
    ("weights: found 5, expected a conversation of the trace", lambda: best_of(SOME, {5: 1})),
    ("weights[0]: found -1", lambda: best_of(SOME, {0: -1})),
    ("weights[0]: found 0.5", lambda: best_of(SOME, {0: 0.5})),
    ("weights: found 9223372036854775808", lambda: best_of(SOME, [2**63, 1, 1])),
)


def test_conversations_may_have_names():
    trace = tt.Trace.from_turns(["b", "a", "b", "a"], [2, 2, 1, 1], [0, 0, 0, 0])
    best = tt.weighted_optimum(trace, 2, 0, {"a": Fraction(1, 2), "b": 3})
    assert best.objective == 3 * 2 + 3 + Fraction(1, 2) * (2 + 3)
    assert tt.weighted_optimum(trace, 2, 0, {"a": 8, "b": 3}).objective == 3 * (2 + 3) + 8 * (2 + 1)


def test_an_early_stop_gives_both_sides_in_weights(monkeypatch):
    case = sampled(500, 10_000)
    weights = [Fraction(1 + c % 3, 3) for c in case.conversation]
    best = best_of(case, weights).objective
    before_run(monkeypatch, 2, lambda: seconds_go_by(monkeypatch))
    with pytest.raises(tt.SolverError, match="Time limit reached") as error:
        tt.weighted_optimum(case.trace, case.capacity, case.xi, weights, time_limit=100)
    assert 0 < error.value.bound <= best < error.value.incumbent
    with pytest.raises(tt.ArgumentError, match="time_limit: found -1"):
        tt.weighted_optimum(case.trace, case.capacity, case.xi, weights, time_limit=-1)
