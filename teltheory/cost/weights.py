"""The weights that a token is multiplied with, from the fields of a ``config.json``.

A layer has an attention and a feed-forward part. With `h` the hidden size, `q` query heads and `k` key-value heads
of width `d`, attention has h q d + 2 h k d + q d h weights. Latent attention (MLA) has one way down to its ranks
and one up from them, for queries and for keys and values. A feed-forward part of inner width `w` has 3 h w, or
2 h w if it has no gate. Of experts a token meets the chosen and the shared ones; all are stored.

Embedding, output layer, norms and biases are left out: they are a few percent, and a prompt meets the output layer
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

NO_GATE = (
    "bloom",
    "falcon",
    "gpt2",
    "gpt_bigcode",
    "gpt_neox",
    "gptj",
    "mpt",
    "nemotron",
    "opt",
    "persimmon",
    "phi",
)
"""Model types whose feed-forward parts have no gate."""
INNER = ("intermediate_size", "ffn_hidden_size", "n_inner")
EXPERTS = ("n_routed_experts", "num_local_experts", "num_experts", "moe_num_experts")
CHOSEN = ("num_experts_per_tok", "experts_per_token", "top_k_experts", "moe_top_k", "moe_k")


class Weights(NamedTuple):
    """Weights of all layers: those that a token is multiplied with, and those that are stored."""

    active: int
    stored: int


def weights_of(
    data: Mapping[str, Any], number: Callable[[tuple[str, ...]], int], kv_heads: int, head_dim: int
) -> Weights | None:
    """Return the weights of a model; None if the file doesn't say how wide the feed-forward parts are.

    Parameters
    ----------
    data : mapping
        The fields.
    number : callable
        Returns the whole number of the first of some fields that is there.
    kv_heads, head_dim : int
        Key-value heads and width of a query head.
    """
    hidden, heads = number(("hidden_size", "n_embd")), number(("num_attention_heads", "n_head"))
    layers = number(("num_hidden_layers", "n_layer", "num_layers"))
    matrices = 2 if data.get("model_type") in (*NO_GATE, "phi-msft", "starcoder2") else 3
    inner = _first(data, INNER) or (4 * hidden if matrices == 2 else 0)
    if not inner:
        return None
    latent = data.get("kv_lora_rank")
    attention = _latent(data, hidden, heads) if latent else 2 * hidden * head_dim * (heads + kv_heads)
    sparse = _sparse_layers(data, layers)
    one, shared = matrices * hidden * (data.get("moe_intermediate_size") or inner), _shared(data, inner)
    dense = matrices * hidden * (data.get("intermediate_size_mlp") or inner)
    beside = layers * attention + (layers - sparse) * dense + sparse * matrices * hidden * shared
    chosen, stored = (_first(data, fields) or 0 for fields in (CHOSEN, EXPERTS))
    return Weights(beside + sparse * chosen * one, beside + sparse * stored * one)


def _latent(data: Mapping[str, Any], hidden: int, heads: int) -> int:
    """Return the weights of a layer's latent attention."""
    rank, rotary = data["kv_lora_rank"], data["qk_rope_head_dim"]
    nope, value = data.get("qk_nope_head_dim") or 0, data.get("v_head_dim") or 0
    queries, through = heads * (nope + rotary), data.get("q_lora_rank")
    asked = through * (hidden + queries) if through else hidden * queries
    return int(asked + hidden * (rank + rotary) + rank * heads * (nope + value) + heads * value * hidden)


def _sparse_layers(data: Mapping[str, Any], layers: int) -> int:
    """Return how many layers have experts."""
    if not _first(data, EXPERTS):
        return 0
    step = data.get("interleave_moe_layer_step") or data.get("decoder_sparse_step") or 1
    plain = data.get("first_k_dense_replace") or len(data.get("mlp_only_layers") or ())
    return int((layers - plain) // step)


def _shared(data: Mapping[str, Any], inner: int) -> int:
    """Return the inner width of what all tokens meet in a layer of experts."""
    if data.get("intermediate_size_mlp"):
        return inner
    width = data.get("shared_expert_intermediate_size") or data.get("shared_intermediate_size")
    many = data.get("n_shared_experts") or data.get("num_shared_experts") or 0
    return int(width or many * (data.get("moe_intermediate_size") or inner))


def _first(data: Mapping[str, Any], fields: tuple[str, ...]) -> int | None:
    """Return the first of some fields that is a whole number above 0."""
    return next((data[name] for name in fields if type(data.get(name)) is int and data[name] > 0), None)
