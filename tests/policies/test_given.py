"""Sizes, times and policies as text mean what numbers and policies do, in every function that takes them."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cost.given import Units, latency_of
from teltheory.model.units import read_tokens, seconds_of
from teltheory.policies.named import maker_of, policy_of
from teltheory.policies.spec import default_estimate
from teltheory.sweep import Grid

MODEL = tt.KVSize("a model of 1,000 bytes per token", 1000)
LENGTHS = np.random.default_rng(28).integers(20, 400, (2, 60))
TRACE = tt.Trace.from_turns(
    conversation=[k % 7 for k in range(60)],
    prompt=LENGTHS[0],
    response=LENGTHS[1],
    arrival=[float(k) for k in range(60)],
)
BLOCKS = TRACE.to_blocks(16)
LATENCY = tt.A100_LLAMA2_7B
FOREST = tt.Forest.from_paths([[1, 2], [1, 2, 3], [4], [1, 2, 3]], block_size=16)


@given(st.integers(0, 10**9), st.sampled_from([1, 16, 512]))
def test_tokens_as_text_are_full_blocks_of_the_trace(tokens, block_size):
    units = Units(block_size)
    for text in (f"{tokens}", f" {tokens}e-3k ", f"{tokens:_}"):
        assert units.capacity(text) == units.xi(text) == read_tokens("capacity", text) // block_size
    assert units.capacity(tokens) == tokens


@given(st.integers(0, 10**9))
def test_bytes_are_as_many_tokens_as_fit(size):
    assert Units(16, MODEL).capacity(f"{size}kB") == size // 16


@given(st.integers(1, 10**5))
def test_a_threshold_in_seconds_is_the_most_tokens_that_keep_it(milliseconds):
    most = LATENCY.threshold(Fraction(milliseconds, 1000)) // 16
    for units in (Units(16, "llama-2-7b"), Units(16, None, LATENCY)):
        assert units.xi(f"{milliseconds}ms") == most


def test_bytes_are_of_the_model_that_a_latency_was_measured_on():
    assert Units(16, None, LATENCY).capacity("40GiB") == Units(16, "llama-2-7b").capacity("40GiB")


def test_no_time_is_negative():
    with pytest.raises(tt.ArgumentError, match=r"^slo: found .*, expected 0 seconds or more"):
        seconds_of("slo", Fraction(-1, 2))


@given(st.floats(0, 1e6))
def test_a_float_of_seconds_stands_for_what_python_prints(value):
    assert seconds_of("slo", value) == Fraction(repr(value))
    assert float(seconds_of("slo", value)) == value


@pytest.mark.parametrize("trace", [TRACE, BLOCKS, FOREST])
@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("lru", lambda unit, q_hat: tt.LRU()),
        ("TLRU:xi=320,q_hat=0.1k", lambda unit, q_hat: tt.TLRU(320 // unit, -(-100 // unit))),
        ("tlru:xi=320,trim=least-recent", lambda unit, q_hat: tt.TLRU(320 // unit, q_hat, "least-recent")),
        ("tail-optimized-belady:xi=320", lambda unit, q_hat: tt.TailOptimizedBelady(320 // unit)),
    ],
)
def test_a_short_form_is_the_policy_in_the_unit_of_the_trace(trace, text, policy):
    unit = trace.block_size
    own = default_estimate(trace)
    q_hat = -(-own // unit) if isinstance(trace, tt.Forest) else own
    assert policy_of(text, trace) == policy(unit, q_hat)
    if trace is not FOREST:  # whose replays take seconds to compile
        assert tt.replay(trace, text, "4k") == tt.replay(trace, policy(unit, q_hat), 4000 // unit)


def test_what_a_short_form_leaves_out_is_of_the_units_that_are_given():
    units = Units(1, None, LATENCY)
    made = policy_of(("tlru:xi=20ms", tt.LRU()), TRACE, units=units)
    assert made == (tt.TLRU(LATENCY.threshold(Fraction(1, 50)), default_estimate(TRACE)), tt.LRU())


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (lambda xi: (xi,), (1,)),
        (lambda xi, q_hat=5: (xi, q_hat), (1, 2)),
        (lambda xi, mean: (xi, mean), (1, 2)),
        (lambda xi, trim="eager": (xi, trim), (1, "eager")),
        (max, 2),
    ],
)
def test_what_makes_a_policy_is_given_an_estimate_if_it_takes_one(made, arguments):
    assert maker_of(made)(1, 2) == arguments


def test_a_curve_takes_short_forms_and_sizes_as_text():
    expected = tt.replay(BLOCKS, tt.TLRU(20, 7), 250)
    assert np.array_equal(tt.capacity_curve(BLOCKS, "tlru:xi=320,q_hat=100").cached("4k"), expected.cached)
    curve = tt.capacity_curve(BLOCKS, "tlru:xi=320,q_hat=100", model=MODEL)
    assert curve.tail_excess_latency(["4MB"], "320")[0] == tt.tail_excess_latency(expected, 20)


def test_every_function_takes_sizes_and_times_as_text():
    capacity, xi = 4000, 300
    best = tt.hindsight_optimum(TRACE, capacity, xi)
    assert tt.hindsight_optimum(TRACE, "4MB", "300", model=MODEL).objective == best.objective
    assert tt.weighted_optimum(TRACE, "4k", "300", [1] * 60).objective == best.objective
    tt.check_certificate(TRACE, "4k", "300", best.certificate)
    fewest = tt.fewest_violations(TRACE, "4k", "0.3k", method="heuristic")
    assert fewest.lower == tt.fewest_violations(TRACE, capacity, xi, method="heuristic").lower
    assert tt.violations_bound(TRACE, "4k", "300", fewest.certificate) == fewest.proved
    assert tt.hindsight_curve(TRACE, "300", "1k", "4k") == tt.hindsight_curve(TRACE, xi, 1000, 4000)
    tiers, text = tt.Tiers((2000, 3000), (0, Fraction(1, 2))), tt.Tiers(("2k", "3MB"), (0, Fraction(1, 2)))
    for call in (
        lambda memory: tt.replay(TRACE, "lru+tlru:xi=300", memory, model=MODEL),
        lambda memory: tt.serve(TRACE, "lru", memory, replicas=2, model=MODEL, latency=LATENCY).ttft.tolist(),
        lambda memory: tt.hindsight_optimum(TRACE, memory, "300", model=MODEL).lower,
        lambda memory: tt.plan(TRACE, "replicas", [1, 2], memory, "20ms", LATENCY, model=MODEL),
    ):
        assert call(tiers) == call(text)
    served, outcome = tt.serve(TRACE, "lru", "4k"), tt.replay(TRACE, "lru", "4k")
    assert served.slow("20ms") == served.slow(0.02) == served.slow(Fraction(1, 50))
    slow = [tt.ttft_violations(outcome, LATENCY, slo) for slo in ("20ms", 0.02, Fraction(1, 50))]
    assert len({*slow}) == 1


LONGER = tt.Trace.from_turns(
    conversation=[k % 31 for k in range(1000)],
    prompt=[20 + k * 37 % 300 for k in range(1000)],
    response=[10] * 1000,
)
"""So long that loops replay both halves."""


def test_advice_is_that_of_numbers():
    trace = LONGER
    plain = tt.advise(trace, 3000, Fraction(1, 50))
    size = 3000 * tt.ARCHITECTURES["llama-2-7b"].bytes_per_token
    calls = []
    told = {"progress": lambda done, total: calls.append((done, total))}
    assert tt.advise(trace, f"{size}e-3kB", "20ms", model="llama-2-7b", **told) == plain
    other = tt.advise(trace, "3k", 0.02, policy="end-aware")
    assert other == tt.advise(trace, 3000, Fraction(1, 50), policy=tt.EndAwareTLRU)
    assert [done for done, _ in calls] == list(range(1, len(calls) + 1))
    assert min(total for _, total in calls) == calls[-1][1] == len(calls)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tt.advise(TRACE, "40GiB", "200ms"), "capacity: found '40GiB', .*model='llama-2-7b' or '"),
        (
            lambda: tt.replay(TRACE, "lru", "40GiB", model="lama"),
            "model: found 'lama', .* known models such as .*llama-3-8b, .*--config FILE.json",
        ),
        (lambda: tt.replay(TRACE, "lru", "40g"), "capacity: found '40g', expected 40000M tokens or 40GB or 40GiB"),
        (lambda: tt.replay(TRACE, "lur", 1), "policy: found 'lur', expected lru, or one of lru, "),
        (lambda: tt.replay(TRACE, "tlru", 1), "policy: found 'tlru', expected its threshold .*'tlru:xi=2800'"),
        (lambda: tt.replay(TRACE, "tlru:trim=eager", 1), "policy: .* its threshold .*'tlru:trim=eager,xi=2800'"),
        (lambda: tt.replay(TRACE, "tlru:xi=2s", 1), "policy: found 'tlru:xi=2s', .*model='llama-2-7b'"),
        (lambda: tt.replay(TRACE, "slo-tlru", 1), "policy: found 'slo-tlru', expected the policy itself, as SLO"),
        (lambda: tt.replay(TRACE, "lru:rules=holes", 1), "policy: .*expected the rules beside it: rules='holes'"),
        (lambda: tt.hindsight_optimum(TRACE, 1, "2s"), "xi: found '2s', .*model='llama-2-7b' or 'vicuna-7b'"),
        (lambda: tt.hindsight_optimum(TRACE, "2s", 1), "capacity: found '2s', expected tokens"),
        (lambda: tt.advise(TRACE, 1, "200"), "slo: found '200', expected a time with its unit, such as 200ms"),
        (lambda: tt.advise(TRACE, 1, "2s", model="llama-3-8b"), "model: found 'llama-3-8b', expected one with a"),
        (lambda: tt.Tiers(("1x",)), "capacities: found '1x', expected tokens"),
        (lambda: tt.advise(TRACE, 1, "2s", policy="tlru:xi=3"), "policy: .*expected a policy whose xi is left"),
    ],
)
def test_what_can_not_be_meant_is_an_error_that_offers_what_may_be(call, said):
    refused(tt.ArgumentError, said, call)


def test_a_model_has_its_own_latency_or_the_one_that_is_given():
    other = tt.A100_LLAMA2_7B_PREFILL
    assert latency_of(None, None) is latency_of(None, "Llama-2-7B") is LATENCY
    assert latency_of(other, "llama-3-8b") is Units(1, "llama-2-7b", other).own_latency is other
    assert latency_of("a100-llama2-7b-prefill", None) is other
    for wrong, said in (
        ("fast", "expected a100-llama2-7b,"),
        (3, "expected a latency model, such as fit_latency"),
    ):
        refused(tt.ArgumentError, f"latency: found .*{said}", latency_of, wrong, None)


def test_the_paths_of_files_do_what_their_models_do(tmp_path):
    shape = tt.ARCHITECTURES["mistral-7b"]
    numbers = {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128}
    config, saved = tmp_path / "config.json", tmp_path / "latency.json"
    config.write_text(json.dumps(numbers))
    saved.write_text(json.dumps(tt.latency_to_json(tt.A100_LLAMA2_7B_PREFILL)))
    for model, latency in ((config, saved), (str(config), str(saved))):
        assert Units(1, model).capacity("1GB") == Units(1, shape).capacity("1GB")
        assert Units(1, None, latency).xi("1s") == tt.A100_LLAMA2_7B_PREFILL.threshold(Fraction(1))
        assert Units(1, None, latency).capacity("1GB") == Units(1, "llama-2-7b").capacity("1GB")
        served = tt.serve(TRACE, "lru", "1GB", model=model, latency=latency)
        expected = tt.serve(TRACE, "lru", "1GB", model=shape, latency=tt.A100_LLAMA2_7B_PREFILL)
        assert served.ttft.tolist() == expected.ttft.tolist()


def test_each_model_that_an_error_offers_works_as_it_is_offered():
    with pytest.raises(tt.ArgumentError) as error:
        tt.replay(TRACE, "lru", "4GB")
    first, other = re.findall(r"model=('.*), or '(.*)' or another of", str(error.value))[0]
    for name in first.split(" or "):
        tt.advise(LONGER, "1GB", "20ms", model=name.strip("'"))
    tt.advise(LONGER, "1GB", "20ms", model=other, latency=LATENCY)


@pytest.mark.parametrize("given", [{"thresholds": ["4x"]}, {"capacities": ["4x"]}])
def test_a_grid_names_the_argument_that_is_wrong(given):
    with pytest.raises(tt.ArgumentError, match=f"^{next(iter(given))}: found '4x'"):
        Grid(**{"policies": ["lru"], "capacities": [1], "thresholds": [1], **given})
