"""Return-aware T-LRU, which learns who comes back, between T-LRU and the hindsight optimum: one tidy table.

    python -m experiments.who_comes_back TRACE TABLE.csv

The trace needs arrival times: capacities of 0.3 M, 1 M and 3 M tokens, thresholds of 1 to 3 seconds. Then samples
of WildChat-like and ShareGPT-like conversations, of people among agents, and of one kind of conversation, whose
order of return is that of recency. The estimate of the next prompt is each trace's mean. "learnt order" is the
policy without its comparison with T-LRU; "optimum" is Tail-Optimized Belady. What is printed is the share of
T-LRU's distance to the optimal TEL that each policy closes, in per cent (below 0 it is worse than T-LRU), and, of
the trace, TEL, regret and percentiles of TTFT in seconds.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import numpy as np

import teltheory as tt
from teltheory.paper.rows import Returned
from teltheory.paper.scenarios import people_and_agents
from teltheory.paper.script import markdown, run
from teltheory.paper.tidy import write_rows
from teltheory.policies.policy import AnyPolicy
from teltheory.policies.spec import default_estimate
from teltheory.workloads import sharegpt_like, wildchat_like

TURNS, SEED = 4_000, 1
QUANTILES = (0.5, 0.9, 0.95, 0.99)
LATENCY = tt.A100_LLAMA2_7B
POLICIES = ("LRU", "T-LRU", "End-Aware", "learnt order", "return-aware", "optimum")
SHOWN = tuple(policy for policy in POLICIES if policy not in ("T-LRU", "optimum"))


@dataclass(frozen=True)
class Workload:
    """A trace, and the capacities (tokens) and thresholds (seconds) that it is replayed at."""

    name: str
    trace: tt.Trace
    capacities: tuple[int, ...]
    slo_seconds: tuple[Fraction, ...]


def samples() -> Iterator[Workload]:
    """Yield the workloads that are drawn."""
    rng = np.random.default_rng(SEED)
    slos = tuple(Fraction(ms, 1_000) for ms in (50, 200))
    yield Workload("WildChat-like", wildchat_like().sample(TURNS, rng), (3_000, 10_000), slos)
    yield Workload("ShareGPT-like", sharegpt_like().sample(TURNS, rng), (3_000, 10_000), slos)
    mixed = tt.sample_conversations(people_and_agents(), TURNS, rng)
    yield Workload("people and agents", mixed, (10_000, 30_000), slos)
    alike = tt.ConversationModel(1 / 20, 1 / 600, 1 / 200, 200.0, 300.0, 1.0)
    yield Workload("one kind", tt.sample_conversations(alike, TURNS, rng), (10_000, 30_000), slos)


def policies(xi: int, q_hat: int) -> dict[str, AnyPolicy]:
    """Return the policies by name, in the order of `POLICIES`."""
    learnt = tt.ReturnAwareTLRU(xi, q_hat, lead=None), tt.ReturnAwareTLRU(xi, q_hat)
    known = tt.EndAwareTLRU(xi, q_hat), *learnt, tt.TailOptimizedBelady(xi)
    return dict(zip(POLICIES, (tt.LRU(), tt.TLRU(xi, q_hat), *known), strict=True))


def rows(workload: Workload, capacity: int, slo: Fraction) -> list[Returned]:
    """Replay every policy at a capacity and a threshold."""
    trace, xi, q_hat = workload.trace, LATENCY.threshold(slo), default_estimate(workload.trace)
    optimum = tt.hindsight_optimum(trace, capacity, xi).objective
    outcomes = {name: tt.replay(trace, policy, capacity) for name, policy in policies(xi, q_hat).items()}
    tel = {name: tt.tail_excess_latency(outcome, xi) for name, outcome in outcomes.items()}
    return [
        Returned(
            workload.name,
            capacity,
            float(slo),
            xi,
            q_hat,
            name,
            tel[name],
            optimum,
            tel[name] - optimum,
            math.nan if closed is None else float(closed),
            *(round(float(seconds), 7) for seconds in tt.ttft_quantiles(outcome, QUANTILES, LATENCY)),
        )
        for name, outcome in outcomes.items()
        for closed in [tt.share_closed(tel["T-LRU"], tel[name], optimum)]
    ]


def lines(table: list[Returned]) -> Iterator[str]:
    """Yield the shares that are closed, a line a workload, capacity and threshold, as a Markdown table."""
    columns = ("workload", "C", "slo", "T-LRU's TEL", "optimum", *SHOWN)
    cells = []
    for (name, capacity, slo), group in groupby(table, lambda row: (row.workload, row.capacity, row.slo)):
        of = {row.policy: row for row in group}
        tel = [f"{of[policy].tel:,}" for policy in ("T-LRU", "optimum")]
        shares = [of[policy].closed for policy in SHOWN]
        closed = ["" if math.isnan(share) else f"{100 * share:.1f}" for share in shares]
        cells.append((name, f"{capacity:,}", f"{slo:g} s", *tel, *closed))
    yield from markdown(columns, cells, "lrrrr" + "r" * len(SHOWN))


def percentile_lines(table: list[Returned]) -> Iterator[str]:
    """Yield TEL, regret and percentiles of TTFT, a line a capacity, threshold and policy, as a Markdown table."""
    columns = ("C", "slo", "policy", "TEL", "regret", "P50", "P90", "P95", "P99")
    cells = [
        (f"{row.capacity:,}", f"{row.slo:g} s", row.policy, f"{row.tel:,}", f"{row.regret:,}", *levels)
        for row in table
        for levels in [[f"{seconds:.3f}" for seconds in (row.p50, row.p90, row.p95, row.p99)]]
    ]
    yield from markdown(columns, cells, "rrlrrrrrr")


def main(trace_file: str, target: str) -> Iterator[str]:
    """Replay all workloads, write the table and yield the shares."""
    trace = tt.read_trace(trace_file)
    real = Workload(Path(trace_file).stem, trace, (300_000, 1_000_000, 3_000_000), tuple(map(Fraction, (1, 2, 3))))
    table = [
        row
        for workload in (real, *samples())
        for capacity in workload.capacities
        for slo in workload.slo_seconds
        for row in rows(workload, capacity, slo)
    ]
    write_rows(table, Path(target), Returned)
    yield from lines(table)
    yield ""
    yield from percentile_lines([row for row in table if row.workload == real.name])


if __name__ == "__main__":
    run(main, __doc__)
