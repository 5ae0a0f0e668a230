"""The run: every section measured after the other, and the whole as plain data.

A timing of ours is the whole call of `teltheory.replay`: checks, layout, loop, and the Outcome with what each turn
reuses and computes. The index of the trace (previous turns and the like) was built by an earlier call; what the
first call costs is a row of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

import teltheory as tt
from teltheory.bench import forests, peers, replays, servers
from teltheory.bench.door import door
from teltheory.bench.footprint import footprint, forest_footprint
from teltheory.bench.growth import CURVE, TWO_TIERS, Clock, growth, two_tiers
from teltheory.bench.replays import LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED, chosen, jobs, policies
from teltheory.bench.timing import Report, TimedJob, TimeRatio, Timing, measure
from teltheory.bench.workload import BLOCK, CUTOFF, Q_HAT, XI, BenchPlan, machine
from teltheory.model.trace import Trace

FIRST_CALL = "LRU, first call (index included)"
THOUSAND = "… then TEL at 1,000 of them"
MOST_TURNS_OF_OTHERS = 20_000
NAME_OF_LIBCACHESIM = "libcachesim {}, hash power {}"

Section: TypeAlias = dict[str, Any]
"""Jobs that were timed against each other on one trace, as `section` returns them."""


def run(
    plan: BenchPlan, trace: Trace, source: str, report: Report = lambda _: None, growth_alone: bool = False
) -> dict[str, Any]:
    """Measure everything, or how the cost of a turn grows and nothing else."""
    clock = partial(measure, rounds=plan.rounds, report=report)
    data: dict[str, Any] = {
        "machine": machine(),
        "plan": {**asdict(plan), "block": BLOCK, "xi": XI, "q_hat": Q_HAT, "cutoff": CUTOFF},
        "trace": {"source": source, "turns": len(trace), "conversations": trace.conversations},
        "growth": growth(plan, trace, clock),
    }
    if growth_alone:
        return data
    data["sections"] = {
        "against_libcachesim": against_libcachesim(plan, trace, clock),
        "against_python": against_python(plan, trace, clock),
        "replays": whole_trace(plan, trace, clock),
        "expected": expected_tails(plan, "the paper's belief and a fixed prompt", replays.BY_LOOPS, clock),
        "expected_others": expected_tails(plan, "other beliefs and laws", replays.OTHERS, clock),
        "optima": hindsight(plan, clock),
        "forest": forest_against_libcachesim(plan, clock),
        "long_forest": long_forest(plan, clock),
        "conversations": conversations(plan, trace, clock),
        "tiers": in_two_tiers(plan, trace, clock),
        **rag_server(plan, clock),
    }
    report("memory")
    data["memory"], data["forest_memory"] = footprint(plan.memory), forest_footprint(plan.reads, plan.quick)
    return {**data, "door": door(plan.rounds, report)}


def section(title: str, trace: Trace, timings: Mapping[str, Timing], ratios: Iterable[tuple[str, str]]) -> Section:
    """Return timings on a trace as plain data, with the ratios of some of them, named slower and quicker.

    Beside the turns stand the requests that a block cache would have to replay.
    """
    blocks = int((trace.past // (BLOCK // trace.block_size)).sum())
    return section_of(title, (len(trace), blocks), timings, ratios)


def section_of(
    title: str, sizes: tuple[int, int], timings: Mapping[str, Timing], ratios: Iterable[tuple[str, str]]
) -> Section:
    """Return timings on so many turns and block requests as plain data."""
    turns, blocks = sizes
    rows = [
        {
            "name": name,
            **timing.as_dict(),
            "ns_a_turn": timing.median * 1e9 / turns,
            "turns_a_second": turns / timing.median,
            "block_requests_a_second": blocks / timing.median,
        }
        for name, timing in timings.items()
    ]
    compared = [
        {"slower": slower, "quicker": quicker, **asdict(TimeRatio.of(timings[slower], timings[quicker]))}
        for slower, quicker in ratios
    ]
    return {"title": title, "turns": turns, "block_requests": blocks, "rows": rows, "ratios": compared}


def against_libcachesim(plan: BenchPlan, trace: Trace, clock: Clock) -> Section:
    """Time libcachesim's LRU and Belady and our policies on the same prefix, in blocks."""
    blocks = trace[: plan.peers].to_blocks(BLOCK)
    title, capacity = f"The same prefix in blocks of {BLOCK} tokens", plan.capacity // BLOCK
    ours = jobs(blocks, capacity, chosen(("LRU", LEAST_RECENT, ROUND_ROBIN, "Belady", TAIL_OPTIMIZED), BLOCK))
    if peers.installed() is None:
        return section(title, blocks, clock(ours), [])
    with TemporaryDirectory() as folder:
        file = Path(folder, "requests")
        peers.write_requests(peers.block_requests(blocks), file)
        simulator = peers.LibCacheSim(file, capacity)
        tried = [(eviction, power) for eviction in peers.EVICTIONS for power in peers.HASH_POWERS]
        theirs = [
            TimedJob(NAME_OF_LIBCACHESIM.format(*settings), partial(_simulated, simulator, *settings))
            for settings in (*tried, ("LRU", peers.DEFAULT_HASH_POWER))
        ]
        timings = clock([*ours, *theirs])
    lru, belady = _quickest(timings, "LRU"), _quickest(timings, "Belady")
    default = NAME_OF_LIBCACHESIM.format("LRU", peers.DEFAULT_HASH_POWER)
    ratios = [(lru, "LRU"), (lru, LEAST_RECENT), (lru, ROUND_ROBIN), (belady, "Belady"), (belady, TAIL_OPTIMIZED)]
    return section(title, blocks, timings, [*ratios, (default, lru)])


def _simulated(simulator: peers.LibCacheSim, eviction: peers.Eviction, power: int, _: object) -> float:
    return simulator.replay(eviction, power)


def _quickest(timings: Mapping[str, Timing], eviction: str) -> str:
    names = [NAME_OF_LIBCACHESIM.format(eviction, power) for power in peers.HASH_POWERS]
    return min(names, key=lambda name: timings[name].median)


def against_python(plan: BenchPlan, trace: Trace, clock: Clock) -> Section:
    """Time the reference, which is written in Python, and the kernel on the same short prefix."""
    blocks, capacity = trace[: plan.plain].to_blocks(BLOCK), plan.capacity // BLOCK
    names = ("LRU", LEAST_RECENT)
    every = jobs(blocks, capacity, chosen(names, BLOCK))
    every += jobs(blocks, capacity, chosen(names, BLOCK), "reference", "reference {}")
    title = f"Compiled against Python, in blocks of {BLOCK} tokens"
    return section(title, blocks, clock(every), [(f"reference {name}", name) for name in names])


def whole_trace(plan: BenchPlan, trace: Trace, clock: Clock) -> Section:
    """Time every policy on the whole trace, the first call, and the curve for all capacities."""
    policy = policies()[LEAST_RECENT]
    capacities = np.linspace(0, 10 * plan.capacity, 1000).astype(np.int64).tolist()
    again, curve = partial(replace, trace), partial(tt.capacity_curve, trace, policy)
    every = [
        *jobs(trace, plan.capacity, policies()),
        TimedJob(FIRST_CALL, lambda fresh: tt.replay(fresh, tt.LRU(), plan.capacity, engine="kernel"), again),
        TimedJob(CURVE, lambda _: curve()),
        TimedJob(THOUSAND, lambda made: made.tail_excess_latency(capacities, xi=XI), curve),
    ]
    ratios = [(FIRST_CALL, "LRU"), (CURVE, LEAST_RECENT)]
    return section("The whole trace, in tokens", trace, clock(every), ratios)


def expected_tails(plan: BenchPlan, beliefs: str, names: tuple[str, ...], clock: Clock) -> Section:
    """Time ET-LRU against T-LRU, under beliefs that have a loop of their own or, on fewer turns, under others."""
    turns = plan.optimum if names == replays.BY_LOOPS else min(plan.optimum, MOST_TURNS_OF_OTHERS)
    trace = replays.sample(turns)
    timings = clock(replays.expected_jobs(trace, plan.capacity, names))
    return section(f"ET-LRU with {beliefs}", trace, timings, [(name, LEAST_RECENT) for name in names])


def hindsight(plan: BenchPlan, clock: Clock) -> Section:
    """Time the hindsight optimum by the greedy rule, the check of its certificate, and the linear program."""
    alive, capacity = replays.ALIVE, replays.OPTIMUM_CAPACITY
    busy = tt.ConversationModel(birth_rate=alive * tt.ConversationModel.death_rate)
    trace = replays.sample(plan.optimum, busy)
    ratios = [(replays.PROGRAM, replays.GREEDY), (replays.PROGRAM, replays.CHECK)]
    title = f"The hindsight optimum, about {alive} conversations alive, {capacity:,} tokens"
    return section(title, trace, clock(replays.optimum_jobs(trace)), ratios)


def forest_against_libcachesim(plan: BenchPlan, clock: Clock) -> Section:
    """Time LRU and T-LRU on a forest of shared prefixes, and libcachesim's LRU on the same block reads."""
    forest, source = forests.shared(plan.quick)
    capacity = max(plan.capacity // forest.block_size, 1)
    sizes = len(forest), int(forest.past.sum())
    title, ours = f"A forest of shared prefixes, {source}", forests.forest_jobs(forest, capacity)
    if peers.installed() is None:
        return section_of(title, sizes, clock(ours), forests.RATIOS)
    with TemporaryDirectory() as folder:
        file = Path(folder, "requests")
        peers.write_requests(peers.forest_requests(forest), file)
        simulator = peers.LibCacheSim(file, capacity)
        theirs = [
            TimedJob(NAME_OF_LIBCACHESIM.format("LRU", power), partial(_simulated, simulator, "LRU", power))
            for power in peers.HASH_POWERS
        ]
        timings = clock([*ours, *theirs])
    quickest = _quickest(timings, "LRU")
    return section_of(title, sizes, timings, [(quickest, name) for name in forests.NAMES] + forests.RATIOS)


def long_forest(plan: BenchPlan, clock: Clock) -> Section:
    """Time LRU and T-LRU on a forest of many block reads, which was read before."""
    forest, source = forests.long(plan.reads, plan.quick)
    every = forests.forest_jobs(forest, max(plan.capacity // forest.block_size, 1))
    sizes = len(forest), int(forest.past.sum())
    return section_of(f"A long forest, {source}", sizes, clock(every), forests.RATIOS)


def conversations(plan: BenchPlan, trace: Trace, clock: Clock) -> Section:
    """Time conversations through the loop of forests against that of chains."""
    some = trace[: plan.optimum]
    timings = clock(forests.conversation_jobs(some, plan.capacity))
    ratios = [(forests.AS_FOREST.format(name), forests.AS_CHAINS.format(name)) for name in forests.NAMES]
    return section("Conversations, as chains and as a forest", some, timings, ratios)


def in_two_tiers(plan: BenchPlan, trace: Trace, clock: Clock) -> Section:
    """Time replays in two tiers, the second four times the first, against one tier."""
    some, names = trace[: plan.optimum], ("LRU", LEAST_RECENT, "T-LRU, eager")
    one = jobs(some, plan.capacity, chosen(names))
    timings = clock([*one, *jobs(some, two_tiers(plan.capacity), chosen(names), label=TWO_TIERS)])
    return section("One tier and two", some, timings, [(TWO_TIERS.format(name), name) for name in names])


def rag_server(plan: BenchPlan, clock: Clock) -> dict[str, Section]:
    """Time a RAG server with every part on, with none, and from a long queue; no section without SimPy."""
    if not servers.installed():
        return {}
    asked = servers.drawn(servers.FEW_REQUESTS if plan.quick else servers.REQUESTS)
    title = f"A RAG server in time, {asked.forest.nodes:,} nodes"
    sizes = len(asked), int(servers.documents(asked).sum())
    return {"rag_server": section_of(title, sizes, clock(servers.jobs(asked)), servers.RATIOS)}
