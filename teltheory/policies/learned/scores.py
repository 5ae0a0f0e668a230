"""The two factors of ET-LRU's score, as logarithms: what a conversation is worth, and what its last token is.

Scores are compared as log lambda_i + log pi_i + log P(L_i + Q_i - xi >= X_i), -inf where a factor is 0, so that
beliefs may be as small as they like. With d = X - L + xi the last factor is P(Q >= d), which falls in steps.

The paper's belief multiplies all pi by the same number as time goes by, so their order is that of

    log lambda_i + mu t_i,    t_i the arrival of i's last turn,

which stays the same between turns. A conversation of the initial cache counts as one whose last turn was at the
first turn's time.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.workloads.laws import Finite, Law

LOWEST = -(2**62)
LONGEST_TABLE = 2**24
STEEPEST = 600.0
"""Exponents beyond this are not raised to e; the other summand is then below rounding."""


class Steps(NamedTuple):
    """log P(Q >= d) for d up to xi: where each step begins, increasing from below everything, and its value."""

    start: Sequence[int]
    log: Sequence[float]

    def at(self, d: int) -> float:
        """Return log P(Q >= d)."""
        return self.log[bisect_right(self.start, d) - 1]


def steps_of(law: Law, xi: int, longest: int) -> Steps:
    """Return the steps of a law that scores can meet, given the longest past; both in the trace's unit.

    A law that is not `Finite` must not need a table of more than 2**24 lengths.
    """
    low = max(0, xi - longest)
    places = _places(law, low, xi)
    at_least = law.at_least(places)
    starts = np.flatnonzero(np.diff(at_least, prepend=2.0))
    with np.errstate(divide="ignore"):
        log = np.log(at_least[starts])
    return Steps([LOWEST, *places[starts[1:]].tolist()], log.tolist())


def _places(law: Law, low: int, xi: int) -> IntArray:
    if isinstance(law, Finite):
        return np.array([low, *(length + 1 for length in law.lengths if low <= length < xi)], np.int64)
    if xi - low >= LONGEST_TABLE:
        raise ArgumentError("xi", xi, f"below {LONGEST_TABLE} with a law that is not finite")
    return np.arange(low, xi + 1)


def learnt_steps(seen: Sequence[int] | IntArray) -> Steps:
    """Return the steps of the empirical law of the prompts seen so far; before the first one the prompt is 0."""
    if not len(seen):
        return Steps([LOWEST, 1], [0.0, -math.inf])
    lengths, counts = np.unique(np.asarray(seen, np.int64), return_counts=True)
    left, n = len(seen) - np.cumsum(counts), len(seen)
    logs = [math.log(count / n) if count else -math.inf for count in left.tolist()]
    return Steps([LOWEST, *(lengths + 1).tolist()], [0.0, *logs])


def log_order(log_rate: FloatArray, arrival: FloatArray, death_rate: float) -> FloatArray:
    """Return log lambda + mu t, the order of the paper's beliefs; arrays of one shape, t in seconds."""
    return np.asarray(log_rate + death_rate * arrival, np.float64)


def log_bayes_rate(turn_rate: float, death_rate: float, silence: float) -> float:
    """Return log(lambda P(alive given a silence in seconds)); rates are above 0."""
    leaving = death_rate + turn_rate
    exponent = leaving * silence
    if exponent > STEEPEST:
        return math.log(turn_rate * leaving) - (exponent + math.log(death_rate))
    return math.log(turn_rate * leaving) - math.log(turn_rate + death_rate * math.exp(exponent))
