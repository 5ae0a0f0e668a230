"""What a recommendation may cost, next to LRU: the server's work, and the median of TTFT.

The prefilled tokens are at most `work` times LRU's. P50 is at most `median` times LRU's, or below half of the SLO,
where nobody waits for it. All comparisons are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from teltheory.advice.goal import Goal
from teltheory.cost.metrics import ttft_quantiles
from teltheory.errors import ArgumentError
from teltheory.model.numbers import rational
from teltheory.model.outcome import Outcome

WORK_COST = Fraction(105, 100)
MEDIAN_COST = Fraction(110, 100)
WORK = "prefilled tokens"
MEDIAN = "P50"


@dataclass(frozen=True)
class Cost:
    """What some turns cost under a policy.

    Tokens that were computed, the share of the input that was cached, and P50 of TTFT in seconds.
    """

    prefilled: int
    hit_rate: float
    median: float

    @classmethod
    def of(cls, outcome: Outcome, goal: Goal) -> Cost:
        """Return the cost of an outcome of at least one turn."""
        (median,) = ttft_quantiles(outcome, (0.5,), goal.latency).tolist()
        return cls(outcome.prefilled, float(outcome.hit_rate), median)


@dataclass(frozen=True)
class Limits:
    """What a recommendation may cost.

    In multiples of LRU's, at least 1, None for no limit: prefilled tokens, and P50, which below half of the SLO
    may be anything.
    """

    work: Fraction | None = WORK_COST
    median: Fraction | None = MEDIAN_COST

    def __post_init__(self) -> None:
        for argument, value in (("work_cost", self.work), ("median_cost", self.median)):
            if value is not None and rational(argument, value) < 1:
                raise ArgumentError(argument, str(value), "a multiple of LRU's, at least 1, or None for no limit")

    def broken(self, lru: Cost, tried: Cost, slo: Fraction) -> Iterator[str]:
        """Yield what is above its limit: `WORK`, `MEDIAN`."""
        if self.work is not None and tried.prefilled > self.work * lru.prefilled:
            yield WORK
        median = Fraction(tried.median)
        if self.median is not None and median > self.median * Fraction(lru.median) and median >= slo / 2:
            yield MEDIAN
