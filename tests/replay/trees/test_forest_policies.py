"""Policies of forests that remember what their cache did: two engines, other judges, laws, small examples."""

import json
import random
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import by_both_engines
from strategies import forests

import teltheory as tt
from teltheory.model.numbers import readonly
from teltheory.policies import FIFO, GDSF, LFU, PGDSF, S3FIFO, SLRU, TTL, LeastRecentlyUsed, Memory, Priority, TwoQ
from teltheory.policies.spec import parse_policy

CACHES = ("strict", "holes")
SHARES = st.sampled_from((Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)))
SHARES_TO_ONE = SHARES.filter(lambda share: share <= 1)
VECTORS = Path(__file__).parents[1] / "vectors" / "single_blocks.json"
NAMES = ("fifo", "lfu", "slru", "priority", "gdsf", "pgdsf", "ttl", "2q", "s3-fifo")


@st.composite
def policies(draw, name, forest):
    """Return a policy of a name, with parameters for a forest."""
    costs = st.lists(st.integers(0, 9), min_size=forest.nodes, max_size=forest.nodes)
    priorities = st.lists(st.integers(-2, 2), min_size=len(forest), max_size=len(forest))
    several = {
        "fifo": st.just(FIFO()),
        "lfu": st.just(LFU()),
        "slru": st.just(SLRU()),
        "priority": st.builds(Priority, priorities),
        "gdsf": st.just(GDSF()),
        "pgdsf": st.builds(PGDSF, costs) | st.builds(PGDSF.by_depth, st.floats(0, 4)),
        "ttl": st.builds(TTL, st.sampled_from((0, 1, 2.5, 4, float("inf")))),
        "2q": st.builds(TwoQ, SHARES_TO_ONE, SHARES),
        "s3-fifo": st.builds(S3FIFO, SHARES_TO_ONE, SHARES),
    }
    return draw(several[name])


def modes(forest, capacity, running):
    """Return the ways of caching that the paths fit in."""
    forced = {"forced": True, "running": running}
    try:
        tt.replay(forest, tt.LRU(), capacity, **forced)
    except tt.ForcedCachingError:
        return [{}]
    return [{}, forced]


def cached(forest, policy, capacity, **how):
    return tt.replay(forest, policy, capacity, **how).cached.tolist()


@pytest.mark.parametrize("name", NAMES)
@given(st.data(), forests(), st.integers(0, 8), st.integers(1, 3))
def test_the_kernel_agrees_with_the_reference(name, data, forest, capacity, running):
    policy = data.draw(policies(name, forest))
    for mode in modes(forest, capacity, running):
        for cache in CACHES:
            by_both_engines(forest, policy, capacity, cache=cache, **mode)


def with_longer_nodes(forest):
    """Return a forest with nodes of 1 to 3 units, of which each request asks for all."""
    length, nothing = readonly(1 + np.arange(forest.nodes) % 3), readonly(np.zeros(len(forest), np.int64))
    end = tt.Forest(forest.parent, length, forest.leaf, nothing, nothing).past
    return tt.Forest(forest.parent, length, forest.leaf, end, end)


@given(st.data(), forests(), st.integers(1, 3))
def test_units_of_longer_nodes_are_known_by_their_numbers(data, forest, running):
    forest = with_longer_nodes(forest)
    for policy in (data.draw(policies(name, forest)) for name in ("pgdsf", "2q")):
        for mode in modes(forest, 9, running):
            by_both_engines(forest, policy, 9, **mode)
    assert tt.replay(forest, PGDSF(forest.length.tolist()), 9) == tt.replay(forest, GDSF(), 9)


def flat_requests(seed):
    """Return requests for single blocks, and a capacity from which on libcachesim's S3-FIFO admits them."""
    rng = random.Random(seed)
    capacity = rng.choice((20, 40, 100))
    blocks = rng.randint(capacity, 4 * capacity)
    return [int(rng.paretovariate(0.8)) % blocks for _ in range(rng.randint(100, 1500))], capacity


def by_libcachesim(name, requests, capacity):
    library = pytest.importorskip("libcachesim")
    cache, hits = getattr(library, name)(capacity, hashpower=12), []
    for at, block in enumerate(requests):
        request = library.Request()
        request.obj_id, request.obj_size, request.clock_time = block + 1, 1, at
        hits.append(int(cache.get(request)))
    return hits


def single_blocks(requests):
    return tt.Forest.from_paths([[block] for block in requests])


@pytest.mark.parametrize(
    ("policy", "name", "forced"),
    [
        (FIFO(), "FIFO", True),
        (LFU(), "LFU", True),
        (TwoQ(), "TwoQ", True),
        (TwoQ(Fraction(1, 4), Fraction(1, 2)), "TwoQ", True),
        (GDSF(), "GDSF", False),  # a new block of the least value is not admitted there
    ],
)
def test_libcachesim_agrees_on_single_blocks(policy, name, forced):
    for seed in range(12):
        requests, capacity = flat_requests(seed)
        ours = cached(single_blocks(requests), policy, capacity, forced=forced, engine="kernel")
        assert ours == by_libcachesim(name, requests, capacity)


@pytest.mark.parametrize("policy", [FIFO(), LFU(), SLRU()])
def test_sglangs_tree_agreed_on_single_blocks(policy):
    """What SGLang's radix tree hit, run by `experiments/engines/sglang_tree.py` with prompts of one token."""
    found = json.loads(VECTORS.read_text())
    assert len(found["cases"]) == 10
    for case in found["cases"]:
        ours = cached(single_blocks(case["requests"]), policy, case["capacity"], forced=True, engine="kernel")
        assert ours == case["hits"][policy.name]


def s3_fifo(requests, capacity, fills_the_large_queue):
    """S3-FIFO in lists; libcachesim lets blocks fill the large queue until the cache was full once."""
    small, large, ghosts, reads, hits, full = [], [], [], {}, [], False
    for block in requests:
        hits.append(int(block in reads))
        if block in reads:
            reads[block] = min(reads[block] + 1, 3)
            continue
        came_back = block in ghosts
        ghosts = [ghost for ghost in ghosts if ghost != block]
        while len(reads) == capacity:
            full = True
            if 10 * len(small) < capacity:
                block_out = large.pop(0)
                if reads[block_out]:
                    reads[block_out] -= 1
                    large.append(block_out)
                else:
                    del reads[block_out]
            while 10 * len(small) >= capacity and len(reads) == capacity:
                while small and reads[small[0]] >= 2:
                    reads[small[0]] = 0
                    large.append(small.pop(0))
                if small:
                    del reads[small[0]]
                    ghosts = [*ghosts, small.pop(0)][-9 * capacity // 10 :]
        fills = fills_the_large_queue and not full and 10 * len(small) >= capacity
        (large if came_back or fills else small).append(block)
        reads[block] = 0
    return hits


def test_s3_fifo_is_libcachesims_but_for_the_blocks_that_fill_the_cache():
    differ = 0
    for seed in range(12):
        requests, capacity = flat_requests(seed)
        theirs = by_libcachesim("S3FIFO", requests, capacity)
        ours = cached(single_blocks(requests), S3FIFO(), capacity, forced=True, engine="kernel")
        assert theirs == s3_fifo(requests, capacity, fills_the_large_queue=True)
        assert ours == s3_fifo(requests, capacity, fills_the_large_queue=False)
        differ += ours != theirs
    assert differ > 0


@pytest.mark.parametrize("name", NAMES)
@given(st.data(), st.lists(st.integers(0, 5), max_size=30), st.integers(0, 5), st.booleans())
def test_single_blocks_leave_no_holes(name, data, requests, capacity, forced):
    forest = tt.Forest.from_paths([[block] for block in requests], arrival=range(len(requests)))
    policy = data.draw(policies(name, forest))
    forced = forced and capacity > 0
    strict, holes = (tt.replay(forest, policy, capacity, forced, cache=cache) for cache in CACHES)
    assert strict == holes


@given(forests(), st.integers(0, 8), st.integers(1, 3))
def test_special_cases_are_lru(forest, capacity, running):
    for mode in modes(forest, capacity, running):
        for cache in CACHES:
            lru = tt.replay(forest, tt.LRU(), capacity, cache=cache, **mode)
            for policy in (TTL(float("inf")), Priority([5] * len(forest))):
                assert tt.replay(forest, policy, capacity, cache=cache, **mode) == lru
            gdsf, with_cost_1 = (
                tt.replay(forest, policy, capacity, cache=cache, **mode)
                for policy in (GDSF(), PGDSF(forest.length.tolist()))
            )
            assert gdsf == with_cost_1
            assert tt.replay(forest, PGDSF(), capacity, cache=cache, **mode) == gdsf


@pytest.mark.parametrize("policy", [GDSF(), TTL(1)])
def test_a_curve_is_a_replay_for_each_capacity(policy):
    curve = tt.capacity_curve(EXAMPLE, policy)
    assert not curve.one_pass
    for capacity in range(5):
        assert curve.cached(capacity).tolist() == cached(EXAMPLE, policy, capacity)


@given(st.lists(st.integers(0, 5), max_size=25), st.integers(1, 5), st.randoms(use_true_random=False))
def test_fifo_does_not_look_at_reads_again(requests, capacity, rng):
    hits = cached(single_blocks(requests), FIFO(), capacity, forced=True)
    often = [
        (block, hit)
        for block, hit in zip(requests, hits, strict=True)
        for _ in range(rng.randint(1, 3) if hit else 1)
    ]
    assert cached(single_blocks([block for block, _ in often]), FIFO(), capacity, forced=True) == [
        hit for _, hit in often
    ]


@given(forests(), st.sampled_from((0, 1, 2.5)))
def test_what_expired_is_not_hit(forest, seconds):
    last, fresh = {}, []
    for k, now in enumerate(forest.arrival.tolist()):
        path = forest.path(k)
        alive = [node in last and now - last[node] <= seconds for node in path]
        fresh.append(min([*alive, False].index(False), int(forest.ask[k])))
        last.update(dict.fromkeys(path, now))
    for cache in CACHES:
        assert cached(forest, TTL(seconds), forest.peak, cache=cache) == fresh


EXAMPLE = tt.Forest.from_paths([[1, 2], [1], [3], [1, 2], [4], [1, 2], [3]], arrival=range(7))


@pytest.mark.parametrize(
    ("policy", "strict", "holes"),
    [
        (FIFO(), [0, 1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 0, 0]),
        (LFU(), [0, 1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1, 0]),
        (TTL(1), [0, 1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0]),
        (Priority([0, 0, 9, 0, 0, 0, 0]), [0, 1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 0, 0, 1]),
    ],
)
def test_a_small_cache_by_hand(policy, strict, holes):
    found = [by_both_engines(EXAMPLE, policy, 2, cache=cache).cached.tolist() for cache in CACHES]
    assert found == [strict, holes]


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_an_evicted_block_is_forgotten(engine):
    how = {"forced": True, "engine": engine}
    requests = single_blocks([1, 1, 1, 2, 3, 1, 2, 3, 1])
    assert cached(requests, LFU(), 2, **how) == [0, 1, 1, 0, 0, 1, 0, 0, 1]
    kept = single_blocks([1, 2, 3, 1, 2])
    assert cached(kept, Priority([9, 0, 0, 0, 0]), 2, **how) == [0, 0, 0, 1, 0]
    evicted = tt.Forest.from_paths([[1], [5, 6], [1], [7], [8], [1]])
    assert cached(evicted, Priority([9, 0, 0, 1, 1, 0]), 2, **how) == [0] * 6


@dataclass(frozen=True)
class Frequent(LeastRecentlyUsed):
    """LFU that does not forget what was evicted; what lies below a part of the longest path is surplus."""

    parts: int

    def budget(self, node):
        return node.past // self.parts

    def eviction_key(self, node):
        return node.hits


class RememberedReads(Frequent):
    def memory(self, instance):
        return EveryRead()


class EveryRead(Memory):
    def __init__(self):
        self.reads = {}

    def used(self, node, resident):
        self.reads[node.code] = self.reads.get(node.code, 0) + 1

    def key(self, node):
        return self.reads[node.code]


@given(forests(), st.integers(0, 8), st.integers(1, 3), st.integers(1, 2))
@example(tt.Forest.from_paths([[1, 2], [3, 4], [1, 2]]), 3, 1, 2)
def test_a_memory_of_ones_own_does_what_a_rule_does(forest, capacity, running, parts):
    for mode in modes(forest, capacity, running):
        for cache in CACHES:
            memory, rule = (
                tt.replay(forest, policy, capacity, cache=cache, **mode)
                for policy in (RememberedReads(parts), Frequent(parts))
            )
            assert memory == rule


def test_a_class_derived_from_a_policy_is_another_policy():
    class Derived(FIFO):
        def eviction_key(self, node):
            return -node.since

    requests = single_blocks([1, 2, 3] * 900)
    assert sum(cached(requests, Derived(), 2, forced=True)) > sum(cached(requests, FIFO(), 2, forced=True)) == 0
    refused(tt.ArgumentError, "memory of its own", lambda: tt.replay(requests, Derived(), 2, engine="kernel"))


def test_conversations_are_their_forest_on_curves_too_and_ttl_needs_arrivals():
    trace = tt.Trace.from_turns([0, 1, 0], [2, 2, 1], [0] * 3)
    for capacity in range(6):
        both = [tt.capacity_curve(one, FIFO()).cached(capacity) for one in (trace, trace.forest)]
        assert both[0].tolist() == both[1].tolist()
    refused(tt.ArgumentError, "no arrival times", lambda: tt.replay(trace, TTL(3), 2))


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda: TTL(-1), "seconds: found -1, expected 0 or more"),
        (lambda: TTL(float("nan")), "seconds: found nan, expected 0 or more"),
        (lambda: TwoQ(Fraction(3, 2)), "recent: found"),
        (lambda: S3FIFO(ghosts=-1), "ghosts: found"),
        (lambda: PGDSF(per_depth=-1.0), "per_depth: found -1.0, expected 0 or more"),
        (lambda: PGDSF([1, -1, 1, 1]), "cost: found .*, expected a cost of 0 or more for each of 4 nodes"),
        (lambda: PGDSF([1]), "cost: found .*, expected a cost of 0 or more for each of 4 nodes"),
        (lambda: Priority([1]), "of: found .*, expected a priority for each of 7 requests"),
        (lambda: Priority({"a": 1}), "forest: found 'no kinds', expected kinds"),
    ],
)
@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_wrong_parameters_are_named(policy, message, engine):
    refused(tt.ArgumentError, message, lambda: tt.replay(EXAMPLE, policy(), 2, engine=engine))


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_a_time_to_live_needs_times(engine):
    with pytest.raises(tt.ArgumentError, match="forest: found 'no arrival times'"):
        tt.replay(single_blocks([1, 1]), TTL(3), 2, engine=engine)


def test_short_forms_name_parameters():
    plain = tt.Forest.from_paths([[1], [2], [3], [1], [2]])
    tagged = plain.with_hints(tt.Hints.of(plain, kind=["low", "high", "high", "low", "high"]))
    assert cached(tagged, parse_policy("priority:kinds=high").build(0, 0), 1, forced=True) == [0] * 5
    assert cached(tagged, parse_policy("priority:kinds=high").build(0, 0), 2) == [0, 0, 0, 0, 1]
    assert cached(tagged, Priority({"low": 1}), 1) == [0, 0, 0, 1, 0]
    assert parse_policy("ttl:seconds=300").build(0, 0) == TTL(300)
    assert parse_policy("2q:recent=1/3,ghosts=1").build(0, 0) == TwoQ(Fraction(1, 3), Fraction(1))
    assert parse_policy("s3-fifo:small=0.2").build(0, 0) == S3FIFO(Fraction(1, 5))
    assert parse_policy("pgdsf:per_depth=0.5").build(0, 0) == PGDSF(per_depth=0.5)


def test_policies_are_values():
    made = [[PGDSF([1, 2]), Priority({"a": 1, "b": 2}), Priority(np.array([1, 2])), GDSF()] for _ in "ab"]
    assert made[0] == made[1]
    assert len({*made[0], *made[1]}) == 4
