"""CVaR by its definition, and the examples of docs/limits.md where nothing is 0."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proofs_checks.tail_optimized.tail_measures import (
    all_uncached,
    every_threshold,
    least_tels,
    of_levels,
    tel_of,
    worst_share,
)
from teltheory.claims.case import Case, World

LENGTHS = st.lists(st.integers(0, 50), min_size=1, max_size=12)
NATURAL = Case(World(((0, 1, 5), (1, 1, 1), (1, 1, 1), (1, 1, 1), (0, 1, 1))), capacity=1)


@given(LENGTHS, st.fractions(0, 1, max_denominator=40).filter(lambda level: level < 1))
def test_the_worst_share_is_that_of_copies_of_all_turns(lengths, level):
    a, b = level.numerator, level.denominator
    copies = sorted((length for length in lengths for _ in range(b)), reverse=True)
    assert worst_share(lengths, level) == sum(copies[: (b - a) * len(lengths)])


@given(LENGTHS)
def test_cvar_is_the_least_over_thresholds(lengths):
    shares, by_tel = of_levels(lengths)
    assert shares == by_tel
    assert shares[0] == sum(lengths)


def test_no_policy_has_the_least_tel_at_0_and_at_5_where_nothing_is_0():
    least = least_tels(NATURAL)
    assert not any(all(tel_of(u, xi) == least[xi] for xi in (0, 5)) for u in all_uncached(NATURAL))
    assert not every_threshold.relation(every_threshold.values(NATURAL))


def test_the_mean_of_half_of_three_turns_takes_half_a_turn():
    assert Fraction(worst_share([1, 2, 4], Fraction(1, 2)), 3) == Fraction(4 + Fraction(2, 2)) / Fraction(3, 2)
