"""Exact shares: they are Fractions that a format such as ``.1%`` shows on every version of Python."""

import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.numbers import Ratio

CHATS = tt.Trace.from_turns([0, 1, 0, 1], [3, 4, 2, 5], [0, 0, 0, 0])
OUT = tt.replay(CHATS, tt.LRU(), 10)
TIERED = tt.replay(CHATS, tt.LRU(), tt.Tiers((4, 8), (0, Fraction(1, 3))))
SHARES = {
    "hit_rate": OUT.hit_rate,
    "a difference": OUT.hit_rate - TIERED.hit_rates[0],
    "hit_rates": TIERED.hit_rates[1],
    "uncached": TIERED.uncached[-1],
    "TEL": tt.tail_excess_latency(TIERED, 1),
    "share_closed": tt.share_closed(7, 5, 1),
    "ceiling": tt.describe(CHATS).ceiling,
}
NUMBERS = st.fractions(max_denominator=9) | st.integers(-9, 9)


@pytest.mark.parametrize("value", SHARES.values(), ids=SHARES)
def test_what_a_user_formats_is_formatted(value):
    assert value not in (0, 1)
    assert f"{value:.1%} {value:8.3f}" == f"{float(value):.1%} {float(value):8.3f}"
    assert f"{value} {value!r}" == f"{Fraction(value)} {Fraction(value)!r}"


@given(st.fractions(max_denominator=9), NUMBERS, st.sampled_from(["add", "sub", "mul", "truediv"]))
def test_a_ratio_stays_one(share, other, name):
    rule = getattr(operator, name)
    for left, right in ((share, other), (other, share)):
        if name == "truediv" and not right:
            continue
        found = [rule(Ratio(left), right), rule(left, Ratio(right)), abs(-rule(Ratio(left), right))]
        assert found == [rule(Fraction(left), right)] * 2 + [abs(rule(Fraction(left), right))]
        assert {type(value) for value in found} == {Ratio}
    assert type(Ratio(share) + 0.5) is float
