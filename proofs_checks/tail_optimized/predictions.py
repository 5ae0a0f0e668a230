"""Which threshold is best, and what knowing the future is worth: Section 4.2, Appendices G.1 and G.2, measured.

- `sensitivity.peak`: means over the samples, on the grid of Tables 1 and 4 and on the finer one with 150 ms.
  That the best threshold is near the percentile is also true of 300 ms everywhere on the WildChat-like
  workload, so the row counts how many steps of the grid lie between the two, and compares that with one
  threshold for all.
- `prediction.end-aware` is held against the lower end of the mean's 95 % interval, in tokens of TEL.
- `prediction.poisson`: "marginal gains" is read as less than a tenth of the distance from T-LRU to Tail-Optimized
  Belady. A place of the grid speaks against it where the share lies above a tenth, with an interval that holds at
  all 72 places at once.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from proofs_checks.tail_optimized.instances import paper_runs
from proofs_checks.tail_optimized.instances.paper_runs import ONLINE_SEEDS, TOGETHER, Sampled, Spot, moved, told
from proofs_checks.tail_optimized.printed_tables import BESIDE, BEST, CELLS, OFF, Row, one_for_all, peaks
from teltheory.claims.claim import Cells, Placed, Rule, Values, claim, rows
from teltheory.claims.data_files import MOONCAKE, data_file
from teltheory.claims.listed import Listed
from teltheory.claims.origin import OURS, reading, repairs
from teltheory.paper.grid import XI_MS, ReplaySetting, chats_of, runs
from teltheory.paper.printed import CAPACITIES, Column, Metric
from teltheory.paper.tables import RunTable
from teltheory.sweep import TraceFile

PERCENTILES: tuple[Metric, ...] = ("p90", "p95", "p99")
WORKLOADS = ("wildchat", "sharegpt")
THRESHOLDS = (50, 100, 200, 300, 500)
TENTH = 10.0
SO, OTHERWISE = "as stated", "otherwise"
FIRST, SECOND = "T-LRU to End-Aware", "End- to Length-Aware"
LEAST = "low at all places at once"
HIGHEST = "ShareGPT-like high"
WILDCHAT, SHAREGPT = "WildChat-like workload", "ShareGPT-like workload"
MOONCAKE_SETTING = ReplaySetting(
    (300_000, 1_000_000, 3_000_000),
    (1000, 2000, 3000),
    slo_ms=1000,
    policies=("tlru", "end-aware", "length-aware"),
)


@dataclass(frozen=True)
class Peak(Placed):
    """A percentile at a capacity (tokens), improved by T-LRU at each threshold of a grid (milliseconds)."""

    workload: str
    metric: Metric
    capacity: int
    grid: tuple[int, ...]

    @property
    def row(self) -> str:
        finer = ", with 150 ms" if 150 in self.grid else ""
        return f"{chats_of(self.workload).name}, {self.metric.upper()}{finer}"

    @property
    def column(self) -> str:
        return f"C = {self.capacity:,}"

    def shown(self, values: Values) -> str:
        """Return the best threshold, and the percentile under LRU."""
        return f"{', '.join(map(str, values[BEST]))} (LRU {told(values['LRU'])})"

    def measured(self) -> Row:
        """Return mean improvements and the mean percentile under LRU."""
        found = paper_runs.replayed(self.workload)
        columns = (Column(xi, self.metric, "lru") for xi in self.grid)
        means = tuple(float(found.improvements(column, self.capacity).mean()) for column in columns)
        lru = float(found.of(self.metric, "lru", self.capacity, self.grid[0]).mean())
        return Row(chats_of(self.workload).name, self.capacity, self.metric.upper(), means, lru, self.grid)


PEAKS = tuple(
    Peak(workload, metric, capacity, grid)
    for grid in (THRESHOLDS, XI_MS)
    for workload in WORKLOADS
    for metric in PERCENTILES
    for capacity in CAPACITIES
)

row = rows(sampled=True, together=TOGETHER)


@row(
    "sensitivity.peak",
    "The best xi on the grid for a percentile is the grid value nearest to that percentile under LRU, or a "
    "neighbour of it: P90, P95 and P99 at every C, means over samples of both kinds of workload.",
    source="Section 4.2, sensitivity to the threshold, and Appendix G.2",
    relation=lambda counts: bool(counts[BESIDE] == counts[CELLS]),
    space=Sampled(
        PEAKS, "best xi in ms by percentile and C, with the percentile under LRU in ms", WORKLOADS, ONLINE_SEEDS
    ),
    rule=Rule(
        "Everywhere the best threshold is the grid value nearest to the percentile under LRU, or a neighbour of "
        "it.",
        peaks,
        OFF,
        one_for_all((THRESHOLDS, XI_MS)),
    ),
    origin=reading("xi matches a percentile: it is the grid value nearest to it, or a neighbour"),
)
def peak(case: Peak) -> Values:
    """Compare the best thresholds with those near the percentile."""
    row = case.measured()
    return {**row.beside_lru(), "LRU": row.lru, "improvement by xi": list(row.improvements)}


def spots(workload: str, policy: str, against: str) -> tuple[Spot, ...]:
    """Return the places of the grid at which the TEL of two policies is compared."""
    grid = product(CAPACITIES, XI_MS)
    return tuple(Spot(workload, capacity, xi, policy, against, "tel") for capacity, xi in grid)


def gains(tlru: Any, end: Any, length: Any) -> Values:
    """Return by how much the first step of foresight gains more than the second, and both steps."""
    more = (tlru - end) - (end - length)
    steps = {FIRST: float((tlru - end).mean()), SECOND: float((end - length).mean())}
    return {**paper_runs.interval(more), **steps, "samples": len(more), "samples with more": int((more > 0).sum())}


def at_every_place(
    text: str, stated: Callable[[Values], bool], nulls: Mapping[str, Callable[[Values], Values]]
) -> Rule:
    """Return the rule that a statement is true of the values at every place; null models change place by place."""

    def count(cells: Cells) -> Values:
        true = sum(stated(cell) for cell in cells)
        return {CELLS: len(cells), SO: true, OTHERWISE: len(cells) - true}

    return Rule(text, count, OTHERWISE, {name: of_all_places(null) for name, null in nulls.items()})


def of_all_places(null: Callable[[Values], Values]) -> Callable[[Cells], Cells]:
    """Return the null model that changes each place."""
    return lambda cells: list(map(null, cells))


def everywhere(counts: Values) -> bool:
    """Whether a statement is true at every place."""
    return not counts[OTHERWISE]


@dataclass(frozen=True)
class High(Placed):
    """A measure of a workload at a capacity: what xi = 500 ms does to it, beside smaller ones."""

    workload: str
    metric: Metric
    capacity: int

    @property
    def row(self) -> str:
        measure = "turns above 200 ms" if self.metric == "above" else self.metric.upper()
        return f"{chats_of(self.workload).name}, {measure}"

    @property
    def column(self) -> str:
        return f"C = {self.capacity:,}"

    def shown(self, values: Values) -> str:
        """Return the mean improvement at 500 ms, and the best of the others."""
        return f"{values[HIGHEST]:.1f} ({values[OTHERS]:.1f})"


HIGHEST, OTHERS, EXTREME = "xi = 500 ms", "best of the others", "P99"
HIGH = tuple(
    High(workload, metric, capacity)
    for workload in WORKLOADS
    for metric in ("above", "p99")
    for capacity in CAPACITIES
)


def is_traded(cell: Values) -> bool:
    """Whether P99 improves most at 500 ms; or turns above 200 ms are more than LRU's there alone."""
    if cell[EXTREME]:
        return bool(cell[HIGHEST] > cell[OTHERS])
    return bool(cell[HIGHEST] < 0 < cell[OTHERS])


@row(
    "sensitivity.high-xi.measured",
    "With xi = 500 ms T-LRU has more turns above 200 ms than LRU, with some smaller xi fewer, and P99 improves "
    "most: at every C, means over samples of both kinds of workload.",
    source="Section 4.3 and Appendix G.2, “extremely high ξ trades those mid-tail wins for heavier protection of "
    "the extreme tail”",
    relation=everywhere,
    space=Sampled(
        HIGH, "improvement over LRU at 500 ms (the best at 50 to 300 ms), per cent", WORKLOADS, ONLINE_SEEDS
    ),
    rule=at_every_place(
        "At every C turns above 200 ms are more than LRU's at 500 ms and fewer at some smaller xi, and P99 "
        "improves most at 500 ms.",
        is_traded,
        {
            "LRU's own numbers": lambda cell: {**cell, HIGHEST: 0.0, OTHERS: 0.0},
            "500 ms does as the best of the others": lambda cell: {**cell, HIGHEST: cell[OTHERS]},
        },
    ),
    origin=reading("extremely high is 500 ms, the wins are those of turns above 200 ms, the extreme tail is P99"),
)
def high_threshold(case: High) -> Values:
    """Return the mean improvement at the largest threshold, and the best at a smaller one."""
    found = paper_runs.replayed(case.workload)
    columns = (Column(xi, case.metric, "lru") for xi in THRESHOLDS)
    *others, last = (float(found.improvements(column, case.capacity).mean()) for column in columns)
    return {HIGHEST: last, OTHERS: max(others), EXTREME: case.metric == "p99"}


def turned(cell: Values) -> Values:
    """Return a place where each step of foresight gains what the other does."""
    return {**cell, "ours": -cell["ours"], "low": -cell["high"], "high": -cell["low"]}


@row(
    "prediction.end-aware",
    "TEL(T-LRU) - TEL(End-Aware) > TEL(End-Aware) - TEL(Length-Aware): at every C and xi the mean over samples of "
    "the difference of both sides is above 0, its 95 % interval included, on both kinds of workload.",
    source="Appendix G.1",
    relation=everywhere,
    space=Sampled(
        tuple(spot for workload in WORKLOADS for spot in spots(workload, "end-aware", "length-aware")),
        "left side less right side, in tokens of TEL",
        WORKLOADS,
    ),
    rule=at_every_place(
        "At every place the 95 % interval of the mean difference lies above 0.",
        lambda cell: bool(cell["low"] > 0),
        {"no step gains": lambda cell: moved(cell, 0.0), "the steps swapped": turned},
    ),
    origin=reading("much better, and only a small edge: differences of TEL compared"),
)
def end_aware(case: Spot) -> Values:
    """Compare what one bit of foresight gains with what the exact prompt adds."""
    return gains(case.of("tlru"), case.of("end-aware"), case.of("length-aware"))


def closed(case: Spot) -> Values:
    """Return the share of the distance from T-LRU to Tail-Optimized Belady that a policy closes, in per cent."""
    tlru = case.of("tlru")
    part, whole = tlru - case.of(case.policy), tlru - case.of(case.against)
    found = paper_runs.share(part, whole)
    least = paper_runs.at_once(found, len(part), 2 * len(CAPACITIES) * len(XI_MS))
    return {**found, LEAST: least, "distance in tokens": float(whole.mean())}


def informed(workload: str) -> tuple[Spot, ...]:
    """Return the places of the grid, for End- and for Length-Aware T-LRU."""
    return tuple(s for who in ("end-aware", "length-aware") for s in spots(workload, who, "tail-optimized-belady"))


@row(
    "prediction.poisson",
    "Under Poisson arrivals (ShareGPT-like) End- and Length-Aware T-LRU close less than a tenth of the distance "
    "in TEL from T-LRU to Tail-Optimized Belady, at every C and xi.",
    source="Appendix G.2",
    relation=everywhere,
    space=Sampled(informed("sharegpt"), "share of the distance that is closed, in per cent", ("sharegpt",)),
    rule=at_every_place(
        "At no place the share lies above a tenth, with an interval that holds at all places at once.",
        lambda cell: not cell[LEAST] > TENTH,
        {
            f"the {WILDCHAT}'s shares": lambda cell: {**cell, LEAST: cell[WILDCHAT]},
            "the whole distance": lambda cell: {**cell, LEAST: 100.0},
        },
    ),
    origin=reading("marginal: less than a tenth of the distance"),
)
def poisson(case: Spot) -> Values:
    """Compute the share, and the one on the other workload in the same way."""
    return {**closed(case), WILDCHAT: closed(replace(case, workload="wildchat"))[LEAST]}


@row(
    "prediction.poisson.contrast",
    "At every C and xi End- and Length-Aware T-LRU close a smaller share of the distance in TEL from T-LRU to "
    "Tail-Optimized Belady under Poisson arrivals (ShareGPT-like) than on the WildChat-like workload, 95 % "
    "intervals apart.",
    source="Appendix G.2",
    relation=everywhere,
    space=Sampled(informed("wildchat"), "share on the WildChat-like workload, in per cent", WORKLOADS),
    rule=at_every_place(
        "At every place the 95 % interval of the share lies below the WildChat-like workload's.",
        lambda cell: bool(cell[HIGHEST] < cell["low"]),
        {
            f"the {SHAREGPT}'s shares on both": lambda cell: moved(cell, cell[SHAREGPT]),
            "no share on either": lambda cell: {**moved(cell, 0.0), HIGHEST: 0.0},
        },
    ),
    origin=repairs("prediction.poisson"),
)
def contrast(case: Spot) -> Values:
    """Compute the shares on both kinds of workload."""
    other = closed(replace(case, workload="sharegpt"))
    return {**closed(case), SHAREGPT: other["ours"], HIGHEST: other["high"]}


@dataclass(frozen=True)
class RealSpot(Spot):
    """A place of the grid on the Mooncake trace: one trace, no interval."""

    @property
    def row(self) -> str:
        return f"C = {self.capacity:,}"

    def shown(self, values: Values) -> str:
        """Return both steps."""
        return f"{values[FIRST]:,} / {values[SECOND]:,}"

    def of(self, policy: str) -> Any:
        """Return the TEL of a policy here."""
        return _mooncake().of(self.metric, policy, self.capacity, self.xi_ms)


@cache
def _mooncake() -> RunTable:
    return RunTable(runs([TraceFile(str(data_file(MOONCAKE)))], MOONCAKE_SETTING))


def mooncake_grid(setting: ReplaySetting) -> Iterator[list[RealSpot]]:
    """Yield the capacities and thresholds of a setting on the Mooncake trace, as one class."""
    data_file(MOONCAKE)
    grid = product(setting.capacities, setting.xi_ms)
    yield [RealSpot("", c, xi, "end-aware", "length-aware", "tel") for c, xi in grid]


@claim(
    "prediction.end-aware.mooncake",
    "Appendix G.1",
    "TEL(T-LRU) - TEL(End-Aware) > TEL(End-Aware) - TEL(Length-Aware) on the Mooncake trace, C = 0.3, 1 and 3 M "
    "tokens, xi = 1, 2 and 3 s.",
    relation=everywhere,
    space=Listed(
        mooncake_grid,
        MOONCAKE_SETTING,
        MOONCAKE_SETTING,
        f"{MOONCAKE}: 3 capacities and 3 thresholds, T-LRU to End-Aware / to Length-Aware in tokens",
    ),
    rule=at_every_place(
        "At every place the first step gains more than the second.",
        lambda cell: bool(cell[FIRST] > cell[SECOND]),
        {
            "no step gains": lambda cell: {FIRST: 0, SECOND: 0},
            "the steps swapped": lambda cell: {FIRST: cell[SECOND], SECOND: cell[FIRST]},
        },
    ),
    origin=OURS,
)
def end_aware_mooncake(case: RealSpot) -> Values:
    """Compare what one bit of foresight gains with what the exact prompt adds, on one trace."""
    tlru, end, length = (int(np.sum(case.of(name))) for name in MOONCAKE_SETTING.policies)
    return {FIRST: tlru - end, SECOND: end - length}
