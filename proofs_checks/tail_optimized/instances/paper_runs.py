"""The paper's experiments, run for the rows on its tables, figures and predictions: samples, replays, intervals.

1. A sample is the first 2,000 turns of a workload like WildChat's or ShareGPT's, whose assumptions are frozen in
   `teltheory.workloads.chat_data`. One seed is one sample.
2. Tables 1 to 6 take LRU, Threshold-LRU and T-LRU on 40 samples; what compares policies that know the future takes
   all six policies on the first 20 samples like WildChat's and on 40 like ShareGPT's, which differ more.
3. Rows that share replays are decided by one process, so each replay is made once.
4. A mean over samples has Student's 95 % interval. So has a ratio of two means, by the residuals of the numerator
   (Cochran 1977, section 2.11). Where one place out of many is to refute a statement, its interval is widened so
   that all of them hold at once (Bonferroni).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic

from teltheory.claims.claim import C, Cells, Enumerated, Placed, Values
from teltheory.cost.bootstrap import student
from teltheory.cost.latency import A100_LLAMA2_7B, LatencyModel
from teltheory.paper.grid import ONLINE, Q_HAT, SEEDS, TURNS, ReplaySetting, chats_of, runs, samples
from teltheory.paper.rows import POLICIES, RunRow
from teltheory.paper.tables import Floats, RunTable, half_width

ONLINE_SEEDS = {"wildchat": SEEDS, "sharegpt": SEEDS}
FORESIGHT_SEEDS = {"wildchat": SEEDS // 2, "sharegpt": SEEDS}
TOGETHER = "replays of the paper's experiments"
LATENCY = A100_LLAMA2_7B
TOLERANCE = {"p50": 0.20, "p90": 0.15, "p95": 0.15, "p99": 0.15}
"""How near the percentiles of TTFT under LRU are to those of the text, as shares of them."""

CLAIRVOYANT = POLICIES[len(ONLINE) :]
NAMES = {"lru": "LRU", "threshold-lru": "Threshold-LRU", "tlru": "T-LRU", "end-aware": "End-Aware"} | {
    "length-aware": "Length-Aware",
    "tail-optimized-belady": "Tail-Optimized Belady",
}


def replayed(workload: str, latency: LatencyModel = LATENCY) -> RunTable:
    """Return LRU, Threshold-LRU and T-LRU on every sample of a workload."""
    return _replayed(workload, latency)


def with_foresight(workload: str, latency: LatencyModel = LATENCY) -> RunTable:
    """Return all six policies on the first samples of a workload."""
    return _with_foresight(workload, latency)


@cache
def _replayed(workload: str, latency: LatencyModel) -> RunTable:
    return RunTable(_online(workload, latency))


@cache
def _with_foresight(workload: str, latency: LatencyModel) -> RunTable:
    clairvoyant = _runs(workload, FORESIGHT_SEEDS[workload], CLAIRVOYANT, latency)
    sampled = {run.trace for run in clairvoyant}
    return RunTable([*(run for run in _online(workload, latency) if run.trace in sampled), *clairvoyant])


@cache
def _online(workload: str, latency: LatencyModel) -> tuple[RunRow, ...]:
    return _runs(workload, ONLINE_SEEDS[workload], ONLINE, latency)


def _runs(workload: str, seeds: int, policies: tuple[str, ...], latency: LatencyModel) -> tuple[RunRow, ...]:
    setting = ReplaySetting(q_hat=Q_HAT[workload], policies=policies, latency=latency)
    return tuple(runs(samples(workload, range(seeds)), setting))


def interval(values: Floats) -> dict[str, float]:
    """Return the mean over the samples and its 95 % interval."""
    mean, half = float(values.mean()), half_width(values)
    return {"ours": mean, "low": mean - half, "high": mean + half}


def share(part: Floats, whole: Floats) -> dict[str, float]:
    """Return the mean of one over that of the other, in per cent, with its 95 % interval."""
    ratio = float(part.mean() / whole.mean())
    half = half_width((part - ratio * whole) / whole.mean())
    return {"ours": 100 * ratio, "low": 100 * (ratio - half), "high": 100 * (ratio + half)}


def at_once(found: Mapping[str, float], samples: int, places: int) -> float:
    """Return the lower end of an interval that holds at so many places at once, from the one of a single place."""
    wider = student(1 - 0.05 / places, samples - 1) / student(0.95, samples - 1)
    return float(found["ours"] - wider * (found["ours"] - found["low"]))


def told(value: float) -> str:
    """Return a number for a cell: whole from 100 on, else with a tenth."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{round(value, 1) + 0.0:.1f}"


AROUND = ("ours", "low", "high", "mean_low", "mean_high")


def moved(cell: Values, ours: float) -> Values:
    """Return a cell with another number in the place of ours, and what is around ours moved with it."""
    return {**cell, **{name: cell[name] + ours - cell["ours"] for name in AROUND if name in cell}}


def constant(*alike: str, put: Callable[[Values, float], Values] = moved) -> Callable[[Cells], Cells]:
    """Return a null model: the mean of the other printed numbers with the same values of the names in `alike`."""

    def null(cells: Cells) -> Cells:
        places = [tuple(cell[name] for name in alike) for cell in cells]
        printed: dict[tuple[Any, ...], list[float]] = {place: [] for place in places}
        for place, cell in zip(places, cells, strict=True):
            printed[place].append(cell["printed"])
        return [
            put(cell, (sum(printed[place]) - cell["printed"]) / (len(printed[place]) - 1))
            for place, cell in zip(places, cells, strict=True)
        ]

    return null


@dataclass(frozen=True)
class Spot(Placed):
    """A place of the grid (tokens, milliseconds), and what is compared there: a percentile, or "tel"."""

    workload: str
    capacity: int
    xi_ms: int
    policy: str
    against: str
    metric: str
    latency: LatencyModel = LATENCY

    @property
    def row(self) -> str:
        compared = f"{NAMES[self.policy]} against {NAMES[self.against]}"
        return f"{chats_of(self.workload).name}, {compared}, C = {self.capacity:,}"

    @property
    def column(self) -> str:
        return f"xi = {self.xi_ms} ms, {self.metric.upper()}"

    def shown(self, values: Values) -> str:
        """Return the mean over the samples, with its interval."""
        return f"{told(values['ours'])} [{told(values['low'])}, {told(values['high'])}]"

    def of(self, policy: str) -> Floats:
        """Return the measure of a policy here, one value a sample."""
        return with_foresight(self.workload, self.latency).of(self.metric, policy, self.capacity, self.xi_ms)


@dataclass(frozen=True)
class Sampled(Enumerated, Generic[C]):
    """Cases whose values rest on so many samples (`seeds`) of each of the workloads; `note` is what they are."""

    listed: tuple[C, ...]
    note: str
    workloads: tuple[str, ...]
    seeds: Mapping[str, int] = field(default_factory=lambda: FORESIGHT_SEEDS)

    def classes(self, effort: str) -> Iterator[Iterator[C]]:
        """Yield the cases as one class."""
        yield iter(self.listed)

    def bounds(self, effort: str) -> dict[str, Any]:
        drawn = {
            chats_of(name).name: f"seeds 0 to {self.seeds[name] - 1}, {_assumed(name)}" for name in self.workloads
        }
        facts = {
            "samples": f"the first {TURNS:,} turns of each seed",
            **drawn,
            "TTFT": f"{LATENCY.name}, composed of operators' timings without any measured TTFT",
        }
        return {"cases": self.note, "samples": facts}


def _assumed(workload: str) -> str:
    chats = chats_of(workload)
    gaps = type(chats.gaps).__name__.removesuffix("Gaps").lower()
    turns = f"{chats.mean_turns:.2f} turns per conversation and at most {chats.turns.lengths[-1]}"
    lengths = f"mean prompt {chats.mean_prompt:.0f}, mean response {chats.mean_response:.0f}"
    return (
        f"a start every {chats.seconds_between_starts:g} s, {turns}, {gaps} gaps of {chats.gaps.mean:.3g} s, "
        f"{lengths}, correlation of responses {chats.response_correlation:g}, Q = {Q_HAT[workload]}"
    )
