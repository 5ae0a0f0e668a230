from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import turn_columns

import teltheory as tt
from teltheory.bench.blocks import NEVER, block_requests
from teltheory.bench.peers import HASH_POWERS, LibCacheSim, cachetools_lru, write_requests
from teltheory.workloads import ConversationModel

SEEDS = range(6)
CAPACITIES = (40, 150, 600, 10**6)
TRACES = turn_columns().map(lambda columns: tt.Trace.from_turns(**columns))


def sampled(seed, turns=300):
    model = ConversationModel(mean_prompt=40, mean_response=60)
    return tt.sample_conversations(model, turns, np.random.default_rng(seed)).to_blocks(16)


def lru_hits(blocks, capacity):
    cache, hits = OrderedDict(), 0
    for block in blocks:
        if block in cache:
            hits += 1
            cache.move_to_end(block)
            continue
        if len(cache) == capacity:
            cache.popitem(last=False)
        cache[block] = True
    return hits


def belady_hits(requests, capacity):
    cache, hits = {}, 0
    for block, upcoming in zip(requests.block.tolist(), requests.next_request.tolist(), strict=True):
        if block in cache:
            hits += 1
        elif len(cache) == capacity:
            del cache[max(cache, key=cache.__getitem__)]
        cache[block] = len(requests) if upcoming == NEVER else upcoming
    return hits


@pytest.fixture(params=SEEDS)
def trace(request):
    return sampled(request.param)


@pytest.fixture
def simulate(trace, tmp_path):
    pytest.importorskip("libcachesim")
    requests = block_requests(trace)
    write_requests(requests, tmp_path / "requests")

    def replay(eviction, capacity, power):
        share = LibCacheSim(tmp_path / "requests", capacity).replay(eviction, power)
        return round(share * len(requests))

    return replay


@pytest.mark.parametrize("power", HASH_POWERS)
@pytest.mark.parametrize("capacity", CAPACITIES)
def test_libcachesim_hits_as_a_plain_simulation_does(trace, simulate, capacity, power):
    requests = block_requests(trace)
    assert simulate("LRU", capacity, power) == lru_hits(requests.block.tolist(), capacity)
    assert simulate("Belady", capacity, power) == belady_hits(requests, capacity)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_cachetools_hits_as_a_plain_simulation_does(trace, capacity):
    blocks = block_requests(trace).block.tolist()
    assert cachetools_lru(blocks, capacity) == lru_hits(blocks, capacity)


@given(TRACES, st.integers(1, 40))
def test_a_prefix_cache_hits_at_least_as_often_as_a_block_cache(trace, capacity):
    requests = block_requests(trace)
    assert tt.replay(trace, tt.LRU(), capacity).cached.sum() >= lru_hits(requests.block.tolist(), capacity)
    assert tt.replay(trace, tt.Belady(), capacity).cached.sum() >= belady_hits(requests, capacity)


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_the_hits_of_a_prefix_cache_and_of_a_block_cache_are_close(trace, capacity):
    requests = block_requests(trace)
    lru, belady = (int(tt.replay(trace, policy, capacity).cached.sum()) for policy in (tt.LRU(), tt.Belady()))
    assert lru - lru_hits(requests.block.tolist(), capacity) <= 0.06 * len(requests)
    assert belady - belady_hits(requests, capacity) <= 0.003 * len(requests)


def test_a_reader_can_be_replayed_again(trace, simulate, tmp_path):
    simulator = LibCacheSim(tmp_path / "requests", 150)
    assert len({simulator.replay("LRU", 14) for _ in range(3)}) == 1
