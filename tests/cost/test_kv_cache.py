"""KV sizes, counted from arrays of the published shapes; architectures from config.json, faults by field."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.cost.catalogue import ARCHITECTURES, architecture
from teltheory.cost.kv_cache import NUMBERS, Architecture

KNOWN = {
    "llama-2-7b": 524_288,
    "vicuna-7b": 524_288,
    "llama-2-13b": 819_200,
    "llama-3-8b": 131_072,
    "llama-3-70b": 327_680,
    "qwen2.5-7b": 57_344,
    "llama-3.1-8b": 131_072,
    "llama-3.1-405b": 516_096,
    "qwen3-30b-a3b": 98_304,
    "deepseek-v2": 69_120,
    "deepseek-v3": 70_272,
    "minicpm3-4b": 35_712,
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_token_has_the_size_of_its_keys_and_values(name: str) -> None:
    shape = architecture(name)
    numbers = np.empty((shape.layers, 1 if shape.latent else 2, shape.kv_heads, shape.head_dim), np.float16)
    assert shape.bytes_per_token == numbers.nbytes == KNOWN.get(name, numbers.nbytes)


def test_the_bytes_of_a_number_count() -> None:
    assert Architecture("a", 3, 5, 7, 1).bytes_per_token == 210
    assert Architecture("a", 3, 5, 7, 4).bytes_per_token == 840


@given(st.sampled_from([*ARCHITECTURES.values()]), st.integers(0, 2**40))
def test_as_many_tokens_as_fit(shape: Architecture, size: int) -> None:
    stored = shape.stored()
    tokens = shape.tokens(size)
    assert stored.bytes(tokens) <= size < stored.bytes(tokens + 1)


def test_names_and_shapes_that_are_none() -> None:
    assert architecture(" Vicuna-7B ") is tt.ARCHITECTURES["vicuna-7b"]
    refused(
        tt.ArgumentError, "model: found 'gpt-5', .* known models such as glm-5, gpt-oss-20b", architecture, "gpt-5"
    )
    refused(tt.ArgumentError, "kv_heads: found 0, expected 1 or more", tt.Architecture, "a", 1, 0, 1)


LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    "hidden_size": 7168,
    "kv_lora_rank": 512,
    "num_attention_heads": 128,
    "num_hidden_layers": 61,
    "num_key_value_heads": 128,
    "qk_rope_head_dim": 64,
    "quantization_config": {"fmt": "e4m3", "quant_method": "fp8"},
    "torch_dtype": "bfloat16",
}
FALCON = {"hidden_size": 4544, "multi_query": True, "n_head": 71, "n_layer": 32, "torch_dtype": "bfloat16"}
QWEN = {
    "hidden_size": 3584,
    "max_position_embeddings": 32768,
    "num_attention_heads": 28,
    "num_hidden_layers": 28,
    "num_key_value_heads": 4,
    "sliding_window": 131072,
    "torch_dtype": "bfloat16",
    "use_sliding_window": False,
}


def config(folder, **data):
    file = folder / "config.json"
    file.write_text(json.dumps(data))
    return file


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (LLAMA, 131_072),
        ({**LLAMA, "num_key_value_heads": None}, 524_288),
        ({**LLAMA, "head_dim": 64}, 65_536),
        ({**LLAMA, "torch_dtype": "float32"}, 262_144),
        ({"text_config": LLAMA, "vision_config": {"hidden_size": 9}}, 131_072),
        ({**LLAMA, "layer_types": ["full_attention"] * 32}, 131_072),
        ({**LLAMA, "quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float"}}}, 65_536),
        (DEEPSEEK, 70_272),
        (QWEN, 57_344),
        (FALCON, 8_192),
        ({"n_embd": 768, "n_head": 12, "n_layer": 12}, 36_864),
        ({"hidden_size": 8192, "n_head": 128, "n_head_kv": 8, "n_layer": 60}, 122_880),
    ],
)
def test_a_token_has_the_published_size(tmp_path, data, size):
    assert tt.read_architecture(config(tmp_path, **data)).bytes_per_token == size


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_hidden_layers": None}, "num_hidden_layers: found none, expected one"),
        ({"num_hidden_layers": "32"}, "num_hidden_layers: found '32', expected a whole number from 1 to"),
        ({"num_key_value_heads": 0}, "num_key_value_heads: found 0, expected a whole number"),
        ({"hidden_size": 4095}, "hidden_size: found 4095, expected a multiple of the 32 attention"),
        ({"torch_dtype": "int4"}, "torch_dtype: found 'int4', expected one of float16, bfloat16"),
        ({"kv_lora_rank": 512}, "qk_rope_head_dim: found none, expected one"),
        ({"sliding_window": 4096}, "sliding_window: found 4096, expected a model whose layers all keep"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "layer_types: found 'linear_attention'"),
        ({"mamba_d_state": 16}, "mamba_d_state: found 16, expected a model whose layers all keep"),
        ({"quantization_config": {"kv_cache_scheme": {"num_bits": 3}}}, "quantization_config.kv_cache_scheme.num"),
        ({"text_config": 3}, "text_config: found 3, expected an object"),
    ],
)
def test_a_fault_is_named_with_file_and_field(tmp_path, changes, message):
    file = config(tmp_path, **{**LLAMA, **changes})
    refused(tt.FileError, f"{file}, {message}", tt.read_architecture, file)


def test_what_is_no_object_is_refused(tmp_path):
    file = tmp_path / "config.json"
    file.write_text("[1]")
    refused(tt.FileError, "expected a model's config.json, an object", tt.read_architecture, file)


@given(st.integers(1, 16), st.integers(1, 64), st.booleans(), st.sampled_from([None, *NUMBERS]))
def test_tensor_parallel_divides_heads_or_copies_them(kv_heads, gpus, latent, dtype):
    """Counted head by head: each GPU has its part, and one head at least."""
    shape = tt.Architecture("a", 3, 1 if latent else kv_heads, 5, latent=latent)
    if shape.kv_heads % gpus and gpus % shape.kv_heads:
        refused(tt.ArgumentError, f"tensor_parallel: found {gpus}, expected a number", shape.stored, gpus)
        return
    kept = sum(max(shape.kv_heads / gpus, 1) for _ in range(gpus))
    numbers = kept * 3 * 5 * (1 if latent else 2)
    assert shape.stored(gpus, dtype).bytes_per_token == numbers * NUMBERS[dtype or "fp16"]
