"""Where a router knows before who serves which, replicas' parts are replayed alone: the plain engine's bits."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import currently_in_test_context, event, given
from hypothesis import strategies as st
from serving.test_compiled_serving import SECONDS
from serving.worlds import EVERY_MODE, LATENCIES, a_capacity, a_forest, a_trace
from strategies import forests, given_columns, timed_columns

import teltheory as tt
from teltheory.cost.latency_table import TableLatency
from teltheory.policies import FIFO, LFU, PGDSF, SLRU, LeastRecentlyUsed, choose, on_arrays
from teltheory.policies.policy import NotCompiledError
from teltheory.serving import compiled
from teltheory.serving import serve as serving
from teltheory.serving.batching import Decode
from teltheory.serving.served import Served

BEFORE = ("round-robin", 1), ("min-ttft", 1), ("round-robin", 3), ("hash", 2), ("hash", 4)


@dataclass(frozen=True)
class MostTurnsLast(LeastRecentlyUsed):
    """Rules of its own that look at how many turns a replica had of a conversation, and when."""

    @on_arrays
    def eviction_key(self, node):
        return choose(node.time > 3, node.hits, 2)


@dataclass(frozen=True)
class Numbered(LeastRecentlyUsed):
    """Rules that a part may not be asked for: a turn has another number there."""

    @on_arrays
    def eviction_key(self, node):
        return (node.last * 7) % 5


def policies(memory):
    xi, few = st.integers(0, 9), st.integers(0, 6)
    trims = st.sampled_from([None, "round-robin", "least-recent", "eager"])
    by_rules = [
        st.builds(tt.TLRU, xi, few, trims),
        st.builds(tt.ThresholdLRU, few),
        st.sampled_from([tt.LRU(), tt.Belady(), MostTurnsLast(), Numbered()]),
        st.builds(tt.TailOptimizedBelady, xi),
    ]
    return st.one_of(*by_rules, *([st.sampled_from([FIFO(), LFU(), SLRU()])] if memory else []))


def tiers(sizes, mode):
    return tt.Tiers(sorted(sizes), (0, Fraction(1, 3)), mode, "overlapped")


sizes = st.integers(0, 20)
two_tiers = st.builds(tiers, st.tuples(sizes, sizes), st.sampled_from(EVERY_MODE))
capacities = sizes | sizes.map(lambda size: tt.Tiers((size,))) | two_tiers
turns = timed_columns(given_columns(max_turns=20))


def served(engine, requests, policy, capacity, **options):
    """Return what was served, or the error."""
    try:
        return tt.serve(requests, policy, capacity, engine=engine, **options)
    except ValueError as error:
        return error


def agree_before(requests, policy, capacity, **options):
    for router in BEFORE:
        agree(requests, policy, capacity, router, latency=SECONDS, **options)


def agree(requests, policy, capacity, router, **options):
    options = {"router": router[0], "replicas": router[1]} | options
    fast, plain = (served(engine, requests, policy, capacity, **options) for engine in ("kernel", "reference"))
    if currently_in_test_context():
        event(f"{type(policy).__name__}: {type(fast).__name__}")
    if not isinstance(fast, NotCompiledError):
        same_served(fast, plain)


def same_served(fast, plain):
    if isinstance(plain, ValueError):
        assert (type(fast), str(fast)) == (type(plain), str(plain))
        return
    assert fast.outcome == plain.outcome
    for name in ("replica", "start", "load", "compute", "service"):
        assert getattr(fast, name).tolist() == getattr(plain, name).tolist(), name


@given(turns, policies(memory=False), capacities, st.booleans())
def test_parts_of_private_conversations(columns, policy, capacity, forced):
    agree_before(tt.Trace.from_turns(**columns), policy, capacity, forced=forced)


@given(forests(), policies(memory=True), capacities, st.booleans())
def test_parts_of_forests(forest, policy, capacity, forced):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(compiled, "served_one_by_one", compiled.served_by_parts)
        agree_before(forest, policy, capacity, forced=forced)


@given(turns, st.sampled_from(["round-robin", None]), sizes)
def test_parts_of_chains_of_a_forest_trim_in_rounds(columns, trim, capacity):
    agree_before(tt.Trace.from_turns(**columns).forest, tt.TLRU(4, 1, trim), capacity)


@given(forests(), st.integers(1, 4), sizes, st.sampled_from([tt.LRU(), PGDSF(), tt.Belady()]))
def test_whole_nodes_of_one_replica(forest, block, capacity, policy):
    agree(forest, policy, capacity, ("least-loaded", 1), latency=SECONDS, cache=tt.WholeNodes(block))


@given(timed_columns(given_columns(length=st.integers(0, 2**54), max_turns=20)), st.integers(0, 2**58))
def test_long_conversations(columns, capacity):
    for policy in (tt.LRU(), tt.TLRU(2**52, 2**50)):
        agree_before(tt.Trace.from_turns(**columns), policy, capacity)


def test_what_parts_are_asked_for():
    rng = np.random.default_rng(1)
    trace, forest = a_trace(rng, 40), a_forest(rng, 40)
    for policy in (tt.LRU(), tt.TLRU(4, 1), MostTurnsLast()):
        for router in (("hash", 3), ("round-robin", 3), ("cache-aware", 1)):
            agree(trace, policy, 9, router)
            assert isinstance(served("kernel", trace, policy, 9, router=router[0], replicas=router[1]), Served)
    for policy in (tt.Belady(), Numbered()):
        for requests in (trace, forest):
            one, three = (served("kernel", requests, policy, 9, router="hash", replicas=r) for r in (1, 3))
            assert isinstance(one, Served)
            assert isinstance(three, Served) == (requests is trace)  # turn by turn


class Rising:
    """A latency that is no formula; its seconds come from one function of many numbers."""

    name, provenance, cached_is_free = "", None, True

    def ttft(self, uncached, cached=0):
        return np.log1p(np.asarray(uncached, np.float64)) / 3


def test_latencies_that_are_no_formula():
    seconds = [[1, 0], [5, 3], [70, 41]]
    shares = (Fraction(0), Fraction(1, 2))
    table = TableLatency((1, 10, 100), shares, tuple(tuple(map(Fraction, row)) for row in seconds))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        trace, forest = a_trace(rng, 30), a_forest(rng, 30)
        for latency in (table, Rising()):
            agree(trace, tt.LRU(), 9, ("round-robin", 2), latency=latency)
            agree(forest, tt.LRU(), 9, ("hash", 2), latency=latency)


def test_chunks_have_caches_that_were_replayed(monkeypatch):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        requests, capacity = (a_trace, a_forest)[seed % 2](rng), a_capacity(rng)
        batching = tt.Chunked(*((None, 3)[rng.integers(2)], Decode(0.5, 0.125), 3))
        options = {"router": ("round-robin", "hash")[rng.integers(2)], "replicas": 2, "batching": batching}
        plain = served("reference", requests, tt.LRU(), capacity, latency=LATENCIES[0], **options)
        with monkeypatch.context() as patched:
            patched.setattr(serving, "KERNEL_FROM", 0)
            patched.setattr(serving, "caches_of", None)
            fast = served("auto", requests, tt.LRU(), capacity, latency=LATENCIES[0], **options)
        same_served(fast, plain)
        assert fast.utilisation == plain.utilisation
