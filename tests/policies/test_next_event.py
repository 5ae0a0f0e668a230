"""The law of the next turn: closed forms, exact fractions, a chain that counts the living, and simulation."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teltheory.belief.exact_events import exact_next_event
from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray
from teltheory.policies.learned.next_event import next_event

RATES = st.floats(1e-6, 1e6)
CONVERSATIONS = st.lists(st.tuples(st.floats(0, 1), RATES), max_size=30)


@given(st.floats(0, 1), RATES, RATES, RATES)
def test_one_conversation_meets_one_birth(pi: float, rate: float, mu: float, births: float) -> None:
    """The conversation turns, dies or is forestalled by a birth, whichever comes first."""
    p, new = next_event(np.array([pi]), np.array([rate]), mu, births)
    assert p[0] == pytest.approx(pi * rate / (rate + mu + births), rel=1e-13, abs=0)
    assert new == pytest.approx(1 - pi + pi * (mu + births) / (rate + mu + births), rel=1e-13)


def test_nobody_is_there() -> None:
    p, new = next_event(np.array([]), np.array([]), 1.0, 2.0)
    assert p.shape == (0,)
    assert new == pytest.approx(1, rel=1e-14)


@given(CONVERSATIONS, RATES, RATES)
def test_someone_sends_the_next_turn(conversations: list[tuple[float, float]], mu: float, births: float) -> None:
    columns = np.array(conversations).reshape(-1, 2)
    p, new = next_event(columns[:, 0], columns[:, 1], mu, births)
    assert p.sum() + new == pytest.approx(1, rel=1e-13)


SMALL = st.fractions(Fraction(1, 8), 8, max_denominator=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.fractions(0, 1, max_denominator=50), SMALL), max_size=6), SMALL, SMALL)
def test_as_exact_integration_says(
    conversations: list[tuple[Fraction, Fraction]], mu: Fraction, births: Fraction
) -> None:
    pis, rates = [pi for pi, _ in conversations], [rate for _, rate in conversations]
    exact, exactly_new = exact_next_event(pis, rates, mu, births)
    p, new = next_event(np.array(pis, float), np.array(rates, float), float(mu), float(births))
    np.testing.assert_allclose(p, np.array(exact, float), rtol=1e-13, atol=0)
    assert new == pytest.approx(float(exactly_new), rel=1e-13)


def binomial(n: int, pi: float) -> FloatArray:
    """Return the probabilities of 0 ... n living, by adding one conversation after the other."""
    law = np.ones(1)
    for _ in range(n):
        law = np.append(law * (1 - pi), 0.0) + np.append(0.0, law * pi)
    return law


def by_counting(groups: tuple[tuple[int, float, float], ...], mu: float, births: float) -> FloatArray:
    """Return the probability that a given member of either group is next, from the jump chain of the counts."""
    (n, pi, fast), (m, chi, slow) = groups
    first, second = np.zeros((n + 1, m + 1)), np.zeros((n + 1, m + 1))
    members = np.arange(m + 1)
    for k in range(n + 1):
        total = births + k * (fast + mu) + members * (slow + mu)
        for found, turns in ((first, np.full(m + 1, k * fast)), (second, members * slow)):
            row = turns + (k * mu * found[k - 1] if k else 0.0)
            for j in range(m + 1):
                found[k, j] = (row[j] + (j * mu * found[k, j - 1] if j else 0.0)) / total[j]
    weights = np.outer(binomial(n, pi), binomial(m, chi))
    return np.array([(weights * first).sum() / n, (weights * second).sum() / m])


@pytest.mark.parametrize("births", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("mu", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("slow", [1e-4, 0.5])
def test_as_the_counting_chain_says_on_every_scale(slow: float, mu: float, births: float) -> None:
    groups = ((60, 0.9, 100.0), (120, 0.3, slow))
    pis, rates = (np.repeat([group[k] for group in groups], [60, 120]) for k in (1, 2))
    p, _ = next_event(pis, rates, mu, births)
    exact = by_counting(groups, mu, births)
    np.testing.assert_allclose(p, np.repeat(exact, [60, 120]), rtol=2e-13, atol=0)


@pytest.mark.parametrize("pi", [1.0, 0.999, 0.01])
def test_as_the_counting_chain_says_for_ten_thousand(pi: float) -> None:
    n, rate, mu, births = 10_000, 0.005, 1 / 600, 1 / 35.3
    share = np.zeros(n + 1)
    for k in range(1, n + 1):
        share[k] = (k * rate + k * mu * share[k - 1]) / (births + k * (rate + mu))
    k = np.arange(n + 1)
    spread = np.exp(-((k - n * pi) ** 2) / (2 * n * pi * (1 - pi))) if pi < 1 else np.where(k == n, 1.0, 0.0)
    near = k[spread > 1e-60]
    logs = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in near.tolist()]
    powers = near * math.log(pi) + (n - near) * (math.log1p(-pi) if pi < 1 else 0.0)
    weights = np.exp(np.array(logs) + powers)
    exact = float(weights @ share[near]) / float(weights.sum()) / n
    p, _ = next_event(np.full(n, pi), np.full(n, rate), mu, births)
    np.testing.assert_allclose(p, exact, rtol=1e-12, atol=0)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), RATES, RATES, RATES)
def test_with_equal_rates_the_likelier_living_are_the_likelier_next(
    pis: list[float], rate: float, mu: float, births: float
) -> None:
    p, _ = next_event(np.array(pis), np.full(len(pis), rate), mu, births)
    order = np.argsort(pis)
    assert (np.diff(p[order]) >= -1e-14 * p[order][1:]).all()


BAD: list[tuple[str, list[Any]]] = [
    ("alive", [[1.5], [1.0], 1.0, 1.0]),
    ("alive", [[-0.1], [1.0], 1.0, 1.0]),
    ("alive", [[math.nan], [1.0], 1.0, 1.0]),
    ("turn_rates", [[1.0], [-1.0], 1.0, 1.0]),
    ("turn_rates", [[1.0], [math.inf], 1.0, 1.0]),
    ("turn_rates", [[1.0], [1.0, 1.0], 1.0, 1.0]),
    ("death_rate", [[1.0], [1.0], 0.0, 1.0]),
    ("death_rate", [[1.0], [1.0], "1", 1.0]),
    ("birth_rate", [[1.0], [1.0], 1.0, math.inf]),
]


@pytest.mark.parametrize(("name", "arguments"), BAD)
def test_a_bad_argument_is_named(name: str, arguments: list[Any]) -> None:
    with pytest.raises(ArgumentError, match=rf"^{name}: found "):
        next_event(*arguments)
