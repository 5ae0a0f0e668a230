"""Hashes of prefixes over tokens, and measures of fairness."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from teltheory.errors import ArgumentError
from teltheory.systems.apps.fairness import jain, largest_slowdown, slowdowns
from teltheory.systems.apps.prefixes import prefix_hashes

Parts = list[tuple[int, ...]]
TOKENS = st.lists(st.integers(0, 3), max_size=6)
PARTS = st.lists(TOKENS.map(tuple), max_size=4)


def flat(parts: Parts) -> tuple[int, ...]:
    return sum(parts, ())


@given(PARTS, PARTS)
def test_hashes_are_equal_where_the_tokens_are(one: Parts, other: Parts) -> None:
    """Whatever the parts; and each is that of the prompt up to there."""
    hashes = prefix_hashes(one)
    assert [length for _, length in hashes] == [len(flat(one[: k + 1])) for k in range(len(one))]
    assert hashes == tuple(prefix_hashes([flat(one[: k + 1])])[0] for k in range(len(one)))
    same = prefix_hashes([flat(one)]) == prefix_hashes([flat(other)])
    assert same == (flat(one) == flat(other))


def test_hashes_are_of_tokens_not_of_characters() -> None:
    """Two ways to cut one text into tokens are two prefixes; large ids differ; 128 bits of BLAKE2b."""
    assert prefix_hashes([(1, 2)]) != prefix_hashes([(12,)])
    assert prefix_hashes([(1,)]) != prefix_hashes([(1 + 2**32,)]) != prefix_hashes([(1, 1)])
    ((value, length),) = prefix_hashes([(1, 2, 3)])
    assert (value, length) == (0xABCCAD42D03C940BC2B249BF5A4E1E3D, 3)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8), st.integers(1, 5))
def test_jains_index_is_between_1_over_n_and_1(values: list[int], factor: int) -> None:
    """1 exactly where all are equal; the unit does not matter; floats agree."""
    index = jain(values)
    assert Fraction(1, len(values)) <= index <= 1
    assert (index == 1) == (len(set(values)) == 1)
    assert jain([factor * value for value in values]) == index
    assert math.isclose(jain([float(value) for value in values]), index)


def test_slowdowns_and_the_largest() -> None:
    assert jain([1, 0, 0, 0]) == Fraction(1, 4)
    assert jain([3, 1]) == Fraction(4, 5)
    assert slowdowns([3, 4], [2, 4]) == [Fraction(3, 2), 1]
    assert largest_slowdown([3.0, 4.0], [2.0, 4.0]) == 1.5
    assert (largest_slowdown([], []), jain([])) == (1, 1)


@pytest.mark.parametrize(("times", "alone", "found"), [([1], [], "alone: found 0"), ([1], [0], "alone: found 0")])
def test_wrong_times_are_named(times: list[int], alone: list[int], found: str) -> None:
    refused(ArgumentError, found, slowdowns, times, alone)
    refused(ArgumentError, "values: found -1", jain, [-1])
