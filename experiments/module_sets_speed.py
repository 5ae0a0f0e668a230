"""How long requests for module sets take to be replayed by the compiled loops.

    python -m experiments.module_sets_speed REQUESTS

Four of 1,000 modules a request by a Zipf law, 1 core, C = 300,000 tokens, xi = 3,000. Seconds are of the machine;
each is the least of three replays, after one that compiles. TEL is not of the machine.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.paper.script import markdown, run
from teltheory.policies import GDSF, LFU, SharedTLRU
from teltheory.workloads import Quantiles, draw_module_trace

CAPACITY, XI, Q_HAT, REPEATS = 300_000, 3_000, 2_500, 3
POLICIES = {
    "LRU": tt.LRU(),
    "T-LRU, round-robin": tt.TLRU(XI, Q_HAT),
    "T-LRU, least-recent": tt.TLRU(XI, Q_HAT, "least-recent"),
    "T-LRU, shared budget": SharedTLRU(XI, 110),
    "LFU": LFU(),
    "GDSF": GDSF(),
    "Belady": tt.Belady(),
    "Tail-Optimized Belady": tt.TailOptimizedBelady(XI),
}


def rows(trace: tt.ModuleTrace) -> Iterator[list[str]]:
    """Yield, per policy, seconds for divisible and for whole modules, and the TEL of both."""
    for name, policy in POLICIES.items():
        found = []
        for cache in ("strict", "whole"):
            seconds = []
            for _ in range(REPEATS + 1):
                start = perf_counter()
                outcome = tt.replay(trace, policy, CAPACITY, cache=cache, engine="kernel")
                seconds.append(perf_counter() - start)
            found.append((min(seconds[1:]), tt.tail_excess_latency(outcome, XI)))
        yield [name, *(f"{took:.2f}" for took, _ in found), *(f"{tel:,}" for _, tel in found)]


def lines(requests: str) -> Iterator[str]:
    """Yield the table."""
    if not requests.isdecimal():
        raise ArgumentError("REQUESTS", requests, "a whole number")
    start = perf_counter()
    sizes, fresh = Quantiles((0.0, 1.0), (199.0, 2000.0)), Quantiles((0.0, 1.0), (19.0, 200.0))
    trace = draw_module_trace(int(requests), 1000, 4, sizes, fresh, np.random.default_rng(0))
    yield f"{len(trace.members):,} uses; drawn in {perf_counter() - start:.1f} s\n"
    columns = ("policy", "strict, s", "whole, s", "TEL, strict", "TEL, whole")
    yield from markdown(columns, rows(trace), "lrrrr")


if __name__ == "__main__":
    run(lines, __doc__)
