"""The median against the tail: T-LRU over (xi, Q-hat) and the orders of trimming, and which settings are worth it.

The budget min(L, max(0, L + Q-hat - xi)) depends on xi - Q-hat alone; where that is 0 or less T-LRU is LRU. So
the whole plane of (xi, Q-hat) is one line, the *margin* max(0, xi - Q-hat), here in whole fortieths of LRU's P95
from 0 to one and a half. A setting is on the *front* of an order where no other margin of that order has both a
median and a P95 that are no larger, one of them smaller. Means over the samples, in uncached tokens, and in per
cent of LRU's.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

import teltheory as tt
from teltheory.model.numbers import FloatArray
from teltheory.paper.rows import MarginRow
from teltheory.paper.scenarios import Scenario, on_all
from teltheory.policies.policy import TRIMS

RATIOS = tuple(Fraction(i, 40) for i in range(61))
LEVELS = (0.5, 0.95, 0.99)
SETTINGS = str((RATIOS, TRIMS, LEVELS))
"""All that the table depends on, except for the workloads."""


def percentiles(outcome: tt.Outcome) -> list[int]:
    """Return the percentiles of `LEVELS`, in tokens."""
    return [int(length) for length in np.quantile(outcome.uncached, LEVELS, method="inverted_cdf")]


def on_sample(scenario: Scenario, trace: tt.Trace, capacity: int) -> list[list[list[int]]]:
    """Return the percentiles of every order of trimming at every margin on a sample; the first margin is LRU."""
    lru_p95 = percentiles(tt.replay(trace, tt.LRU(), capacity, engine="kernel"))[1]
    margins = [lru_p95 * ratio.numerator // ratio.denominator for ratio in RATIOS]
    return [
        [percentiles(tt.replay(trace, tt.TLRU(xi, 0, trim), capacity, engine="kernel")) for xi in margins]
        for trim in TRIMS
    ]


def on_front(p50: FloatArray, tail: FloatArray) -> list[bool]:
    """Whether no other point is at least as good in both and better in one."""
    return [
        not bool(np.any((p50 <= a) & (tail <= b) & ((p50 < a) | (tail < b))))
        for a, b in zip(p50, tail, strict=True)
    ]


def points(chosen: Sequence[Scenario], workers: int | None = 1) -> Iterator[MarginRow]:
    """Yield the points of workloads; `workers` is as for `on_all`."""
    for scenario, capacity, samples in on_all(on_sample, chosen, workers):
        for trim, means in zip(TRIMS, np.mean(samples, axis=0), strict=True):
            front = on_front(means[:, 0], means[:, 1])
            of_lru = 100 * means / means[0]
            for ratio, (p50, p95, p99), share, on in zip(RATIOS, means.tolist(), of_lru, front, strict=True):
                where = (scenario.name, capacity, trim, float(ratio), len(samples))
                yield MarginRow(*where, p50, p95, p99, float(share[0]), float(share[1]), int(on))
