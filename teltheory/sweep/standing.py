"""Where policies stand among each other after one replay of each: which differences of TEL are proved.

1. Groups of clusters are drawn with replacement, and every policy's TEL is summed over the same draw. The
   difference of two policies in a draw is paired: the load that both have cancels.
2. Two policies are tied if the 95 % interval of their difference contains 0. A policy's rank is the number of
   policies that are proved worse: those whose difference to it is above 0 with its whole interval.
3. Below 30 clusters there is no interval, as so few draws say little of others.

The replay is one: a cache that is full of other requests on another day is not in the interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from teltheory.cost.bootstrap import Estimate, interval

LEAST_CLUSTERS = 30
DRAWS = 1000


class Standing:
    """Policies by their TEL in groups of clusters, all of the same groups.

    Parameters
    ----------
    tels : sequence of sequences of float, shape (policies, groups)
        What each policy has in each group.
    """

    def __init__(self, tels: Sequence[Sequence[float]]) -> None:
        self._tels = np.array(tels, np.float64)
        number = self._tels.shape[1]
        weights = np.random.default_rng(0).multinomial(number, np.full(number, 1 / number), DRAWS)
        self._draws = self._tels @ weights.T.astype(np.float64)

    def above(self, one: int, other: int) -> Estimate:
        """Return by how much the TEL of one policy is above another's, with its interval."""
        value = float(self._tels[one].sum() - self._tels[other].sum())
        return interval(value, self._draws[one] - self._draws[other], self._tels.shape[1])

    def rank(self, one: int, others: Sequence[int]) -> int:
        """Return how many of the others are proved worse."""
        return sum(self.above(other, one).above_zero for other in others)

    def tied(self, one: int, others: Sequence[int]) -> list[int]:
        """Return the others whose difference may be 0."""
        return [other for other in others if other != one and self.above(other, one).holds(0)]
