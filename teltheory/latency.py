"""Time to first token from uncached tokens, and a threshold in seconds as one in tokens.

Until a calibrated model is at hand there is one: 71.7 microseconds for each uncached token, the slope of the
prefill of a Llama-2-7B shape on one A100-80GB between 256 and 4,096 tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.numbers import FloatArray, IntArray


@dataclass(frozen=True)
class LatencyModel:
    """TTFT = `seconds_per_token` x uncached tokens (Zhang et al. 2025, Section 2).

    Attributes
    ----------
    seconds_per_token : Fraction
        Exact, so that a threshold in seconds has one meaning in tokens.
    name : str
        Where the number comes from.
    """

    seconds_per_token: Fraction
    name: str

    def ttft(self, uncached: IntArray, cached: IntArray | None = None) -> FloatArray:
        """Return seconds to the first token; `cached` tokens cost nothing in this model."""
        slope = self.seconds_per_token
        return uncached.astype(np.float64) * slope.numerator / slope.denominator

    def threshold(self, slo: Fraction) -> int:
        """Return the largest number of uncached tokens whose TTFT is at most `slo` seconds.

        Raises
        ------
        ArgumentError
            Where `slo` is negative, so that not even 0 tokens keep it.
        """
        if slo < 0:
            raise ArgumentError("slo", f"{float(slo)} s", "0 seconds or more")
        return int(slo / self.seconds_per_token)


A100_LLAMA2_7B = LatencyModel(Fraction(717, 10_000_000), "71.7 us an uncached token (A100, Llama-2-7B shape)")

MOST_DIGITS = 30
"""Largest decimal exponent of a number that is read as text."""

_UNITS = {"ms": Fraction(1, 1000), "us": Fraction(1, 1_000_000), "s": Fraction(1)}


def seconds(argument: str, text: str) -> Fraction:
    """Read a time such as ``0.2``, ``200ms`` or ``1.5s``; without a unit it is in seconds.

    Raises
    ------
    ArgumentError
        Where `text` is no time of 0 seconds or more.
    """
    number = text.strip()
    unit = next((u for u in _UNITS if number.endswith(u)), "")
    try:
        value = Decimal(number.removesuffix(unit))
    except InvalidOperation:
        raise ArgumentError(argument, text, "a time such as 0.2, 200ms or 1.5s") from None
    if not value.is_finite() or value < 0 or abs(value.adjusted()) > MOST_DIGITS:
        raise ArgumentError(argument, text, "a time of 0 seconds or more")
    return Fraction(value) * _UNITS.get(unit, Fraction(1))
