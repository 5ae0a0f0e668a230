"""What the gain of a setting on the first part of a trace promises for the rest: the rule, and its numbers.

1. Chance. The gain is drawn anew from clusters, as everywhere (`teltheory.cost.standing`). If that interval is not
   above 0, or there are too few clusters for one, chance may explain the gain. The rest is another time: what its
   turns may look like is drawn from blocks of time too, as long as the data ask for (`block_length`). The wider
   of the two intervals counts.
2. What happened. From beginnings of the first part a setting is chosen as from the whole, and the gain that it had
   there is compared with its gain on the piece that follows, as many times as long as the rest is in relation to
   the first part. `ERRORS` root mean squares of these errors are added to chance, as independent errors are.
3. Trend. The gains of the quarters have a trend if their slope is beyond what chance explains. If they rise, the
   upper end is raised by what the trend adds until the middle of the rest; if they fall, the lower end is lowered
   by what it took until the last quarter.
4. Nothing is promised where half of what counts is of fewer than `FEW` conversations, however long the trace is.
5. Nothing is promised where the lower end is as far below 0 as the gain is above: it may turn out either way.

The numbers were chosen on Mooncake's conversation trace, its halves and thirds, samples like WildChat's and
ShareGPT's, and made-up conversations with trends. No other trace had been looked at when they were fixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from teltheory.advice.goal import Goal
from teltheory.cost.bootstrap import Blocks, Estimate, Values, block_length, interval
from teltheory.cost.standing import at_most_all
from teltheory.model.numbers import FloatArray, IntArray

LEAST_BLOCKS, MOST_BLOCKS = 10, 40
"""Of time."""
PIECES = 16
"""Of the turns that count, from which beginnings and quarters are made."""
ENDS = (8, 10, 12, 14, 16)
"""Pieces until the ends of what follows the beginnings."""
QUARTERS = 4
ERRORS = 1.5
SLOPE = 1.645
"""Standard errors beyond which a slope is a trend."""
FEW = 3
"""Conversations: if fewer carry half of what counts, nothing is promised."""


@dataclass(frozen=True)
class Grounds:
    """What a promise rests on.

    Attributes
    ----------
    quarters : tuple of float
        Gains of the four quarters of the turns that count.
    trend : float
        What a quarter adds to the gain; 0 if chance explains it.
    error : float
        Root mean square of the errors of promises from beginnings.
    half : int
        The fewest conversations that have half of what counts under LRU: TEL, slow turns, or turns from the
        percentile on.
    conversations : int
        All of them.
    block : float
        Turns that a block of time should have.
    """

    quarters: tuple[float, ...]
    trend: float
    error: float
    half: int
    conversations: int
    block: float

    @property
    def few(self) -> bool:
        """Whether a few conversations carry the goal."""
        return self.half < FEW


def time_blocks(goal: Goal, lru: Values) -> tuple[float, Blocks]:
    """Return how long blocks of turns should be, and blocks about so long."""
    length = block_length(weights_of(goal, lru))
    number = int(len(lru) // max(length, 1.0))
    return length, Blocks.of(len(lru), min(max(number, LEAST_BLOCKS), MOST_BLOCKS))


def weights_of(goal: Goal, lru: Values) -> FloatArray:
    """Return what each turn has of what counts: its loss, or whether it is at or above the percentile."""
    if goal.level is None:
        return np.asarray(lru, np.float64)
    whole = Blocks.of(len(lru), 1)
    reached = lru >= whole.percentiles(lru, whole.all, goal.level)[0]
    return np.asarray(reached, np.float64)


def carriers(weights: FloatArray, conversation: IntArray) -> tuple[int, int]:
    """Return the fewest conversations that have half of the weights, and how many there are."""
    _, inverse = np.unique(conversation, return_inverse=True)
    each = np.sort(np.bincount(inverse, weights))[::-1]
    return int(np.searchsorted(np.cumsum(each), each.sum() / 2)) + 1, len(each)


def beginnings(counted: int, rest: int) -> list[tuple[int, int]]:
    """Return pairs of ends, in pieces: of a beginning, and of what follows it.

    What follows is to the beginning as the rest is to the turns that count.
    """
    found = [(min(max(round(end * counted / (counted + rest)), 1), end - 1), end) for end in ENDS]
    return sorted(set(found))


def spans(pairs: list[tuple[int, int]]) -> FloatArray:
    """Return pieces from one to another as draws, a row for each pair."""
    places = np.arange(PIECES)
    return np.array([(places >= start) & (places < end) for start, end in pairs], np.float64)


def errors_of(before: FloatArray, after: FloatArray, allowed: FloatArray, near: FloatArray) -> FloatArray:
    """Return by how much the setting chosen on each beginning gained more on what followed it.

    Gains have a row for each setting and a column for each beginning; `allowed` is 0, or -inf for a setting that
    may not be chosen.
    """
    best = np.argmax(near @ before + allowed[:, None], axis=0)
    columns = np.arange(before.shape[1])
    found: FloatArray = after[best, columns] - before[best, columns]
    return found


def trend_of(quarters: FloatArray, spread: float) -> float:
    """Return what a quarter adds to a gain of which a whole has a standard error; 0 if chance explains it."""
    places = np.arange(QUARTERS) - (QUARTERS - 1) / 2
    slope = float(places @ quarters / (places @ places))
    error = spread * np.sqrt(QUARTERS / (places @ places))
    return slope if abs(slope) > SLOPE * error else 0.0


def chance(value: float, *drawn: tuple[FloatArray, int]) -> Estimate:
    """Return the widest of a gain's intervals from draws, each of so many blocks."""
    own = [at_most_all(interval(value, draws, blocks)) for draws, blocks in drawn]
    return Estimate(value, min(one.low for one in own), max(one.high for one in own))


def promised(later: Estimate, grounds: Grounds, ratio: float) -> Estimate | None:
    """Return what is promised, None if nothing is.

    `later` is the interval by chance, and `ratio` the turns of the rest over those that count.
    """
    value, error = later.value, ERRORS * grounds.error
    low = value - np.hypot(value - later.low, error) + min(grounds.trend, 0.0) * (QUARTERS - 1) / 2
    high = value + np.hypot(later.high - value, error) + max(grounds.trend, 0.0) * QUARTERS * (1 + ratio) / 2
    if grounds.few or low <= -value:
        return None
    return Estimate(value, float(low), min(float(high), 1.0))
