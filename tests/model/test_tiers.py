"""Tiers and what a replay in them comes to."""

from fractions import Fraction

import numpy as np
import pytest

import teltheory as tt

TIERS = tt.Tiers((10, 20), (0, Fraction(3, 10)))


def outcome(cached, total, tiers=TIERS):
    moved = np.zeros(len(total), np.int64)
    return tt.TieredOutcome(np.array(cached), np.array(total), tiers, moved, moved, moved)


def test_what_is_loaded_counts_by_its_ratio():
    out = outcome([[4, 0], [3, 10]], [10, 10])
    assert out.denominator == 10
    assert out.uncached_units.tolist() == [39, 30]
    assert out.uncached == [Fraction(39, 10), 3]
    assert tt.tail_excess_latency(out, 3) == Fraction(9, 10)
    assert tt.tail_excess_latency(out, 2**62) == 0
    assert [tt.slo_violations(out, xi) for xi in (2, 3, 4)] == [2, 1, 0]
    assert (out.reused, out.prefilled, out.hit_rate) == (17, 3, Fraction(17, 20))


def test_ratios_are_rounded_up_to_thousandths():
    tiers = tt.Tiers((10, 20), (0, Fraction(1, 3)), "swap-out-once")
    assert tiers.loads == (0, Fraction(334, 1000))
    assert (tiers.denominator, len(tiers)) == (500, 2)
    assert tt.Tiers([5]).loads == (0,)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (((),), "capacities: found (), expected one tier or two"),
        (((1, 2, 3), (0, 0, 0)), "capacities: found (1, 2, 3), expected one tier or two"),
        ((5,), "capacities: found 5, expected a capacity for each tier"),
        (((1, -2), (0, 0)), "capacities: found -2, expected a whole number from 0 to 2**63 - 1"),
        (((1, 2),), "loads: found (0,), expected a ratio for each of the tiers, 2"),
        (((1, 2), (0, 0.3)), "loads: found 0.3, expected a whole number or a Fraction"),
        (((1, 2), (0, 1)), "loads: found '0, 1', expected 0 for the first tier, never less for the next, below 1"),
        (((1, 2), (0, Fraction(9995, 10000))), "below 1"),
        (((1,), (Fraction(1, 2),)), "loads: found '1/2', expected 0 for the first tier"),
        (((1, 2), (0, 0), "inclusive"), "mode: found 'inclusive', expected one of exclusive, swap-out-once"),
    ],
)
def test_wrong_tiers_are_named(arguments, said):
    with pytest.raises(tt.ArgumentError) as error:
        tt.Tiers(*arguments)
    assert said in str(error.value)


def test_totals_have_to_fit_with_their_denominator():
    with pytest.raises(tt.ArgumentError, match="units a turn, in parts of 10"):
        outcome([[0], [0]], [2**62])
