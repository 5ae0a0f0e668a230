from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy.special import stdtrit

from teltheory.cost import bootstrap
from teltheory.cost.bootstrap import Blocks, interval, student
from teltheory.errors import ArgumentError


@given(st.integers(1, 60), st.integers(1, 70))
def test_blocks_are_consecutive_and_of_nearly_one_length(turns, wanted):
    blocks = Blocks.of(turns, wanted)
    lengths = np.diff(blocks.bounds)
    assert len(blocks) == min(turns, wanted)
    assert blocks.bounds[0] == 0
    assert blocks.bounds[-1] == turns
    assert lengths.min() >= 1
    assert lengths.max() - lengths.min() <= 1


def put_together(values, blocks, weights):
    """The values of one draw, block by block, as a list."""
    parts = np.split(values, blocks.bounds[1:-1])
    return np.concatenate([np.tile(part, int(times)) for part, times in zip(parts, weights, strict=True)])


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=40),
    st.integers(1, 9),
    st.fractions(Fraction(1, 100), 1, max_denominator=100),
    st.integers(0, 2**32),
    st.integers(1, 40),
)
def test_a_draw_is_worth_what_its_turns_put_together_are(values, wanted, level, seed, coarse):
    values = np.array(values)
    blocks = Blocks.of(len(values), wanted)
    draws = blocks.draw(len(blocks), 5, np.random.default_rng(seed))
    drawn = [np.sort(put_together(values, blocks, weights)) for weights in draws]
    assert blocks.sums(values, draws).tolist() == [turns.sum() for turns in drawn]
    ranks = [-(-level.numerator * len(turns) // level.denominator) for turns in drawn]
    expected = [turns[rank - 1] for turns, rank in zip(drawn, ranks, strict=True)]
    with patch.object(bootstrap, "COARSE", coarse):
        assert blocks.percentiles(values, draws, level).tolist() == expected


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.integers(1, 7))
def test_with_every_block_once_the_numbers_are_the_plain_ones(values, wanted):
    values = np.array(values)
    blocks = Blocks.of(len(values), wanted)
    assert blocks.sums(values, blocks.all)[0] == pytest.approx(values.sum())
    plain = np.quantile(values, 0.5, method="inverted_cdf")
    assert blocks.percentiles(values, blocks.all, Fraction(1, 2))[0] == plain


def test_draws_have_as_many_blocks_as_asked_and_a_draw_from_a_draw_spreads_more():
    blocks, rng = Blocks.of(100, 10), np.random.default_rng(3)
    here, there = blocks.draw(10, 4000, rng), blocks.draw_elsewhere(20, 4000, rng)
    assert set(here.sum(axis=1)) == {10}
    assert set(there.sum(axis=1)) == {20}
    assert (here[:, 0] / 10).var() == pytest.approx(0.009, rel=0.1)
    assert (there[:, 0] / 20).var() == pytest.approx(0.009 * (1 + 10 / 20 * (1 - 1 / 10)), rel=0.1)


def test_the_interval_of_a_mean_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        values = rng.exponential(1.0, 60)
        blocks = Blocks.of(60, 12)
        means = blocks.sums(values, blocks.draw(12, 400, rng)) / 60
        covered += interval(values.mean(), means, 12).holds(1.0)
    assert 0.92 <= covered / 400 <= 0.98


@given(st.floats(0.01, 0.999), st.integers(1, 400))
def test_a_quantile_of_students_t_is_scipys(level, degrees):
    assert student(level, degrees) == pytest.approx(float(stdtrit(degrees, (1 + level) / 2)), rel=1e-9)


@pytest.mark.parametrize(("turns", "blocks"), [(0, 5), (5, 0)])
def test_no_turns_or_no_blocks_is_an_error(turns, blocks):
    refused(ArgumentError, "at least one block", Blocks.of, turns, blocks)


@pytest.mark.parametrize("level", [Fraction(0), Fraction(3, 2)])
def test_a_level_is_above_0_and_at_most_1(level):
    blocks = Blocks.of(4, 2)
    refused(ArgumentError, "level", lambda: blocks.percentiles(np.arange(4), blocks.all, level))
