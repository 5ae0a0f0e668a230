"""The run: every section measured after the other, and the whole as plain data.

A timing of ours is the whole call of `teltheory.replay`: checks, layout, loop, and the Outcome with what each turn
reuses and computes. The index of the trace (previous turns and the like) was built by an earlier call; what the
first call costs is a row of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import teltheory as tt
from teltheory.bench import expected, optimum
from teltheory.bench.blocks import block_requests
from teltheory.bench.door import door
from teltheory.bench.footprint import footprint
from teltheory.bench.machine import machine
from teltheory.bench.ours import GROWING, LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED, chosen, jobs, policies
from teltheory.bench.peers import (
    DEFAULT_HASH_POWER,
    EVICTIONS,
    HASH_POWERS,
    Eviction,
    LibCacheSim,
    cachetools_lru,
    installed,
    write_requests,
)
from teltheory.bench.timing import Job, Ratio, Report, Timing, measure
from teltheory.bench.workload import BLOCK, CUTOFF, Q_HAT, XI, Plan, prefix
from teltheory.errors import FileError
from teltheory.model.trace import Trace

FIRST_CALL = "LRU, first call (index included)"
CURVE = "T-LRU, least-recent, every capacity"
THOUSAND = "… then TEL at 1,000 of them"
MOST_TURNS_OF_OTHERS = 20_000
NAME_OF_LIBCACHESIM = "libcachesim {}, hash power {}"


@dataclass(frozen=True)
class Section:
    """Jobs that were timed against each other on one trace.

    Attributes
    ----------
    title : str
        What a table calls it.
    turns, blocks : int
        Turns, and block requests, of the trace; `blocks` is what a block cache would have to replay.
    timings : mapping of str to Timing
        By name.
    ratios : sequence of (slower, quicker)
        Names of the timings whose ratios are reported.
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
    with_peers, hits = against_libcachesim(plan, trace, report)
    replays = whole_trace(plan, trace, report)
    sections = {
        "against_libcachesim": with_peers,
        "against_python": against_python(plan, trace, report),
        "replays": replays,
        "expected": expected_tails(plan, "the paper's belief and a fixed prompt", expected.BY_LOOPS, report),
        "expected_others": expected_tails(plan, "other beliefs and laws", expected.OTHERS, report),
        "optima": hindsight(plan, report),
    }
    report("memory")
    return {
        "machine": machine(),
        "plan": {**asdict(plan), "block": BLOCK, "xi": XI, "q_hat": Q_HAT, "cutoff": CUTOFF},
        "trace": {"source": source, "turns": len(trace), "conversations": trace.conversations},
        "hits": hits,
        "sections": {name: section.as_dict() for name, section in sections.items()},
        "growth": growth(plan, trace, replays, report),
        "memory": footprint(plan.memory),
        "door": door(plan.rounds, report),
    }


def against_libcachesim(plan: Plan, trace: Trace, report: Report) -> tuple[Section, list[dict[str, Any]]]:
    """Time libcachesim's LRU and Belady and our policies on the same prefix, in blocks; compare the hits."""
    blocks = prefix(trace, plan.peers).to_blocks(BLOCK)
    title, capacity, requests = (
        f"The same prefix in blocks of {BLOCK} tokens",
        plan.capacity // BLOCK,
        block_requests(blocks),
    )
    ours = jobs(blocks, capacity, chosen(("LRU", LEAST_RECENT, ROUND_ROBIN, "Belady", TAIL_OPTIMIZED), BLOCK))
    if installed("libcachesim") is None:
        return Section(title, len(blocks), len(requests), measure(ours, plan.rounds, report), []), []
    with TemporaryDirectory() as folder:
        file = Path(folder, "requests")
        try:
            write_requests(requests, file)
        except OSError as error:
            expected_room = f"expected room for {len(requests):,} requests of 24 bytes"
            raise FileError(f"temporary folder: {error.strerror or error}, {expected_room}") from None
        timings = measure([*ours, *_libcachesim(LibCacheSim(file, capacity))], plan.rounds, report)
        hits = [row for size in (capacity, capacity // 10) for row in _hits(blocks, file, size)]
    lru, belady = _quickest(timings, "LRU"), _quickest(timings, "Belady")
    default = NAME_OF_LIBCACHESIM.format("LRU", DEFAULT_HASH_POWER)
    ratios = [(lru, "LRU"), (lru, LEAST_RECENT), (lru, ROUND_ROBIN), (belady, "Belady"), (belady, TAIL_OPTIMIZED)]
    return Section(title, len(blocks), len(requests), timings, [*ratios, (default, lru)]), hits


def _libcachesim(simulator: LibCacheSim) -> list[Job]:
    def job(eviction: Eviction, power: int) -> Job:
        return Job(NAME_OF_LIBCACHESIM.format(eviction, power), lambda _: simulator.replay(eviction, power))

    tried = [job(eviction, power) for eviction in EVICTIONS for power in HASH_POWERS]
    return [*tried, job("LRU", DEFAULT_HASH_POWER)]


def _quickest(timings: Mapping[str, Timing], eviction: str) -> str:
    names = [NAME_OF_LIBCACHESIM.format(eviction, power) for power in HASH_POWERS]
    return min(names, key=lambda name: timings[name].median)


def _hits(blocks: Trace, file: Path, capacity: int) -> list[dict[str, Any]]:
    """Return the share of block requests that hit, in ours and in libcachesim, at one capacity in blocks."""
    rows = []
    for eviction in EVICTIONS:
        outcome = tt.replay(blocks, policies(BLOCK)[eviction], capacity, engine="kernel")
        share = float(outcome.cached.sum() / max(int(blocks.past.sum()), 1))
        theirs = LibCacheSim(file, capacity).replay(eviction, HASH_POWERS[0])
        rows.append({"eviction": eviction, "capacity": capacity, "ours": share, "libcachesim": theirs})
    return rows


def against_python(plan: Plan, trace: Trace, report: Report) -> Section:
    """Time what is written in Python, the reference and cachetools, and the kernel on the same short prefix."""
    blocks = prefix(trace, plan.plain).to_blocks(BLOCK)
    capacity, requests = plan.capacity // BLOCK, block_requests(blocks).block.tolist()
    names = ("LRU", LEAST_RECENT)
    every = jobs(blocks, capacity, chosen(names, BLOCK))
    every += jobs(blocks, capacity, chosen(names, BLOCK), "reference", "reference {}")
    ratios = [(f"reference {name}", name) for name in names]
    if installed("cachetools") is not None:
        every.append(Job("cachetools LRU", lambda _: cachetools_lru(requests, capacity)))
        ratios.insert(0, ("cachetools LRU", "LRU"))
    title = f"Compiled against Python, in blocks of {BLOCK} tokens"
    return Section(title, len(blocks), len(requests), measure(every, plan.rounds, report), ratios)


def whole_trace(plan: Plan, trace: Trace, report: Report) -> Section:
    """Time every policy on the whole trace, the first call, and the curve for all capacities."""
    policy = policies()[LEAST_RECENT]
    capacities = np.linspace(0, 10 * plan.capacity, 1000).astype(np.int64).tolist()
    every = [
        *jobs(trace, plan.capacity, policies()),
        Job(
            FIRST_CALL,
            lambda fresh: tt.replay(fresh, tt.LRU(), plan.capacity, engine="kernel"),
            lambda: replace(trace),
        ),
        Job(CURVE, lambda _: tt.capacity_curve(trace, policy)),
        Job(
            THOUSAND,
            lambda made: made.tail_excess_latency(capacities, xi=XI),
            lambda: tt.capacity_curve(trace, policy),
        ),
    ]
    ratios = [(FIRST_CALL, "LRU"), (CURVE, LEAST_RECENT)]
    return Section.of("The whole trace, in tokens", trace, every, ratios, plan.rounds, report)


def expected_tails(plan: Plan, beliefs: str, names: tuple[str, ...], report: Report) -> Section:
    """Time ET-LRU against T-LRU, under beliefs that have a loop of their own or, on fewer turns, under others."""
    turns = plan.optimum if names == expected.BY_LOOPS else min(plan.optimum, MOST_TURNS_OF_OTHERS)
    trace = expected.sample(turns)
    every = expected.expected_jobs(trace, plan.capacity, names)
    ratios = [(name, LEAST_RECENT) for name in names]
    return Section.of(f"ET-LRU with {beliefs}", trace, every, ratios, plan.rounds, report)


def hindsight(plan: Plan, report: Report) -> Section:
    """Time the hindsight optimum by the greedy rule, the check of its certificate, and the linear program."""
    trace = optimum.busy_trace(plan.optimum)
    ratios = [(optimum.PROGRAM, optimum.GREEDY), (optimum.PROGRAM, optimum.CHECK)]
    title = f"The hindsight optimum, about {optimum.ALIVE} conversations alive, {optimum.CAPACITY:,} tokens"
    return Section.of(title, trace, optimum.jobs(trace), ratios, plan.rounds, report)


def growth(plan: Plan, trace: Trace, replays: Section, report: Report) -> dict[str, Any]:
    """Return nanoseconds a turn on longer and longer prefixes, and by how much they grow from `base_of` them."""
    cost: dict[str, dict[str, float]] = {name: {} for name in GROWING}
    for size in plan.sizes[:-1]:
        part = prefix(trace, size)
        timings = measure(jobs(part, plan.capacity, chosen(GROWING)), plan.rounds, report)
        for name, timing in timings.items():
            cost[name][str(size)] = timing.median * 1e9 / size
    for name in GROWING:
        cost[name][str(replays.turns)] = replays.timings[name].median * 1e9 / replays.turns
    last = str(replays.turns)
    base = str(base_of(plan.sizes))
    rows = [{"name": name, "ns_a_turn": by, "factor": by[last] / by[base]} for name, by in cost.items()]
    return {"from": int(base), "to": int(last), "rows": rows}


def base_of(sizes: Sequence[int]) -> int:
    """Return the largest size at most a hundredth of the last, or the first where there is none."""
    return max((size for size in sizes if size * 100 <= sizes[-1]), default=sizes[0])
