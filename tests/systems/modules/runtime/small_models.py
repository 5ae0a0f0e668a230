"""Models of two layers with random weights, large enough that attention matters, for each class."""

from functools import cache

import torch
import transformers

from teltheory.systems.modules import BYTES
from teltheory.systems.modules.runtime import model_of

POSITIONS = 512
WIDE = 0.3
"""Deviation of the weights: at the usual 0.02 whom a token sees hardly moves its logits."""

CONFIGURATIONS = {
    "llama": lambda: transformers.LlamaConfig(
        vocab_size=256,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=POSITIONS,
        initializer_range=WIDE,
    ),
    "gpt2": lambda: transformers.GPT2Config(
        vocab_size=256, n_embd=32, n_layer=2, n_head=4, n_positions=POSITIONS, initializer_range=WIDE
    ),
    "falcon": lambda: falcon(alibi=False, multi_query=True, parallel_attn=True),
    "falcon-alibi": lambda: falcon(alibi=True, multi_query=False, parallel_attn=False, bias=True),
    "falcon-groups": lambda: falcon(new_decoder_architecture=True, num_kv_heads=2),
    "bloom": lambda: transformers.BloomConfig(
        vocab_size=256, hidden_size=32, n_layer=2, n_head=4, initializer_range=WIDE
    ),
    "bloom-6-heads": lambda: transformers.BloomConfig(
        vocab_size=256, hidden_size=48, n_layer=2, n_head=6, initializer_range=WIDE
    ),
    "mpt": lambda: transformers.MptConfig(
        vocab_size=256, d_model=32, n_layers=2, n_heads=4, initializer_range=WIDE
    ),
    "mpt-6-heads": lambda: transformers.MptConfig(
        vocab_size=256, d_model=48, n_layers=2, n_heads=6, initializer_range=WIDE
    ),
}


def falcon(**settings):
    return transformers.FalconConfig(
        vocab_size=256,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=POSITIONS,
        initializer_range=WIDE,
        **settings,
    )


CLASSES = {
    "llama": "LlamaForCausalLM",
    "gpt2": "GPT2LMHeadModel",
    "falcon": "FalconForCausalLM",
    "bloom": "BloomForCausalLM",
    "mpt": "MptForCausalLM",
}


def small_module(name):
    """A model of transformers with fixed random weights."""
    torch.manual_seed(26)
    config = CONFIGURATIONS[name]()
    kind = getattr(transformers, CLASSES[config.model_type])
    return kind(config).eval()


@cache
def small_model(name):
    torch.set_num_threads(1)
    return model_of(small_module(name), BYTES, name)
