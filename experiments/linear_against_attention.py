"""What it costs to optimise linear prefill times where attention makes the true ones quadratic: one table.

    python -m experiments.linear_against_attention

The paper's TEL counts uncached tokens, a linear TTFT. Here turns cost max(TTFT - SLO, 0) under a TTFT with
attention (`teltheory.cost.attention`), on the Mooncake trace. For each capacity and SLO the table has that cost,
in seconds summed over all turns, of

- LRU;
- linear: Tail-Optimized Belady at the linear model's threshold, optimal for the linear TTFT;
- its xi: the same policy at the threshold that the TTFT with attention gives a turn without a history;
- best xi: the same policy at the threshold, of all whole thousands, at which it costs least;
- plan and bound: the two sides of the optimum.

The last three columns say how much more than the plan the three linear ones cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from time import perf_counter

import teltheory as tt
from teltheory.paper.script import run
from teltheory.workloads import data_folder

CAPACITIES = (300_000, 1_000_000, 3_000_000)
SLO_SECONDS = (1, 2, 3)
FILE = "mooncake_conversation.jsonl"
HEADER = ("capacity", "SLO", "LRU", "linear", "its xi", "best xi", "plan", "bound", "gap", "took", *3 * ("above",))
WIDTHS = (9, 4, 7, 7, 7, 7, 7, 7, 6, 5, 6, 6, 6)
THOUSANDS = range(0, 61_000, 1000)
SEGMENTS, TIME_LIMIT = 2, 60.0
"""Chords of each turn's cost, and seconds of a search."""


def above(outcome: tt.Outcome, slo: int) -> float:
    """Return the sum of max(TTFT - slo, 0) with attention, in seconds."""
    return tt.tail_excess_seconds(outcome, tt.A100_LLAMA2_7B_ATTENTION, slo)


def linear(trace: tt.Trace, capacity: int, slo: int) -> list[float]:
    """Return what the linear optimum costs at its own threshold, at that of attention, and at the best one."""

    def at(xi: int) -> float:
        return above(tt.replay(trace, tt.TailOptimizedBelady(xi), capacity), slo)

    own, with_attention = (m.threshold(Fraction(slo)) for m in (tt.A100_LLAMA2_7B, tt.A100_LLAMA2_7B_ATTENTION))
    costs = [at(own), at(with_attention)]
    return [*costs, min(*costs, *map(at, THOUSANDS))]


def rows(trace: tt.Trace) -> Iterator[tuple[str, ...]]:
    """Yield a row for each capacity and SLO."""
    for capacity in CAPACITIES:
        lru = tt.replay(trace, tt.LRU(), capacity)
        for slo in SLO_SECONDS:
            began = perf_counter()
            costs = tt.PiecewiseCosts.of_latency(trace, tt.A100_LLAMA2_7B_ATTENTION, slo, SEGMENTS)
            best = tt.cost_optimum(trace, capacity, costs, time_limit=TIME_LIMIT)
            took = perf_counter() - began
            plan, bound, others = above(best.outcome, slo), best.bound / 1e9, linear(trace, capacity, slo)
            seconds = (f"{cost:,.1f}" for cost in (above(lru, slo), *others, plan, bound))
            shares = (f"{other / plan - 1:.1%}" for other in others)
            yield f"{capacity:,}", f"{slo} s", *seconds, f"{plan / bound - 1:.2%}", f"{took:.0f} s", *shares


def main() -> Iterator[str]:
    """Yield the table."""
    for row in chain([HEADER], rows(tt.read_trace(data_folder() / FILE))):
        yield "  ".join(f"{cell:>{width}}" for cell, width in zip(row, WIDTHS, strict=True))


if __name__ == "__main__":
    run(main, __doc__)
