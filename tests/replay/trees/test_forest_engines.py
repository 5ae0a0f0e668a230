"""The compiled loop of a forest agrees with the reference, request by request, under every policy and cache."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import by_both_engines, examples
from replay.trees.test_forest_recency import branches, in_long_units
from strategies import forests, turn_columns

import teltheory as tt
from teltheory.model.instance import ForestInstance
from teltheory.policies import Node, larger, on_arrays
from teltheory.policies.policy import LeastRecentlyUsed

CACHES = ("strict", "holes")
TRIMS = ("least-recent", "eager")


class LeastFrequentDeepest(LeastRecentlyUsed):
    """A custom policy: rarely read blocks go first, among those the deep ones."""

    name = "least-frequent-deepest"

    @on_arrays
    def budget(self, node: Node) -> int:
        """Count what lies below half of the past as surplus."""
        return larger(node.past // 2, 1)

    @on_arrays
    def trim_key(self, node: Node) -> int:
        """Trim the oldest first."""
        return node.time

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        """Evict by reads and depth."""
        return node.hits * 8 - node.depth


@st.composite
def policies(draw):
    xi, q_hat = draw(st.integers(0, 5)), draw(st.integers(0, 3))
    trim, mark = draw(st.sampled_from(TRIMS)), draw(st.sampled_from(("high-water", "resident", "last")))
    everything = [
        tt.LRU(),
        tt.TLRU(xi, q_hat, trim, mark),
        tt.EndAwareTLRU(xi, q_hat, trim, mark),
        tt.LengthAwareTLRU(xi, trim),
        tt.ThresholdLRU(xi),
        tt.Belady(),
        tt.TailOptimizedBelady(xi),
        LeastFrequentDeepest(),
    ]
    return draw(st.sampled_from(everything))


def modes(draw, forest):
    """Return a capacity that is a little short, and a mode of caching that it allows."""
    running = draw(st.integers(0, 3))
    if not running:
        return draw(st.integers(0, 8)), {}
    pinned = ForestInstance(forest, 0, forced=True, running=running).pinned[:-1]
    return int(pinned.max(initial=0)) + draw(st.integers(0, 4)), {"forced": True, "running": running}


@examples(4000)
@given(st.data(), forests(), policies(), st.sampled_from(CACHES))
def test_the_kernel_agrees_with_the_reference(data, forest, policy, cache):
    capacity, mode = modes(data.draw, forest)
    by_both_engines(forest, policy, capacity, cache=cache, **mode)


def policies_of(xi, q_hat, trim, mark):
    by_budget = tt.TLRU(xi, q_hat, trim, mark), tt.EndAwareTLRU(xi, q_hat, trim, mark)
    return *by_budget, tt.LengthAwareTLRU(xi, trim), tt.ThresholdLRU(xi), tt.TailOptimizedBelady(xi), tt.LRU()


@examples(1000)
@given(st.data(), forests() | branches(), st.sampled_from(CACHES))
def test_lengths_near_2_62_are_replayed_as_short_ones(data, forest, cache):
    capacity, mode = modes(data.draw, forest)
    xi, q_hat = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 3))
    unit, long = in_long_units(forest, capacity, xi, q_hat)
    says = data.draw(st.sampled_from(TRIMS)), data.draw(st.sampled_from(("high-water", "last")))
    scaled = policies_of(xi * unit, q_hat * unit, *says)
    for policy, same in zip(policies_of(xi, q_hat, *says), scaled, strict=True):
        expected = tt.replay(forest, policy, capacity, engine="kernel", cache=cache, **mode)
        found = tt.replay(long, same, capacity * unit, engine="kernel", cache=cache, **mode)
        assert found.cached.tolist() == (expected.cached * unit).tolist()
        assert found.written.tolist() == (expected.written * unit).tolist()


@given(turn_columns(), st.integers(0, 12), st.integers(0, 6), st.booleans())
def test_conversations_are_chains(columns, capacity, xi, forced):
    trace = tt.Trace.from_turns(**{name: columns[name] for name in ("conversation", "prompt", "response")})
    policies = tt.LRU(), tt.TLRU(xi, 1, "least-recent"), tt.Belady(), tt.TailOptimizedBelady(xi)
    for policy in (*policies, tt.EndAwareTLRU(xi, 1, "eager"), tt.LengthAwareTLRU(xi, "least-recent")):
        try:
            chains = tt.replay(trace, policy, capacity, forced=forced)
        except tt.ForcedCachingError:
            continue
        for cache in CACHES:
            outcome = tt.replay(trace.forest, policy, capacity, forced=forced, cache=cache)
            assert outcome.cached.tolist() == chains.cached.tolist()
            assert outcome.uncached.tolist() == chains.uncached.tolist()


@given(forests(), st.integers(0, 12), st.integers(0, 5))
def test_a_cache_by_recency_has_no_holes(forest, capacity, xi):
    for policy in (tt.LRU(), tt.TLRU(xi, 1, "least-recent")):
        strict, holes = (tt.replay(forest, policy, capacity, cache=cache) for cache in CACHES)
        assert strict == holes


def test_the_mooncake_trace_has_its_known_hits(mooncake_blocks):
    expected = {586: (12_204, 48_261, 42_614), 1953: (15_803, 47_834, 72_850), 5859: (40_644, 43_582, 101_791)}
    for capacity, (hits, excess, ceiling) in expected.items():
        lru, belady = (tt.replay(mooncake_blocks, policy, capacity) for policy in (tt.LRU(), tt.Belady()))
        assert (lru.cached.sum(), tt.tail_excess_latency(lru, 54)) == (hits, excess)
        assert belady.cached.sum() == ceiling


def test_a_block_may_outlive_its_parent_only_in_a_cache_with_holes():
    forest = tt.Forest.from_paths([[1, 2], [3], [1, 2], [1], [1, 2]])

    class RootsFirst(LeastRecentlyUsed):
        def eviction_key(self, node):
            return node.depth

    strict, holes = (tt.replay(forest, RootsFirst(), 2, cache=cache) for cache in CACHES)
    assert strict.cached.tolist() == [0, 0, 2, 1, 2]
    assert holes.cached.tolist() == [0, 0, 0, 1, 2]
    assert holes.written.tolist() == [2, 1, 1, 0, 0]


def test_wrong_arguments_are_named():
    forest, trace = tt.Forest.from_paths([[1, 2], [3, 4]]), tt.Trace.from_turns([0], [1], [1])
    refused(tt.ArgumentError, "cache: found 'radix'", lambda: tt.replay(forest, tt.LRU(), 2, cache="radix"))
    refused(tt.ArgumentError, "running: found 2", lambda: tt.replay(forest, tt.LRU(), 2, running=2))
    with pytest.raises(tt.ForcedCachingError):
        tt.replay(tt.Forest.from_paths([[1, 2], [3, 4], [5]]), tt.LRU(), 3, forced=True, running=2)
    refused(tt.ArgumentError, "cache: found 'holes'", lambda: tt.replay(trace, tt.LRU(), 2, cache="holes"))
    refused(tt.ArgumentError, "mark: found 'deepest'", tt.TLRU, 1, 1, mark="deepest")


def test_the_hit_rate_counts_a_last_block_that_is_not_full_as_input():
    forest = tt.Forest.from_paths([[1, 2], [1, 2]], block_size=16, tokens=[32, 48])
    outcome = tt.replay(forest, tt.LRU(), 2)
    assert float(outcome.hit_rate) == 32 / 80
    assert outcome.in_tokens().uncached.tolist() == [32, 16]
    assert np.array_equal(outcome.in_tokens().written, [32, 0])


@pytest.mark.parametrize(("running", "hits"), [(1, 0), (2, 2)])
def test_a_running_path_stays_whole(running, hits):
    forest = tt.Forest.from_paths([[1, 2], [3], [1, 2]])
    outcome = by_both_engines(forest, tt.ThresholdLRU(5), 4, forced=True, running=running)
    assert outcome.cached.tolist() == [0, 0, hits]


def test_a_parent_on_a_running_path_stays_when_its_last_child_goes():
    forest = tt.Forest.from_paths([[9], [1, 2], [1], [5, 6, 7], [9]])
    outcome = by_both_engines(forest, tt.Belady(), 4, forced=True, running=2)
    assert outcome.cached.tolist() == [0, 0, 1, 0, 0]


def test_a_resident_mark_is_forgotten_with_the_block():
    forest = tt.Forest.from_paths([[1, 2, 3], [11, 12, 13], [1, 2], [1, 2]])
    outcome = by_both_engines(forest, tt.TLRU(2, 1, "least-recent", "resident"), 3)
    assert outcome.cached.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("memory", [2**62, tt.Tiers((2**62, 5), (0, 0))])
@pytest.mark.parametrize("requests", [2, 3, 4])
def test_paths_that_are_beyond_64_bits_together_go_to_the_loop(memory, requests):
    paths = np.full(requests, 2**62)
    forest = tt.Forest(np.array([-1]), paths[:1], np.zeros(requests, np.int64), paths, paths)
    assert tt.replay(forest, tt.TLRU(2**61, 0, trim="least-recent"), memory).reused == (requests - 1) * 2**62
