"""What is timed on forests of shared prefixes: block reads, and conversations through the loop of forests.

The forest is that of the Mooncake trace if the data folder has it, the long one repeats the recorded sessions of
agents, each time with fresh blocks; without them, and for a quick trial, both are samples with a fixed seed.
A *block read* is a block of a request's path: what a block cache is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import teltheory as tt
from teltheory.bench.replays import LEAST_RECENT, chosen, jobs
from teltheory.bench.timing import TimedJob
from teltheory.bench.workload import SEED, XI
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.trace import Trace
from teltheory.policies.policy import Policy
from teltheory.workloads.data import data_folder
from teltheory.workloads.times import Times

NAMES = ("LRU", LEAST_RECENT)
FIRST_CALL = "LRU, first call (runs included)"
CURVE = f"{LEAST_RECENT}, every capacity"
OPTIMUM, CHECK = "optimum, certified, first call", "check of its certificate"
HEARS = f"{LEAST_RECENT}, ends announced"
RATIOS = [
    (FIRST_CALL, "LRU"),
    (CURVE, LEAST_RECENT),
    (HEARS, LEAST_RECENT),
    (OPTIMUM, "LRU"),
    (CHECK, OPTIMUM),
]
AS_CHAINS, AS_FOREST = "{}, as chains", "{}, as a forest"
MOONCAKE, SESSIONS = "mooncake_conversation.jsonl", "claude_code_sessions"
SYSTEMS, BLOCKS = 8, 64
REQUESTS, FEW_REQUESTS = 12_000, 1_000
STARTS_A_SECOND = 0.1


def sampled(requests: int) -> Forest:
    """Return a sample: sessions that begin with one of a few system prompts, grow, and at times branch."""
    rng = np.random.default_rng(SEED)
    parent: list[int] = []
    systems = [_grown(parent, -1, size) for size in rng.integers(20, 60, SYSTEMS).tolist()]
    fresh = rng.geometric(1 / 20, requests).tolist()
    starts, branches = ((rng.random(requests) < share).tolist() for share in (0.2, 0.05))
    which, where = rng.geometric(0.1, requests).tolist(), rng.integers(0, 2**31, requests).tolist()
    sessions: list[list[int]] = []
    leaf = []
    for k in range(requests):
        if starts[k] or not sessions:
            sessions.append([systems[where[k] % SYSTEMS]])
        ends = sessions[-min(which[k], len(sessions))] if not starts[k] else sessions[-1]
        ends.append(_grown(parent, ends[where[k] % len(ends)] if branches[k] else ends[-1], fresh[k]))
        leaf.append(ends[-1])
    return Forest.of_nodes(np.array(parent, np.int64), np.array(leaf, np.int64), block_size=BLOCKS)


def _grown(parent: list[int], node: int, size: int) -> int:
    """Add so many blocks below a node; return the last."""
    first = len(parent)
    parent.extend((node, *range(first, first + size - 1)))
    return len(parent) - 1


def repeated(forest: Forest, reads: int) -> Forest:
    """Return a forest followed by copies of itself with blocks of their own, until so many blocks are read."""
    times = max(-(-reads // max(int(forest.past.sum()), 1)), 1)
    parent, leaf = (readonly(_copied(nodes, forest.nodes, times)) for nodes in (forest.parent, forest.leaf))
    length, ask, total = (readonly(np.tile(c, times)) for c in (forest.length, forest.ask, forest.total))
    return Forest(parent, length, leaf, ask, total, block_size=forest.block_size)


def _copied(nodes: IntArray, size: int, times: int) -> IntArray:
    shifts = np.repeat(np.arange(times) * size, len(nodes))
    copies = np.tile(nodes, times)
    return np.where(copies >= 0, copies + shifts, -1)


def shared(quick: bool) -> tuple[Forest, str]:
    """Return the forest that is replayed beside libcachesim, and where it comes from."""
    file = data_folder() / MOONCAKE
    blocks = None if quick or not file.is_file() else tt.read_trace(file).blocks
    return (_sample(quick), "a sample") if blocks is None else (blocks, "the Mooncake trace")


def _sample(quick: bool) -> Forest:
    return sampled(FEW_REQUESTS if quick else REQUESTS)


def long(reads: int, quick: bool) -> tuple[Forest, str]:
    """Return a forest of so many block reads, and where it comes from."""
    folder, times = data_folder() / SESSIONS, Times(None, rate=STARTS_A_SECOND)
    blocks = None if quick or not folder.is_dir() else tt.read_trace(folder, times=times).blocks
    found = (_sample(quick), "a sample") if blocks is None else (blocks, "sessions of agents")
    return repeated(found[0], reads), f"{found[1]}, repeated"


def in_blocks(forest: Forest) -> Mapping[str, Policy]:
    """Return the policies that are timed, with lengths in the forest's blocks."""
    return chosen(NAMES, forest.block_size)


def forest_jobs(forest: Forest, capacity: int) -> list[TimedJob]:
    """Return a job per policy, the first call, every capacity from one pass, and the optimum with its check."""
    policies = in_blocks(forest)
    asked: dict[str, Any] = {"capacity": capacity, "xi": XI // forest.block_size}
    optimum = partial(tt.hindsight_optimum, **asked, cache="holes")
    return [
        *jobs(forest, capacity, policies),
        TimedJob(FIRST_CALL, partial(_first_call, capacity), partial(replace, forest)),
        TimedJob(CURVE, lambda _: tt.capacity_curve(forest, policies[LEAST_RECENT])),
        TimedJob(HEARS, partial(_hearing, capacity, policies[LEAST_RECENT], told(forest))),
        TimedJob(OPTIMUM, optimum, partial(replace, forest)),
        TimedJob(CHECK, lambda best: _check(forest, best, **asked), partial(optimum, forest)),
    ]


def _check(forest: Forest, best: tt.Optimum, capacity: int, xi: int) -> None:
    tt.check_certificate(forest, capacity, xi, best.certificate)


def told(forest: Forest) -> Forest:
    """Return a forest whose agents' ends are announced; a request a second where nothing says when they came."""
    timed = forest if forest.arrival is not None else replace(forest, arrival=np.arange(len(forest), dtype=float))
    return timed.with_hints(tt.Hints.announce(timed))


def _hearing(capacity: int, policy: Policy, forest: Forest, _: object) -> object:
    return tt.replay(forest, tt.Hinted(policy, ("close",)), capacity, engine="kernel")


def _first_call(capacity: int, fresh: Forest) -> object:
    return tt.replay(fresh, tt.LRU(), capacity, engine="kernel")


def conversation_jobs(trace: Trace, capacity: int) -> list[TimedJob]:
    """Return a job per policy on a trace as chains, and on its conversations as a forest."""
    policies = chosen(NAMES)
    chains = jobs(trace, capacity, policies, label=AS_CHAINS)
    return chains + jobs(trace.forest, capacity, policies, label=AS_FOREST)
