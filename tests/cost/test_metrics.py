import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import turn_columns

import teltheory as tt
from teltheory.cost.metrics import ttft_seconds
from teltheory.errors import ArgumentError
from teltheory.model.numbers import exact_sum

MOST = 2**63 - 1
SLOPE = Fraction(717, 10_000_000)
MILLISECOND = tt.LatencyModel(Fraction(1, 1000), name="1 ms per token")

TOKENS = st.integers(0, 20) | st.integers(0, MOST)
SLOPES = st.sampled_from([SLOPE, Fraction(1, 1000), Fraction(1, 3), Fraction(7, 2)])
TIMES = st.fractions(0, 2, max_denominator=10**7) | st.fractions(0, 100)


def outcome(*uncached: int) -> tt.Outcome:
    computed = np.array(uncached, np.int64)
    return tt.Outcome(np.zeros_like(computed), computed)


def test_outcomes_are_equal_when_both_columns_are() -> None:
    one, zero = np.array([1]), np.array([0])
    assert tt.Outcome(one, zero) == tt.Outcome(one.copy(), zero.copy())
    assert tt.Outcome(one, zero) != tt.Outcome(one, one)
    assert tt.Outcome(one, zero) != tt.Outcome(zero, zero)
    assert tt.Outcome(one, zero) != "an outcome"


@given(st.lists(st.tuples(TOKENS, TOKENS)))
def test_what_was_prefilled_and_the_hit_rate_are_exact(turns: list[tuple[int, int]]) -> None:
    made = tt.Outcome(*np.array(turns, np.int64).reshape(-1, 2).T)
    prefilled, reused = sum(uncached for _, uncached in turns), sum(cached for cached, _ in turns)
    assert (made.prefilled, type(made.prefilled), isinstance(made.hit_rate, Fraction)) == (prefilled, int, True)
    assert made.hit_rate == (Fraction(reused, reused + prefilled) if reused + prefilled else 0)


@given(st.lists(st.integers(-(2**63), MOST), max_size=50))
def test_exact_sum_never_overflows(values: list[int]) -> None:
    assert exact_sum(np.array(values, np.int64)) == sum(values)


@given(st.lists(TOKENS, max_size=30), TOKENS)
def test_tail_excess_latency_is_the_sum_of_what_lies_above_xi(uncached: list[int], xi: int) -> None:
    above = [max(u - xi, 0) for u in uncached]
    assert outcome(*uncached).excess_units(xi).tolist() == above
    assert tt.tail_excess_latency(outcome(*uncached), xi=xi) == sum(above)


@pytest.mark.parametrize("xi", [-1, 1.0, True, "1", None, 2**63])
def test_a_wrong_xi_is_an_error(xi: object) -> None:
    for metric in (tt.tail_excess_latency, tt.slo_violations):
        caught = refused(ArgumentError, "xi: found .*, expected a whole number", metric, outcome(1, 2), xi)
        assert repr(xi) in str(caught)


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=60),
    st.lists(st.sampled_from(["0.5", "0.9", "0.95", "0.99", "1.0"]), min_size=1, max_size=5),
)
def test_a_percentile_is_the_ceil_of_qn_th_smallest(uncached: list[int], levels: list[str]) -> None:
    ordered = sorted(uncached)
    expected = [float(ordered[math.ceil(Fraction(q) * len(ordered)) - 1] * SLOPE) for q in levels]
    found = tt.ttft_quantiles(outcome(*uncached), [float(q) for q in levels], tt.A100_LLAMA2_7B)
    assert found.tolist() == pytest.approx(expected, rel=1e-12, abs=0)


def test_percentiles_of_no_turns_are_nan() -> None:
    found = tt.ttft_quantiles(outcome(), [0.5, 1.0], tt.A100_LLAMA2_7B)
    assert found.shape == (2,)
    assert np.isnan(found).all()


@pytest.mark.parametrize("q", [0.0, -0.5, 1.0001, 95, math.nan])
def test_a_level_outside_0_to_1_is_an_error(q: float) -> None:
    for turns in (outcome(), outcome(1, 2)):
        with pytest.raises(ArgumentError, match=r"^qs: found .*, expected a level above 0, at most 1"):
            tt.ttft_quantiles(turns, [0.5, q], tt.A100_LLAMA2_7B)


@given(TIMES, SLOPES, st.lists(st.integers(-2, 2) | st.integers(0, 10**6), max_size=20))
def test_a_turn_violates_the_slo_if_and_only_if_its_ttft_is_above_it(
    slo: Fraction, slope: Fraction, offsets: list[int]
) -> None:
    near = math.floor(slo / slope)
    uncached = [max(0, near + offset) for offset in offsets]
    expected = sum(u * slope > slo for u in uncached)
    xi = tt.LatencyModel(slope, name="exact").threshold(slo)
    assert tt.slo_violations(outcome(*uncached), xi) == expected


def test_a_negative_slo_is_an_error() -> None:
    assert tt.A100_LLAMA2_7B.threshold(Fraction(0)) == 0
    refused(ArgumentError, "slo: found '-0.001 s'", lambda: tt.A100_LLAMA2_7B.threshold(Fraction(-1, 1000)))


@given(st.lists(st.integers(0, 10**6), max_size=20), TIMES)
def test_tail_excess_seconds_is_the_time_above_the_slo(uncached: list[int], slo: Fraction) -> None:
    expected = float(sum(max(u * SLOPE - slo, Fraction(0)) for u in uncached))
    found = tt.tail_excess_seconds(outcome(*uncached), tt.A100_LLAMA2_7B, float(slo))
    assert type(found) is float
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_tail_excess_seconds_is_not_the_slope_times_the_excess_tokens() -> None:
    slo = Fraction(5, 2000)
    turns = outcome(1, 2, 3, 4)
    assert tt.tail_excess_latency(turns, MILLISECOND.threshold(slo)) == 3
    assert tt.tail_excess_seconds(turns, MILLISECOND, float(slo)) == pytest.approx(0.002)


@pytest.mark.parametrize(
    ("lru", "policy", "optimum", "share"),
    [
        (10, 10, 4, Fraction(0)),
        (10, 4, 4, Fraction(1)),
        (10, 8, 4, Fraction(1, 3)),
        (10, 13, 4, Fraction(-1, 2)),
        (3 * 2**70, 2**70, 0, Fraction(2, 3)),
        (4, 4, 4, None),
        (4, 6, 4, None),
        (0, 0, 0, None),
    ],
)
def test_share_closed(lru: int, policy: int, optimum: int, share: Fraction | None) -> None:
    assert tt.share_closed(lru, policy, optimum) == share


@given(turn_columns(), st.integers(0, 20), st.integers(0, 9))
def test_conversations_write_what_their_forest_writes(
    columns: dict[str, list[int]], capacity: int, xi: int
) -> None:
    trace = tt.Trace.from_turns(**{name: columns[name] for name in ("conversation", "prompt", "response")})
    for policy in (tt.LRU(), tt.TLRU(xi, 1, "least-recent"), tt.Belady()):
        chains, forest = (tt.replay(turns, policy, capacity) for turns in (trace, trace.forest))
        by_hand = sum(past - x for past, x in zip(trace.past.tolist(), chains.cached.tolist(), strict=True))
        assert tt.write_volume(chains, trace) == by_hand == tt.write_volume(forest, trace.forest)


def test_what_a_forest_writes_is_in_the_unit_of_the_outcome() -> None:
    forest = tt.Forest.from_paths([[1, 2], [1, 3]], block_size=16, tokens=[40, 33])
    found = tt.replay(forest, tt.LRU(), 2)
    assert (tt.write_volume(found, forest), tt.write_volume(found.in_tokens(), forest)) == (3, 48)
    refused(ArgumentError, "outcome: found 'no written units'", lambda: tt.write_volume(outcome(40, 33), forest))


@pytest.mark.parametrize(("loading", "third", "excess"), [("additive", 3.0, 4.0), ("overlapped", 2.0, 3.0)])
def test_what_a_turn_loads_takes_seconds_too(loading, third, excess):
    trace = tt.Trace.from_turns([0, 1, 0], [3, 1, 1], [2, 0, 0])
    tiers = tt.Tiers((0, 5), (0, Fraction(1, 4)), loading=loading)
    second_a_token = tt.LatencyModel(Fraction(1))
    found = tt.replay(trace, tt.LRU(), tiers)
    assert found.cached[1].tolist() == [0, 0, 4]
    assert ttft_seconds(found, second_a_token).tolist() == [3.0, 1.0, third]
    assert tt.tail_excess_seconds(found, second_a_token, 1.0) == excess
