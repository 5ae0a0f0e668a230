"""A forest is what its paths say, and whole conversations are chains with the numbers of their trace."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusals, refused
from strategies import forests, given_columns, named, turn_columns, words

import teltheory as tt


def common(one, other):
    """Return the length of the common prefix of two paths."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def by_units(trace):
    """Return each turn's path with every token a node of its own: the obviously right forest of a trace."""
    past, paths, fresh = {}, [], iter(range(10**9))
    for c, h, new in zip(trace.code, trace.history, trace.prompt + trace.response, strict=True):
        kept = past.get(c, [])
        missing = h - len(kept[:h])
        past[c] = kept[:h] + [next(fresh) for _ in range(missing + new)]
        paths.append(past[c])
    return tt.Forest.from_paths(paths, trace.total.tolist())


@given(words(), st.data())
def test_known_is_the_longest_prefix_that_an_earlier_request_has(spelt, data):
    ask = [data.draw(st.integers(0, len(word))) for word in spelt]
    forest = tt.Forest.from_paths(named(spelt), ask)
    longest = [max((common(word, w) for w in spelt[:k]), default=0) for k, word in enumerate(spelt)]
    assert forest.known.tolist() == np.minimum(longest, ask).tolist()
    assert forest.peak == len({tuple(word[: at + 1]) for word in spelt for at in range(len(word))})


@given(words())
def test_paths_share_the_nodes_of_their_common_prefix_and_no_others(spelt):
    forest = tt.Forest.from_paths(named(spelt))
    paths = [forest.path(k) for k in range(len(spelt))]
    assert [len(path) for path in paths] == forest.past.tolist() == [len(word) for word in spelt]
    assert (forest.parent < np.arange(forest.nodes)).all()
    for k, path in enumerate(paths):
        assert [len({*path} & {*other}) for other in paths] == [common(spelt[k], word) for word in spelt]
        assert forest.depth[path].tolist() == list(range(1, len(path) + 1))


@given(turn_columns())
def test_a_trace_with_whole_histories_is_chains_with_the_same_numbers(columns):
    trace = tt.Trace.from_turns(**columns)
    forest = trace.forest
    assert trace.is_chains
    assert forest.is_chains
    assert forest.known.tolist() == trace.history.tolist()
    assert forest.total.tolist() == trace.total.tolist()
    assert forest.past.tolist() == trace.past.tolist()
    assert forest.peak == trace.peak


@given(given_columns())
def test_a_shortened_history_branches_and_what_it_leaves_out_stays(columns):
    trace = tt.Trace.from_turns(**columns)
    forest, units = trace.forest, by_units(trace)
    for column in ("known", "past", "ask", "total"):
        assert getattr(forest, column).tolist() == getattr(units, column).tolist()
    assert forest.peak == units.peak
    assert forest.is_chains == units.is_chains
    assert forest.is_chains or not trace.is_chains
    assert (forest.length > 0).all()


def test_where_a_history_is_shorter_the_two_readings_differ():
    trace = tt.Trace.from_turns([0, 0, 0], [4, 1, 1], [0, 0, 0], history=[0, 2, 2])
    assert not trace.is_chains
    assert trace.peak == 4
    assert (trace.forest.peak, trace.forest.nodes, trace.forest.is_chains) == (6, 4, False)


def test_equal_paths_make_equal_forests():
    forest = tt.Forest.from_paths([[7, 9], [7, 8]], arrival=[0, 1], block_size=512)
    assert forest == tt.Forest.from_paths([[1, 2], [1, 3]], arrival=[0, 1], block_size=512)
    assert forest != tt.Forest.from_paths([[1, 2], [1, 3]], arrival=[0, 1])
    assert forest != tt.Forest.from_paths([[1, 2], [1, 3]], ask=[2, 1], arrival=[0, 1], block_size=512)


test_bad_paths_are_named = refusals(
    tt.TraceError,
    ("turn 1, paths: found 2", lambda: tt.Forest.from_paths([[1, 2], [3, 2]])),
    ("turn 0, paths: found 1, expected a block with one parent", lambda: tt.Forest.from_paths([[1, 1]])),
    ("ask: found '1 values', expected 2", lambda: tt.Forest.from_paths([[1], [1]], [1])),
    ("turn 1, arrival: found 1.0", lambda: tt.Forest.from_paths([[1], [1]], None, None, [2, 1])),
    ("turn 0, ask: found 3", lambda: tt.Forest.from_paths([[1, 2]], ask=[3])),
    ("turn 0, total: found 1", lambda: tt.Forest.from_paths([[1, 2]], total=[1])),
    ("turn 0, tokens: found 7", lambda: tt.Forest.from_paths([[1, 2]], tokens=[7], block_size=4)),
)


@given(forests(), st.integers(1, 4))
def test_larger_blocks_are_shared_by_paths_that_have_all_of_them(forest, size):
    blocks = forest.to_blocks(size)
    ends = forest.past // size
    assert (blocks.past == ends).all()
    assert (blocks.ask == forest.ask // size).all()
    assert (blocks.inputs == forest.inputs).all()
    for k in range(len(forest)):
        for j in range(k):
            shared = len({*forest.path(k)} & {*forest.path(j)})
            nodes = {*blocks.path(k)} & {*blocks.path(j)}
            assert blocks.length[list(nodes)].sum() == shared // size


@given(forests(), st.integers(1, 4))
def test_smaller_blocks_cut_every_block_and_units_are_nodes(forest, parts):
    large = tt.Forest.from_paths([forest.path(k) for k in range(len(forest))], forest.ask, block_size=parts)
    small = large.to_blocks(1)
    assert (small.depth == large.depth * parts).all()
    units = small.by_units()
    assert (units.length == 1).all()
    assert (units.past == small.past).all()
    assert (units.known == small.known).all()
    assert units.to_blocks(parts) == large


@given(forests(), st.integers(0, 13))
def test_a_slice_of_a_forest_is_the_forest_of_its_requests(forest, requests):
    first = forest[:requests]
    paths = [forest.path(k) for k in range(len(forest))][:requests]
    columns = [column[:requests].tolist() for column in (forest.ask, forest.total, forest.arrival)]
    assert first == tt.Forest.from_paths(paths, *columns)


def test_a_trace_keeps_what_its_requests_share():
    forest = tt.Forest.from_paths([[1], [1, 2], [1, 3]], block_size=16)
    trace = tt.Trace.from_turns([0, 0, 1], [16, 16, 32], [0, 0, 0], history=[0, 16, 0]).with_blocks(forest)
    assert trace.forest is trace.blocks
    assert trace.blocks == forest
    assert trace.blocks.agents.tolist() == trace.agents.tolist() == [0, 0, 1]
    assert forest.agents.tolist() == [0, 1, 2]
    assert not trace.is_chains
    assert trace[:2].forest == forest[:2]
    assert trace.to_blocks(32).forest == forest.to_blocks(32)
    assert trace.to_blocks(24).blocks is None
    refused(tt.TraceError, "blocks: found '3 requests'", lambda: trace[:2].with_blocks(forest))
