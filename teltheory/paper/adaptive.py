"""T-LRU whose threshold follows the observed tail, beside every fixed threshold.

On each sample LRU, T-LRU at fixed thresholds (whole fortieths of LRU's own P95, up to twice it) and adaptive
T-LRU, which starts as LRU (xi = 0), at several shares, percentiles and windows. The *best fixed* threshold of a
measure is the one of the grid that is best on that sample, in hindsight; the regret is a measure less that of the
best fixed threshold of the same measure. Lengths are uncached tokens; "blocks" is the mean of the P95 of each
1,000 turns, which is what a tail that is watched over time shows; "tel" has one threshold for all policies.
Improvements are over LRU, in per cent. Means over the samples with Student's 95 % interval, paired where they are
differences.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

import teltheory as tt
from teltheory.model.numbers import FloatArray
from teltheory.paper.rows import Adapted
from teltheory.paper.scenarios import Scenario, on_all
from teltheory.paper.tables import average_of

STEP = Fraction(1, 40)
RATIOS = tuple(STEP * i for i in range(81))
SHARES = tuple(Fraction(share, 20) for share in (8, 10, 12, 14, 15, 16, 17, 18, 19, 20))
QUANTILES = {"p90": Fraction(9, 10), "p95": Fraction(19, 20), "p99": Fraction(99, 100)}
WINDOWS = (100, 200, 500, 1000)
BLOCK = 1000
SETTINGS = str((RATIOS, SHARES, QUANTILES, WINDOWS, BLOCK))
"""All that the table depends on, except for the workloads."""

MEASURES = ("p50", "p90", "p95", "p99", "blocks", "tel")


@dataclass(frozen=True)
class Key:
    """Which policy: "lru", "fixed", "best-fixed" or "adaptive"; with threshold over percentile, and the rest.

    `share` is of LRU's P95 if the threshold is fixed, of the observed percentile if it is adaptive. `window` is in
    turns; there are five updates a window.
    """

    policy: str
    share: float = 0.0
    quantile: float = 0.0
    window: int = 0


def policies(scenario: Scenario, lru_p95: int) -> Iterator[tuple[Key, tt.TLRU | tt.policies.AdaptiveTLRU]]:
    """Yield what is compared with LRU."""
    for ratio in RATIOS:
        xi = lru_p95 * ratio.numerator // ratio.denominator
        yield Key("fixed", float(ratio)), tt.TLRU(xi, scenario.q_hat)
    settings = {(q, share, 500) for q in QUANTILES.values() for share in SHARES}
    settings |= {
        (QUANTILES["p95"], share, window) for share in (Fraction(4, 5), Fraction(1)) for window in WINDOWS
    }
    for quantile, share, window in sorted(settings):
        key = Key("adaptive", float(share), float(quantile), window)
        yield key, tt.policies.AdaptiveTLRU(0, scenario.q_hat, quantile, share, window, window // 5)


def measured(outcome: tt.Outcome, xi: int) -> FloatArray:
    """Return the measures of an outcome, in the order of `MEASURES`."""
    uncached = outcome.uncached
    levels = np.quantile(uncached, [0.5, 0.9, 0.95, 0.99], method="inverted_cdf")
    blocks = [uncached[start : start + BLOCK] for start in range(0, len(uncached) - BLOCK + 1, BLOCK)]
    tails = [np.quantile(block, 0.95, method="inverted_cdf") for block in blocks or [uncached]]
    return np.array([*levels, np.mean(tails), tt.tail_excess_latency(outcome, xi)], np.float64)


def on_sample(scenario: Scenario, trace: tt.Trace, capacity: int) -> dict[Key, FloatArray]:
    """Replay all policies on a sample; "best-fixed" has in each measure the least of all fixed thresholds."""
    lru = tt.replay(trace, tt.LRU(), capacity, engine="kernel")
    found = {Key("lru"): measured(lru, scenario.xi)}
    lru_p95 = int(found[Key("lru")][MEASURES.index("p95")])
    for key, policy in policies(scenario, lru_p95):
        found[key] = measured(tt.replay(trace, policy, capacity, engine="kernel"), scenario.xi)
    fixed = [values for key, values in found.items() if key.policy == "fixed"]
    return {**found, Key("best-fixed"): np.min(fixed, axis=0)}


def lines(chosen: Sequence[Scenario], workers: int | None = 1) -> Iterator[Adapted]:
    """Yield the lines of workloads; `workers` is as for `on_all`."""
    for scenario, capacity, samples in on_all(on_sample, chosen, workers):
        table = {key: np.array([found[key] for found in samples]) for key in samples[0]}
        for key, values in table.items():
            for measure, column in compared(values, table).items():
                yield line(scenario.name, capacity, key, measure, column)


def compared(values: FloatArray, table: Mapping[Key, FloatArray]) -> dict[str, FloatArray]:
    """Return measures, improvements over LRU and regrets, each with an entry for every sample."""
    lru, best = table[Key("lru")], table[Key("best-fixed")]
    with np.errstate(invalid="ignore", divide="ignore"):
        better = 100 * (lru - values) / lru
    columns = {"": values, "improvement-": better, "regret-": values - best}
    return {
        prefix + measure: column[:, i] for prefix, column in columns.items() for i, measure in enumerate(MEASURES)
    }


def line(workload: str, capacity: int, key: Key, measure: str, column: FloatArray) -> Adapted:
    """Average over the samples."""
    chosen = (key.policy, key.share, key.quantile, key.window)
    return Adapted(workload, capacity, *chosen, measure, len(column), *average_of(column))
