"""The median against the tail: T-LRU over (xi, Q-hat) and the orders of trimming, and which settings are worth it.

    python -m experiments.pareto_front TABLE.csv [--workload NAME ...] [--seeds 20] [--trace mooncake.jsonl]

The budget min(L, max(0, L + Q-hat - xi)) depends on xi - Q-hat alone; where that is 0 or less T-LRU is LRU. So
the whole plane of (xi, Q-hat) is one line, the *margin* max(0, xi - Q-hat), here in whole fortieths of LRU's P95
from 0 to one and a half. A setting is on the *front* of an order where no other margin of that order has both a
median and a P95 that are no larger, one of them smaller. Means over the samples, in uncached tokens, and in per
cent of LRU's.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import teltheory as tt
from experiments.adaptive_workloads import Scenario, at_most, on_all, scenarios
from experiments.tidy import write_rows
from teltheory.numbers import FloatArray
from teltheory.policies.policy import TRIMS, Trim

RATIOS = tuple(Fraction(i, 40) for i in range(61))
LEVELS = (0.5, 0.95, 0.99)
SETTINGS = str((RATIOS, TRIMS, LEVELS))
"""All that the table depends on, but for the workloads."""


@dataclass(frozen=True)
class Point:
    """T-LRU at a margin, averaged over the samples.

    Attributes
    ----------
    workload, trim : str
        Of `scenarios` and of `TRIMS`.
    capacity, samples : int
        In tokens, samples.
    margin : float
        max(0, xi - Q-hat) over LRU's P95.
    p50, p95, p99 : float
        Percentiles, in tokens.
    p50_of_lru, p95_of_lru : float
        The same in per cent of LRU's means.
    front : int
        1 on the front of median and P95, else 0.
    """

    workload: str
    capacity: int
    trim: str
    margin: float
    samples: int
    p50: float
    p95: float
    p99: float
    p50_of_lru: float
    p95_of_lru: float
    front: int


def percentiles(outcome: tt.Outcome) -> list[int]:
    """Return the percentiles of `LEVELS`, in tokens."""
    return [int(length) for length in np.quantile(outcome.uncached, LEVELS, method="inverted_cdf")]


def on_sample(scenario: Scenario, trace: tt.Trace, capacity: int) -> list[list[list[int]]]:
    """Return the percentiles of every order of trimming at every margin on a sample; the first margin is LRU."""
    return [of_trim(trace, capacity, trim) for trim in TRIMS]


def of_trim(trace: tt.Trace, capacity: int, trim: Trim) -> list[list[int]]:
    """Return the percentiles at every margin."""
    lru = percentiles(tt.replay(trace, tt.LRU(), capacity, engine="kernel"))
    margins = [lru[1] * ratio.numerator // ratio.denominator for ratio in RATIOS]
    return [percentiles(tt.replay(trace, tt.TLRU(xi, 0, trim), capacity, engine="kernel")) for xi in margins]


def on_front(p50: FloatArray, tail: FloatArray) -> list[bool]:
    """Whether no other point is at least as good in both and better in one."""
    return [
        not bool(np.any((p50 <= a) & (tail <= b) & ((p50 < a) | (tail < b))))
        for a, b in zip(p50, tail, strict=True)
    ]


def points(chosen: Sequence[Scenario], workers: int | None = 1) -> Iterator[Point]:
    """Yield the points of workloads; `workers` is as for `on_all`."""
    for scenario, capacity, samples in on_all(on_sample, chosen, workers):
        for trim, means in zip(TRIMS, np.mean(samples, axis=0), strict=True):
            front = on_front(means[:, 0], means[:, 1])
            of_lru = 100 * means / means[0]
            for ratio, (p50, p95, p99), share, on in zip(RATIOS, means.tolist(), of_lru, front, strict=True):
                where = (scenario.name, capacity, trim, float(ratio), len(samples))
                yield Point(*where, p50, p95, p99, float(share[0]), float(share[1]), int(on))


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay and write."""
    parser = argparse.ArgumentParser(prog="python -m experiments.pareto_front")
    parser.add_argument("table", type=Path)
    parser.add_argument("--workload", nargs="+", default=["wildchat", "sharegpt"])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trace", help="the Mooncake trace, or another; it is added to the workloads")
    parser.add_argument("--workers", type=int, help="processes; one a core when left out")
    given = parser.parse_args(arguments)
    known = scenarios(given.trace)
    names = [*given.workload, *(["mooncake"] if given.trace and "mooncake" not in given.workload else [])]
    for name in names:
        if name not in known:
            parser.error(f"workload: found {name}, expected some of {', '.join(known)}")
    chosen = [at_most(known[name], given.seeds) for name in names]
    write_rows(list(points(chosen, given.workers)), given.table, Point)


if __name__ == "__main__":
    main()
