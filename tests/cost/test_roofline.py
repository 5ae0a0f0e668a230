"""The roofline: peaks by hand, laws of what costs time, weights counted matrix by matrix, the A100 as judge."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cost.catalogue import ARCHITECTURES, architecture, gpu, known_gpus
from teltheory.cost.roofline import BAND, Roofline, estimated, fitted_to

MODELS = st.sampled_from([shape for shape in ARCHITECTURES.values() if shape.work is not None])
GPUS = st.sampled_from([*known_gpus().values()])
TOKENS = st.integers(0, 200_000)
SHARES = st.fractions(Fraction(1, 100), 1, max_denominator=100)
PEAK = (Fraction(1, 4), Fraction(1), Fraction(1))


def test_the_peaks_of_llama_2_7b_on_an_a100_by_hand():
    """32 layers of 4 x 4096^2 + 3 x 4096 x 11008 weights: 6,476,005,376, each of 2 FLOPs a token and 2 bytes."""
    peak = estimated(architecture("llama-2-7b"), gpu("a100"), band=PEAK)
    weights = 32 * (4 * 4096**2 + 3 * 4096 * 11_008)
    assert peak.per_token == Fraction(2 * weights, 312 * 10**12)
    assert peak.floor == Fraction(2 * weights, 2039 * 10**9)
    computed, read = Fraction(4 * 4096 * 32, 312 * 10**12), Fraction(524_288, 128 * 2039 * 10**9)
    assert peak.per_pair == max(computed, read) / 2 == read / 2
    assert estimated(architecture("llama-2-7b"), gpu("b200"), band=PEAK).per_pair < peak.per_pair


@given(MODELS, GPUS, TOKENS, TOKENS, TOKENS)
def test_more_tokens_never_take_less(shape, card, uncached, cached, more):
    latency = estimated(shape, card)
    assert latency.ttft(uncached) <= latency.ttft(uncached + more)
    assert latency.ttft(uncached, cached) <= latency.ttft(uncached, cached + more)
    assert latency.ttft(uncached, cached) <= latency.ttft(uncached + cached, 0) * (1 + 1e-12)


@given(MODELS, GPUS, TOKENS, TOKENS, st.integers(1, 16), st.integers(1, 16))
def test_more_gpus_never_take_longer_and_share_the_work(shape, card, uncached, cached, gpus, more):
    few, many = (estimated(shape, card, n).ttft(uncached, cached) for n in (gpus, gpus + more))
    assert many <= few
    assert many * (gpus + more) == pytest.approx(few * gpus)


@given(MODELS, GPUS, TOKENS, TOKENS, SHARES)
def test_the_efficiency_is_one_factor_of_every_ttft(shape, card, uncached, cached, share):
    latency = estimated(shape, card)
    at = latency.at(share)
    assert at.ttft(uncached, cached) == pytest.approx(latency.ttft(uncached, cached) * float(BAND[1] / share))
    fast, slow = latency.factors
    ends = [float(end.ttft(uncached, cached)) for end in latency.ends]
    middle = float(latency.ttft(uncached, cached))
    assert ends == pytest.approx([middle * slow, middle * fast])


@given(MODELS, GPUS, st.fractions(Fraction(1, 2), 30, max_denominator=100))
def test_the_threshold_is_kept_and_the_band_has_it(shape, card, slo):
    latency = estimated(shape, card, 8)
    slow, fast = latency.ends
    if slow.floor > slo:
        assert latency.reach(slo).startswith("none to ") or latency.floor > slo
        return
    xi = latency.threshold(slo)
    assert slow.threshold(slo) <= xi <= fast.threshold(slo)
    assert latency.reach(slo) == f"{slow.threshold(slo):,} to {fast.threshold(slo):,}"
    assert float(latency.ttft(xi)) <= slo * (1 + 1e-12)
    assert float(latency.ttft(xi + 1)) > slo * (1 - 1e-12)


def matrices(config):
    """Yield the shape of each matrix, whether a token meets it, and how often it is there: a second count."""
    h, q = config["hidden_size"], config["num_attention_heads"]
    for layer in range(config["num_hidden_layers"]):
        if "kv_lora_rank" in config:
            nope, rotary, value = (config[n] for n in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
            yield (h, config["q_lora_rank"]), 1, 1
            yield (config["q_lora_rank"], q * (nope + rotary)), 1, 1
            yield (h, config["kv_lora_rank"] + rotary), 1, 1
            yield (config["kv_lora_rank"], q * nope), 1, 1
            yield (config["kv_lora_rank"], q * value), 1, 1
            yield (q * value, h), 1, 1
        else:
            d, k = config["head_dim"], config["num_key_value_heads"]
            yield from (((h, n * d), 1, 1) for n in (q, k, k, q))
        sparse = "n_routed_experts" in config and layer >= config["first_k_dense_replace"]
        if sparse:
            expert, shared = (h, config["moe_intermediate_size"]), config["n_shared_experts"]
            yield from [(expert, config["num_experts_per_tok"], config["n_routed_experts"])] * 3
            yield from [(expert, shared, shared)] * 3
        else:
            yield from [((h, config["intermediate_size"]), 1, 1)] * 3


@st.composite
def configs(draw):
    number = st.integers(1, 12)
    names = ["hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size"]
    names += ["num_key_value_heads", "head_dim"]
    if draw(st.booleans()):
        names += ["kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"]
    if draw(st.booleans()):
        names += ["n_routed_experts", "num_experts_per_tok", "n_shared_experts", "moe_intermediate_size"]
    config = {name: draw(number) for name in names}
    if "n_routed_experts" in config:
        config["first_k_dense_replace"] = draw(st.integers(0, config["num_hidden_layers"]))
    return config


@given(configs())
def test_weights_are_those_of_all_matrices(tmp_path_factory, config):
    file = tmp_path_factory.mktemp("config") / "config.json"
    file.write_text(json.dumps(config))
    work = tt.read_architecture(file).work
    counted = [(math.prod(shape), met, there) for shape, met, there in matrices(config)]
    assert work.active == sum(size * met for size, met, _ in counted)
    assert work.weights == sum(size * there for size, _, there in counted)


def test_a_config_json_and_its_row_are_one_shape(tmp_path):
    for name, config in CONFIGS.items():
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(config))
        assert replace(tt.read_architecture(file), name=name) == replace(architecture(name), name=name)


CONFIGS = {
    "llama-3.1-8b": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
    },
    "deepseek-v3": {
        "first_k_dense_replace": 3,
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "kv_lora_rank": 512,
        "moe_intermediate_size": 2048,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_attention_heads": 128,
        "num_experts_per_tok": 8,
        "num_hidden_layers": 61,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "quantization_config": {"quant_method": "fp8"},
        "v_head_dim": 128,
    },
    "qwen3-30b-a3b": {
        "head_dim": 128,
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "moe_intermediate_size": 768,
        "num_attention_heads": 32,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "num_hidden_layers": 48,
        "num_key_value_heads": 4,
    },
}


def test_a_measurement_of_the_model_takes_the_place_of_the_estimate():
    llama, card = architecture("llama-2-7b"), gpu("a100")
    estimate = estimated(llama, card)
    measured = tt.A100_LLAMA2_7B_PREFILL
    assert fitted_to(estimate, llama, card, measured) is measured
    unnamed = replace(measured, provenance=None)
    assert fitted_to(estimate, llama, card, unnamed) is unnamed
    said = "expected one measured on NVIDIA H100 SXM 80 GB, not on NVIDIA A100-80GB"
    refused(tt.ArgumentError, said, fitted_to, estimate, llama, gpu("h100"), measured)


def test_a_measurement_of_another_model_narrows_the_band():
    served, card = architecture("llama-3.1-8b"), gpu("a100")
    estimate = estimated(served, card)
    found = fitted_to(estimate, served, card, tt.A100_LLAMA2_7B_PREFILL)
    assert isinstance(found, Roofline)
    assert BAND[0] < found.least < found.efficiency < found.most < BAND[2]
    assert "llama-2-7b was measured on this GPU" in found.sentence
    assert "no measurement" not in found.sentence
    # what was measured lies inside the narrowed band of its own model
    own = replace(estimated(architecture("llama-2-7b"), card), least=found.least, most=found.most)
    slow, fast = own.ends
    for n in (512, 1024, 2048, 4096):
        time = float(tt.A100_LLAMA2_7B_PREFILL.ttft(n))
        assert float(fast.ttft(n)) * 0.999 <= time <= float(slow.ttft(n)) * 1.001
    too_fast = replace(
        tt.A100_LLAMA2_7B_PREFILL, per_token=Fraction(1, 10**6), per_pair=Fraction(0), floor=Fraction(0)
    )
    refused(tt.ArgumentError, "a TTFT that llama-2-7b .* can reach", fitted_to, estimate, served, card, too_fast)


def test_what_is_not_known_is_refused():
    unknown = replace(architecture("llama-2-7b"), name="a", work=None)
    refused(
        tt.ArgumentError,
        "gpu: found 'a100', expected --latency FILE.json: what a",
        estimated,
        unknown,
        gpu("a100"),
    )
    refused(tt.ArgumentError, "tensor_parallel: found 0", estimated, architecture("llama-2-7b"), gpu("a100"), 0)


@pytest.mark.repository
def test_the_a100s_timings_are_in_the_band_that_leaves_them_out(shared):
    from experiments.judge_roofline import judgements

    folder = shared("a100_llama2_7b_prefill.csv").parent
    rows = {row.left_out: row for row in judgements(folder)}
    prefill = rows["prefill, each length"]
    assert prefill.cases == 259
    assert prefill.inside >= 0.99
    assert prefill.median_error < 0.03
    assert rows["prefill, by decode linear"].inside > 0.98
    assert rows["decode linear, by prefill"].inside > 0.9
    assert rows["prefill, by no measurement"].inside == 1
    assert np.isclose(rows["prefill, by no measurement"].median_error, 0.46, atol=0.02)
