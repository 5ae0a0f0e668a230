"""The latency models: every form against TTFT in fractions, counted token by token."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cost.latency import FITTED_FROM, FITTED_TO, LAYERS, WEIGHTS, WIDTH, with_attention

SMALL = st.fractions(0, 3, max_denominator=6)
PARTS = st.just(Fraction(0)) | SMALL
MODELS = st.builds(
    tt.LatencyModel, PARTS, PARTS, st.fractions(-9, 9, max_denominator=5), st.just(Fraction(0)) | SMALL.map(abs)
)
SLOS = st.fractions(0, 200, max_denominator=6)
MOST = 27


@st.composite
def tables(draw: st.DrawFn) -> tt.TableLatency:
    totals = sorted(draw(st.sets(st.integers(1, MOST), min_size=1, max_size=4)))
    shares = [Fraction(0), *sorted(draw(st.sets(st.fractions("1/9", "8/9", max_denominator=9), max_size=3)))]
    cell = st.fractions(0, 150, max_denominator=4)
    row = st.lists(cell, min_size=len(shares), max_size=len(shares))
    seconds = draw(st.lists(row, min_size=len(totals), max_size=len(totals)))
    return tt.TableLatency.monotone(totals, shares, seconds)


def by_formula(model: tt.LatencyModel, u: int, c: int) -> Fraction:
    n = u + c
    return max(model.floor, model.per_token * u + model.per_pair * (n**2 - c**2) + model.constant)


def between(axis: tuple[Fraction | int, ...], value: Fraction) -> list[tuple[int, Fraction]]:
    """Places of an axis with the weights that make `value` of them; its ends where `value` is beyond."""
    if value <= axis[0] or len(axis) == 1:
        return [(0, Fraction(1))]
    for i in range(1, len(axis)):
        if value <= axis[i]:
            weight = Fraction(value - axis[i - 1]) / (axis[i] - axis[i - 1])
            return [(i - 1, 1 - weight), (i, weight)]
    return [(len(axis) - 1, Fraction(1))]


def by_table(model: tt.TableLatency, u: int, c: int) -> Fraction:
    n = u + c
    rows = between(model.totals, Fraction(n))
    columns = between(model.cached_shares, Fraction(c, n) if n else Fraction(0))
    found = sum(a * b * model.seconds[i][j] for i, a in rows for j, b in columns)
    return Fraction(found) * max(Fraction(n, model.totals[-1]), Fraction(1))


def exact(model: object, u: int, c: int) -> Fraction:
    return by_formula(model, u, c) if isinstance(model, tt.LatencyModel) else by_table(model, u, c)


@settings(max_examples=8)
@given(MODELS | tables())
def test_ttft_is_that_of_the_definition(model: object) -> None:
    u, c = (places.ravel() for places in np.mgrid[: MOST + 9, : MOST + 9])
    expected = [float(exact(model, a, b)) for a, b in zip(u.tolist(), c.tolist(), strict=True)]
    found = model.ttft(u, c)
    assert found.dtype == np.float64
    assert found.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert model.ttft(u).tolist() == model.ttft(u, np.zeros_like(u)).tolist()
    assert float(model.ttft(uncached=7, cached=5)) == pytest.approx(float(exact(model, 7, 5)), abs=1e-12)


@settings(max_examples=10)
@given(MODELS | tables(), SLOS)
def test_the_most_that_may_be_uncached_is_what_counting_finds(model: object, slo: Fraction) -> None:
    total = np.arange(MOST + 9)[::-1]
    expected = [
        max([u for u in range(n + 1) if exact(model, u, n - u) <= slo], default=-1) for n in total.tolist()
    ]
    found = model.safe_uncached(total, slo)
    assert found.dtype == np.int64
    assert found.tolist() == expected
    assert model.safe_uncached(total.reshape(6, 6), slo).tolist() == np.reshape(expected, (6, 6)).tolist()


@settings(max_examples=25)
@given(MODELS | tables(), SLOS)
def test_the_threshold_is_the_last_that_keeps_the_slo_without_a_cache(model: object, slo: Fraction) -> None:
    if exact(model, 0, 0) > slo or exact(model, 10**9, 0) == exact(model, 10**10, 0):
        refused(tt.ArgumentError, "slo: found", model.threshold, slo)
        return
    xi = model.threshold(slo)
    assert type(xi) is int
    assert exact(model, xi, 0) <= slo < exact(model, xi + 1, 0)


def test_where_rounding_would_decide_fractions_do() -> None:
    """Three times a tenth is above three tenths in floating point."""
    model = tt.LatencyModel(Fraction(1, 10), Fraction(1, 10**30), name="a tenth")
    assert 3 * 0.1 > 0.3
    assert tt.LatencyModel(Fraction(1, 10)).safe_uncached(np.array([9]), Fraction(3, 10)).tolist() == [3]
    assert model.safe_uncached(np.array([9, 10**15]), Fraction(3, 10)).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tt.LatencyModel(0.1), "per_token: found 0.1, expected a whole number or a Fraction"),
        (lambda: tt.LatencyModel(Fraction(-1)), "per_token: found '-1', expected a fraction, 0 or more"),
        (lambda: tt.LatencyModel(1, Fraction(-1, 2)), "per_pair: found '-1/2'"),
        (lambda: tt.LatencyModel(1, 0, 0, -1), "floor: found '-1'"),
        (lambda: tt.LatencyModel(1, "1 s per token"), "per_pair: found '1 s per token'"),
        (lambda: tt.LatencyModel(1).threshold("0.5"), "slo: found .0.5., expected a time with its unit"),
        (lambda: tt.LatencyModel(1, 0, 3, 5).threshold(Fraction(9, 2)), "slo: found '4.5 s', expected 5 seconds"),
        (lambda: tt.LatencyModel(0, 0, 1).threshold(Fraction(2)), "slo: found '2.0 s', expected seconds that"),
        (lambda: tt.TableLatency((), (), ()), "totals: found '', expected ascending numbers, from 1"),
        (lambda: tt.TableLatency((2, 2), (0,), ((1,), (1,))), "totals: found '2, 2'"),
        (lambda: tt.TableLatency((1,), (Fraction(1, 2),), ((1,),)), "cached_shares: found '1/2'"),
        (lambda: tt.TableLatency((1,), (0, 1), ((1, 1),)), "cached_shares: found '0, 1'"),
        (lambda: tt.TableLatency((1, 2), (0,), ((1,),)), r"seconds: found 'rows of \[1\]', expected 2 rows of 1"),
        (lambda: tt.TableLatency((1, 2), (0,), ((3,), (2,))), r"seconds\[1\]\[0\]: found '2', expected 3 or more"),
        (lambda: tt.TableLatency((1,), (0, Fraction(1, 2)), ((3, 4),)), r"seconds\[0\]\[0\]: found '3'"),
        (lambda: tt.TableLatency((1,), (0,), ((-1,),)), r"seconds\[0\]\[0\]: found '-1', expected 0 or more"),
        (lambda: tt.TableLatency((1,), (0,), ((0.5,),)), r"seconds\[0\]\[0\]: found 0.5"),
        (lambda: tt.TableLatency((1,), (0,), ((0,),)).threshold(Fraction(1)), "slo: found '1.0 s'"),
    ],
)
def test_what_is_no_model_or_has_no_threshold_is_an_error(make: object, message: str) -> None:
    refused(tt.ArgumentError, message, make)


@settings(max_examples=20)
@given(st.data())
def test_the_monotone_table_is_as_near_to_the_measurements_as_any(data: st.DataObject) -> None:
    """The judge: a cell must differ by half of the worst inversion, and no monotone table can do with less."""
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    cells = st.lists(st.integers(0, 9), min_size=columns, max_size=columns)
    seconds = data.draw(st.lists(cells, min_size=rows, max_size=rows))
    shares = [Fraction(j, columns) for j in range(columns)]
    table = tt.TableLatency.monotone(range(1, rows + 1), shares, seconds)
    places = [(i, j) for i in range(rows) for j in range(columns)]
    inversions = [seconds[i][j] - seconds[k][m] for i, j in places for k, m in places if i <= k and j >= m]
    differences = [abs(table.seconds[i][j] - seconds[i][j]) for i, j in places]
    assert 2 * max(differences) == max(inversions)
    assert tt.TableLatency.monotone(table.totals, shares, table.seconds) == table


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_a_time_that_is_just_the_slo_keeps_it(alpha: int) -> None:
    model = tt.LatencyModel(Fraction(alpha, 1000), per_pair=Fraction(1, 1000))
    total = 10
    for u in range(total):
        slo = Fraction(alpha * u + total**2 - (total - u) ** 2, 1000)
        assert model.safe_uncached(np.array([total]), slo).tolist() == [u]


MODEL = tt.A100_LLAMA2_7B_ATTENTION


def test_both_models_agree_where_the_line_was_fitted():
    for tokens in (FITTED_FROM, FITTED_TO):
        linear = tt.A100_LLAMA2_7B.seconds_per_token * tokens
        pairs = MODEL.per_pair * tokens**2
        assert MODEL.per_token * tokens + pairs + MODEL.constant == linear


def test_the_share_is_that_of_the_flops_of_every_token():
    """A prompt of n tokens: 2 FLOPs for each weight and token, and 4 a layer and unit of width for each pair."""
    n = 3000
    linear = sum(2 * WEIGHTS for _ in range(n))
    attention = sum(4 * LAYERS * WIDTH * place for place in range(1, n + 1))
    share = MODEL.per_pair * n**2 / (MODEL.per_token * n)
    assert share == pytest.approx(attention / linear, rel=1 / n)
    assert WEIGHTS == LAYERS * (4 * WIDTH**2 + 3 * 11008 * WIDTH)


def test_without_attention_the_model_is_the_linear_one():
    model = with_attention(tt.A100_LLAMA2_7B, Fraction(0), 256, 4096)
    assert (model.per_token, model.per_pair, model.constant) == (tt.A100_LLAMA2_7B.seconds_per_token, 0, 0)


def test_measured_attention_has_the_same_quadratic_term_within_ten_per_cent(shared):
    with shared("a100_llama2_7b_prefill.csv").open() as file:
        rows = [(int(row["prompt_tokens"]), float(row["attention_ms"]) / 1000) for row in csv.DictReader(file)]
    tokens, seconds = np.array([row for row in rows if row[0] >= FITTED_FROM]).T
    per_pair, _, _ = np.polyfit(tokens, seconds, 2)
    assert per_pair == pytest.approx(float(MODEL.per_pair), rel=0.1)
