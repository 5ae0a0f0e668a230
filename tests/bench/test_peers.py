from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.bench.peers import HASH_POWERS, NEVER, LibCacheSim, block_requests, write_requests
from teltheory.workloads import ConversationModel

SEEDS = range(3)
CAPACITIES = (40, 150, 600, 10**6)
EITHER = (turn_columns() | given_columns()).map(lambda columns: tt.Trace.from_turns(**columns))
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


def test_a_turn_asks_for_its_history_and_then_for_what_is_new():
    trace = tt.Trace.from_turns([0, 1, 0], [20, 40, 10], [15, 0, 20]).to_blocks(16)
    found = block_requests(trace)
    assert found.block.tolist() == [0, 1, 2, 3, 0, 1, 4, 5]
    assert found.next_request.tolist() == [4, 5, *[NEVER] * 6]


def test_partial_blocks_are_not_asked_for():
    trace = tt.Trace.from_turns([0, 0], [15, 0], [0, 1]).to_blocks(16)
    assert block_requests(trace).block.tolist() == [0]
    assert trace.history.tolist() == [0, 0]


def test_what_a_shortened_history_leaves_out_gets_new_blocks():
    trace = tt.Trace.from_turns([0, 0, 0], [3, 2, 1], [0, 0, 0], history=[0, 1, 3])
    found = block_requests(trace)
    assert found.block.tolist() == [0, 1, 2, 0, 3, 4, 0, 3, 4, 5]
    assert found.next_request.tolist() == [3, NEVER, NEVER, 6, 7, 8, NEVER, NEVER, NEVER, NEVER]


@given(EITHER)
def test_every_request_knows_the_next_one_for_its_block(trace):
    found = block_requests(trace)
    assert len(found) == trace.past.sum()
    for place, block in enumerate(found.block.tolist()):
        later = np.flatnonzero(found.block[place + 1 :] == block)
        assert found.next_request[place] == (place + 1 + later[0] if len(later) else NEVER)


@given(EITHER)
def test_as_many_requests_hit_an_endless_cache_as_turns_reuse(trace):
    blocks = block_requests(trace).block
    reused = tt.replay(trace, tt.LRU(), int(trace.past.sum())).cached
    assert len(blocks) - len(set(blocks.tolist())) == reused.sum()
