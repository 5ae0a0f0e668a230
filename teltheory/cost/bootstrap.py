"""How sure a number of a replay is: resampling of consecutive blocks of turns.

Turns of one conversation, and turns that share a cache, are not independent. So not turns but blocks of
consecutive turns are drawn, with replacement (Künsch 1989, with blocks that do not overlap), and a number is
computed anew from each draw. Two policies are compared on the same draws (a paired bootstrap): what both owe to
the load cancels.

Conversations are drawn in the same way: turns are put in the order of groups of conversations (`groups`), and a
group is a block. How long blocks of time are is asked of the data (`block_length`).

A draw is a row of weights, how often each block is in it, as floats, which sums are quick with. Sums and
percentiles of all draws come from the blocks' sums and sorted blocks, so that no draw is ever put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, readonly, whole_number

Values: TypeAlias = NDArray[Any]
"""One number a turn, int64 or float64."""

COARSE = 64
"""Most values that a percentile is first sought among."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Consecutive blocks of turns, about equally long; block b has the turns bounds[b] ... bounds[b + 1] - 1."""

    bounds: IntArray

    @classmethod
    def of(cls, turns: int, blocks: int) -> Blocks:
        """Cut `turns` turns into `blocks` blocks, or into blocks of one turn where there are fewer turns."""
        number = min(whole_number("blocks", blocks), whole_number("turns", turns))
        if number < 1:
            raise ArgumentError("blocks", number, "at least one block and one turn")
        return cls(readonly(np.arange(number + 1, dtype=np.int64) * turns // number))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def all(self) -> FloatArray:
        """The one draw that has every block once; shape (1, blocks)."""
        return np.ones((1, len(self)))

    def draw(self, drawn: int, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw `drawn` blocks with replacement, `draws` times; shape (draws, blocks), how often each is in it."""
        return rng.multinomial(drawn, np.full(len(self), 1 / len(self)), draws).astype(np.float64)

    def draw_elsewhere(self, drawn: int, draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw what `drawn` other blocks of the same process may look like: a draw from a draw.

        The inner draw stands for what is not known of the process, the outer one for the other turns.
        """
        return rng.multinomial(drawn, self.draw(len(self), draws, rng) / len(self)).astype(np.float64)

    def sums(self, values: Values, weights: FloatArray) -> FloatArray:
        """Return the sum of a value a turn in each draw; shape (draws,)."""
        totals = np.add.reduceat(np.asarray(values, np.float64), self.bounds[:-1])
        return np.asarray(weights @ totals, np.float64)

    def percentiles(self, values: Values, weights: FloatArray, level: Fraction) -> FloatArray:
        """Return the percentile of a value per turn in each draw, the ceil(level n)-th smallest of its n values.

        Bisection over the values that occur, for all draws at once: first over every so many of them, then over
        those that are left, so that the table of counts is small. No draw may be empty.
        """
        if not 0 < level <= 1:
            raise ArgumentError("level", str(level), "a level above 0, at most 1")
        often = weights.astype(np.int64)
        counts = often @ np.diff(self.bounds)
        needed = -(-counts * level.numerator // level.denominator)
        occurring, rank = np.unique(values, return_inverse=True)
        step = -(-len(occurring) // COARSE)
        coarse = self._places(rank // step, -(-len(occurring) // step), often, needed)
        first, last = int(coarse.min()) * step, min((int(coarse.max()) + 1) * step, len(occurring))
        within = np.clip(rank - first + 1, 0, last - first + 1)
        places = self._places(within, last - first + 2, often, needed) + first - 1
        return np.asarray(occurring[places], np.float64)

    def _places(self, rank: IntArray, ranks: int, weights: IntArray, needed: IntArray) -> IntArray:
        """Return the least rank in each draw up to which there are as many turns as needed."""
        up_to = self._counts(rank, ranks)
        low, high = np.zeros(len(weights), np.int64), np.full(len(weights), ranks - 1)
        while (low < high).any():
            middle = (low + high) // 2
            reached = np.einsum("ij,ij->i", up_to[middle], weights) >= needed
            low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
        return low

    def _counts(self, rank: IntArray, ranks: int) -> IntArray:
        """Return how many turns of each block have at most each rank; shape (ranks, blocks)."""
        block = np.repeat(np.arange(len(self)), np.diff(self.bounds))
        found: IntArray = np.bincount(rank * len(self) + block, minlength=ranks * len(self))
        return np.cumsum(found.reshape(ranks, len(self)), axis=0)


def groups(cluster: IntArray, most: int, rng: np.random.Generator) -> tuple[IntArray, Blocks]:
    """Return turns in the order of random groups of whole clusters, and the groups as blocks.

    Parameters
    ----------
    cluster : ndarray of int64, shape (n,)
        Which cluster each turn is of, any numbers.
    most : int
        Groups, or one for each cluster where there are fewer. About equally many clusters are in each.
    rng : Generator
        Which cluster goes where; it depends on the order in which clusters begin, not on their numbers.
    """
    _, begins, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    number = len(begins)
    group = np.empty(number, np.int64)
    group[np.argsort(begins)] = rng.permutation(number) % min(most, number)
    of_turn = group[inverse]
    bounds = np.append(0, np.cumsum(np.bincount(of_turn)))
    return np.argsort(of_turn, kind="stable"), Blocks(readonly(bounds))


def block_length(values: Values) -> float:
    """Return how many turns a block should have for the mean of dependent values (Politis and White 2004).

    With the constant that Patton, Politis and White corrected in 2009, for blocks of one length. Values that are
    all the same need 1. `arch.bootstrap.optimal_block_length` judges this in the tests: its m is one lag longer
    than the paper's, unless values forget at once.
    """
    turns = len(values)
    moved = np.asarray(values, np.float64) - np.mean(values)
    row = max(5, int(np.ceil(np.sqrt(np.log10(turns)))))
    most = min(int(np.ceil(np.sqrt(turns))) + row, turns - 1)
    covariance = np.array([moved[lag:] @ moved[: turns - lag] / turns for lag in range(most + 1)])
    if covariance[0] <= 0:
        return 1.0
    small = np.abs(covariance[1:]) < 2 * np.sqrt(np.log10(turns) / turns) * covariance[0]
    last = next((lag for lag in range(most - row + 1) if small[lag : lag + row].all()), most)
    lags = np.arange(1, min(2 * max(last, 1), most) + 1)
    flat = 2 * np.minimum(1 - lags / lags[-1], 0.5) * covariance[lags]
    spectrum, bias = covariance[0] + 2 * flat.sum(), 2 * (lags * flat).sum()
    longest = np.ceil(min(3 * np.sqrt(turns), turns / 3))
    return float(min((1.5 * bias**2 / spectrum**2 * turns) ** (1 / 3), longest)) if spectrum else 1.0


@dataclass(frozen=True)
class Estimate:
    """A number from all turns, with an interval."""

    value: float
    low: float
    high: float

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval is above 0."""
        return self.low > 0

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below 0."""
        return self.high < 0

    def holds(self, value: float) -> bool:
        """Whether a value lies within the interval."""
        return self.low <= value <= self.high


def standard_error(draws: FloatArray, blocks: int) -> float:
    """Return the standard error of a number from draws of so many blocks; 0 of one block. See `interval`."""
    return float(draws.std() * np.sqrt(blocks / max(blocks - 1, 1)))


def interval(value: float, draws: FloatArray, blocks: int, level: float = 0.95) -> Estimate:
    """Return the percentile interval of a number, widened as Student's t with one block fewer asks for.

    A draw of k blocks spreads less than k new blocks would, by sqrt((k - 1) / k), and k blocks are few. With one
    block there is nothing to say: the ends are infinite.
    """
    if blocks < 2:
        return Estimate(value, -np.inf, np.inf)
    tail = (1 + level) / 2
    factor = student(level, blocks - 1) / NormalDist().inv_cdf(tail) * (blocks / (blocks - 1)) ** 0.5
    low, high = np.quantile(draws, [1 - tail, tail])
    return Estimate(value, float(value - factor * (value - low)), float(value + factor * (high - value)))


@cache
def student(level: float, degrees: int) -> float:
    """Return t with P(|T| <= t) = level for Student's T; bisection over arctan(t / sqrt(degrees)).

    The probability is a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4). `scipy.special.stdtrit` judges this
    in the tests; importing it takes as long as all else that an advice of 6,000 turns computes.
    """
    low, high = 0.0, np.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _within(middle, degrees) < level else (low, middle)
    return float(np.tan(high) * np.sqrt(degrees))


def _within(angle: float, degrees: int) -> float:
    """Return P(|T| <= sqrt(degrees) tan(angle)) for Student's T."""
    odd = degrees % 2
    terms = np.arange(1, (degrees - odd) // 2)
    rising = (2 * terms - 1 + odd) / (2 * terms + odd) * np.cos(angle) ** 2
    total = np.sin(angle) * (1 + np.cumprod(rising).sum())
    if not odd:
        return float(total)
    return float(2 / np.pi * (angle + (total * np.cos(angle) if degrees > 1 else 0)))
