"""The conversation model that makes an observed trace most likely.

Births, further turns and lengths are fitted apart, since the likelihood is their product: all kinds share the laws
of the lengths. Rates are sought by their logarithms, and standard errors come from the observed information, the
second derivatives of minus the log-likelihood at its maximum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.model.trace import Trace
from teltheory.workloads.length_fits import fit_laws
from teltheory.workloads.likelihood import Histories, histories
from teltheory.workloads.model import ConversationMixture, Kind
from teltheory.workloads.rate_fits import fit_gamma, fit_kinds

LengthLaws: TypeAlias = Literal["lognormal", "empirical"]


@dataclass(frozen=True)
class FittedConversations:
    """A conversation model fitted to a trace.

    Attributes
    ----------
    model : ConversationMixture
        The fitted model; several kinds in order of their turn rates.
    log_likelihood : float
        Logarithm of the density of the arrival times (births, further turns, silences) under the model.
    log_likelihood_of_lengths : float
        Logarithm of the probability of the prompts and responses.
    standard_errors : mapping of str to float
        Of birth_rate, death_rate, turn_rate (turn_rate[0], share[0], ... of several kinds; turn_rate.mean and
        turn_rate.variation of gamma rates), and prompts[0].mean_length, prompts[0].spread, ... of lognormal laws.
        NaN if the likelihood has no proper maximum in the parameter, such as a variation at its lower end; far
        larger than the parameter if there are more kinds than the trace tells apart.
    conversations, turns : int
        How many were used.
    seconds : float
        Length of the observation.
    """

    model: ConversationMixture
    log_likelihood: float
    log_likelihood_of_lengths: float
    standard_errors: Mapping[str, float]
    conversations: int
    turns: int
    seconds: float


def fit_conversations(
    trace: Trace,
    kinds: int | Literal["gamma"] = 1,
    *,
    lengths: LengthLaws = "lognormal",
    by_turn: int = 1,
    start: float = 0.0,
    end: float | None = None,
) -> FittedConversations:
    """Fit the conversation model to an observed trace by maximum likelihood, the hidden deaths integrated out.

    Parameters
    ----------
    trace : Trace
        With arrival times. A conversation's first turn is taken for its birth.
    kinds : int or "gamma"
        Number of different turn rates; "gamma" for a rate a conversation from a gamma law.
    lengths : {"lognormal", "empirical"}
        Laws of prompts and responses: lognormal, rounded up, or the lengths that were seen.
    by_turn : int
        Number of laws by turn: 2 gives first turns one of their own, and so on; 1 has one for all.
    start, end : float
        Seconds of the observation; `end` is the last arrival if it is left out.

    Returns
    -------
    FittedConversations

    Raises
    ------
    ArgumentError
        If the trace has no arrival times, or nothing in it tells a rate: no conversation returns, all turns
        come at once, or no silence is long enough to speak of a death.
    """
    seen = histories(trace, start, end)
    _check(seen)
    laws = fit_laws(trace, lengths, by_turn)
    rates = fit_gamma(seen) if kinds == "gamma" else fit_kinds(seen, _number_of_kinds(kinds, seen))
    births = len(seen.returns)
    birth_rate = births / seen.seconds
    mixture = tuple(Kind(rate, laws.prompts, laws.responses, share) for rate, share in rates.turn_rates)
    return FittedConversations(
        model=ConversationMixture(birth_rate, rates.death_rate, mixture),
        log_likelihood=float(births * np.log(birth_rate) - births + rates.log_likelihood),
        log_likelihood_of_lengths=laws.log_likelihood,
        standard_errors=MappingProxyType({"birth_rate": birth_rate / births**0.5, **rates.errors, **laws.errors}),
        conversations=births,
        turns=len(trace),
        seconds=seen.seconds,
    )


def _check(seen: Histories) -> None:
    if not seen.returns.any():
        raise ArgumentError("trace", "no conversation that returns", "one or more, to fit the turn rate")
    if not seen.active.any():
        raise ArgumentError("trace", "no time between turns of a conversation", "arrivals at different times")
    if not seen.silence.any():
        raise ArgumentError("trace", "no silence after a last turn", "a later end, to fit the death rate")


def _number_of_kinds(kinds: object, seen: Histories) -> int:
    most = int(np.count_nonzero(seen.returns))
    number = -1 if isinstance(kinds, str) else whole_number("kinds", kinds)
    if not 1 <= number <= most:
        raise ArgumentError("kinds", kinds, f"'gamma', or 1 to {most}, the conversations that return")
    return number
