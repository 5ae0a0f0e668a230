"""Five classes of models written out plainly: one pass over all tokens, who sees whom by a mask, no cache.

Only a model's weights and settings are read. ALiBi's bias is slope x (key's position - query's), slopes by the
formula of Press et al. 2022, section 3; a head count that is no power of two is filled up as the publishers do.
"""

import math

import torch
from torch.nn.functional import gelu, layer_norm, silu, softmax


def plain_logits(module, tokens, positions, seen, dtype=torch.float64):
    """Logits (n, vocabulary) of n tokens at their positions; `seen` (n, n) is true where a row sees a column."""
    w = {name: one.detach().to(dtype) for name, one in module.state_dict().items()}
    positions = torch.as_tensor(positions)
    with torch.inference_mode():
        return PLAIN[module.config.model_type](w, module.config, torch.as_tensor(tokens), positions, seen)


def attention(q, k, v, seen, scale, bias=0.0):
    """Outputs (n, heads x width) of queries, keys and values (n, heads or fewer, width)."""
    k, v = (one.repeat_interleave(q.shape[1] // one.shape[1], dim=1) for one in (k, v))
    scores = torch.einsum("qhd,khd->hqk", q, k) * scale + bias
    weights = softmax(scores.masked_fill(~torch.as_tensor(seen), -math.inf), dim=-1)
    return torch.einsum("hqk,khd->qhd", weights, v).flatten(1)


def rotated(x, positions, base):
    """Vectors (n, heads, width) rotated by their positions: coordinate i and i + width/2 make a pair."""
    half = x.shape[-1] // 2
    angles = positions[:, None].to(x.dtype) * base ** -(torch.arange(half, dtype=x.dtype) / half)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    return torch.cat((x[..., :half] * cos - x[..., half:] * sin, x[..., half:] * cos + x[..., :half] * sin), -1)


def slopes(heads):
    return torch.tensor([2.0 ** (-8 * (k + 1) / heads) for k in range(heads)], dtype=torch.float64)


def slopes_filled_up(heads):
    power = 2 ** int(math.log2(heads))
    return torch.cat((slopes(power), slopes(2 * power)[::2][: heads - power]))


def slopes_of_the_next_power(heads):
    power = 2 ** math.ceil(math.log2(heads))
    every = slopes(power)
    return every if power == heads else torch.cat((every[1::2], every[::2]))[:heads]


def alibi(by_head, positions, dtype):
    return by_head.to(dtype)[:, None, None] * (positions[None, :] - positions[:, None]).to(dtype)


def llama(w, config, tokens, positions, seen):
    def norm(x, name):
        return x * (x.pow(2).mean(-1, keepdim=True) + config.rms_norm_eps).rsqrt() * w[f"{name}.weight"]

    x, width = w["model.embed_tokens.weight"][tokens], config.hidden_size // config.num_attention_heads
    base = config.rope_parameters["rope_theta"]
    for k in range(config.num_hidden_layers):
        at, y = f"model.layers.{k}", norm(x, f"model.layers.{k}.input_layernorm")
        q, key, v = ((y @ w[f"{at}.self_attn.{n}_proj.weight"].T).unflatten(-1, (-1, width)) for n in "qkv")
        q, key = rotated(q, positions, base), rotated(key, positions, base)
        x = x + attention(q, key, v, seen, width**-0.5) @ w[f"{at}.self_attn.o_proj.weight"].T
        y = norm(x, f"{at}.post_attention_layernorm")
        gate, up = (y @ w[f"{at}.mlp.{n}_proj.weight"].T for n in ("gate", "up"))
        x = x + (silu(gate) * up) @ w[f"{at}.mlp.down_proj.weight"].T
    return norm(x, "model.norm") @ w["lm_head.weight"].T


def normed(w, x, name, eps):
    return layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w.get(f"{name}.bias"), eps)


def linear(w, x, name):
    return x @ w[f"{name}.weight"].T + w.get(f"{name}.bias", 0.0)


def gpt2(w, config, tokens, positions, seen):
    width, eps = config.n_embd // config.n_head, config.layer_norm_epsilon
    x = w["transformer.wte.weight"][tokens] + w["transformer.wpe.weight"][positions]
    for k in range(config.n_layer):
        at = f"transformer.h.{k}"
        y = normed(w, x, f"{at}.ln_1", eps) @ w[f"{at}.attn.c_attn.weight"] + w[f"{at}.attn.c_attn.bias"]
        q, key, v = (one.unflatten(-1, (-1, width)) for one in y.chunk(3, -1))
        x = (
            x
            + attention(q, key, v, seen, width**-0.5) @ w[f"{at}.attn.c_proj.weight"]
            + w[f"{at}.attn.c_proj.bias"]
        )
        y = normed(w, x, f"{at}.ln_2", eps) @ w[f"{at}.mlp.c_fc.weight"] + w[f"{at}.mlp.c_fc.bias"]
        x = x + gelu(y, approximate="tanh") @ w[f"{at}.mlp.c_proj.weight"] + w[f"{at}.mlp.c_proj.bias"]
    return normed(w, x, "transformer.ln_f", eps) @ w["lm_head.weight"].T


def falcon(w, config, tokens, positions, seen):
    heads, eps = config.num_attention_heads, config.layer_norm_epsilon
    width, at_scale = config.hidden_size // heads, (config.hidden_size // heads) ** -0.5
    x = w["transformer.word_embeddings.weight"][tokens]
    bias = alibi(slopes_filled_up(heads), positions, x.dtype) * at_scale if config.alibi else 0.0
    for k in range(config.num_hidden_layers):
        at = f"transformer.h.{k}"
        before, beside = ("ln_attn", "ln_mlp") if config.new_decoder_architecture else ("input_layernorm",) * 2
        y = linear(w, normed(w, x, f"{at}.{before}", eps), f"{at}.self_attention.query_key_value")
        q, key, v = falcon_heads(y.unflatten(-1, (-1, width)), config)
        if not config.alibi:
            q, key = (rotated(one, positions, config.rope_parameters["rope_theta"]) for one in (q, key))
        attended = linear(w, attention(q, key, v, seen, at_scale, bias), f"{at}.self_attention.dense")
        if config.parallel_attn:
            y = normed(w, x, f"{at}.{beside}", eps)
        else:
            x, attended = x + attended, 0.0
            y = normed(w, x, f"{at}.post_attention_layernorm", eps)
        x = x + linear(w, gelu(linear(w, y, f"{at}.mlp.dense_h_to_4h")), f"{at}.mlp.dense_4h_to_h") + attended
    return normed(w, x, "transformer.ln_f", eps) @ w["lm_head.weight"].T


def falcon_heads(qkv, config):
    """Queries, keys, values of (n, heads in all, width): keys and values of a group of queries behind it."""
    if config.new_decoder_architecture:
        groups = qkv.unflatten(1, (config.num_kv_heads, -1))
        return groups[:, :, :-2].flatten(1, 2), groups[:, :, -2], groups[:, :, -1]
    if config.multi_query:
        return qkv[:, :-2], qkv[:, -2:-1], qkv[:, -1:]
    return qkv[:, 0::3], qkv[:, 1::3], qkv[:, 2::3]


def bloom(w, config, tokens, positions, seen):
    heads, eps = config.n_head, config.layer_norm_epsilon
    width = config.hidden_size // heads
    x = normed(w, w["transformer.word_embeddings.weight"][tokens], "transformer.word_embeddings_layernorm", eps)
    bias = alibi(slopes_filled_up(heads), positions, x.dtype)
    for k in range(config.n_layer):
        at = f"transformer.h.{k}"
        y = linear(w, normed(w, x, f"{at}.input_layernorm", eps), f"{at}.self_attention.query_key_value")
        q, key, v = y.unflatten(-1, (heads, 3, width)).unbind(2)
        x = x + linear(w, attention(q, key, v, seen, width**-0.5, bias), f"{at}.self_attention.dense")
        y = linear(w, normed(w, x, f"{at}.post_attention_layernorm", eps), f"{at}.mlp.dense_h_to_4h")
        x = x + linear(w, gelu(y, approximate="tanh"), f"{at}.mlp.dense_4h_to_h")
    return normed(w, x, "transformer.ln_f", eps) @ w["lm_head.weight"].T


def mpt(w, config, tokens, positions, seen):
    heads, eps = config.n_heads, config.layer_norm_epsilon
    width = config.d_model // heads
    x = w["transformer.wte.weight"][tokens]
    bias = alibi(slopes_of_the_next_power(heads), positions, x.dtype)
    for k in range(config.n_layers):
        at = f"transformer.blocks.{k}"
        y = linear(w, normed(w, x, f"{at}.norm_1", eps), f"{at}.attn.Wqkv")
        q, key, v = (one.unflatten(-1, (heads, width)) for one in y.chunk(3, -1))
        x = x + linear(w, attention(q, key, v, seen, width**-0.5, bias), f"{at}.attn.out_proj")
        y = gelu(linear(w, normed(w, x, f"{at}.norm_2", eps), f"{at}.ffn.up_proj"))
        x = x + linear(w, y, f"{at}.ffn.down_proj")
    return normed(w, x, "transformer.norm_f", eps) @ w["lm_head.weight"].T


PLAIN = {"llama": llama, "gpt2": gpt2, "falcon": falcon, "bloom": bloom, "mpt": mpt}
