"""The compiled engine serves as the plain one does, the same seconds bit for bit."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import fewer
from serving.worlds import LATENCIES, ROUTERS, a_capacity, a_forest, a_trace
from strategies import given_columns, timed_columns

import teltheory as tt
from teltheory.policies import FIFO, LeastRecentlyUsed, on_arrays
from teltheory.policies.policy import NotCompiledError
from teltheory.serving import compiled
from teltheory.serving.cache_aware import CacheAware

SECONDS = tt.LatencyModel(Fraction(1, 7), Fraction(1, 1001), Fraction(1, 3), Fraction(1, 2))
"""Sums of its seconds are rounded."""
LOADS = Fraction(0), Fraction(1, 4), Fraction(1, 3)


class MostTurnsLast(LeastRecentlyUsed):
    @on_arrays
    def eviction_key(self, node):
        return node.hits


def a_compiled_policy(rng):
    xi, q_hat = rng.integers(0, 9, 2).tolist()
    trim = ("least-recent", "eager")[rng.integers(2)]
    known = tt.EndAwareTLRU(xi, q_hat, trim), tt.LengthAwareTLRU(xi, trim), tt.Belady(), tt.TailOptimizedBelady(xi)
    every = tt.LRU(), tt.ThresholdLRU(q_hat), tt.TLRU(xi, q_hat, trim), *known
    return every[rng.integers(len(every))]


def same(trace, policy, capacity, **options):
    fast, plain = (tt.serve(trace, policy, capacity, engine=e, **options) for e in ("kernel", "reference"))
    assert fast.outcome == plain.outcome
    for name in ("replica", "start", "load", "compute", "service"):
        assert getattr(fast, name).tolist() == getattr(plain, name).tolist(), name
    assert fast.utilisation == plain.utilisation


@pytest.mark.parametrize("by_parts", [True, False])
def test_small_traces(by_parts, monkeypatch):
    if not by_parts:
        monkeypatch.setattr(compiled, "served_by_parts", compiled.served_one_by_one)
    for seed in range(fewer(400)):
        rng = np.random.default_rng(seed)
        trace, capacity = a_trace(rng, 30), a_capacity(rng)
        forced = bool(rng.random() < 0.3)
        if forced:
            capacity = tt.Tiers((int(trace.past.max()) + 5, 9), (0, Fraction(1, 3)))
        latency = (*LATENCIES, SECONDS)[rng.integers(3)]
        options = {"replicas": int(rng.integers(1, 5)), "latency": latency, "forced": forced}
        for router in ROUTERS:
            same(trace, a_compiled_policy(rng), capacity, router=router, **options)


@pytest.mark.parametrize("seed", range(4))
def test_small_forests(seed, monkeypatch):
    monkeypatch.setattr(compiled, "served_by_parts", compiled.served_one_by_one)
    rng = np.random.default_rng(seed)
    for _ in range(fewer(150)):
        forest, sizes, forced = a_forest(rng, 60), rng.integers(0, 15, 3).tolist(), bool(rng.random() < 0.3)
        sizes[0] += int(forest.past.max()) if forced else 0
        capacity = (sizes[0], *(tt.Tiers(sizes[:i], LOADS[:i]) for i in range(1, 4)))[rng.integers(4)]
        options = {"replicas": int(rng.integers(1, 5)), "latency": (*LATENCIES, SECONDS)[rng.integers(3)]}
        xi, q_hat = rng.integers(0, 5, 2).tolist()
        each = (tt.TLRU(xi, 0, trim, budget="flat") for trim in ("least-recent", "eager"))
        policy = (tt.LRU(), tt.ThresholdLRU(q_hat), *each)[rng.integers(4)]
        for router in (*ROUTERS, a_router(rng)):
            same(forest, policy, capacity, router=router, forced=forced, **options)


@given(timed_columns(given_columns(length=st.integers(2**40, 2**50), max_turns=20)), st.integers(0, 2**56))
def test_long_paths(columns, capacity):
    """No plain tree has so many units: one loop over all replicas judges a replay of each."""
    forest, tiers = tt.Trace.from_turns(**columns).forest, tt.Tiers((capacity, 2**56), LOADS[:2])
    options = {"replicas": 3, "latency": SECONDS, "engine": "kernel"}
    flat = tt.TLRU(2**46, 2**44, "least-recent", budget="flat")
    eager = replace(flat, trim="eager")
    for policy, memory in ((tt.LRU(), capacity), (flat, capacity), (flat, tiers), (eager, tiers)):
        with pytest.MonkeyPatch.context() as patched:
            whole = tt.serve(forest, policy, memory, **options)
            patched.setattr(compiled, "served_one_by_one", compiled.served_by_parts)
            parts = tt.serve(forest, policy, memory, **options)
        assert whole.outcome == parts.outcome
        assert whole.start.tolist() == parts.start.tolist()


def a_router(rng):
    """Return a cache-aware router that forgets, and weighs queues against what was sent."""
    apart, interval, most = rng.integers(0, 4), rng.choice([0.0, 0.5, 3.0]), rng.integers(0, 30)
    return CacheAware(rng.random(), int(apart), 1 + rng.random(), float(interval), int(most))


def test_what_was_sent_decides():
    for seed in range(fewer(400)):
        rng = np.random.default_rng(seed)
        options = {"replicas": int(rng.integers(2, 6)), "latency": (*LATENCIES, SECONDS)[rng.integers(3)]}
        same(a_trace(rng, 60), tt.LRU(), a_capacity(rng), router=a_router(rng), **options)


@given(timed_columns(given_columns(length=st.integers(0, 2**54), max_turns=20)), st.integers(0, 2**58))
def test_long_conversations(columns, capacity):
    trace, options = tt.Trace.from_turns(**columns), {"replicas": 3, "latency": SECONDS}
    tiers = tt.Tiers((capacity, 2**56), (0, Fraction(1, 3)))
    for router in ("least-loaded", "affinity", "min-ttft"):
        same(trace, tt.TLRU(2**52, 2**50, "least-recent"), tiers, router=router, **options)
    with suppress(NotCompiledError):  # of 2**53 tokens or more
        same(trace, tt.LRU(), capacity, router=CacheAware(0.5, max_tree_size=2**52), **options)


def test_long_traces_take_it_and_what_it_does_not_do_is_plain():
    rng = np.random.default_rng(5)
    turns = rng.integers(0, 200, 2500), rng.integers(1, 30, 2500), rng.integers(0, 20, 2500)
    trace = tt.Trace.from_turns(*turns, arrival=np.cumsum(rng.exponential(1.0, 2500)))
    tiers, options = tt.Tiers((900, 2000), (0, Fraction(3, 10))), {"replicas": 3, "latency": SECONDS}
    auto = tt.serve(trace, tt.LRU(), tiers, router="min-ttft", **options)
    assert auto.outcome == tt.serve(trace, tt.LRU(), tiers, router="min-ttft", engine="kernel", **options).outcome
    few = trace[:300]
    for policy, router in ((MostTurnsLast(), "affinity"), (tt.TLRU(9, 2), "affinity")):
        with pytest.raises(NotCompiledError):
            tt.serve(few, policy, tiers, router=router, engine="kernel", **options)
        assert len(tt.serve(few, policy, tiers, router=router, **options)) == 300
    for policy, room in ((tt.TLRU(9, 2), tiers), (tt.Belady(), 9), (FIFO(), 9), (tt.TLRU(9, 2, mark="last"), 9)):
        with pytest.raises(NotCompiledError):
            tt.serve(few.forest, policy, room, router="affinity", engine="kernel", **options)
    with pytest.raises(tt.ArgumentError, match="engine: found 'quick'"):
        tt.serve(few, tt.LRU(), tiers, engine="quick", **options)


def test_no_requests():
    same(tt.Trace.from_turns([], [], [], []), tt.LRU(), 5, replicas=2)
