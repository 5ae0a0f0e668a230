"""Time to first token with an attention term: quadratic in the input, so that reusing a long prefix saves more.

Prefill of u uncached tokens after c cached ones, n = u + c in all, multiplies every uncached token by every
weight, 2 FLOPs a weight, and compares the token at place i with the i tokens up to it, 4 FLOPs a layer and a unit
of width (2 for its product with the keys, 2 for that with the values). The places c + 1 ... n add up to about (n^2
- c^2) / 2, so

    TTFT(u, c) = alpha u + gamma (n^2 - c^2) + beta,   gamma / alpha = (4 layers width / 2) / (2 weights),

where both kinds of FLOPs run at the same rate.
"""

from __future__ import annotations

from fractions import Fraction

from teltheory.cost.latency import A100_LLAMA2_7B, LatencyModel

FITTED_FROM, FITTED_TO = 256, 4096
LAYERS, WIDTH, WEIGHTS = 32, 4096, 6_476_005_376
"""Llama-2-7B: 32 layers of 4 width^2 + 3 * 11008 width weights, without embedding and output layer."""


AttentionLatency = LatencyModel
"""The name of a model with attention before both were one."""


def with_attention(linear: LatencyModel, share: Fraction, low: int, high: int) -> LatencyModel:
    """Return the model with an attention term that agrees with a linear one on prompts of `low` and `high` tokens.

    A line through the prefill times of uncached prompts of both lengths has the slope alpha + gamma (low + high):
    what a linear fit calls time per token has attention in it. `share` is gamma / alpha, per token.
    """
    per_token = linear.per_token / (1 + share * (low + high))
    constant = (linear.per_token - per_token) * low - per_token * share * low**2
    name = f"{linear.name}, with attention"
    return LatencyModel(per_token, per_token * share, constant, name=name, provenance=linear.provenance)


A100_LLAMA2_7B_ATTENTION = with_attention(
    A100_LLAMA2_7B, Fraction(LAYERS * WIDTH, WEIGHTS), FITTED_FROM, FITTED_TO
)
