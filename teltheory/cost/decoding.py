"""What one decode step costs, beside or without prompt tokens: a linear model, and its fit for an A100."""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.model.numbers import real_number


@dataclass(frozen=True)
class Decode:
    """What decoding adds to an iteration, in seconds.

    Parameters
    ----------
    step : float
        An iteration without prompt tokens: the weights are read.
    per_request : float
        Each request that gets a token.
    per_token : float
        Each token of their contexts.
    """

    step: float
    per_request: float = 0.0
    per_token: float = 0.0

    def __post_init__(self) -> None:
        for name in ("step", "per_request", "per_token"):
            object.__setattr__(self, name, real_number(name, getattr(self, name), 0, closed=True))


A100_DECODE = Decode(9.178e-3, 2.829e-5, 3.711e-7)
"""Llama-2-7B on one A100-80GB, as `experiments/fit_decode.py` fits it to timings of operators."""
