"""Small traces, tiers, policies and latencies whose seconds are multiples of a power of two."""

from fractions import Fraction

import numpy as np

import teltheory as tt
from teltheory.serving.cache_aware import CacheAware

LATENCIES = (
    tt.LatencyModel(Fraction(1, 4)),
    tt.LatencyModel(Fraction(1, 2), Fraction(1, 8), Fraction(1), Fraction(2)),
)
EVERY_MODE = ("exclusive", "inclusive", "swap-out-once")
RATIOS = (Fraction(0), Fraction(1, 8), Fraction(1, 4), Fraction(1, 2))
ROUTERS = (
    "round-robin", "least-loaded", "affinity", "hash", "min-ttft", CacheAware(),
    CacheAware(0.6, balance_abs_threshold=1, balance_rel_threshold=1.25),
)  # fmt: skip


def arrivals(rng, n):
    return np.cumsum(rng.choice([0.0, 0.0, 0.25, 1.0, 5.0], n))


def a_trace(rng, most=12):
    """Return a trace, its histories cumulative or now and then shorter than the past."""
    n = int(rng.integers(1, most + 1))
    conversation, prompt = rng.integers(0, 4, n), rng.integers(0, 6, n)
    response, cut = rng.integers(0, 3, n), rng.random(n) < 0.2
    if rng.random() < 0.5:
        return tt.Trace.from_turns(conversation, prompt, response, arrivals(rng, n))
    past, history = {}, []
    for c, q, a, shorter in zip(*(x.tolist() for x in (conversation, prompt, response, cut)), strict=True):
        known = past.get(c, 0)
        history.append(int(rng.integers(0, known + 1)) if shorter else known)
        past[c] = history[-1] + q + a
    return tt.Trace.from_turns(conversation, prompt, response, arrivals(rng, n), history)


def a_forest(rng, most=10):
    """Return a forest of words that begin alike, with responses, tails and blocks of one or two tokens."""
    words, ids = [], {}
    for _ in range(int(rng.integers(1, most + 1))):
        start = words[rng.integers(len(words))] if words and rng.random() < 0.7 else []
        words.append([*start[: rng.integers(len(start) + 1)], *rng.integers(0, 2, rng.integers(0, 4)).tolist()])
    paths = [[ids.setdefault(tuple(w[: i + 1]), len(ids)) for i in range(len(w))] for w in words]
    ask = [int(rng.integers(max(len(w) - 1, 0), len(w) + 1)) for w in words]
    total = [units + int(rng.integers(0, 2)) for units in ask]
    size = int(rng.integers(1, 3))
    return tt.Forest.from_paths(paths, ask, total, arrivals(rng, len(words)), block_size=size)


def a_capacity(rng, most_tiers=3, modes=("exclusive", "inclusive"), largest=15):
    """Return a capacity, as a number or as tiers."""
    tiers = int(rng.integers(1, most_tiers + 1))
    if tiers == 1 and rng.random() < 0.5:
        return int(rng.integers(0, largest))
    mode = modes[rng.integers(len(modes))]
    mode = "exclusive" if mode == "swap-out-once" and tiers > 2 else mode
    sizes = rng.integers(0, largest, tiers)
    loads = [Fraction(0), *sorted(RATIOS[i] for i in rng.integers(0, len(RATIOS), tiers - 1))]
    capacities = np.sort(sizes) if mode == "inclusive" else sizes
    loading = ("additive", "overlapped")[rng.integers(2)]
    return tt.Tiers(capacities.tolist(), loads, mode, loading)


def a_policy(rng):
    """Return a policy that does not know the future."""
    xi, q_hat = rng.integers(0, 6, 2).tolist()
    trim = (None, "least-recent", "eager")[rng.integers(3)]
    some = [tt.LRU(), tt.ThresholdLRU(int(rng.integers(0, 6))), tt.TLRU(xi, q_hat, trim)]
    return some[rng.integers(len(some))]
