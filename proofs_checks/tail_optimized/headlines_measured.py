"""The numbers of `headlines` on our samples, and LRU's percentiles.

`headline.measured`: in each sample the largest improvement, or the smallest and the largest, over the table's own
thresholds and capacities. `headline.lru-percentiles` is by construction: the assumptions about the workloads were
chosen by these percentiles (docs/workloads.md).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from proofs_checks.tail_optimized.instances import paper_runs
from proofs_checks.tail_optimized.instances.paper_runs import ONLINE_SEEDS, TOGETHER, Sampled, constant, moved
from teltheory.claims.claim import Cells, Claim, Placed, Rule, Values
from teltheory.claims.origin import BOTH
from teltheory.paper import printed as paper
from teltheory.paper.grid import chats_of
from teltheory.paper.printed import CAPACITIES, SLO_MS, PrintedTable
from teltheory.paper.tables import QUANTILES, Floats

CELLS, INSIDE, OUTSIDE = "cells", "inside the samples' range", "outside of it"
ERROR, NEAR, FAR = "mean squared error", "near", "not near"


@dataclass(frozen=True)
class Headline(Placed):
    """A number of the text beside ours, which `samples` returns, one value per sample."""

    workload: str
    what: str
    printed: float
    samples: Callable[[], Floats]
    unit: str = "%"

    @property
    def row(self) -> str:
        return f"{self.workload}, {self.what}, {self.unit}"

    @property
    def column(self) -> str:
        return "printed / ours"

    def shown(self, values: Values) -> str:
        """Return both numbers, and the range of ours."""
        return f"{self.printed:g} / {values['ours']:.1f} ({values['low']:.1f} to {values['high']:.1f})"


def beside_the_text(case: Headline) -> Values:
    """Return the text's number, ours, and the range of 95 % of the samples."""
    found = case.samples()
    low, high = np.quantile(found, QUANTILES).tolist()
    return {"printed": case.printed, "ours": float(found.mean()), "low": low, "high": high}


def counted(cells: Cells) -> Values:
    """Count the numbers that lie where 95 % of the samples do; the error squared, in points."""
    inside = sum(cell["low"] <= cell["printed"] <= cell["high"] for cell in cells)
    squares = sum((cell["ours"] - cell["printed"]) ** 2 for cell in cells) / len(cells)
    return {CELLS: len(cells), INSIDE: inside, OUTSIDE: len(cells) - inside, ERROR: squares}


def best(
    table: PrintedTable, metric: paper.Metric, against: paper.Against = "lru", xi_ms: int | None = None
) -> Floats:
    """Return each sample's best improvements over a table's thresholds, or at one, shape (capacities, samples)."""
    found = paper_runs.replayed(table.workload)
    thresholds = dict.fromkeys(c.xi_ms for c in table.columns if xi_ms in (None, c.xi_ms))
    columns = [paper.Column(xi, metric, against) for xi in thresholds]
    every = np.array([[found.improvements(c, capacity) for capacity in CAPACITIES] for c in columns])
    return np.asarray(every.max(axis=0))


def strongest() -> Floats:
    """Return each sample's best reductions of violations against the stronger of both baselines."""
    return np.minimum(best(paper.TABLE_2, "above"), best(paper.TABLE_2, "above", "threshold-lru"))


def at_slo() -> Floats:
    """Return each sample's reductions of violations with xi at the SLO."""
    return best(paper.TABLE_2, "above", xi_ms=SLO_MS)


CHAT, SHARED = "WildChat-like", "ShareGPT-like"
VIOLATIONS, AT_BEST = "violations against the strongest baseline", "violations at the best xi"
AT_SLO = "violations, xi = 200 ms"
MEASURED = (
    Headline(CHAT, "P90, largest", 27.5, lambda: best(paper.TABLE_1_V1, "p90").max(axis=0)),
    Headline(CHAT, "P95, largest", 23.9, lambda: best(paper.TABLE_1_V1, "p95").max(axis=0)),
    Headline(CHAT, f"{AT_SLO}, smallest", 8.8, lambda: at_slo().min(axis=0)),
    Headline(CHAT, f"{AT_SLO}, largest", 40.7, lambda: at_slo().max(axis=0)),
    Headline(CHAT, f"{VIOLATIONS}, largest", 38.9, lambda: strongest().max(axis=0)),
    Headline(SHARED, "P90, largest", 10.0, lambda: best(paper.TABLE_4, "p90").max(axis=0)),
    Headline(SHARED, "P95, largest", 7.0, lambda: best(paper.TABLE_4, "p95").max(axis=0)),
    Headline(SHARED, f"{AT_BEST}, smallest", 2.0, lambda: best(paper.TABLE_6, "above").min(axis=0)),
    Headline(SHARED, f"{AT_BEST}, largest", 8.0, lambda: best(paper.TABLE_6, "above").max(axis=0)),
)

headline_measured = Claim(
    "headline.measured",
    "Abstract, Sections 4.2 and 4.3, Appendix G.2",
    "Samples of both kinds of workload give the largest improvements, and the ranges, that the text prints.",
    beside_the_text,
    lambda counts: counts[OUTSIDE] <= 1,
    Sampled(MEASURED, "printed / ours in per cent", ("wildchat", "sharegpt"), ONLINE_SEEDS),
    BOTH,
    sampled=True,
    rule=Rule(
        "At most one of the printed numbers lies outside the range of 95 % of the samples.",
        counted,
        ERROR,
        {"LRU's own numbers": lambda cells: [moved(cell, 0.0) for cell in cells], "a constant": constant()},
    ),
    together=TOGETHER,
)


def under_lru(workload: str, metric: str) -> Callable[[], Floats]:
    """Return a percentile of TTFT under LRU at C = 1,000 in milliseconds, one value a sample."""
    return lambda: paper_runs.replayed(workload).of(metric, "lru", CAPACITIES[0], SLO_MS)


def near(cells: Cells) -> Values:
    """Count the percentiles that are near the text's."""
    ratios = [cell["ours"] / cell["printed"] - 1 for cell in cells]
    found = sum(abs(ratio) <= cell["within"] for ratio, cell in zip(ratios, cells, strict=True))
    return {CELLS: len(cells), NEAR: found, FAR: len(cells) - found}


def percentile_beside_the_text(case: Headline) -> Values:
    """Return the text's percentile, ours, and how far they may be apart."""
    return {**beside_the_text(case), "within": paper_runs.TOLERANCE[case.what.lower()]}


percentiles = Claim(
    "headline.lru-percentiles",
    "Section 4.2 and Appendix G.2",
    "Under LRU at C = 1,000 P50, P90, P95 and P99 are roughly 40, 240, 326 and 505 ms on WildChat, 209, 1,415, "
    "2,447 and 3,649 ms on ShareGPT.",
    percentile_beside_the_text,
    lambda counts: not counts[FAR],
    Sampled(
        tuple(
            Headline(chats_of(workload).name, metric.upper(), printed, under_lru(workload, metric), "ms")
            for workload, of in paper.LRU_AT_1000_MS.items()
            for metric, printed in of.items()
        ),
        "printed / ours in ms (by construction: the workloads were chosen by them)",
        ("wildchat", "sharegpt"),
        ONLINE_SEEDS,
    ),
    BOTH,
    "by construction",
    sampled=True,
    rule=Rule(
        "Every P50 is within 20 % of the text's, every other percentile within 15 %.",
        near,
        FAR,
        {"a constant": constant()},
    ),
    together=TOGETHER,
)
