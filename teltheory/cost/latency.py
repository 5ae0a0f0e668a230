"""Time to first token (TTFT) from uncached and cached tokens, and a threshold in seconds as one in tokens.

Prefill of u uncached tokens after c cached ones, n = u + c in all, multiplies each uncached token by every weight
and compares it with every token before it; the places c + 1 ... n add up to about (n^2 - c^2) / 2. So

    TTFT(u, c) = max(floor, alpha u + gamma (n^2 - c^2) + beta),

which is linear, as in Zhang et al. 2025, Section 2, where gamma = 0. A weight costs a token 2 FLOPs, and a pair of
tokens 4 per layer and unit of width (2 for the product with the keys, 2 for that with the values); where both run
at the same rate gamma / alpha = (4 layers width / 2) / (2 weights). The numbers are fractions, so that whether a
turn keeps its SLO has one answer, which does not depend on rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf, isqrt, lcm
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, rational
from teltheory.model.units import Seconds, read_time, seconds_of

MOST_EXACT = 2**53
"""Whole numbers up to here are floats too."""


@dataclass(frozen=True)
class Provenance:
    """Where a latency model comes from; every part may be left empty.

    Attributes
    ----------
    hardware : str
        Such as "NVIDIA A100-80GB".
    model : str
        The served model, such as "llama-2-7b"; a name of `teltheory.cost.kv_cache` gives tokens a size in bytes.
    engine, version : str
        What served it, such as "vllm" and "0.14".
    date : str
        When it was measured.
    data_sha256 : str
        Digest of the measurements, 64 hexadecimal digits.
    note : str
        What else a reader should know.
    """

    hardware: str = ""
    model: str = ""
    engine: str = ""
    version: str = ""
    date: str = ""
    data_sha256: str = ""
    note: str = ""


class Latency(Protocol):
    """A TTFT that never falls as more tokens of an input are uncached, or more tokens come with none cached."""

    @property
    def name(self) -> str:
        """Where the numbers come from, in a few words."""
        ...

    @property
    def provenance(self) -> Provenance | None:
        """Where the numbers come from, in full."""
        ...

    @property
    def cached_is_free(self) -> bool:
        """Whether TTFT depends on the uncached tokens alone, so that an SLO is one threshold for every turn."""
        ...

    def ttft(self, uncached: ArrayLike, cached: ArrayLike = 0) -> FloatArray:
        """Return seconds to the first token, elementwise."""
        ...

    def threshold(self, slo: Seconds) -> int:
        """Return the largest u with TTFT(u, 0) <= `slo` seconds."""
        ...

    def safe_uncached(self, total: IntArray, slo: Seconds) -> IntArray:
        """Return for each n of `total` the largest u <= n with TTFT(u, n - u) <= `slo`, -1 if there is none."""
        ...


class _Scaled(NamedTuple):
    """alpha, gamma, beta and the floor as whole multiples of 1 / `one` seconds."""

    per_token: int
    per_pair: int
    constant: int
    floor: int
    one: int


@dataclass(frozen=True)
class LatencyModel:
    """TTFT(u, c) = max(`floor`, `per_token` u + `per_pair` (n^2 - c^2) + `constant`), n = u + c.

    Times are whole numbers or Fractions of seconds, or text such as ``"71.7us"``; they are kept as Fractions.

    Attributes
    ----------
    per_token : Fraction
        alpha, seconds per uncached token; 0 or more.
    per_pair : Fraction
        gamma, seconds for a pair of tokens, each pair counted twice; 0 or more, and 0 if the model is linear.
    constant : Fraction
        beta, seconds; may be negative.
    floor : Fraction
        Seconds that no request falls below; 0 or more.
    name : str
        Where the numbers come from, in a few words.
    provenance : Provenance or None
        Where they come from, in full.

    Raises
    ------
    ArgumentError
        A number that is neither whole nor a Fraction (a float is neither), or is negative where it may not be.
    """

    per_token: Fraction
    per_pair: Fraction = Fraction(0)
    constant: Fraction = Fraction(0)
    floor: Fraction = Fraction(0)
    name: str = ""
    provenance: Provenance | None = None

    if TYPE_CHECKING:  # what it takes: its fields are Fractions

        def __init__(
            self,
            per_token: Fraction | int | str,
            per_pair: Fraction | int | str = Fraction(0),
            constant: Fraction | int | str = Fraction(0),
            floor: Fraction | int | str = Fraction(0),
            name: str = "",
            provenance: Provenance | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name in ("per_token", "per_pair", "constant", "floor"):
            object.__setattr__(self, name, _exact_seconds(name, getattr(self, name)))

    @property
    def seconds_per_token(self) -> Fraction:
        """alpha, as the linear model of the paper names it."""
        return self.per_token

    @property
    def cached_is_free(self) -> bool:
        """Whether TTFT depends on the uncached tokens alone: there is no attention term."""
        return not self.per_pair

    def ttft(self, uncached: ArrayLike, cached: ArrayLike = 0) -> FloatArray:
        """Return seconds to the first token.

        Parameters
        ----------
        uncached, cached : array_like of int
            Tokens of each turn, of the same shape; none are cached if `cached` is left out.

        Returns
        -------
        ndarray of float64
            Of that shape.
        """
        u, c = np.asarray(uncached, np.float64), np.asarray(cached, np.float64)
        alpha, gamma, beta, floor, one = self.floats
        seconds: FloatArray = np.maximum(alpha * u + gamma * u * (u + 2 * c) + beta, floor) / one
        return seconds

    def threshold(self, slo: Seconds) -> int:
        """Return the largest number of uncached tokens, none cached, whose TTFT is at most `slo` seconds.

        Raises
        ------
        ArgumentError
            If not even 0 tokens keep it, or any number does.
        """
        left = self._left(slo)
        if left is None:
            least = max(self.floor, self.constant)
            raise ArgumentError("slo", f"{float(slo)} s", f"{float(least):g} seconds or more")
        if self._alone(left) == inf:
            raise ArgumentError("slo", f"{float(slo)} s", "seconds that some number of tokens takes")
        return int(self._alone(left))

    def safe_uncached(self, total: IntArray, slo: Seconds) -> IntArray:
        """Return the most tokens of each input that may be uncached: the largest u with TTFT(u, n - u) <= `slo`.

        The TEL-safe budget of an input is what is left of it, n - u.

        Parameters
        ----------
        total : ndarray of int64
            n, tokens of each input, cached or not.
        slo : Fraction
            Seconds.

        Returns
        -------
        ndarray of int64
            Of the same shape, from 0 to n; -1 if even an input that is all cached takes longer.
        """
        left = self._left(slo)
        if left is None:
            return np.full(np.shape(total), -1, np.int64)
        safe, alone = np.array(total, np.int64), self._alone(left)
        over = safe > alone
        if over.any():
            safe[over] = _safe(self, left, safe[over].tobytes()) if self.per_pair else alone
        return safe

    @property
    def _values(self) -> tuple[Fraction, ...]:
        return self.per_token, self.per_pair, self.constant, self.floor

    @cached_property
    def _scaled(self) -> _Scaled:
        one = lcm(*(value.denominator for value in self._values))
        alpha, gamma, beta, floor = (int(value * one) for value in self._values)
        return _Scaled(alpha, gamma, beta, floor, one)

    @cached_property
    def floats(self) -> tuple[float, ...]:
        """alpha, gamma, beta, the floor and one second, in parts of a second that make them whole if they can."""
        one = self._scaled.one if self._scaled.one <= MOST_EXACT else 1
        return (*(float(value * one) for value in self._values), float(one))

    def _left(self, slo: Seconds) -> int | None:
        """Return what the SLO leaves to the tokens, rounded down to 1 / `one` seconds; None if it is missed."""
        scaled = self._scaled
        within = seconds_of("slo", slo) * scaled.one // 1
        return None if within < max(scaled.floor, scaled.constant) else within - scaled.constant

    def _alone(self, left: int) -> int | float:
        """Return the largest u, none cached, with alpha u + gamma u^2 <= left; infinity if tokens take no time."""
        alpha, gamma, *_ = self._scaled
        if gamma:
            return (isqrt(alpha**2 + 4 * gamma * left) - alpha) // (2 * gamma)
        return left // alpha if alpha else inf

    def _safe(self, n: int, left: int) -> int:
        """Return the smaller root u of alpha u + gamma (2 n u - u^2) = left, rounded down, where not all n fit."""
        alpha, gamma, *_ = self._scaled
        slope = alpha + 2 * gamma * n
        return (slope - 1 - isqrt(slope**2 - 4 * gamma * left - 1)) // (2 * gamma)


def _exact_seconds(name: str, value: object) -> Fraction:
    """Return seconds as a Fraction, of text or of a number; only the constant may be negative."""
    signed = name == "constant"
    if not isinstance(value, str):
        return rational(name, value, None if signed else 0)
    size = read_time(name, value.removeprefix("-") if signed else value)
    return -size if value.startswith("-") else size


@lru_cache(maxsize=4)
def _safe(model: LatencyModel, left: int, totals: bytes) -> IntArray:
    """Return `LatencyModel._safe` of each total; a sweep asks for those of one trace again and again."""
    return each(np.frombuffer(totals, np.int64), lambda n: model._safe(n, left))


def each(total: IntArray, found: Callable[[int], int]) -> IntArray:
    """Return a function of whole numbers at each entry of `total`, called once for every number."""
    different, places = np.unique(np.asarray(total, np.int64), return_inverse=True)
    values = np.fromiter(map(found, different.tolist()), np.int64, len(different))
    return values[places].reshape(np.shape(total))


_A100 = Provenance(
    hardware="NVIDIA A100-80GB",
    model="llama-2-7b",
    engine="vLLM",
    version="0.14",
    note="composed of operators' timings, 256 to 4,096 tokens, none cached; no scheduler, launch or HTTP time",
)
COMPOSED = "TTFT is that of a model composed of operators' timings: no measured TTFT is in it."
"""What is said where TTFT by a model of the A100 is shown."""
A100_LLAMA2_7B = LatencyModel(
    Fraction(717, 10_000_000), name="71.7 us per uncached token (A100, Llama-2-7B shape)", provenance=_A100
)


def with_attention(linear: LatencyModel, share: Fraction, low: int, high: int) -> LatencyModel:
    """Return the model with an attention term that agrees with a linear one on prompts of `low` and `high` tokens.

    A line through the prefill times of uncached prompts of both lengths has the slope alpha + gamma (low + high):
    what a linear fit calls time per token has attention in it. `share` is gamma / alpha, per token.
    """
    per_token = linear.per_token / (1 + share * (low + high))
    constant = (linear.per_token - per_token) * low - per_token * share * low**2
    name = f"{linear.name}, with attention"
    return LatencyModel(per_token, per_token * share, constant, name=name, provenance=linear.provenance)


FITTED_FROM, FITTED_TO = 256, 4096
LAYERS, WIDTH, WEIGHTS = 32, 4096, 6_476_005_376
"""Llama-2-7B: 32 layers of 4 width^2 + 3 * 11008 width weights, without embedding and output layer."""
A100_LLAMA2_7B_ATTENTION = with_attention(
    A100_LLAMA2_7B, Fraction(LAYERS * WIDTH, WEIGHTS), FITTED_FROM, FITTED_TO
)
A100_LLAMA2_7B_PREFILL = LatencyModel(
    Fraction("6.435331e-5"),
    Fraction("1.777672e-9"),
    Fraction("4.049011e-3"),
    Fraction("1.00736e-2"),
    "prefill with attention and a floor (A100, Llama-2-7B shape)",
    replace(
        _A100,
        data_sha256="e28e36fed914deb4e39c0b85f78c396ca1f099c9a3693cce472ada0e77610136",
        note="fitted to operators' timings, 1 to 4,096 tokens, none cached; no scheduler, launch or HTTP time",
    ),
)
"""As `experiments/fit_prefill.py` fits it."""
AttentionLatency = LatencyModel
"""The name of a model with attention before both were one."""
