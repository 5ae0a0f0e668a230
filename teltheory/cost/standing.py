"""The one unit of uncertainty: whole clusters of one replay, drawn again; and where policies stand.

1. Requests of one cluster (a conversation, a session, a root prefix: `teltheory.model.clusters`) depend on each
   other. Clusters go into at most 500 groups at random, and groups are drawn with replacement. A number is
   computed anew from each draw, and its interval has 95 % (`teltheory.cost.bootstrap.interval`).
2. What two policies did is taken from the same draws: the load that both have cancels in their difference. Two
   policies are tied if the interval of their difference contains 0. A policy's rank is how many policies are
   proved worse and how many better: those whose difference to it is above or below 0 with its whole interval.
3. Below 30 clusters there is no interval, as so few draws say little of others.

The replay is one: a cache that is full of other requests on another day is not in the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from teltheory.cost.bootstrap import Blocks, Estimate, Values, groups, interval
from teltheory.model.clusters import named
from teltheory.model.numbers import FloatArray, IntArray, readonly

MOST_GROUPS = 500
LEAST_CLUSTERS = 30
DRAWS = 1000


def too_few(clusters: int, called: str) -> str | None:
    """Return why there is no interval of so few clusters; None of enough."""
    return f"{named(clusters, called)}, fewer than {LEAST_CLUSTERS}" if clusters < LEAST_CLUSTERS else None


@dataclass(frozen=True, eq=False)
class ClusterDraws:
    """Draws of whole clusters, the same for all that is compared.

    Attributes
    ----------
    order : ndarray of int64, shape (n,)
        Requests in the order of their groups.
    blocks : Blocks
        The groups in that order.
    draws : ndarray of float64, shape (draws, groups)
        How often each group is in each draw.
    clusters, called : int, str
        How many clusters there are, and what one is called.
    """

    order: IntArray
    blocks: Blocks
    draws: FloatArray
    clusters: int
    called: str

    @classmethod
    def of(cls, cluster: IntArray, called: str, rng: np.random.Generator) -> ClusterDraws:
        """Draw the clusters of some requests."""
        order, blocks = groups(cluster, MOST_GROUPS, np.random.default_rng(0))
        return cls(order, blocks, blocks.draw(len(blocks), DRAWS, rng), len(np.unique(cluster)), called)

    @property
    def unsure(self) -> str | None:
        """Why there is no interval; None if there is one."""
        return too_few(self.clusters, self.called)

    def sorted(self, values: Values) -> Values:
        """Return one value a request in the order of the groups."""
        return values[self.order]

    def interval(self, value: float, drawn: FloatArray) -> Estimate:
        """Return the interval of a number from what it is in each draw; of few clusters its ends are infinite."""
        if self.unsure is not None:
            return Estimate(value, -np.inf, np.inf)
        return interval(value, drawn, len(self.blocks))


def at_most_all(gain: Estimate) -> Estimate:
    """Return a gain's interval: nothing can be lower by more than the whole; what is not known stays so."""
    return replace(gain, high=min(gain.high, 1.0)) if np.isfinite(gain.high) else gain


@lru_cache(maxsize=4)
def _weights(number: int) -> FloatArray:
    """Return how often each of so many groups stands in each draw, shape (number, DRAWS)."""
    drawn = np.random.default_rng(0).multinomial(number, np.full(number, 1 / number), DRAWS)
    return readonly(drawn.T.astype(np.float64))


class Standing:
    """Policies by their TEL in groups of clusters, all of the same groups.

    Parameters
    ----------
    tels : sequence of sequences of float, shape (policies, groups)
        What each policy has in each group.
    """

    def __init__(self, tels: Sequence[Sequence[float]]) -> None:
        self._tels = np.array(tels, np.float64)
        self._draws = self._tels @ _weights(self._tels.shape[1])
        self._above: dict[tuple[int, int], Estimate] = {}

    def above(self, one: int, other: int) -> Estimate:
        """Return by how much the TEL of one policy is above another's, with its interval."""
        if (one, other) not in self._above:
            value = float(self._tels[one].sum() - self._tels[other].sum())
            found = interval(value, self._draws[one] - self._draws[other], self._tels.shape[1])
            self._above[one, other] = found
            self._above[other, one] = Estimate(-value, -found.high, -found.low)
        return self._above[one, other]

    def gain(self, one: int, base: int) -> Estimate:
        """Return by which share of a base's TEL a policy is below it; 0 where the base has none."""
        whole, below = self._draws[base], self._draws[base] - self._draws[one]
        drawn = np.divide(below, whole, out=np.zeros_like(whole), where=whole > 0)
        total = float(self._tels[base].sum())
        value = float(self._tels[base].sum() - self._tels[one].sum()) / total if total else 0.0
        return at_most_all(interval(value, drawn, self._tels.shape[1]))

    def among(self, one: int, others: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """Return which of the others are proved worse, which are proved better, and which are tied."""
        found = [(other, self.above(other, one)) for other in others]
        worse = [other for other, by in found if by.above_zero]
        better = [other for other, by in found if by.below_zero]
        return worse, better, [other for other, by in found if by.holds(0)]
