"""Beliefs about one silent conversation: laws, exact against float, and simulation of the hidden process."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from teltheory.errors import ArgumentError
from teltheory.policies.learned.posterior import (
    bayes_posterior,
    exact_after_silence,
    exact_decay,
    exact_posterior,
    paper_belief,
)

SHARES = st.fractions(0, 1, max_denominator=1000)
RATES = st.fractions(Fraction(1, 100), 100, max_denominator=100)
SECONDS = st.floats(0, 20)


@given(SHARES, SHARES, SHARES, RATES, st.one_of(st.just(Fraction(0)), RATES))
def test_two_silences_are_one_long_one_exactly(
    pi: Fraction, first: Fraction, second: Fraction, mu: Fraction, rate: Fraction
) -> None:
    later = exact_after_silence(exact_after_silence(pi, first, mu, rate), second, mu, rate)
    assert later == exact_after_silence(pi, first * second, mu, rate)


@given(SHARES, SHARES, RATES, st.one_of(st.just(Fraction(0)), RATES))
def test_the_posterior_is_bayes_rule_and_its_decay_is_found_again(
    prior: Fraction, decay: Fraction, mu: Fraction, rate: Fraction
) -> None:
    """Alive and silent has the chance x; dead and silent the integral of mu exp(-(mu + lambda) s)."""
    alive, dead = decay, mu * (1 - decay) / (mu + rate)
    certain = exact_posterior(decay, mu, rate)
    assert certain == alive / (alive + dead)
    assert exact_decay(certain, mu, rate) == decay
    silent = prior * (alive + dead) + (1 - prior)
    assert exact_after_silence(prior, decay, mu, rate) == prior * alive / silent


@given(SECONDS, st.integers(1, 5), st.integers(0, 5))
def test_float_is_exact_rounded(silence: float, mu: int, rate: int) -> None:
    decay = Fraction(math.exp(-(mu + rate) * silence))
    from_certainty = bayes_posterior(np.array([silence]), mu, np.array([rate]))
    assert from_certainty[0] == pytest.approx(float(exact_posterior(decay, mu, rate)), rel=1e-12)


@given(SECONDS, st.floats(0.01, 3), st.floats(0.01, 3))
def test_the_paper_believes_more(silence: float, mu: float, rate: float) -> None:
    tau, rates = np.array([silence]), np.array([rate])
    assert paper_belief(tau, mu)[0] >= bayes_posterior(tau, mu, rates)[0] * (1 - 1e-12)
    np.testing.assert_allclose(bayes_posterior(tau, mu, np.zeros(1)), paper_belief(tau, mu), rtol=1e-12)


def test_the_first_and_the_last_moment() -> None:
    assert exact_posterior(Fraction(1), 3, 5) == 1
    assert exact_posterior(Fraction(0), 3, 5) == 0
    assert exact_posterior(Fraction(1, 4), 1, 1) == Fraction(2, 5)


def test_simulated_silent_conversations_are_alive_as_often_as_it_says() -> None:
    """Lives and turns are drawn as clocks; silent so far are those whose next turn, if they lived, is later."""
    rng, n, mu, rate = np.random.default_rng(20250714), 400_000, 0.7, 1.1
    death, turn = rng.exponential(1 / mu, n), rng.exponential(1 / rate, n)
    turn[turn > death] = np.inf
    for tau in (0.3, 1.0, 2.0):
        silent = turn > tau
        m = int(silent.sum())
        pi = float(bayes_posterior(np.array(tau), mu, np.array(rate)))
        alive = float((death[silent] > tau).mean())
        assert abs(alive - pi) < 4 * math.sqrt(pi * (1 - pi) / m)
        assert abs(alive - math.exp(-mu * tau)) > 20 * math.sqrt(pi * (1 - pi) / m)
        again = pi * rate / (rate + mu)
        assert abs(float(np.isfinite(turn[silent]).mean()) - again) < 4 * math.sqrt(again * (1 - again) / m)


BAD: list[tuple[str, list[Any]]] = [
    ("alive", [1.0, Fraction(1), 1, 1]),
    ("alive", [Fraction(5, 4), Fraction(1), 1, 1]),
    ("decay", [Fraction(1), 0.5, 1, 1]),
    ("decay", [Fraction(1), -1, 1, 1]),
    ("death_rate", [Fraction(1), Fraction(1), 0, 1]),
    ("turn_rate", [Fraction(1), Fraction(1), 1, -1]),
    ("turn_rate", [Fraction(1), Fraction(1), 1, 1.5]),
]


@pytest.mark.parametrize(("name", "arguments"), BAD)
def test_a_bad_argument_is_named(name: str, arguments: list[Any]) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: found "):
        exact_after_silence(*arguments)
