import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals
from scipy.stats import lognorm

from teltheory.errors import ArgumentError
from teltheory.workloads import Empirical, Finite, Law, LogNormal, fixed

DRAWS = 100_000
THIRDS = Finite((0, 3, 10), (Fraction(1, 6), Fraction(1, 2), Fraction(1, 3)))
SEEN = Empirical.of([7, 2, 2, 9])
LAWS = [THIRDS, fixed(5), SEEN, LogNormal(20.0, 0.7), LogNormal(0.3, 1.5), LogNormal(12.5, 0)]
WHOLE = st.integers(0, 12)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_draws_are_as_frequent_as_their_probability(law: Law) -> None:
    draws = law.sample(np.random.default_rng(11), DRAWS)
    assert draws.dtype == np.int64
    assert len(draws) == DRAWS
    for length in range(25):
        expected, found = float(law.at_least(np.array([length]))[0]), (draws >= length).mean()
        assert abs(found - expected) <= 4.5 * math.sqrt(expected * (1 - expected) / DRAWS) + 1e-12


@given(st.builds(LogNormal, st.floats(0.1, 8), st.sampled_from([0, 0.3, 1.0])))
def test_probabilities_are_the_steps_of_the_tails(law: LogNormal) -> None:
    lengths = np.arange(-1, 400)
    tails = law.at_least(lengths)
    assert tails[0] == tails[1] == 1
    assert np.exp(law.log_probability(lengths[:-1])) == pytest.approx(-np.diff(tails), abs=1e-12)


@given(st.lists(WHOLE, min_size=1, max_size=8))
def test_an_empirical_law_is_the_finite_law_of_the_shares(seen: list[int]) -> None:
    lengths = tuple(sorted(set(seen)))
    finite = Finite(lengths, tuple(Fraction(seen.count(length), len(seen)) for length in lengths))
    empirical, asked = Empirical.of(seen), np.arange(-1, 14)
    assert empirical.mean == pytest.approx(finite.mean)
    assert empirical.at_least(asked) == pytest.approx(finite.at_least(asked))


@given(st.floats(0.5, 1e5), st.floats(0.05, 3), st.integers(1, 10**6))
def test_a_lognormal_law_rounds_up(mean: float, spread: float, length: int) -> None:
    law, judge = LogNormal(mean, spread), lognorm(spread, scale=mean * math.exp(-(spread**2) / 2))
    assert law.at_least(np.array([length]))[0] == pytest.approx(judge.sf(length - 1), rel=1e-9, abs=1e-300)
    both_sides = (judge.cdf(length) - judge.cdf(length - 1), judge.sf(length - 1) - judge.sf(length))
    expected = both_sides[0] if judge.cdf(length) < 0.5 else both_sides[1]
    if expected > 1e-12:
        assert math.exp(law.log_probability(np.array([length]))[0]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("length", "mean", "spread"), [(10**6, 1.0, 0.1), (1, 1e6, 0.1), (3, 1e5, 0.2)])
def test_far_tails_keep_a_finite_logarithm(length: int, mean: float, spread: float) -> None:
    """The middle of a token's interval has about its density; here it is so small that the rate of fall counts."""
    law, judge = LogNormal(mean, spread), lognorm(spread, scale=mean * math.exp(-(spread**2) / 2))
    found = law.log_probability(np.array([length]))[0]
    densest = max(judge.logpdf(length), judge.logpdf(max(length - 1, 1e-9)))
    assert found < -50
    assert densest - 15 < found <= densest


def test_empirical_laws_compare_by_their_lengths() -> None:
    assert Empirical.of([1, 2, 2]) == Empirical.of([2, 1, 2])
    assert hash(Empirical.of([1, 2, 2])) == hash(Empirical.of([2, 1, 2]))
    assert Empirical.of([1, 2, 2]) != Empirical.of([1, 1, 2])
    assert Empirical.of([1]) != fixed(1)


def test_the_text_of_a_long_empirical_law_tells_it_from_others() -> None:
    seen = list(range(5000))
    changed = [*seen[:2500], 2499, *seen[2501:]]
    assert repr(Empirical.of(seen)) == repr(Empirical.of(seen[::-1]))
    assert repr(Empirical.of(seen)) != repr(Empirical.of(changed))


test_a_bad_argument_is_named = refusals(
    ArgumentError,
    ("lengths: found ", lambda: Finite((), ())),
    ("lengths: found ", lambda: Finite((-1,), (Fraction(1),))),
    ("probabilities: found ", lambda: Finite((1, 2), (Fraction(1),))),
    ("probabilities: found ", lambda: Finite((1, 2), (Fraction(1, 2), Fraction(1, 3)))),
    ("lengths: found ", lambda: fixed(True)),
    ("mean_length: found ", lambda: LogNormal(math.inf)),
    ("spread: found ", lambda: LogNormal(5.0, 3.1)),
    ("lengths: found ", lambda: Empirical.of([3, -1])),
)
