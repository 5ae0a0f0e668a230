"""Arrival times that are assumed where a file has none: starts of conversations, and the gaps in them.

A file has at most the time of a conversation (then `rate` is None) or none (then conversations start as a
Poisson process). Gaps are drawn independently. `SHAREGPT_TIMES` is what the paper assumes for ShareGPT (Zhang
et al. 2025, Appendix G.2: lambda_conv = 1, lambda_turn = 3; it names no unit, here it is a second).

Laws of gaps are given by their mean, so that they can be swept beside each other. `ExponentialGaps` is the paper's
choice (Section 3.3: Poisson turns); the others are heavy-tailed: people come back after minutes, or after lunch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import FloatArray, IntArray, read_number, real_number, whole_number
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


@dataclass(frozen=True)
class Times:
    """What is assumed about arrival times.

    Attributes
    ----------
    gaps : Gaps or None
        Law of the seconds from a turn to its conversation's next; None if the file has delays and they count
        as gaps.
    rate : float or None
        Conversations that start in a second, a Poisson process; None if the file has their times.
    seed : int
        Of the draws.
    """

    gaps: Gaps | None
    rate: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.gaps is not None and not isinstance(self.gaps, Gaps):
            raise ArgumentError("gaps", self.gaps, "a law such as ExponentialGaps(360)")
        if self.rate is not None:
            real_number("rate", self.rate, 0)
        whole_number("seed", self.seed)

    def sentence(self) -> str:
        """Return the assumption in words."""
        starts = (
            "the last turn of a conversation at the time that the file has for it"
            if self.rate is None
            else f"conversations start at {self.rate:g} a second (Poisson)"
        )
        gaps = "the delays of the file" if self.gaps is None else f"{self.gaps!r} in seconds"
        return f"assumed: {starts}, gaps in them {gaps}, seed {self.seed}"

    def arrivals(
        self, sizes: IntArray, last: FloatArray | None = None, delays: FloatArray | None = None
    ) -> FloatArray:
        """Draw the arrival of every turn, conversation after conversation.

        Parameters
        ----------
        sizes : ndarray of int64, shape (conversations,)
            Turns of each, 1 or more.
        last : ndarray of float64, shape (conversations,), optional
            Seconds of each conversation's last turn, if `rate` is None.
        delays : ndarray of float64, shape (turns - conversations,), optional
            Seconds before each turn that continues a conversation, if `gaps` is None.
        """
        rng = np.random.default_rng(self.seed)
        first = np.cumsum(sizes) - sizes
        gaps = np.zeros(int(sizes.sum()))
        continuing = np.ones(len(gaps), np.bool_)
        starts = (
            np.zeros(len(sizes)) if self.rate is None else np.cumsum(rng.exponential(1 / self.rate, len(sizes)))
        )
        continuing[first] = False
        if self.gaps is not None:
            delays = self.gaps.sample(rng, int(continuing.sum()))
        if delays is not None:
            gaps[continuing] = delays
        elapsed = np.cumsum(gaps)
        since: FloatArray = elapsed - np.repeat(elapsed[first], sizes)
        if last is not None:
            starts = last - since[first + sizes - 1]
        return np.asarray(np.repeat(starts, sizes) + since)


SHAREGPT_TIMES = Times(ExponentialGaps(1 / 3), rate=1.0)
LAWS: dict[str, tuple[Callable[..., Gaps], tuple[str, ...]]] = {
    "exponential": (ExponentialGaps, ("mean",)),
    "lognormal": (LogNormalGaps, ("mean", "spread")),
    "pareto": (ParetoGaps, ("mean", "shape")),
}
DELAYS = "delays"
EXPECTED = (
    "sharegpt, exponential:mean=360,rate=1, lognormal:mean=360,spread=1,rate=1, pareto:mean=360,shape=1.5,rate=1 "
    "or delays:rate=1; without a rate conversations start when the file says"
)
NEEDED = "an assumption: Times(ExponentialGaps(360), rate=1), or --times exponential:mean=360,rate=1"


def parse_times(text: str, seed: int = 0) -> Times:
    """Read an assumption such as ``exponential:mean=360,rate=0.5`` or ``sharegpt``."""
    if text == "sharegpt":
        return replace(SHAREGPT_TIMES, seed=seed)
    name, _, rest = text.partition(":")
    pairs = [part.partition("=") for part in rest.split(",")] if rest else []
    given = {key.strip(): read_number("times", value, EXPECTED) for key, _, value in pairs}
    make, parameters = LAWS.get(name, (None, ()))
    rate = given.pop("rate", None)
    if (
        name not in (*LAWS, DELAYS)
        or set(given) != set(parameters)
        or len(pairs) != len(given) + (rate is not None)
    ):
        raise ArgumentError("times", text, EXPECTED)
    return Times(None if make is None else make(**given), rate, seed)
