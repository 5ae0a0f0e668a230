"""Workloads made of marginals: how many turns per conversation has, how long they are, how long people are silent.

The conversation model of Appendix D ties the number of turns to their times: a conversation that lives for an
exponential time has a geometric number of turns. Where a data set publishes how many turns its conversations
have, but not when they came, the two are laws of their own:

1. Conversations start as a Poisson process.
2. A conversation has T turns, T of the law `turns`, then it is over.
3. From a turn to the next passes a gap of the law `gaps`, whatever the lengths are.
4. Prompts are independent; the responses of one conversation have normal scores with one common correlation
   (a Gaussian copula): who gets one long answer gets another.

Starts, turns, gaps, prompts and responses are drawn from streams of their own, so that of two workloads that
differ in one of them the samples of one seed share all the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, real_number, whole_number
from teltheory.model.trace import Trace
from teltheory.workloads.laws import Finite, LogNormal, Quantiles
from teltheory.workloads.times import Gaps

SHARES_IN = 10**9
"""Shares of conversations are rounded to whole multiples of one in so many."""


@dataclass(frozen=True)
class Chats:
    """Conversations with a law of turns, and gaps that do not depend on them.

    Prompts and responses have laws by the number of the turn; the last one holds for all turns after it too.
    `response_correlation` is that of the normal scores of two responses of one conversation, from 0 to 1.
    """

    name: str
    seconds_between_starts: float
    turns: Finite
    gaps: Gaps
    prompts: tuple[LogNormal | Quantiles, ...]
    responses: tuple[LogNormal | Quantiles, ...]
    response_correlation: float = 0.0

    def __post_init__(self) -> None:
        real_number("seconds_between_starts", self.seconds_between_starts, 0)
        if self.turns.lengths[0] < 1:
            raise ArgumentError("turns", self.turns.lengths, "a law of numbers of turns, 1 or more")
        for name in ("prompts", "responses"):
            if not getattr(self, name):
                raise ArgumentError(name, getattr(self, name), "at least one law")
        real_number("response_correlation", self.response_correlation, 0, 1, closed=True)

    @property
    def mean_turns(self) -> float:
        """Mean turns of a conversation."""
        return self.turns.mean

    @property
    def mean_prompt(self) -> float:
        """Mean prompt of a turn."""
        return self._mean(self.prompts)

    @property
    def mean_response(self) -> float:
        """Mean response of a turn."""
        return self._mean(self.responses)

    def _mean(self, laws: Sequence[LogNormal | Quantiles]) -> float:
        reached = self.turns.at_least(np.arange(1, self.turns.lengths[-1] + 1))
        means = [laws[min(i, len(laws) - 1)].mean for i in range(len(reached))]
        return float(reached @ np.array(means) / reached.sum())

    def with_mean_prompt(self, mean: float) -> Chats:
        """Return the workload with all prompts scaled by one factor to the mean `mean` (before rounding)."""
        factor = mean / self.mean_prompt
        return replace(self, prompts=tuple(law.scaled(factor) for law in self.prompts))

    def sample(self, turns: int, rng: np.random.Generator) -> Trace:
        """Sample the first `turns` turns from an empty start; conversations are numbered by their start."""
        n = whole_number("turns", turns)
        starts, counts, silences, asked, answered = rng.spawn(5)
        births = np.cumsum(starts.exponential(self.seconds_between_starts, n))
        number_of_turns = self.turns.sample(counts, n)
        conversation = np.repeat(np.arange(n), number_of_turns)
        first = np.cumsum(number_of_turns) - number_of_turns
        number = np.arange(len(conversation)) - np.repeat(first, number_of_turns)
        arrival = _arrivals(births, self.gaps.sample(silences, len(number)), conversation, first)
        prompt = _drawn(self.prompts, number, asked.random(len(number)))
        response = _drawn(self.responses, number, self._answer_shares(answered, conversation, n))
        order = np.lexsort((conversation, arrival))[:n]
        return Trace.from_turns(conversation[order], prompt[order], response[order], arrival[order])

    def _answer_shares(self, rng: np.random.Generator, conversation: IntArray, n: int) -> FloatArray:
        from scipy.special import ndtr

        common, own = rng.standard_normal(n)[conversation], rng.standard_normal(len(conversation))
        rho = self.response_correlation
        shares: FloatArray = ndtr(np.sqrt(rho) * common + np.sqrt(1 - rho) * own)
        return shares


def _arrivals(births: FloatArray, gaps: FloatArray, conversation: IntArray, first: IntArray) -> FloatArray:
    """Return each turn's arrival: its conversation's birth and the gaps of the conversation up to it."""
    if len(first):
        gaps[first] = 0.0
    passed = np.cumsum(gaps)
    return births[conversation] + passed - passed[first][conversation]


def _drawn(laws: Sequence[LogNormal | Quantiles], number: IntArray, shares: FloatArray) -> IntArray:
    lengths = np.empty(len(number), np.int64)
    which = np.minimum(number, len(laws) - 1)
    for i, law in enumerate(laws):
        lengths[which == i] = law.quantile(shares[which == i])
    return lengths


def turn_law(at_least: Mapping[int, float], longest: int) -> Finite:
    """Return a law of turns from shares of conversations with at least so many, cut at `longest`.

    Between two stated numbers, and beyond the last, the logarithm of the share is a straight line.
    """
    stated = sorted(at_least)
    shares = np.array([at_least[k] for k in stated])
    if stated[0] != 1 or shares[0] != 1 or len(stated) < 2 or not all(a > b > 0 for a, b in pairwise(shares)):
        raise ArgumentError("at_least", dict(at_least), "shares that fall from 1 at 1 turn and stay above 0")
    wanted = np.arange(1, whole_number("longest", longest) + 1)
    logs = np.log(shares)
    slope = (logs[-1] - logs[-2]) / (stated[-1] - stated[-2])
    survival = np.exp(
        np.where(wanted > stated[-1], logs[-1] + slope * (wanted - stated[-1]), np.interp(wanted, stated, logs))
    )
    return of_weights(survival - np.append(survival[1:], 0.0))


def of_weights(weights: FloatArray) -> Finite:
    """Return the law of 1, 2, ... with probabilities in proportion to weights, rounded; zeros are left out."""
    scaled = np.rint(np.asarray(weights) / np.sum(weights) * SHARES_IN).astype(np.int64)
    kept = np.flatnonzero(scaled)
    whole = int(scaled.sum())
    return Finite(tuple((kept + 1).tolist()), tuple(Fraction(int(scaled[k]), whole) for k in kept))
