"""The outcome of a replay or of a solver: what each turn reused and what it computed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray, exact_sum, readonly


@dataclass(frozen=True, eq=False)
class Outcome:
    """Reused and computed lengths, one entry a turn, in the trace's unit.

    Attributes
    ----------
    cached : ndarray of int64, shape (n,)
        Length of the cached prefix that each turn reuses, x.
    uncached : ndarray of int64, shape (n,)
        What each turn's prefill computes, total - x.
    """

    cached: IntArray
    uncached: IntArray

    @classmethod
    def of(cls, instance: Instance, cached: IntArray | list[int]) -> Outcome:
        """Make the outcome in which turn k reuses ``cached[k]``."""
        reused = np.array(cached, np.int64)
        return cls(readonly(reused), readonly(instance.total - reused))

    def __len__(self) -> int:
        return len(self.cached)

    @property
    def prefilled(self) -> int:
        """The server's work: what all turns together computed, in the trace's unit; exact."""
        return exact_sum(self.uncached)

    @property
    def hit_rate(self) -> Fraction:
        """Share of all turns' input that was reused, 0 if there is no input; exact."""
        reused = exact_sum(self.cached)
        return Fraction(reused, max(reused + self.prefilled, 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return np.array_equal(self.cached, other.cached) and np.array_equal(self.uncached, other.uncached)

    __hash__ = None  # type: ignore[assignment]
