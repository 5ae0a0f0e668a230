"""Samples of the conversation model: the first turns from an empty start.

A sample of n turns draws n births with all their further turns, (1 + lambda-bar / mu) n in all, and keeps the n
earliest. Draws come in a fixed order, and one kind of conversation takes none for its kind, so that what a seed
gives stays the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray, whole_number
from teltheory.model.trace import Trace
from teltheory.model.turns import turn_numbers
from teltheory.workloads.laws import Law
from teltheory.workloads.model import Conversations, GammaRates, Kind


@dataclass(frozen=True, eq=False)
class LabelledTrace:
    """A sample with what an observer does not see: kind, turn rate and end (seconds) of each conversation."""

    trace: Trace
    kind: IntArray
    turn_rate: FloatArray
    death: FloatArray

    def __post_init__(self) -> None:
        for hidden in (self.kind, self.turn_rate, self.death):
            hidden.setflags(write=False)


def sample_conversations(model: Conversations, turns: int, rng: np.random.Generator) -> Trace:
    """Sample the first `turns` turns of the conversation model.

    Parameters
    ----------
    model : ConversationModel or ConversationMixture
        Rates and lengths.
    turns : int
        Length of the trace.
    rng : numpy.random.Generator
        Source of randomness; the same state gives the same trace.
    """
    return sample_labelled(model, turns, rng).trace


def sample_labelled(model: Conversations, turns: int, rng: np.random.Generator) -> LabelledTrace:
    """Sample the same turns as `sample_conversations`, with each conversation's kind, rate and death.

    Parameters
    ----------
    model : ConversationModel or ConversationMixture
        Rates and lengths.
    turns : int
        Length of the trace.
    rng : numpy.random.Generator
        Source of randomness; the same state gives the same trace.
    """
    n = whole_number("turns", turns)
    kinds = model.kinds
    births = np.cumsum(rng.exponential(1 / model.birth_rate, n))
    lifetimes = rng.exponential(1 / model.death_rate, n)
    kind = _kinds(kinds, n, rng)
    rates = _rates(kinds, kind, rng)
    conversation, arrival = _first_turns(births, lifetimes, rng.poisson(rates * lifetimes), rng)
    turns_differ = any(len(laws) > 1 for kind in kinds for laws in kind.laws)
    number = turn_numbers(conversation) if turns_differ else np.zeros(n, np.int64)
    kind_of_turn = kind[conversation]
    prompt, response = (_lengths([k.laws[i] for k in kinds], kind_of_turn, number, rng) for i in (0, 1))
    seen = int(conversation.max(initial=-1)) + 1
    trace = Trace.from_turns(conversation, prompt, response, arrival)
    return LabelledTrace(trace, kind[:seen], rates[:seen], births[:seen] + lifetimes[:seen])


def _kinds(kinds: Sequence[Kind], n: int, rng: np.random.Generator) -> IntArray:
    if len(kinds) == 1:
        return np.zeros(n, np.int64)
    above = np.cumsum([kind.share for kind in kinds])[:-1]
    return np.searchsorted(above, rng.random(n), side="right").astype(np.int64)


def _rates(kinds: Sequence[Kind], kind: IntArray, rng: np.random.Generator) -> FloatArray:
    rates = np.empty(len(kind), np.float64)
    for j, law in enumerate(kind.turn_rate for kind in kinds):
        members = slice(None) if len(kinds) == 1 else np.flatnonzero(kind == j)
        rates[members] = law.sample(rng, len(kind[members])) if isinstance(law, GammaRates) else law
    return rates


def _first_turns(
    births: FloatArray, lifetimes: FloatArray, returns: IntArray, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Return conversation and arrival of the first len(births) turns, in order of (arrival, conversation)."""
    n = len(births)
    if not n:
        return np.arange(0), births
    further = np.repeat(births, returns) + rng.random(int(returns.sum())) * np.repeat(lifetimes, returns)
    conversation, arrival = np.append(np.arange(n), np.repeat(np.arange(n), returns)), np.append(births, further)
    kept = np.flatnonzero(arrival <= np.partition(arrival, n - 1)[n - 1])
    conversation, arrival = conversation[kept], arrival[kept]
    order = np.lexsort((conversation, arrival))[:n]
    return conversation[order], arrival[order]


def _lengths(
    laws: Sequence[Sequence[Law]], kind: IntArray, number: IntArray, rng: np.random.Generator
) -> IntArray:
    if len(laws) == 1 and len(laws[0]) == 1:
        return laws[0][0].sample(rng, len(kind))
    lengths = np.empty(len(kind), np.int64)
    for j, kind_laws in enumerate(laws):
        which = np.minimum(number, len(kind_laws) - 1)
        for i, law in enumerate(kind_laws):
            places = np.flatnonzero((kind == j) & (which == i))
            lengths[places] = law.sample(rng, len(places))
    return lengths
