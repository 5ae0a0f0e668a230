"""Laws of gaps: the seconds from a turn of a conversation to its next, or between the starts of conversations.

`ExponentialGaps` is the paper's choice (Zhang et al. 2025, Section 3.3: Poisson turns). The others are
heavy-tailed: people come back after minutes, or after lunch. All are given by their mean, so that they can be
swept beside each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from teltheory.model.numbers import FloatArray, real_number
from teltheory.workloads.laws import WIDEST

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
        real_number("mean", self.mean, 0)

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
        real_number("mean", self.mean, 0)
        real_number("spread", self.spread, 0, WIDEST)

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
        real_number("mean", self.mean, 0)
        real_number("shape", self.shape, 1, STEEPEST)

    @property
    def shortest(self) -> float:
        """The shortest gap m, in seconds."""
        return self.mean * (self.shape - 1) / self.shape

    def sample(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Return `size` independent gaps, in seconds."""
        draws: FloatArray = self.shortest * (1 + rng.pareto(self.shape, size))
        return draws
