"""The stochastic conversation model of Zhang et al. 2025, Appendix D.

Conversations are born at rate lambda_conv, and a birth is the conversation's first turn. Each lives for an
exponential time with rate mu; while it lives its further turns come as a Poisson process with its own rate
lambda-bar. Prompt and response lengths are independent draws of laws that may depend on the conversation (its
kind) and on the number of the turn in it.

`ConversationModel` has one kind of conversation with lognormal lengths; `ConversationMixture` has any.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, real_number
from teltheory.workloads.laws import WIDEST, Law, LogNormal

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class GammaRates:
    """Turn rates that differ from conversation to conversation by a gamma law.

    Attributes
    ----------
    mean : float
        Mean of lambda-bar a second.
    variation : float
        Coefficient of variation (standard deviation / mean), 0.01 to 10; the shape is 1 / variation**2.
    """

    mean: float
    variation: float

    def __post_init__(self) -> None:
        real_number("mean", self.mean, 0)
        real_number("variation", self.variation, 0.01, 10, closed=True)

    @property
    def shape(self) -> float:
        """Shape of the gamma law."""
        return 1 / self.variation**2

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Return the rates of `size` conversations."""
        return rng.gamma(self.shape, self.mean / self.shape, size)


@dataclass(frozen=True)
class Kind:
    """One kind of conversation; its counterpart in the belief MDP, exact, is `teltheory.belief.model.BeliefKind`.

    Attributes
    ----------
    turn_rate : float or GammaRates
        lambda-bar a second while the conversation lives; a law where each conversation has its own.
    prompts, responses : Law or sequence of Law
        Laws of the lengths, from `teltheory.workloads.laws`. Of several laws the first is that of the first turn,
        and so on; the last one holds for all turns after it too.
    share : float
        Probability that a new conversation is of this kind, above 0.
    """

    turn_rate: float | GammaRates
    prompts: Law | Sequence[Law]
    responses: Law | Sequence[Law]
    share: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.turn_rate, GammaRates):
            real_number("turn_rate", self.turn_rate, 0)
        for name in ("prompts", "responses"):
            object.__setattr__(self, name, _laws(name, getattr(self, name)))
        real_number("share", self.share, 0, 1)

    @property
    def laws(self) -> tuple[tuple[Law, ...], tuple[Law, ...]]:
        """Laws of the prompts and of the responses by turn; the last ones hold for all turns after them too."""
        return self.prompts, self.responses  # type: ignore[return-value]


@dataclass(frozen=True)
class ConversationMixture:
    """Conversations of one or several kinds.

    Attributes
    ----------
    birth_rate, death_rate : float
        lambda_conv and mu a second.
    kinds : sequence of Kind
        Their shares have the sum 1.
    """

    birth_rate: float
    death_rate: float
    kinds: Sequence[Kind]

    def __post_init__(self) -> None:
        real_number("birth_rate", self.birth_rate, 0)
        real_number("death_rate", self.death_rate, 0)
        kinds = tuple(self.kinds) if isinstance(self.kinds, Sequence) else ()
        object.__setattr__(self, "kinds", kinds)
        if not kinds or not all(isinstance(kind, Kind) for kind in kinds):
            raise ArgumentError("kinds", self.kinds, "one or more Kind(...)")
        if not math.isclose(math.fsum(kind.share for kind in kinds), 1.0, abs_tol=1e-9):
            raise ArgumentError("kinds", [kind.share for kind in kinds], "shares with sum 1")


@dataclass(frozen=True)
class ConversationModel:
    """Rates a second and mean lengths in tokens: one kind of conversation.

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
            real_number(name, getattr(self, name), 0)
        real_number("spread", self.spread, 0, WIDEST, closed=True)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The one kind."""
        prompts, responses = (LogNormal(mean, self.spread) for mean in (self.mean_prompt, self.mean_response))
        return (Kind(self.turn_rate, prompts, responses),)


Conversations: TypeAlias = ConversationModel | ConversationMixture


def _laws(name: str, value: object) -> tuple[Law, ...]:
    laws = tuple(value) if isinstance(value, Sequence) else (value,)
    if not laws or not all(isinstance(law, Law) for law in laws):
        raise ArgumentError(name, value, "a law of lengths, or one law a turn")
    return laws
