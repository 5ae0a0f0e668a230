"""KVCache.AI's simulator: its format, with every id a block, and the numbers that it prints."""

from formats.files import SLOW, columns, lines, wrong_files
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt

NAME = "kvcache-simulator"
PRINTED = {586: (12_206, 42_647), 1953: (15_370, 72_905), 5859: (39_258, 101_884)}
"""Hits of LRU and of its optimum on Mooncake's conversations, by blocks of memory, no request being warm-up."""


def row(ids, tokens=None, **more):
    return {"block_size": 4, "hash_ids": ids, "input_length": 4 * len(ids) if tokens is None else tokens} | more


def test_its_numbers_for_the_conversations_of_mooncake(mooncake):
    forest = tt.read_trace(mooncake, NAME, blocks=512).blocks
    assert int(forest.ask.sum()) == 288_500
    assert {capacity: hits(forest, capacity) for capacity in PRINTED} == PRINTED


def hits(forest, capacity):
    """Return how many blocks LRU and the optimum hit in a strict cache that is cut after each request."""
    lru = tt.replay(forest, tt.LRU(), capacity=capacity, cache="strict")
    best = tt.hindsight_optimum(forest, capacity=capacity, xi=0, cache="strict")
    return int(lru.cached.sum()), int(forest.ask.sum()) - best.objective


def hits_by_definition(paths, capacity, goes_first):
    """Insert each path, then evict leaves, of one path the deepest, until the cache fits; count blocks found."""
    cache, last, found = set(), {}, 0
    blocks = [[tuple(path[: depth + 1]) for depth in range(len(path))] for path in paths]
    for now, path in enumerate(blocks):
        found += len(path) if cache.issuperset(path) else next(d for d, b in enumerate(path) if b not in cache)
        cache |= set(path)
        last |= dict.fromkeys(path, now)
        while len(cache) > capacity:
            leaves = cache - {block[:-1] for block in cache}
            cache.remove(min(leaves, key=lambda leaf: (goes_first(leaf, now + 1, last, blocks), -len(leaf))))
    return found


RULES = (
    lambda leaf, now, last, blocks: last[leaf],
    lambda leaf, now, last, blocks: -next((k for k in range(now, len(blocks)) if leaf in blocks[k]), len(blocks)),
)
"""LRU's, and that of the block whose next request is furthest."""
PATHS = st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=1, max_size=10)


@given(PATHS, st.integers(0, 7), st.booleans())
def test_hits_are_those_of_leaves_that_go_one_by_one(tmp_path_factory, paths, capacity, as_text):
    rows = [row([str(i) for i in path] if as_text else path) for path in paths]
    forest = tt.read_trace(lines(tmp_path_factory.getbasetemp() / "k.jsonl", rows)).blocks
    assert hits(forest, capacity) == tuple(hits_by_definition(paths, capacity, rule) for rule in RULES)


def test_the_last_block_is_kept_and_all_else_is_as_in_mooncake(mooncake, mooncake_trace):
    whole, full = tt.read_trace(mooncake, NAME, blocks=512), mooncake_trace
    assert (columns(whole), whole.arrival.tolist()) == (columns(full), full.arrival.tolist())
    assert whole.report.chaining == full.report
    assert whole.blocks.ask.tolist() == [-(-tokens // 512) for tokens in full.total.tolist()]


def test_without_times_requests_are_in_the_order_of_the_file(tmp_path):
    file = lines(tmp_path / "k.jsonl", '{"block_size":64,"hash_ids":[2001,2002],"input_length":128}\n')
    trace = tt.read_trace(file)
    assert (trace.report.format, trace.blocks.ask.tolist(), trace.blocks.arrival) == (NAME, [2], trace.arrival)
    rows = [row([1, 2], 7, block_tokens=[4, 3]), row(["1", 3]), row([1, 2])]
    trace, drawn = (tt.read_trace(lines(file, rows), times=times) for times in (None, SLOW))
    assert (trace.blocks.known.tolist(), sorted(drawn.total.tolist())) == ([0, 1, 2], [7, 8, 8])
    dated = [one | {"timestamp": 1000 * k, "output_length": 5} for k, one in enumerate(rows)]
    trace = tt.read_trace(lines(file, dated), NAME)
    assert (trace.arrival.tolist(), trace.response.tolist()) == ([0, 1, 2], [5, 5, 5])
    tt.write_trace(trace, tmp_path / "own.csv")
    assert tt.read_trace(tmp_path / "own.csv") == trace


def test_a_block_size_is_needed_once(tmp_path):
    bare, said = lines(tmp_path / "k.jsonl", [{"hash_ids": [1], "input_length": 3}]), tmp_path / "said.jsonl"
    assert tt.read_trace(bare, blocks=4).blocks.block_size == 4
    refused(tt.ArgumentError, "blocks: found None, expected the tokens per block", tt.read_trace, bare)
    refused(tt.FileError, "found 4, expected 8, as given", tt.read_trace, lines(said, [row([1])]), blocks=8)


test_what_is_wrong_is_named_with_its_place = wrong_files(
    "k.jsonl",
    ([row([1]), row([1], block_size=8)], "line 2, block_size: found 8, expected 4, as before"),
    ([row([1], block_size=True)], "line 1, block_size: found True, expected a whole number above 0"),
    ([row([1, 2], 4)], "line 1, hash_ids: found 2, expected 1 ids for 4 tokens in blocks of 4"),
    ([row([True])], "line 1, hash_ids: found [True], expected a list of whole numbers or texts"),
    ([row([1, 2], block_tokens=[4, 2])], "line 1, block_tokens: found [4, 2], expected none, or [4, 4] as"),
    ([row([1], timestamp=9), row([1], timestamp=8)], "line 2, timestamp: found 8, expected 9 or later"),
)
