"""Cells of tables computed again, from replays and the definitions alone."""

import math
from fractions import Fraction

import teltheory as tt
from teltheory.cost.latency import A100_LLAMA2_7B
from teltheory.sweep import Sample
from teltheory.workloads import sharegpt_like, wildchat_like

WORKLOADS = {"wildchat": (wildchat_like(), 200), "sharegpt": (sharegpt_like(), 100)}
TOKEN = A100_LLAMA2_7B.seconds_per_token
SHARES = {"p50": Fraction(1, 2), "p90": Fraction(9, 10), "p95": Fraction(19, 20), "p99": Fraction(99, 100)}


def improvements_again(workload, metric, against, capacity, xi_ms, seeds):
    """The improvement of T-LRU in per cent, mean over samples of 2,000 turns."""
    chats, q_hat = WORKLOADS[workload]
    xi = math.floor(Fraction(xi_ms, 1000) / TOKEN)
    base = {"lru": tt.LRU(), "threshold-lru": tt.ThresholdLRU(1024)}[against]
    found = []
    for seed in range(seeds):
        trace = Sample(chats, 2000, seed).load()
        ours, theirs = (measured(trace, policy, capacity, metric) for policy in (tt.TLRU(xi, q_hat), base))
        found.append(100 * (1 - ours / theirs))
    return sum(found) / len(found)


def measured(trace, policy, capacity, metric):
    """A percentile of TTFT in milliseconds, or the turns above 200 ms."""
    waits = sorted(int(u) * TOKEN for u in tt.replay(trace, policy, capacity).uncached)
    if metric == "above":
        return sum(wait > Fraction(1, 5) for wait in waits)
    return float(1000 * waits[math.ceil(SHARES[metric] * len(waits)) - 1])
