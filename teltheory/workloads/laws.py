"""Laws of lengths: prompts and responses in whole tokens.

A finite law has exact probabilities (`Fraction`), so that the belief MDP can be solved exactly. Every law can be
sampled, and says how likely a length of at least k is, which is what ET-LRU's scores need.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import LARGEST, FloatArray, IntArray, real_number, whole_number

WIDEST = 3.0


@runtime_checkable
class Law(Protocol):
    """A law of whole lengths."""

    @property
    def mean(self) -> float:
        """Mean of what `sample` draws."""
        ...

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return `size` independent draws."""
        ...

    def at_least(self, length: IntArray) -> FloatArray:
        """Return the probability of at least each length; 1 for a length of 0 or less."""
        ...


@dataclass(frozen=True)
class Finite:
    """Finitely many lengths, with exact probabilities.

    Attributes
    ----------
    lengths : tuple of int
        Strictly increasing.
    probabilities : tuple of Fraction
        One a length, above 0, with sum 1.
    """

    lengths: tuple[int, ...]
    probabilities: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        lengths = tuple(whole_number("lengths", length) for length in self.lengths)
        object.__setattr__(self, "lengths", lengths)
        if not lengths or any(a >= b for a, b in pairwise(lengths)):
            raise ArgumentError("lengths", self.lengths, "one or more lengths, strictly increasing")
        probabilities = tuple(_fraction(p) for p in self.probabilities)
        object.__setattr__(self, "probabilities", probabilities)
        if len(probabilities) != len(lengths):
            raise ArgumentError("probabilities", self.probabilities, f"{len(lengths)} of them, one a length")
        if min(probabilities) <= 0 or sum(probabilities) != 1:
            raise ArgumentError("probabilities", self.probabilities, "fractions above 0 with sum 1")

    @property
    def outcomes(self) -> tuple[tuple[int, Fraction], ...]:
        """Lengths with their probabilities."""
        return tuple(zip(self.lengths, self.probabilities, strict=True))

    @property
    def mean(self) -> float:
        """Mean length."""
        return float(sum(length * p for length, p in self.outcomes))

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return `size` independent draws."""
        if len(self.lengths) == 1:
            return np.full(size, self.lengths[0], np.int64)
        above = np.cumsum([float(p) for p in self.probabilities[:-1]])
        return np.array(self.lengths, np.int64)[np.searchsorted(above, rng.random(size), side="right")]

    def exactly_at_least(self, length: int) -> Fraction:
        """Return the probability of at least a length, exactly."""
        return sum((p for known, p in self.outcomes if known >= length), Fraction(0))

    def at_least(self, length: IntArray) -> FloatArray:
        """Return the probability of at least each length."""
        tails = np.array([*map(float, accumulate(self.probabilities[::-1], initial=Fraction(0)))])[::-1]
        return tails[np.searchsorted(np.array(self.lengths), length, side="left")]


@lru_cache(typed=True)
def fixed(length: int) -> Finite:
    """Return the law that is always `length`."""
    return Finite((length,), (Fraction(1),))


@dataclass(frozen=True)
class LogNormal:
    """Lognormal lengths, rounded up to whole tokens.

    Attributes
    ----------
    mean_length : float
        Mean before rounding, above 0.
    spread : float
        Standard deviation of the logarithm; 0 gives a fixed length.
    """

    mean_length: float
    spread: float = 1.0

    def __post_init__(self) -> None:
        real_number("mean_length", self.mean_length, 0)
        real_number("spread", self.spread, 0, WIDEST, closed=True)

    @property
    def mean(self) -> float:
        """Mean before rounding."""
        return float(self.mean_length)

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return `size` independent draws."""
        draws: FloatArray = self.mean_length * rng.lognormal(-(self.spread**2) / 2, self.spread, size)
        return np.ceil(draws).astype(np.int64)

    def quantile(self, share: FloatArray) -> IntArray:
        """Return the length that a draw does not exceed with each probability of `share`, from 0 to below 1."""
        from scipy.special import ndtri

        scores = ndtri(np.maximum(share, np.finfo(np.float64).tiny))
        return np.ceil(self.mean_length * np.exp(self.spread * scores - self.spread**2 / 2)).astype(np.int64)

    def scaled(self, factor: float) -> LogNormal:
        """Return the law of the lengths times a factor above 0."""
        return LogNormal(self.mean_length * factor, self.spread)

    def at_least(self, length: IntArray) -> FloatArray:
        """Return the probability of at least each length: a draw of k or more was above k - 1."""
        from scipy.special import ndtr

        above = np.maximum(np.asarray(length, np.float64) - 1, 0.0)
        if self.spread == 0:
            return np.where(above < self.mean_length, 1.0, 0.0)
        return np.asarray(ndtr(-self._standardised(above)), np.float64)

    def log_probability(self, length: IntArray) -> FloatArray:
        """Return the logarithm of each length's probability: a draw of k was above k - 1 and at most k."""
        from scipy.special import log_ndtr

        longest = np.maximum(np.asarray(length, np.float64), 0.0)
        if self.spread == 0:
            return np.where(longest == math.ceil(self.mean_length), 0.0, -np.inf)
        low, high = self._standardised(np.maximum(longest - 1, 0.0)), self._standardised(longest)
        near, far = np.where(low > 0, -low, high), np.where(low > 0, -high, low)
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithm = log_ndtr(near) + np.log(-np.expm1(log_ndtr(far) - log_ndtr(near)))
        return np.where(longest > 0, logarithm, -np.inf)

    def _standardised(self, length: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(length / self.mean_length) / self.spread + self.spread / 2, np.float64)


@dataclass(frozen=True, eq=False)
class Empirical:
    """The lengths that were seen, each as likely as often it was seen.

    Attributes
    ----------
    seen : ndarray of int64
        Lengths in increasing order.
    """

    seen: IntArray

    @classmethod
    def of(cls, lengths: Sequence[int] | IntArray) -> Empirical:
        """Return the empirical law of lengths of 0 or more."""
        seen = np.sort(np.asarray(lengths, np.int64))
        if not len(seen) or seen[0] < 0:
            raise ArgumentError("lengths", lengths, "one or more whole numbers, 0 or more")
        seen.setflags(write=False)
        return cls(seen)

    @property
    def mean(self) -> float:
        """Mean length."""
        return float(self.seen.mean())

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return `size` independent draws."""
        return self.seen[rng.integers(0, len(self.seen), size)]

    def at_least(self, length: IntArray) -> FloatArray:
        """Return the share of the seen lengths that are at least each length."""
        return 1.0 - np.searchsorted(self.seen, length, side="left") / len(self.seen)

    def __eq__(self, other: object) -> bool:
        return np.array_equal(self.seen, other.seen) if isinstance(other, Empirical) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.seen.tobytes())

    def __repr__(self) -> str:
        digest = hashlib.sha256(self.seen.tobytes()).hexdigest()
        return f"Empirical({len(self.seen)} lengths of digest {digest})"


@dataclass(frozen=True)
class Quantiles:
    """Lengths in tokens with a piecewise linear quantile function, rounded up; both columns strictly increase.

    That is what is kept of a data set that may not be copied.
    """

    levels: tuple[float, ...]
    lengths: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("levels", "lengths"):
            object.__setattr__(self, name, _increasing(name, getattr(self, name)))
        if self.levels[0] != 0 or self.levels[-1] != 1:
            raise ArgumentError("levels", self.levels, "levels from 0 to 1")
        if len(self.lengths) != len(self.levels):
            raise ArgumentError("lengths", self.lengths, f"{len(self.levels)} of them, one a level")

    @classmethod
    def of(cls, lengths: IntArray, levels: Sequence[float]) -> Quantiles:
        """Return the law of seen lengths: at each level the length that so large a share does not exceed."""
        found = np.quantile(lengths, levels, method="inverted_cdf")
        return cls(tuple(levels), tuple(map(float, found)))

    @property
    def mean(self) -> float:
        """Mean of what `sample` draws."""
        wholes = np.arange(int(np.ceil(self.lengths[-1])), dtype=np.int64)
        return float(self.at_least(wholes + 1).sum())

    def scaled(self, factor: float) -> Quantiles:
        """Return the law of the lengths times a factor above 0."""
        return Quantiles(self.levels, tuple(length * factor for length in self.lengths))

    def quantile(self, share: FloatArray) -> IntArray:
        """Return the length that a draw does not exceed with each probability of `share`."""
        return np.ceil(np.interp(share, self.levels, self.lengths)).astype(np.int64)

    def sample(self, rng: np.random.Generator, size: int) -> IntArray:
        """Return `size` independent draws."""
        return self.quantile(rng.random(size))

    def at_least(self, length: IntArray) -> FloatArray:
        """Return the probability of at least each length: a draw of k or more was above k - 1."""
        above = np.asarray(length, np.float64) - 1
        return np.where(above < 0, 1.0, 1.0 - np.interp(above, self.lengths, self.levels))


def _fraction(value: object) -> Fraction:
    try:
        return value if type(value) is Fraction else Fraction(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError("probabilities", value, "a fraction, such as Fraction(1, 3)") from None


def _increasing(name: str, values: object) -> tuple[float, ...]:
    numbers = tuple(values) if isinstance(values, Sequence) else ()
    fits = all(isinstance(v, (int, float)) and 0 <= v <= LARGEST for v in numbers)
    if len(numbers) < 2 or not fits or any(a >= b for a, b in pairwise(numbers)):
        raise ArgumentError(name, values, f"two or more numbers, strictly increasing, from 0 to {LARGEST:g}")
    return tuple(map(float, numbers))
