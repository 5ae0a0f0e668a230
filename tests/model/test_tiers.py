"""Tiers and what a replay in them comes to."""

from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals

import teltheory as tt
from teltheory.model.tiers import LOADINGS

TIERS = tt.Tiers((10, 20), (0, Fraction(3, 10)))


def outcome(cached, total, tiers=TIERS):
    moved = np.zeros((len(tiers) - 1, len(total)), np.int64)
    return tt.TieredOutcome(np.array(cached), np.array(total), tiers, np.zeros(len(total), np.int64), moved, moved)


def test_what_is_loaded_counts_by_its_ratio():
    out = outcome([[4, 0], [3, 10]], [10, 10])
    assert out.denominator == 10
    assert out.uncached_units.tolist() == [39, 30]
    assert out.uncached == [Fraction(39, 10), 3]
    assert tt.tail_excess_latency(out, 3) == Fraction(9, 10)
    assert tt.tail_excess_latency(out, 2**62) == 0
    assert [tt.slo_violations(out, xi) for xi in (2, 3, 4)] == [2, 1, 0]
    assert (out.reused, out.prefilled, out.hit_rate) == (17, 3, Fraction(17, 20))
    assert out.hit_rates == (Fraction(4, 20), Fraction(13, 20))


SEVERAL = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), max_size=5
)


@given(SEVERAL, st.lists(st.integers(0, 999), min_size=2, max_size=2).map(sorted), st.sampled_from(LOADINGS))
def test_uncached_lengths_are_their_definition(turns, thousandths, loading):
    """Computed and loaded; in sums of tiers, as certificates take it; or the longer of both."""
    loads = [Fraction(0), *(Fraction(part, 1000) for part in thousandths)]
    cached = [list(row) for row in zip(*(turn[:3] for turn in turns), strict=True)] or [[], [], []]
    out = outcome(cached, [sum(turn) for turn in turns], tt.Tiers((9, 9, 9), loads, loading=loading))
    for u, (*x, computed) in zip(out.uncached, turns, strict=True):
        loaded = sum(rho * one for rho, one in zip(loads, x, strict=True))
        assert u == (computed + loaded if loading == "additive" else max(computed, loaded))
        steps = zip([*loads[1:], 1], loads, accumulate(x), strict=True)
        worth = sum((slower - faster) * reach for slower, faster, reach in steps)
        assert loading == "overlapped" or u == computed + sum(x) - worth


def test_columns_of_what_moved_have_a_row_for_each_slower_tier():
    one, two = np.zeros((1, 2), np.int64), np.zeros((2, 2), np.int64)
    with pytest.raises(
        tt.ArgumentError, match=r"loaded: found \(2, 2\), expected a row for each slower tier, \(1, 2\)"
    ):
        tt.TieredOutcome(two, one[0], TIERS, one[0], one, two)


def test_ratios_are_rounded_up_to_thousandths():
    tiers = tt.Tiers((10, 20), (0, Fraction(1, 3)), "swap-out-once")
    assert tiers.loads == (0, Fraction(334, 1000))
    assert (tiers.denominator, len(tiers)) == (500, 2)
    assert tt.Tiers([5]).loads == (0,)


test_wrong_tiers_are_named = refusals(
    tt.ArgumentError,
    ("capacities: found (), expected one tier or more", lambda: tt.Tiers(())),
    ("mode: found 'swap-out-once'", lambda: tt.Tiers((1, 2, 3), (0, 0, 0), "swap-out-once")),
    ("capacities: found (1, 3, 2)", lambda: tt.Tiers((1, 3, 2), (0, 0, 0), "inclusive")),
    ("loading: found 'both'", lambda: tt.Tiers((1, 2), (0, 0), "exclusive", "both")),
    ("capacities: found 5, expected a capacity for each tier", lambda: tt.Tiers(5)),
    ("capacities: found -2, expected a whole number from 0 to 2**63 - 1", lambda: tt.Tiers((1, -2), (0, 0))),
    ("loads: found (0,), expected a ratio for each of the tiers, 2", lambda: tt.Tiers((1, 2))),
    ("loads: found '0.3', expected a whole number or a Fraction", lambda: tt.Tiers((1, 2), (0, "0.3"))),
    ("loads: found '0, 1'", lambda: tt.Tiers((1, 2), (0, 1))),
    ("below 1", lambda: tt.Tiers((1, 2), (0, Fraction(9995, 10000)))),
    ("loads: found '1/2', expected 0 for the first tier", lambda: tt.Tiers((1,), (Fraction(1, 2),))),
    ("mode: found 'both'", lambda: tt.Tiers((1, 2), (0, 0), "both")),
    ("units a turn, in parts of 10", lambda: outcome([[0], [0]], [2**62])),
)
