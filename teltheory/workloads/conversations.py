"""The stochastic conversation model of Zhang et al. 2025, Appendix D.

Conversations are born at rate lambda_conv, and a birth is the conversation's first turn. Each lives for an
exponential time with rate mu; while it lives its further turns come as a Poisson process with rate
lambda_turn. Prompt and response lengths are independent draws, here lognormal and rounded up to whole tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.numbers import FloatArray, IntArray, whole_number
from teltheory.trace import Trace

LARGEST = 1e9
WIDEST = 3.0


@dataclass(frozen=True)
class ConversationModel:
    """Rates a second and mean lengths in tokens.

    Attributes
    ----------
    birth_rate, death_rate, turn_rate : float
        lambda_conv, mu and lambda_turn.
    mean_prompt, mean_response : float
        Means of the lognormal lengths.
    spread : float
        Standard deviation of the logarithm of a length.
    """

    birth_rate: float = 1 / 35.3
    death_rate: float = 1 / 600
    turn_rate: float = 1 / 200
    mean_prompt: float = 200.0
    mean_response: float = 300.0
    spread: float = 1.0

    def __post_init__(self) -> None:
        for name in ("birth_rate", "death_rate", "turn_rate", "mean_prompt", "mean_response"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 < value <= LARGEST):
                raise ArgumentError(name, value, f"a finite number above 0 (at most {LARGEST:g})")
        if not (isinstance(self.spread, (int, float)) and 0 <= self.spread <= WIDEST):
            raise ArgumentError("spread", self.spread, f"a finite number, 0 or more (at most {WIDEST:g})")


def sample_conversations(model: ConversationModel, turns: int, rng: np.random.Generator) -> Trace:
    """Sample the first `turns` turns of the conversation model.

    Parameters
    ----------
    model : ConversationModel
        Rates and lengths.
    turns : int
        Length of the trace.
    rng : numpy.random.Generator
        Source of randomness; the same state gives the same trace.
    """
    n = whole_number("turns", turns)
    births = np.cumsum(rng.exponential(1 / model.birth_rate, n))
    lifetimes = rng.exponential(1 / model.death_rate, n)
    returns = rng.poisson(model.turn_rate * lifetimes)
    conversation = np.concatenate((np.arange(n), np.repeat(np.arange(n), returns)))
    delays = rng.random(int(returns.sum())) * np.repeat(lifetimes, returns)
    arrival = np.concatenate((births, np.repeat(births, returns) + delays))
    order = np.lexsort((conversation, arrival))[:n]
    return Trace.from_turns(
        conversation[order],
        _lengths(model.mean_prompt, model.spread, n, rng),
        _lengths(model.mean_response, model.spread, n, rng),
        arrival[order],
    )


def _lengths(mean: float, spread: float, n: int, rng: np.random.Generator) -> IntArray:
    draws: FloatArray = mean * rng.lognormal(-(spread**2) / 2, spread, n)
    return np.ceil(draws).astype(np.int64)
