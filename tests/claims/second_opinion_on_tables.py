"""Tables computed again, from replays and the definitions alone, and counted in plain Python."""

from __future__ import annotations

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


def counted_again(cells):
    """(wrong signs, wrong signs where the printed number is not 0, inside, squared error) of cells."""
    wrong = [cell for cell in cells if sign(cell["printed"]) != sign(round(cell["ours"], 1))]
    inside = sum(cell["low"] <= cell["printed"] <= cell["high"] for cell in cells)
    squares = sum((cell["printed"] - cell["ours"]) ** 2 for cell in cells) / len(cells)
    return len(wrong), sum(cell["printed"] != 0 for cell in wrong), inside, squares


def twice_as_near_as_the_null_models(cells):
    """Whether our squared error is less than half of that of LRU and of constants, which leave a cell out."""
    columns = {(cell["xi_ms"], cell["metric"], cell["against"]) for cell in cells}
    alike = [[c for c in cells if (c["xi_ms"], c["metric"], c["against"]) == column] for column in columns]
    ours = sum((cell["printed"] - cell["ours"]) ** 2 for cell in cells)
    unchanged = sum((cell["printed"] - cell["LRU's own numbers"]) ** 2 for cell in cells)
    constant, by_column = left_out(cells), sum(left_out(column) for column in alike)
    return all(2 * ours < null for null in (unchanged, constant, by_column))


def left_out(cells):
    """The squared error of each printed number against the mean of the others."""
    n, mean = len(cells), sum(cell["printed"] for cell in cells) / len(cells)
    return sum(((cell["printed"] - mean) * n / (n - 1)) ** 2 for cell in cells)


def sign(value):
    return (value > 0) - (value < 0)
