"""Time to first token with an attention term: quadratic in the input, so that reusing a long prefix saves more.

Prefill of u uncached tokens after c cached ones, n = u + c in all, multiplies every uncached token by every
weight, 2 FLOPs a weight, and compares the token at place i with the i tokens up to it, 4 FLOPs a layer and a unit
of width (2 for its product with the keys, 2 for that with the values). The places c + 1 ... n add up to about (n^2
- c^2) / 2, so

    TTFT(u, c) = alpha u + gamma (n^2 - c^2) + beta,   gamma / alpha = (4 layers width / 2) / (2 weights),

where both kinds of FLOPs run at the same rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from teltheory.errors import ArgumentError
from teltheory.latency import A100_LLAMA2_7B, LatencyModel
from teltheory.numbers import FloatArray, IntArray

FITTED_FROM, FITTED_TO = 256, 4096
LAYERS, WIDTH, WEIGHTS = 32, 4096, 6_476_005_376
"""Llama-2-7B: 32 layers of 4 width^2 + 3 * 11008 width weights, without embedding and output layer."""


@dataclass(frozen=True)
class AttentionLatency:
    """TTFT = `per_token` u + `per_pair` (n^2 - c^2) + `constant`, for u uncached and c cached tokens, n = u + c.

    Attributes
    ----------
    per_token : Fraction
        alpha, seconds an uncached token.
    per_pair : Fraction
        gamma, seconds for a pair of tokens, each pair counted twice.
    constant : Fraction
        beta, seconds.
    name : str
        Where the numbers come from.
    """

    per_token: Fraction
    per_pair: Fraction
    constant: Fraction = Fraction(0)
    name: str = ""

    def ttft(self, uncached: IntArray, cached: IntArray) -> FloatArray:
        """Return seconds to the first token."""
        u, c = uncached.astype(float), cached.astype(float)
        seconds: FloatArray = (
            float(self.per_token) * u + float(self.per_pair) * u * (u + 2 * c) + float(self.constant)
        )
        return seconds

    def threshold(self, slo: Fraction) -> int:
        """Return the largest number of uncached tokens, none cached, whose TTFT is at most `slo` seconds.

        Raises
        ------
        ArgumentError
            Where not even 0 tokens keep it, or any number does.
        """
        left = slo - self.constant
        if left < 0 or not self.per_token + self.per_pair:
            raise ArgumentError("slo", f"{float(slo)} s", "seconds that some number of tokens takes")
        low, high = 0, int(left / self.per_token) if self.per_token else isqrt(int(left / self.per_pair))
        while low < high:
            middle = (low + high + 1) // 2
            keeps = self.per_token * middle + self.per_pair * middle**2 <= left
            low, high = (middle, high) if keeps else (low, middle - 1)
        return low


def with_attention(linear: LatencyModel, share: Fraction, low: int, high: int) -> AttentionLatency:
    """Return the model with an attention term that agrees with a linear one on prompts of two lengths.

    A line through the prefill times of uncached prompts of both lengths has the slope alpha + gamma (low + high):
    what a linear fit calls time a token has attention in it.

    Parameters
    ----------
    linear : LatencyModel
        Its slope was fitted from `low` to `high` tokens.
    share : Fraction
        gamma / alpha, a token.
    low, high : int
        Tokens.
    """
    per_token = linear.seconds_per_token / (1 + share * (low + high))
    constant = (linear.seconds_per_token - per_token) * low - per_token * share * low**2
    return AttentionLatency(per_token, per_token * share, constant, f"{linear.name}, with attention")


A100_LLAMA2_7B_ATTENTION = with_attention(
    A100_LLAMA2_7B, Fraction(LAYERS * WIDTH, WEIGHTS), FITTED_FROM, FITTED_TO
)
