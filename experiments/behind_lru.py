"""How far `tt.ReturnAwareTLRU` is behind LRU and behind the best of its experts, and what tables could give.

    python -m experiments.behind_lru DATA

DATA is a folder with Mooncake's traces (each `mooncake_*.jsonl` that is there), `ragpulse` and
`claude_code_sessions`. Sessions start under three laws; they, and samples like WildChat's and ShareGPT's, are
drawn with `SEEDS`. The policy was tuned on Mooncake's two traces, RAGPulse, and samples and sessions of other
seeds, 0 to 5. Caches: conversations (turns), and shared blocks, strict and with holes. The threshold is a TTFT
of 1 s, of 0.2 s for samples and RAGPulse.

Printed are, in per cent of LRU's TEL and below 0 where less is spent than by LRU: T-LRU, the learnt order, the
policy (mean and worst over seeds); how far it is behind the best of the three, with its switches and the bound,
*vacuous* where that exceeds LRU's whole TEL; and ceilings: the learnt order with the table that the whole trace
leads to in hindsight, by lengths alone, by lengths, numbers and gaps, and by tags too. Hashes are what the rows
on blocks know beyond those on turns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import teltheory as tt
from teltheory.model.instance import ForestInstance, Instance
from teltheory.paper.script import markdown, run
from teltheory.policies.learned.etlru import seconds
from teltheory.policies.learned.hazards import (
    CELLS,
    SHAPE,
    Estimates,
    WatchedVisits,
    counts_after,
    indices_by_loop,
    laws_after,
)
from teltheory.policies.learned.return_aware import cells_of_turns, continued_prompts, watched_turns
from teltheory.policies.spec import default_estimate
from teltheory.replay.learned.followed import Followed, follow, follow_on_paths, follow_on_turns
from teltheory.replay.learned.walks import Walks, watched_paths
from teltheory.workloads import sharegpt_like, wildchat_like

SEEDS = range(101, 106)
TURNS, SESSIONS_A_SECOND, TOGETHER = 4_000, 1 / 50, 5
LATENCY = tt.A100_LLAMA2_7B
SAMPLES: dict[str, Any] = {"WildChat-like": wildchat_like, "ShareGPT-like": sharegpt_like}
STARTS = ("Poisson", "evenly", "fives")
COLUMNS = (
    *("workload", "cache", "C", "seeds", "LRU's TEL", "T-LRU", "learnt order", "policy", "worst"),
    *("switches", "behind", "bound", "lengths", "gaps", "tags"),
)
ALLOWED = 1.0
"""Per cent of LRU's TEL that the policy may be behind LRU."""


@dataclass(frozen=True)
class Starts(tt.Times):
    """Sessions in an order of the seed, which start as a Poisson process, evenly, or five at a time."""

    law: str = field(kw_only=True)

    def arrivals(self, sizes: Any, last: Any = None, delays: Any = None) -> Any:
        """Return when each session starts."""
        if self.law == "Poisson" or self.rate is None:
            return super().arrivals(sizes, last, delays)
        order = np.random.default_rng(self.seed).permutation(len(sizes))
        return (order if self.law == "evenly" else order // TOGETHER * TOGETHER) / self.rate


@dataclass(frozen=True)
class Drawn:
    """A workload by seed (None if it is as it is), with two capacities in tokens and a threshold in seconds."""

    name: str
    traces: dict[Any, tt.Trace]
    capacities: tuple[int, int]
    slo: Fraction


def workloads(data: Path) -> Iterator[Drawn]:
    """Yield the workloads of the table."""
    short, long = Fraction(1, 5), Fraction(1)
    for file in sorted(data.glob("mooncake_*.jsonl")):
        yield Drawn(file.stem, {None: tt.read_trace(file)}, (300_000, 3_000_000), long)
    yield Drawn("RAGPulse", {None: tt.read_trace(data / "ragpulse")}, (50_000, 200_000), short)
    for law in STARTS:
        times = {seed: Starts(None, SESSIONS_A_SECOND, seed, law=law) for seed in SEEDS}
        files = data / "claude_code_sessions"
        drawn = {seed: tt.read_trace(files, times=assumed) for seed, assumed in times.items()}
        yield Drawn(f"26 sessions, {law}", drawn, (800_000, 2_000_000), long)
    for name, like in SAMPLES.items():
        samples = {seed: like().sample(TURNS, np.random.default_rng(seed)) for seed in SEEDS}
        yield Drawn(name, samples, (3_000, 10_000), short)


def in_hindsight(watched: WatchedVisits, prompts: Any, knows: str) -> Estimates:
    """Return the one table that all requests lead to, by what is known."""
    last = [len(watched.time) - 1]
    if knows != "tags":
        watched = replace_cells(watched, watched.cell % (CELLS if knows == "gaps" else SHAPE[1]))
    worth = indices_by_loop(watched, last)
    if knows == "lengths":
        counts = counts_after(watched, last[0])
        rate = (counts.returns.sum(axis=1) + 0.5) / (counts.exposure.sum(axis=1) + 1.0)
        worth = np.broadcast_to(np.log(rate)[:, None], worth.shape[1:])[None].copy()
    return Estimates((0,), np.zeros(len(watched.time), np.int64), worth, laws_after(prompts, last))


def replace_cells(watched: WatchedVisits, cell: Any) -> WatchedVisits:
    """Return what is watched with other cells, of one tag."""
    return watched._replace(cell=cell, tags=1)


def replayed(trace: tt.Trace, cache: str, capacity: int, xi: int) -> tuple[Followed, dict[str, int]]:
    """Replay the policy; return what it and its experts did, and the TEL of the learnt order by each table."""
    given: tuple[Any, Walks]
    if cache == "turns":
        policy, turns = tt.ReturnAwareTLRU(xi, default_estimate(trace)), Instance.of(trace, capacity)
        cell, strict = cells_of_turns(turns), True
        watched, prompts = watched_turns(turns, seconds(turns), cell), continued_prompts(turns)
        found, given = follow_on_turns(turns, policy), (turns, Walks.of_turns(turns))
    else:
        forest, size = trace.forest, trace.forest.block_size
        policy = tt.ReturnAwareTLRU(xi // size, -(-default_estimate(forest) // size))
        paths, strict = ForestInstance.of(forest, capacity // size), cache == "strict"
        watched, prompts = watched_paths(paths)
        found, given = follow_on_paths(paths, policy, strict), (paths, Walks.of_paths(paths))
    always = replace(policy, lead=None)
    ceilings = {}
    for knows in ("lengths", "gaps", "tags")[: 3 if watched.tags > 1 else 2]:
        learnt = in_hindsight(watched, prompts, knows)
        cells = watched.cell % (learnt.worth.shape[1] if knows != "lengths" else SHAPE[1])
        ceilings[knows] = follow(given[0], always, given[1], learnt, cells, watched.time, strict).tel[2]
    return found, ceilings


def spent(found: Followed, xi: int) -> int:
    """Return the policy's TEL, in tokens."""
    return found.outcome.in_tokens().tel(xi)


def row(workload: Drawn, cache: str, capacity: int) -> tuple[list[str], float]:
    """Return a line of the table, and the most that the policy is behind LRU, in per cent."""
    xi = LATENCY.threshold(workload.slo)
    runs = [(*replayed(trace, cache, capacity, xi), trace.forest.block_size) for trace in workload.traces.values()]
    own = np.array([spent(found, xi if cache == "turns" else xi // size * size) for found, _, size in runs])
    experts = np.array([found.tel for found, *_ in runs])
    lru, bounds = experts[:, 0], np.array([found.bound for found, *_ in runs])
    assert (own - experts.min(axis=1) <= bounds).all()
    behind, bound = own - experts.min(axis=1), 100 * float((bounds / lru).mean())
    ceilings = {name: np.array([tables[name] for _, tables, _ in runs]) - lru for name in runs[0][1]}
    worst = 100 * float(((own - lru) / lru).max())
    columns = experts[:, 1] - lru, experts[:, 2] - lru, own - lru
    return [
        *(workload.name, cache, f"{capacity:,}", named(list(workload.traces)), f"{lru.mean():,.0f}"),
        *(f"{100 * (column / lru).mean():.1f}" for column in columns),
        *(f"{worst:.1f}", f"{np.mean([len(found.switches) for found, *_ in runs]):.1f}"),
        *(f"{100 * (behind / lru).mean():.1f}", "*vacuous*" if bound > 100 else f"{bound:.1f}"),
        *(f"{100 * (ceilings[name] / lru).mean():.1f}" if name in ceilings else "" for name in COLUMNS[-3:]),
    ], worst


def named(seeds: list[Any]) -> str:
    """Return the seeds in words."""
    return "" if seeds == [None] else f"{seeds[0]}-{seeds[-1]}"


def main(data: str) -> Iterator[str]:
    """Replay all workloads; yield the table, and how many lines are behind LRU by more than is allowed."""
    found = [
        row(workload, cache, capacity)
        for workload in workloads(Path(data))
        for cache in ("turns", "strict", "holes")[: 3 if next(iter(workload.traces.values())).blocks else 1]
        for capacity in workload.capacities
    ]
    yield from markdown(COLUMNS, [cells for cells, _ in found], "llrl" + "r" * 11)
    over = sum(worst > ALLOWED for _, worst in found)
    yield ""
    yield f"Behind LRU by more than {ALLOWED:g} % of its TEL with some seed: {over} of {len(found)} lines."


if __name__ == "__main__":
    run(main, __doc__)
