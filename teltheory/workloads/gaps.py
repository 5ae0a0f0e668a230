"""Laws of gaps: the seconds from a turn of a conversation to its next, or between the starts of conversations.

`ExponentialGaps` is the paper's choice (Zhang et al. 2025, Section 3.3: Poisson turns). The others are
heavy-tailed: people come back after minutes, or after lunch. All are given by their mean, so that they can be
swept beside each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray

LONGEST_MEAN = 1e9
WIDEST = 3.0
STEEPEST = 100.0


@runtime_checkable
class Gaps(Protocol):
    """A law of gaps."""

    @property
    def mean(self) -> float:
        """Mean gap, in seconds."""
        ...

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Return `size` independent gaps, in seconds."""
        ...


@dataclass(frozen=True)
class ExponentialGaps:
    """Exponential gaps, those of a Poisson process of rate 1 / mean.

    Attributes
    ----------
    mean : float
        Seconds, above 0.
    """

    mean: float

    def __post_init__(self) -> None:
        _check_mean(self.mean)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Return `size` independent gaps, in seconds."""
        return rng.exponential(self.mean, size)


@dataclass(frozen=True)
class LogNormalGaps:
    """Lognormal gaps.

    Attributes
    ----------
    mean : float
        Seconds, above 0.
    spread : float
        Standard deviation of the logarithm, above 0 and at most 3.
    """

    mean: float
    spread: float

    def __post_init__(self) -> None:
        _check_mean(self.mean)
        _check_number("spread", self.spread, 0.0, WIDEST)

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Return `size` independent gaps, in seconds."""
        return self.mean * rng.lognormal(-(self.spread**2) / 2, self.spread, size)


@dataclass(frozen=True)
class ParetoGaps:
    """Pareto gaps (type I): P(gap > t) = (m / t)^shape for t >= m, the shortest gap, m = mean (shape - 1) / shape.

    Attributes
    ----------
    mean : float
        Seconds, above 0.
    shape : float
        Above 1, so that the mean is finite, and at most 100; up to 2 the variance is infinite.
    """

    mean: float
    shape: float

    def __post_init__(self) -> None:
        _check_mean(self.mean)
        _check_number("shape", self.shape, 1.0, STEEPEST)

    @property
    def shortest(self) -> float:
        """The shortest gap m, in seconds."""
        return self.mean * (self.shape - 1) / self.shape

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Return `size` independent gaps, in seconds."""
        draws: FloatArray = self.shortest * (1 + rng.pareto(self.shape, size))
        return draws


def _check_mean(mean: object) -> None:
    _check_number("mean", mean, 0.0, LONGEST_MEAN, " seconds")


def _check_number(argument: str, value: object, above: float, most: float, unit: str = "") -> None:
    number = not isinstance(value, bool) and isinstance(value, (int, float, np.integer, np.floating))
    if not number or not above < value <= most or not math.isfinite(value):  # type: ignore[operator,arg-type]
        raise ArgumentError(argument, value, f"a number{unit} above {above:g}, at most {most:g}")
