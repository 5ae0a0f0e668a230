from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from scipy.interpolate import RegularGridInterpolator

import teltheory as tt
from teltheory.cost.profile import PrefillProfile

MODEL = tt.A100_LLAMA2_7B_PREFILL
PROFILE = PrefillProfile.of_latency(MODEL)
SMALL = PrefillProfile((0, 10, 40), (1, 5), ((1.0, 2.0), (1.5, 4.0), (2.0, 8.0)))


def off(profile, model, alpha, beta):
    true = model.ttft(beta, alpha)
    return np.abs(profile.ttft(beta, alpha) - true) / true


def test_each_measured_pair_is_kept_and_between_them_it_is_bilinear():
    assert [[SMALL.prefill(a, b) for b in SMALL.uncached] for a in SMALL.cached] == [[1, 2], [1.5, 4], [2, 8]]
    assert SMALL.prefill(0, 3) == 1.5
    assert SMALL.prefill(25, 1) == 1.75
    assert SMALL.prefill(25, 3) == (1.5 + 4 + 2 + 8) / 4


@settings(max_examples=30)
@given(st.data())
def test_one_pair_is_looked_up_as_scipy_interpolates(data):
    axes = [sorted(data.draw(st.sets(st.integers(0, 50), min_size=2, max_size=6), label=name)) for name in "ab"]
    shape = tuple(map(len, axes))
    cells = data.draw(st.lists(st.floats(0, 100), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    table = np.array(cells).reshape(shape)
    profile = PrefillProfile(*map(tuple, axes), tuple(map(tuple, table.tolist())))
    judge = RegularGridInterpolator(tuple(map(np.array, axes)), table)
    alpha = np.arange(axes[0][0], axes[0][-1] + 1)
    beta = np.resize(data.draw(st.lists(st.integers(axes[1][0], axes[1][-1]), min_size=1, max_size=9)), len(alpha))
    expected = pytest.approx(judge((alpha, beta)), rel=1e-9, abs=1e-9)
    assert list(map(profile.prefill, alpha.tolist(), beta.tolist())) == expected
    assert profile.ttft(beta, alpha) == expected


def test_short_requests_are_within_two_per_cent():
    """All of 0 to 4,096 uncached tokens behind 0, 8, ... 1,024 cached ones, with the kink of the floor."""
    beta = np.arange(4097)
    worst = max(off(PROFILE, MODEL, np.full(4097, alpha), beta).max() for alpha in range(0, 1025, 8))
    assert 0.001 < worst <= 0.02


@pytest.mark.parametrize("most", [1, 100, 4096, 32_768])
def test_whole_ranges_are_within_two_per_cent_at_64_points_of_every_side(most):
    profile = PrefillProfile.of_latency(MODEL, most, most)
    assert (profile.cached[0], profile.cached[-1]) == (profile.uncached[0], profile.uncached[-1]) == (0, most)
    assert profile.worst(MODEL, 64)[0] <= 0.02


@given(st.integers(0, 32_768), st.integers(0, 32_768))
def test_any_pair_within_the_bounds_is_within_two_per_cent(alpha, beta):
    assert off(PROFILE, MODEL, alpha, beta) <= 0.02


@given(st.integers(0, 32_768), st.integers(-3, 3))
def test_so_is_the_kink_of_the_floor(alpha, beside):
    one, left = MODEL.per_token, MODEL.floor - MODEL.constant
    slope = one + 2 * MODEL.per_pair * alpha
    kink = round(left / slope)
    assert off(PROFILE, MODEL, alpha, max(kink + beside, 0)) <= 0.02


rates = st.fractions(Fraction(1, 100_000), Fraction(1, 1000), max_denominator=100_000)
pairs = st.fractions(0, Fraction(1, 10**6), max_denominator=10**8)
seconds = st.fractions(0, Fraction(1, 10), max_denominator=1000)


@settings(max_examples=40)
@given(rates, pairs, seconds, seconds, st.integers(1, 3000), st.integers(1, 3000))
def test_any_formula_is_within_the_error_that_was_asked_for(alpha, gamma, beta, floor, most_cached, most_uncached):
    model = tt.LatencyModel(alpha, gamma, beta, floor)
    profile = PrefillProfile.of_latency(model, most_cached, most_uncached, 0.05)
    assert profile.worst(model, 13)[0] <= 0.05 + 1e-9


def test_a_table_is_within_it_too():
    table = tt.TableLatency((100, 1000, 4000), (Fraction(0), Fraction(1, 2)), ((2, 1), (9, 5), (50, 20)))
    profile = PrefillProfile.of_latency(table, 2000, 2000)
    assert profile.worst(table, 5)[0] <= 0.02


def test_seven_lines_that_double_are_not_enough():
    lines = (0, 128, 256, 512, 1024, 2048, 4096)
    worst, alpha, beta = PrefillProfile.on_lines(MODEL, lines, lines).worst(MODEL, 64)
    assert worst > 0.2
    assert (alpha, beta) == (4096, 76)
    assert off(PROFILE, MODEL, alpha, beta) < 0.02


def test_a_linear_model_through_nothing_needs_four_corners():
    profile = PrefillProfile.of_latency(tt.A100_LLAMA2_7B)
    assert (len(profile.cached), len(profile.uncached)) == (2, 2)
    assert profile.worst(tt.A100_LLAMA2_7B)[0] < 1e-9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cached": (0,)}, "cached: found '0', expected 2 or more"),
        ({"uncached": (5, 1)}, "uncached: found '5, 1', expected 2 or more"),
        ({"seconds": ((1.0, 2.0),)}, "seconds: found '1 rows', expected 3 rows of 2"),
        ({"seconds": ((1.0,), (1.0, 2.0), (1.0, 2.0))}, "seconds: found '3 rows', expected 3 rows of 2"),
        ({"seconds": ((1.0, 2.0), (1.0, -2.0), (1.0, 2.0))}, "seconds: found 'a time below 0"),
        ({"seconds": ((1.0, 2.0), (1.0, float("nan")), (1.0, 2.0))}, "seconds: found 'a time below 0, or none'"),
    ],
)
def test_what_is_no_table_is_named(change, message):
    whole = {"cached": SMALL.cached, "uncached": SMALL.uncached, "seconds": SMALL.seconds}
    refused(tt.ArgumentError, message, PrefillProfile, **{**whole, **change})


@pytest.mark.parametrize(("alpha", "beta"), [(41, 1), (-1, 1), (0, 0), (0, 6)])
def test_outside_of_the_table_nothing_is_guessed(alpha, beta):
    refused(tt.ArgumentError, "as the profile has", SMALL.prefill, alpha, beta)
    refused(tt.ArgumentError, "as the profile has", SMALL.ttft, [beta], [alpha])


@pytest.mark.parametrize(("within", "most"), [(0.0, 100), (1.5, 100), (0.02, 0), (1e-9, 30_000)])
def test_errors_and_bounds_that_no_table_has(within, most):
    with pytest.raises(tt.ArgumentError):
        PrefillProfile.of_latency(MODEL, most, most, within)
