"""Routers and policies on loaded replicas: the tail of a trace of private conversations, and what it comes from.

    python -m experiments.served ../shared/data/mooncake_conversation.jsonl

Prints two tables as Markdown:

1. four replicas of 300,000 tokens at the trace's own speed: every router with LRU, and T-LRU with two of them;
2. eight replicas of 1,000,000 tokens, least wait: LRU, and T-LRU at the threshold of the SLO and at half of it, by
   load;

and below each what no router and no policy gets below.

Latency: A100, Llama-2-7B, 71.7 us per uncached token. SLO 2 s, ticks spread evenly. T-LRU's Q-hat is the mean
prompt, and it trims the least recent first. TEL is in seconds, split as `Served.tail` does.
"""

from collections.abc import Iterator
from fractions import Fraction

import teltheory as tt
from teltheory.paper.script import markdown, run
from teltheory.policies.policy import Policy
from teltheory.serving.routers import ROUTERS
from teltheory.serving.served import Served

SLO, LATENCY = Fraction(2), tt.A100_LLAMA2_7B
XI = LATENCY.threshold(SLO)
LOADS = (0.5, 0.7, 0.9)
COLUMNS = ("policy", "utilisation", "P50 s", "P95 s", "within the SLO", "TEL s", "wait s", "compute s")


def main(trace_file: str) -> Iterator[str]:
    """Yield both tables."""
    trace = tt.read_trace(trace_file)
    yield from markdown(("router", *COLUMNS), by_router(trace), "ll" + "r" * 7)
    yield ""
    yield from markdown(("load", *COLUMNS), by_load(trace), "rl" + "r" * 7)


def by_router(trace: tt.Trace) -> Iterator[list[str]]:
    """Yield the rows of the first table."""
    for router in ROUTERS:
        for name, policy in policies(trace, 2 if router in ("hash", "min-ttft") else 1):
            served = tt.serve(trace, policy, 300_000, replicas=4, router=router, ticks="spread")
            yield [router, name, *cells(served)]
    yield bound(trace, 300_000, 4)


def by_load(trace: tt.Trace) -> Iterator[list[str]]:
    """Yield the rows of the second table."""
    for load in LOADS:
        stretch = tt.stretch_for(trace, 1_000_000, LATENCY, 8, load, "spread")
        for name, policy in policies(trace, 3):
            served = tt.serve(
                trace, policy, 1_000_000, replicas=8, router="min-ttft", stretch=stretch, ticks="spread"
            )
            yield [str(load), name, *cells(served)]
    yield bound(trace, 1_000_000, 8)


def bound(trace: tt.Trace, capacity: int, replicas: int) -> list[str]:
    """Return the row of what no router and no policy gets below, at any load."""
    least = tt.pooled(trace, capacity, replicas, SLO, LATENCY).seconds
    assert least is not None  # the latency is linear
    return ["any", "pooled bound", *[""] * 4, f"{float(least):,.0f}", "0", f"{float(least):,.0f}"]


def policies(trace: tt.Trace, most: int) -> list[tuple[str, Policy]]:
    """Return the first of LRU, T-LRU at the threshold of the SLO, and T-LRU at half of it."""
    q_hat = round(trace.prompt.mean())
    each: list[tuple[str, Policy]] = [("LRU", tt.LRU())]
    each += [(f"T-LRU, ξ = {xi:,}", tt.TLRU(xi, q_hat, "least-recent")) for xi in (XI, XI // 2)]
    return each[:most]


def cells(served: Served) -> list[str]:
    """Return what a row says of a run."""
    median, slow = served.quantiles((0.5, 0.95)).tolist()
    tail, good = served.tail(SLO), 1 - served.slow(SLO) / len(served)
    numbers = (tail.seconds, tail.wait, tail.compute)
    shares = f"{served.utilisation:.2f}", f"{median:.2f}", f"{slow:.2f}", f"{good:.1%}"
    return [*shares, *(f"{number:,.0f}" for number in numbers)]


if __name__ == "__main__":
    run(main, __doc__)
