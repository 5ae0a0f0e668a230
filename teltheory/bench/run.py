"""The run: every section measured after the other, and the whole as plain data.

A timing of ours is the whole call of `teltheory.replay`: checks, layout, loop, and the Outcome with what each turn
reuses and computes. The index of the trace (previous turns and the like) was built by an earlier call; what the
first call costs is a row of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import teltheory as tt
from teltheory.bench import peers, replays
from teltheory.bench.door import door
from teltheory.bench.footprint import footprint
from teltheory.bench.replays import GROWING, LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED, chosen, jobs, policies
from teltheory.bench.timing import Job, Ratio, Report, Timing, measure
from teltheory.bench.workload import BLOCK, CUTOFF, Q_HAT, XI, Plan, machine
from teltheory.model.trace import Trace

FIRST_CALL = "LRU, first call (index included)"
CURVE = "T-LRU, least-recent, every capacity"
THOUSAND = "… then TEL at 1,000 of them"
MOST_TURNS_OF_OTHERS = 20_000
NAME_OF_LIBCACHESIM = "libcachesim {}, hash power {}"


@dataclass(frozen=True)
class Section:
    """Jobs that were timed against each other on one trace.

    `blocks` is the number of requests that a block cache would have to replay; `ratios` names the timings whose
    ratios are reported, slower and quicker.
    """

    title: str
    turns: int
    blocks: int
    timings: Mapping[str, Timing]
    ratios: Sequence[tuple[str, str]]

    @classmethod
    def of(
        cls,
        title: str,
        trace: Trace,
        every: Sequence[Job],
        ratios: Sequence[tuple[str, str]],
        rounds: int,
        report: Report,
    ) -> Section:
        """Measure jobs on a trace in tokens."""
        blocks = int((trace.past // BLOCK).sum())
        return cls(title, len(trace), blocks, measure(every, rounds, report), ratios)

    def as_dict(self) -> dict[str, Any]:
        """Return rows and ratios as plain data."""
        of = self.timings
        return {
            "title": self.title,
            "turns": self.turns,
            "block_requests": self.blocks,
            "rows": [self._row(name, timing) for name, timing in of.items()],
            "ratios": [
                {"slower": slower, "quicker": quicker, **asdict(Ratio.of(of[slower], of[quicker]))}
                for slower, quicker in self.ratios
            ],
        }

    def _row(self, name: str, timing: Timing) -> dict[str, Any]:
        speed = {
            "ns_a_turn": timing.median * 1e9 / self.turns,
            "turns_a_second": self.turns / timing.median,
            "block_requests_a_second": self.blocks / timing.median,
        }
        return {"name": name, **timing.as_dict(), **speed}


def run(plan: Plan, trace: Trace, source: str, report: Report = lambda _: None) -> dict[str, Any]:
    """Measure everything."""
    with_peers = against_libcachesim(plan, trace, report)
    whole = whole_trace(plan, trace, report)
    sections = {
        "against_libcachesim": with_peers,
        "against_python": against_python(plan, trace, report),
        "replays": whole,
        "expected": expected_tails(plan, "the paper's belief and a fixed prompt", replays.BY_LOOPS, report),
        "expected_others": expected_tails(plan, "other beliefs and laws", replays.OTHERS, report),
        "optima": hindsight(plan, report),
    }
    report("memory")
    return {
        "machine": machine(),
        "plan": {**asdict(plan), "block": BLOCK, "xi": XI, "q_hat": Q_HAT, "cutoff": CUTOFF},
        "trace": {"source": source, "turns": len(trace), "conversations": trace.conversations},
        "sections": {name: section.as_dict() for name, section in sections.items()},
        "growth": growth(plan, trace, whole, report),
        "memory": footprint(plan.memory),
        "door": door(plan.rounds, report),
    }


def against_libcachesim(plan: Plan, trace: Trace, report: Report) -> Section:
    """Time libcachesim's LRU and Belady and our policies on the same prefix, in blocks."""
    blocks = trace.first(plan.peers).to_blocks(BLOCK)
    title, capacity = f"The same prefix in blocks of {BLOCK} tokens", plan.capacity // BLOCK
    requests = peers.block_requests(blocks)
    ours = jobs(blocks, capacity, chosen(("LRU", LEAST_RECENT, ROUND_ROBIN, "Belady", TAIL_OPTIMIZED), BLOCK))
    if peers.installed() is None:
        return Section(title, len(blocks), len(requests), measure(ours, plan.rounds, report), [])
    with TemporaryDirectory() as folder:
        file = Path(folder, "requests")
        peers.write_requests(requests, file)
        timings = measure([*ours, *_libcachesim(peers.LibCacheSim(file, capacity))], plan.rounds, report)
    lru, belady = _quickest(timings, "LRU"), _quickest(timings, "Belady")
    default = NAME_OF_LIBCACHESIM.format("LRU", peers.DEFAULT_HASH_POWER)
    ratios = [(lru, "LRU"), (lru, LEAST_RECENT), (lru, ROUND_ROBIN), (belady, "Belady"), (belady, TAIL_OPTIMIZED)]
    return Section(title, len(blocks), len(requests), timings, [*ratios, (default, lru)])


def _libcachesim(simulator: peers.LibCacheSim) -> list[Job]:
    def job(eviction: peers.Eviction, power: int) -> Job:
        return Job(NAME_OF_LIBCACHESIM.format(eviction, power), lambda _: simulator.replay(eviction, power))

    tried = [job(eviction, power) for eviction in peers.EVICTIONS for power in peers.HASH_POWERS]
    return [*tried, job("LRU", peers.DEFAULT_HASH_POWER)]


def _quickest(timings: Mapping[str, Timing], eviction: str) -> str:
    names = [NAME_OF_LIBCACHESIM.format(eviction, power) for power in peers.HASH_POWERS]
    return min(names, key=lambda name: timings[name].median)


def against_python(plan: Plan, trace: Trace, report: Report) -> Section:
    """Time what is written in Python, the reference, and the kernel on the same short prefix."""
    blocks = trace.first(plan.plain).to_blocks(BLOCK)
    capacity = plan.capacity // BLOCK
    names = ("LRU", LEAST_RECENT)
    every = jobs(blocks, capacity, chosen(names, BLOCK))
    every += jobs(blocks, capacity, chosen(names, BLOCK), "reference", "reference {}")
    ratios = [(f"reference {name}", name) for name in names]
    title = f"Compiled against Python, in blocks of {BLOCK} tokens"
    return Section(title, len(blocks), int(blocks.past.sum()), measure(every, plan.rounds, report), ratios)


def whole_trace(plan: Plan, trace: Trace, report: Report) -> Section:
    """Time every policy on the whole trace, the first call, and the curve for all capacities."""
    policy = policies()[LEAST_RECENT]
    capacities = np.linspace(0, 10 * plan.capacity, 1000).astype(np.int64).tolist()
    again, curve = partial(replace, trace), partial(tt.capacity_curve, trace, policy)
    every = [
        *jobs(trace, plan.capacity, policies()),
        Job(FIRST_CALL, lambda fresh: tt.replay(fresh, tt.LRU(), plan.capacity, engine="kernel"), again),
        Job(CURVE, lambda _: tt.capacity_curve(trace, policy)),
        Job(THOUSAND, lambda made: made.tail_excess_latency(capacities, xi=XI), curve),
    ]
    ratios = [(FIRST_CALL, "LRU"), (CURVE, LEAST_RECENT)]
    return Section.of("The whole trace, in tokens", trace, every, ratios, plan.rounds, report)


def expected_tails(plan: Plan, beliefs: str, names: tuple[str, ...], report: Report) -> Section:
    """Time ET-LRU against T-LRU, under beliefs that have a loop of their own or, on fewer turns, under others."""
    turns = plan.optimum if names == replays.BY_LOOPS else min(plan.optimum, MOST_TURNS_OF_OTHERS)
    trace = replays.sample(turns)
    every = replays.expected_jobs(trace, plan.capacity, names)
    ratios = [(name, LEAST_RECENT) for name in names]
    return Section.of(f"ET-LRU with {beliefs}", trace, every, ratios, plan.rounds, report)


def hindsight(plan: Plan, report: Report) -> Section:
    """Time the hindsight optimum by the greedy rule, the check of its certificate, and the linear program."""
    trace = replays.busy_trace(plan.optimum)
    ratios = [(replays.PROGRAM, replays.GREEDY), (replays.PROGRAM, replays.CHECK)]
    alive, capacity = replays.ALIVE, replays.OPTIMUM_CAPACITY
    title = f"The hindsight optimum, about {alive} conversations alive, {capacity:,} tokens"
    return Section.of(title, trace, replays.optimum_jobs(trace), ratios, plan.rounds, report)


def growth(plan: Plan, trace: Trace, whole: Section, report: Report) -> dict[str, Any]:
    """Return nanoseconds a turn on longer and longer prefixes, and by how much they grow from `base_of` them."""
    cost: dict[str, dict[str, float]] = {name: {} for name in GROWING}
    for size in plan.sizes[:-1]:
        part = trace.first(size)
        timings = measure(jobs(part, plan.capacity, chosen(GROWING)), plan.rounds, report)
        for name, timing in timings.items():
            cost[name][str(size)] = timing.median * 1e9 / size
    last = str(whole.turns)
    for name in GROWING:
        cost[name][last] = whole.timings[name].median * 1e9 / whole.turns
    base = str(base_of(plan.sizes))
    rows = [{"name": name, "ns_a_turn": by, "factor": by[last] / by[base]} for name, by in cost.items()]
    return {"from": int(base), "to": int(last), "rows": rows}


def base_of(sizes: Sequence[int]) -> int:
    """Return the largest size at most a hundredth of the last, or the first where there is none."""
    return max((size for size in sizes if size * 100 <= sizes[-1]), default=sizes[0])
