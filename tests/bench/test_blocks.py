import numpy as np
from hypothesis import given
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.bench.blocks import NEVER, block_requests

TRACES = (turn_columns() | given_columns()).map(lambda columns: tt.Trace.from_turns(**columns))


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


@given(TRACES)
def test_every_request_knows_the_next_one_for_its_block(trace):
    found = block_requests(trace)
    assert len(found) == trace.past.sum()
    for place, block in enumerate(found.block.tolist()):
        later = np.flatnonzero(found.block[place + 1 :] == block)
        assert found.next_request[place] == (place + 1 + later[0] if len(later) else NEVER)


@given(TRACES)
def test_as_many_requests_hit_an_endless_cache_as_turns_reuse(trace):
    blocks = block_requests(trace).block
    reused = tt.replay(trace, tt.LRU(), int(trace.past.sum())).cached
    assert len(blocks) - len(set(blocks.tolist())) == reused.sum()
