from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.calibration.cells import cells_of, signs_of_load
from teltheory.calibration.fitting import token_error
from teltheory.calibration.forms import FORMULAS, NAMES, fit_formula, fit_samples

LENGTHS = (64, 128, 256, 512, 768, 1024, 1536, 2048)
SHARES = (0, 0.25, 0.5, 0.75)
LINEAR = (5e-5, 0.0, 0.004, 0.0)
WITH_FLOOR = (5e-5, 0.0, 0.001, 0.02)
ATTENTION = (4.5e-5, 2.7e-8, 0.01, 0.0)
BOTH = (6.5e-5, 1.5e-8, 0.003, 0.03)
LAWS = {"linear": LINEAR, "linear-floor": WITH_FLOOR, "attention": ATTENTION, "attention-floor": BOTH}


def grid(shares=SHARES, repeats=5):
    pairs = [(n, int(n * share)) for n in LENGTHS for share in shares for _ in range(repeats)]
    return np.array(pairs).T


def law(values, n, c):
    alpha, gamma, beta, floor = values
    return np.maximum(alpha * (n - c) + gamma * (n**2 - c**2) + beta, floor)


def runs_of(values, rng, noise=0.03, shares=SHARES, repeats=5, **columns):
    n, c = rng.permutation(grid(shares, repeats), axis=1)
    return tt.TTFTRuns(n, c, law(values, n, c) * np.exp(noise * rng.standard_normal(len(n))), **columns)


@cache
def without_noise(form):
    return tt.fit_latency(runs_of(LAWS[form], np.random.default_rng(1), noise=0), resamples=20)


@pytest.mark.parametrize("form", LAWS)
def test_without_noise_the_law_comes_back(form):
    fitted = without_noise(form)
    assert fitted.form == form
    found = [float(getattr(fitted.model, name)) for name in ("per_token", "per_pair", "constant", "floor")]
    assert found == pytest.approx(LAWS[form], rel=1e-4)
    assert fitted.r_squared == pytest.approx(1)
    assert {name: pytest.approx(bounds, rel=1e-3) for name, bounds in fitted.intervals.items()} == {
        name: (value, value)
        for name, value in zip(("per_token", "per_pair", "constant", "floor"), found, strict=True)
        if value
    }


OTHERS = (pytest.param(form, marks=pytest.mark.long) for form in [*LAWS][:3])


@pytest.mark.parametrize("form", ["attention-floor", *OTHERS])
def test_with_noise_the_simplest_form_that_predicts_as_well_is_chosen(form):
    fitted = tt.fit_latency(runs_of(LAWS[form], np.random.default_rng(2)), resamples=30)
    assert fitted.form == form
    assert [other.form for other in fitted.forms] == list(NAMES)
    for name, (low, high) in fitted.intervals.items():
        true = LAWS[form][("per_token", "per_pair", "constant", "floor").index(name)]
        assert low < high
        assert low < true < high


@pytest.mark.long
def test_every_parameter_lies_in_its_interval_as_often_as_it_should():
    hits = np.zeros(3)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        fitted = tt.fit_latency(runs_of(ATTENTION, rng, noise=0.1), "attention", rng, resamples=200)
        bounds = (fitted.intervals[name] for name in ("per_token", "per_pair", "constant"))
        hits += [low <= true <= high for (low, high), true in zip(bounds, ATTENTION, strict=False)]
    assert (hits >= 10).all()
    assert hits.sum() < 36


@pytest.mark.long
def test_the_fit_repeats_and_follows_the_generator():
    runs = runs_of(ATTENTION, np.random.default_rng(3), noise=0.1)
    first, again = tt.fit_latency(runs, resamples=50), tt.fit_latency(runs, resamples=50)
    assert (first.model, first.intervals, first.forms) == (again.model, again.intervals, again.forms)
    other = tt.fit_latency(runs, rng=np.random.default_rng(9), resamples=50)
    assert other.model == first.model
    assert other.intervals != first.intervals


def test_the_result_is_a_model_as_the_contract_says():
    fitted = without_noise("linear")
    assert float(fitted.ttft(uncached=100, cached=50)) == pytest.approx(0.009)
    assert fitted.ttft([100, 0], [0, 9]).tolist() == pytest.approx([0.009, 0.004])
    assert fitted.model.threshold(Fraction(1, 100)) == 120


def test_steps_are_a_table():
    rng = np.random.default_rng(4)
    n, c = rng.permutation(grid(repeats=1), axis=1)
    steps = 0.05 * np.ceil((n - c) / 512) ** 3
    fitted = tt.fit_latency(tt.TTFTRuns(n, c, steps), "table", resamples=10)
    assert isinstance(fitted.model, tt.TableLatency)
    assert fitted.intervals == {}
    assert fitted.ttft([1024, 512], [0, 512]) == pytest.approx([0.4, 0.05], abs=0.06)
    assert any("no formula fits" in warning for warning in fitted.warnings)


def test_a_table_chosen_by_itself():
    n = np.repeat(np.arange(1, 31) * 128, 3)
    jumps = np.where(n > 2000, 3.0, 0.1) + 1e-5 * n
    fitted = tt.fit_latency(tt.TTFTRuns(n, 0 * n, jumps), resamples=0)
    assert fitted.form == "table"


def test_an_unknown_form_and_too_few_cells_are_errors():
    runs = tt.TTFTRuns([10, 20, 30, 40], [0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4])
    refused(tt.ArgumentError, "form: found 'cubic', expected 'auto', 'linear'", tt.fit_latency, runs, "cubic")
    refused(tt.ArgumentError, "form: found 'attention'", tt.fit_latency, runs, "attention")
    assert tt.fit_latency(runs, resamples=10).form == "linear"
    for few in ([10, 20, 30, 30], [10, 10, 10, 10]):
        with pytest.raises(
            tt.ArgumentError, match=r"runs: found '. cells of . uncached lengths', expected 4 cells"
        ):
            tt.fit_latency(tt.TTFTRuns(few, [0, 0, 0, 0], [0.1, 0.2, 0.3, 0.4]))


@settings(max_examples=3)
@given(st.integers(0, 10**6), st.integers(5, 30))
def test_any_cells_give_a_monotone_model(seed, m):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 5000, m)
    c = (n * rng.random(m)).astype(int)
    runs = tt.TTFTRuns(n, c, rng.uniform(1e-4, 1, m))
    if len(cells_of(runs)[0]) < 4:
        return
    for fitted in tt.fit_latency(runs, resamples=0).forms:
        u = np.arange(0, 2001, 50)
        assert (np.diff(fitted.model.ttft(u, 2000 - u)) >= -1e-12).all()
        assert (np.diff(fitted.model.ttft(u)) >= -1e-12).all()


@pytest.mark.parametrize("form", LAWS)
def test_samples_fitted_together_are_those_of_their_own_cells(form):
    cells, _ = cells_of(runs_of(BOTH, np.random.default_rng(1), noise=0.1))
    used = np.random.default_rng(2).random((4, len(cells))) < 0.8
    alone = [fit_formula(FORMULAS[form], cells.at(np.flatnonzero(some))) for some in used]
    assert fit_samples(FORMULAS[form], cells, used) == pytest.approx(np.array(alone), rel=1e-6)


def test_the_cells_are_the_medians_of_equal_requests():
    runs = tt.TTFTRuns([9, 5, 9, 9, 5], [0, 1, 0, 0, 2], [0.3, 0.5, 0.1, 0.7, 0.9])
    cells, cell = cells_of(runs)
    assert (cells.prompt_tokens.tolist(), cells.cached_tokens.tolist()) == ([5, 5, 9], [1, 2, 0])
    assert (cells.seconds.tolist(), cells.count.tolist()) == ([0.5, 0.9, 0.3], [1, 1, 3])
    assert cell.tolist() == [2, 0, 2, 2, 1]


def test_the_token_error_is_what_counting_token_by_token_finds():
    cells, _ = cells_of(runs_of(ATTENTION, np.random.default_rng(5), noise=0))
    true = tt.LatencyModel(*(Fraction(str(value)) for value in ATTENTION))
    linear = tt.LatencyModel(Fraction("0.0001"), 0, Fraction("0.005"))
    off = token_error(linear, true, cells)
    slos = [float(f"{value:.7g}") for value in np.quantile(cells.seconds, (0.1, 0.25, 0.5, 0.75, 0.9))]

    def most(model, slo, n=None):
        u = np.arange((n or 2048) + 1)
        keeps = model.ttft(u, 0 * u if n is None else n - u) <= slo
        return int(u[keeps].max(initial=0))

    xi = {slo: abs(most(linear, slo) - most(true, slo)) for slo in slos}
    budgets = {(slo, n): abs(most(linear, slo, n) - most(true, slo, n)) for slo in slos for n in LENGTHS}
    assert off.threshold == max(xi.values()) == xi[off.threshold_slo]
    assert off.budget == max(budgets.values()) == budgets[off.budget_slo, off.budget_total]
    assert off.matters
    assert f"up to {off.budget:,} tokens (an input of {off.budget_total:,} tokens" in str(off)
    same = token_error(true, true, cells)
    assert (same.threshold, same.budget, same.matters) == (0, 0, False)


def load_of(runs):
    return signs_of_load(runs, *cells_of(runs))


def test_requests_that_overlap_are_a_sign_of_load_and_a_cold_run_says_what_it_did_not_measure():
    rng = np.random.default_rng(6)
    n, c = rng.permutation(grid(shares=(0,)), axis=1)
    ttft, sent = law(LINEAR, n, c), np.arange(len(n)) * 10.0
    assert load_of(tt.TTFTRuns(n, c, ttft, sent=sent, done=sent + 1)) == ()
    together = tt.fit_latency(tt.TTFTRuns(n, c, ttft, sent=sent, done=sent + 15), resamples=0)
    assert together.load == (
        "39 of 40 requests were sent while another was running: their TTFT has queueing in it",
    )
    assert together.load[0] in together.warnings
    assert any("no request had cached tokens" in warning for warning in together.warnings)
    assert together.intervals == {}


def test_equal_requests_that_take_ever_longer_are_a_sign_of_load():
    rng = np.random.default_rng(7)
    n, c = rng.permutation(grid(), axis=1)
    noise = np.exp(0.05 * rng.standard_normal(len(n)))
    steady, growing = (law(LINEAR, n, c) * noise * (1 + by * np.arange(len(n))) for by in (0, 0.002))
    assert load_of(tt.TTFTRuns(n, c, steady)) == ()
    (sign,) = load_of(tt.TTFTRuns(n, c, growing))
    assert sign.startswith("equal requests take longer towards the end of the file")


def test_a_long_tail_of_equal_requests_is_a_sign_of_load():
    rng = np.random.default_rng(8)
    n, c = rng.permutation(grid(repeats=9), axis=1)
    waiting = np.where(rng.random(len(n)) < 0.2, 3, 1)
    (sign,) = load_of(tt.TTFTRuns(n, c, law(LINEAR, n, c) * waiting))
    assert "of the equal requests take over twice their cell's median" in sign


@pytest.mark.parametrize("model", ["llama-5M-4L", "llama-28M-8L"])
def test_a_real_run_of_vllm_needs_the_attention_term(shared, model):
    fitted = tt.fit_latency(tt.read_ttft_runs(shared("vllm_cpu_ttft.csv"), model=model), resamples=60)
    linear = fitted.forms[0]
    assert fitted.form == "attention"
    assert fitted.r_squared >= 0.995
    assert linear.form == "linear"
    assert 0.94 < linear.r_squared < 0.97
    assert fitted.model.provenance.model == model
    assert fitted.load == ()
    (warning,) = fitted.warnings
    assert "a linear model is not good enough for budgets" in warning
    assert fitted.linear_error.budget > 200
    for name, (low, high) in fitted.intervals.items():
        assert 0 < low < float(getattr(fitted.model, name)) < high


def test_the_a100_table_takes_71_to_73_us_a_token(shared):
    runs = tt.read_ttft_runs(shared("a100_llama2_7b_prefill.csv"))
    fitted = tt.fit_latency(runs.where(runs.prompt_tokens >= 256, "256 tokens or more"), "linear", resamples=40)
    assert 71e-6 < float(fitted.model.per_token) < 73e-6
    low, high = fitted.intervals["per_token"]
    assert 71e-6 < low < high < 73e-6
    assert fitted.r_squared > 0.998
