"""A law of lengths by its quantiles: what is kept of a data set that may not be copied.

Between two stated quantiles the quantile function is a straight line; a draw is rounded up to whole tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray
from teltheory.workloads.laws import LARGEST, Law


class QuantileLaw(Law, Protocol):
    """A law of lengths that can be drawn by inversion, so that draws may depend on each other."""

    def quantile(self, share: FloatArray) -> IntArray:
        """Return the length that a draw does not exceed with each probability of `share`."""
        ...

    def scaled(self, factor: float) -> QuantileLaw:
        """Return the law of the lengths times a factor above 0."""
        ...


@dataclass(frozen=True)
class Quantiles:
    """Lengths in tokens with a piecewise linear quantile function, rounded up; both columns strictly increase."""

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
    def of(cls, lengths: NDArray[np.integer], levels: Sequence[float]) -> Quantiles:
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

    def log_probability(self, length: IntArray) -> FloatArray:
        """Return the logarithm of each length's probability; -inf if it is 0."""
        lengths = np.asarray(length, np.int64)
        with np.errstate(divide="ignore"):
            logarithm: FloatArray = np.log(self.at_least(lengths) - self.at_least(lengths + 1))
        return np.where(lengths < 0, -np.inf, logarithm)


def _increasing(name: str, values: object) -> tuple[float, ...]:
    numbers = tuple(values) if isinstance(values, Sequence) else ()
    fits = all(isinstance(v, (int, float)) and 0 <= v <= LARGEST for v in numbers)
    if len(numbers) < 2 or not fits or any(a >= b for a, b in pairwise(numbers)):
        raise ArgumentError(name, values, f"two or more numbers, strictly increasing, from 0 to {LARGEST:g}")
    return tuple(map(float, numbers))
