"""Samples of the conversation model: the first turns from an empty start.

A sample of n turns draws n births with all their further turns, (1 + lambda-bar / mu) n in all, and keeps the n
earliest. Draws come in a fixed order, and one kind of conversation takes none for its kind, so that what a seed
gives does not depend on how the draws are worked through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray, whole_number
from teltheory.model.trace import Trace
from teltheory.workloads.laws import Law
from teltheory.workloads.model import Conversations, GammaRates, Kind

BLOCK = 1 << 21


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
    """Return conversation and arrival of the first n turns, n = len(births), in order of (arrival, conversation).

    Whatever comes later is drawn all the same, block by block, so that the generator moves on as far.
    """
    n = len(births)
    kept = [(np.arange(n), births)]
    cut = births[-1] if n else 0.0
    for first, last in _blocks(returns):
        drawn = rng.random(int(returns[first:last].sum()))
        if births[first] <= cut:
            who = np.repeat(np.arange(first, last), returns[first:last])
            seconds = births[who] + drawn * lifetimes[who]
            kept.append((who[seconds <= cut], seconds[seconds <= cut]))
            certain = births[last - 1]
            if last + sum(int(np.count_nonzero(times <= certain)) for _, times in kept[1:]) >= n:
                cut = min(cut, certain)
    conversation, arrival = (np.concatenate([part[i][part[1] <= cut] for part in kept]) for i in (0, 1))
    order = np.lexsort((conversation, arrival))[:n]
    return conversation[order], arrival[order]


def _blocks(returns: IntArray) -> Iterator[tuple[int, int]]:
    """Yield ranges of conversations whose further turns are about `BLOCK`, or those of one conversation."""
    if not len(returns):
        return
    sums = np.cumsum(returns)
    ends = np.searchsorted(sums, np.arange(BLOCK, int(sums[-1]) + BLOCK, BLOCK), side="right")
    yield from pairwise(np.unique([0, *ends, len(returns)]).tolist())


def turn_numbers(conversation: IntArray) -> IntArray:
    """Return how many turns of the same conversation come before each turn; shape (n,)."""
    order = np.argsort(conversation, kind="stable")
    starts = np.flatnonzero(np.diff(conversation[order], prepend=-1))
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return numbers


def turns_by_law(laws: Sequence[Law], number: IntArray) -> Iterator[tuple[Law, IntArray]]:
    """Yield each law with the places of the turns whose number is its own; the last law has all later ones too."""
    for i, law in enumerate(laws):
        yield law, np.flatnonzero(number == i if i < len(laws) - 1 else number >= i)


def _lengths(
    laws: Sequence[Sequence[Law]], kind: IntArray, number: IntArray, rng: np.random.Generator
) -> IntArray:
    if len(laws) == 1 and len(laws[0]) == 1:
        return laws[0][0].sample(rng, len(kind))
    lengths = np.empty(len(kind), np.int64)
    for j, kind_laws in enumerate(laws):
        members = np.flatnonzero(kind == j)
        for law, places in turns_by_law(kind_laws, number[members]):
            lengths[members[places]] = law.sample(rng, len(places))
    return lengths
