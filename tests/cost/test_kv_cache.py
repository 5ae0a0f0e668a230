"""KV sizes: counted from arrays of the published shapes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.cost.kv_cache import ARCHITECTURES, Architecture, architecture

KNOWN = {
    "llama-2-7b": 524_288,
    "vicuna-7b": 524_288,
    "llama-2-13b": 819_200,
    "llama-3-8b": 131_072,
    "llama-3-70b": 327_680,
    "qwen2.5-7b": 57_344,
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_token_has_the_size_of_its_keys_and_values(name: str) -> None:
    shape = architecture(name)
    numbers = np.empty((shape.layers, 2, shape.kv_heads, shape.head_dim), np.float16)
    assert shape.bytes_per_token == numbers.nbytes == KNOWN.get(name, numbers.nbytes)


def test_the_bytes_of_a_number_count() -> None:
    assert Architecture("a", 3, 5, 7, 1).bytes_per_token == 210
    assert Architecture("a", 3, 5, 7, 4).bytes_per_token == 840


@given(st.sampled_from([*ARCHITECTURES.values()]), st.integers(0, 2**40))
def test_as_many_tokens_as_fit(shape: Architecture, size: int) -> None:
    stored = shape.stored()
    tokens = stored.tokens(size)
    assert stored.bytes(tokens) <= size < stored.bytes(tokens + 1)


def test_names_and_shapes_that_are_none() -> None:
    assert architecture(" Vicuna-7B ") is tt.ARCHITECTURES["vicuna-7b"]
    with pytest.raises(tt.ArgumentError, match="model: found 'gpt-5', expected one of llama-2-7b, "):
        architecture("gpt-5")
    with pytest.raises(tt.ArgumentError, match="kv_heads: found 0, expected 1 or more"):
        tt.Architecture("a", 1, 0, 1)
