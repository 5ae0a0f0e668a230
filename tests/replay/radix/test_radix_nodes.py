"""A radix tree of whole nodes: the compiled loop, the reference, and the strict cache that unit nodes are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.trees.test_forest_recency import branches, in_long_units
from strategies import forests

import teltheory as tt
from experiments.sglang_policies import UNTOLD
from teltheory.model.numbers import readonly
from teltheory.policies import GDSF, Node, on_arrays
from teltheory.policies.policy import LeastRecentlyUsed, NotCompiledError

TRIMS = ("least-recent", "eager", None)
MARKS = ("high-water", "resident", "last")
SHAPES = st.builds(tt.RadixNodes, st.none() | st.integers(1, 3), st.booleans(), st.booleans())


@st.composite
def policies(draw, trims=TRIMS):
    xi, q_hat = draw(st.integers(0, 6)), draw(st.integers(0, 3))
    trim, mark = draw(st.sampled_from(trims)), draw(st.sampled_from(MARKS))
    marked = tt.TLRU(xi, q_hat, trim, mark), tt.EndAwareTLRU(xi, q_hat, trim, mark)
    clairvoyant = tt.LengthAwareTLRU(xi, trim), tt.Belady(), tt.TailOptimizedBelady(xi)
    return draw(st.sampled_from((tt.LRU(), tt.ThresholdLRU(xi), *marked, *clairvoyant)))


def served(forest, policy, capacity, engine, **options):
    """Return an outcome, or the sentence of the error."""
    try:
        return tt.replay(forest, policy, capacity, engine=engine, **options)
    except tt.ForcedCachingError as error:
        return str(error)


@given(forests(), policies() | st.sampled_from([*UNTOLD.values()]), SHAPES, st.integers(0, 9), st.integers(1, 3))
def test_the_radix_kernel_agrees_with_its_reference(forest, policy, shape, room, running):
    capacity = int(forest.past.max(initial=0)) + room - 1
    options = {"cache": shape, "running": running}
    plain, fast = (served(forest, policy, max(capacity, 0), e, **options) for e in ("reference", "kernel"))
    assert plain == fast


@given(forests(), st.data(), policies(), SHAPES)
def test_nodes_of_the_forest_may_be_longer_than_units(forest, data, policy, shape):
    length = data.draw(st.lists(st.integers(1, 3), min_size=forest.nodes, max_size=forest.nodes))
    longer = replace(forest, length=readonly(np.array(length, np.int64)))
    capacity = int(longer.past.max(initial=0)) + data.draw(st.integers(0, 9))
    plain, fast = (served(longer, policy, capacity, e, cache=shape) for e in ("reference", "kernel"))
    assert plain == fast


def known_before(xi, q_hat, trim):
    """Policies whose rules look at what is known before the replay."""
    marked = tt.TLRU(xi, q_hat, trim, "high-water"), tt.EndAwareTLRU(xi, q_hat, trim, "last")
    return *marked, tt.LRU(), tt.LengthAwareTLRU(xi, trim), tt.Belady(), tt.TailOptimizedBelady(xi)


@given(forests() | branches(), st.data(), SHAPES, st.integers(0, 9))
def test_lengths_near_2_62_are_replayed_as_short_ones(forest, data, shape, room):
    says = data.draw(st.integers(0, 6)), data.draw(st.integers(0, 3)), data.draw(st.sampled_from(TRIMS[:2]))
    capacity = int(forest.past.max(initial=0)) + room
    unit, long = in_long_units(forest, capacity, *says[:2], shape.chunk or 1)
    larger = replace(shape, chunk=None if shape.chunk is None else shape.chunk * unit)
    scaled = known_before(says[0] * unit, says[1] * unit, says[2])
    for policy, same in zip(known_before(*says), scaled, strict=True):
        expected = tt.replay(forest, policy, capacity, engine="kernel", cache=shape)
        found = tt.replay(long, same, capacity * unit, engine="kernel", cache=larger)
        assert found.cached.tolist() == (expected.cached * unit).tolist()
        assert found.written.tolist() == (expected.written * unit).tolist()


@pytest.mark.parametrize("requests", [2, 3])
def test_chunks_of_paths_that_are_beyond_64_bits_together_are_counted_exactly_or_refused(requests):
    paths = readonly(np.full(requests, 2**62))
    forest = tt.Forest(np.array([-1]), paths[:1], np.zeros(requests, np.int64), paths, paths)
    few = tt.replay(forest, tt.LRU(), 2**62, cache=tt.RadixNodes(chunk=2**60))
    assert (few.reused, few.written.tolist()) == ((requests - 1) * 2**62, [2**62] + [0] * (requests - 1))
    message = f"chunk: found 1, expected longer chunks, as there may be {2**62 + 1:,} nodes"
    refused(tt.ArgumentError, message, tt.replay, forest, tt.LRU(), 2**62, cache=tt.RadixNodes(chunk=1))


@given(forests(), policies(), st.integers(0, 9))
def test_nodes_of_one_unit_are_the_strict_forced_cache(forest, policy, room):
    asked = replace(forest, ask=forest.past, total=forest.past)
    capacity = int(asked.past.max(initial=0)) + room
    blocks = tt.replay(asked, policy, capacity, forced=True)
    assert tt.replay(asked, policy, capacity, cache=tt.RadixNodes(chunk=1)) == blocks


def test_a_split_makes_the_part_that_was_not_read_recent():
    forest = tt.Forest.from_paths([[1, 2], [3], [1], [4], [3]])
    for engine in ("reference", "kernel"):
        nodes = tt.replay(forest, tt.LRU(), 3, cache=tt.RadixNodes(), engine=engine)
        assert nodes.cached.tolist() == [0, 0, 1, 0, 0]
        assert nodes.written.tolist() == [2, 1, 0, 1, 1]
        old = tt.replay(forest, tt.LRU(), 3, cache=tt.RadixNodes(renew=False), engine=engine)
        assert old.cached.tolist() == [0, 0, 1, 0, 1]
    assert tt.replay(forest, tt.LRU(), 3, forced=True).cached.tolist() == [0, 0, 1, 0, 1]


def test_a_node_goes_whole_unless_it_is_cut_at_the_budget():
    forest = tt.Forest.from_paths([[1, 2, 3], [4, 5], [1, 2, 3]])
    policy = tt.TLRU(xi=1, q_hat=0)
    hits = {
        shape: tt.replay(forest, policy, 4, cache=shape).cached.tolist()
        for shape in (tt.RadixNodes(), tt.RadixNodes(chunk=2), tt.RadixNodes(split=True))
    }
    assert [*hits.values()] == [[0, 0, 0], [0, 0, 2], [0, 0, 2]]


def test_what_a_request_leaves_twice_waits_by_its_last_key():
    paths = [[1, 2, 3], [1], [4, 5, 6, 7], [8, 9, 10, 11], [4, 12, 13], [1, 2, 3, 14, 15], [1, 16, 17, 18]]
    forest = tt.Forest.from_paths(paths, ask=[0, 1, 3, 1, 0, 5, 2])
    length = readonly(np.array([2, 3, 3, 1, 3, 2, 3, 1, 2, 1, 1, 3, 3, 2, 3, 1, 3, 1]))
    for engine in ("reference", "kernel"):
        options = {"cache": tt.RadixNodes(), "engine": engine}
        outcome = tt.replay(replace(forest, length=length), tt.LengthAwareTLRU(1), 17, **options)
        assert outcome.cached.tolist() == [0, 1, 0, 0, 0, 5, 2]


def test_outputs_are_nodes_of_their_own_and_need_room_even_if_they_are_cached():
    forest = tt.Forest.from_paths([[1, 2, 3], [1, 2, 3], [4], [1, 2, 3]], ask=[2, 2, 1, 3])
    outcome = tt.replay(forest, tt.LRU(), 3, cache=tt.RadixNodes())
    assert outcome.cached.tolist() == [0, 2, 0, 2]
    assert outcome.written.tolist() == [3, 1, 1, 1]


def test_every_path_has_to_fit_the_last_one_too():
    forest = tt.Forest.from_paths([[1, 2], [3, 4, 5]])
    for engine in ("reference", "kernel"):
        with pytest.raises(tt.ForcedCachingError, match="turn 1: forced caching must keep a past of length 3"):
            tt.replay(forest, tt.LRU(), 2, cache=tt.RadixNodes(), engine=engine)


class Short(LeastRecentlyUsed):
    """A custom policy that looks at where a node ends."""

    name = "short"

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return node.length


def test_a_rule_on_where_a_node_ends_is_for_the_reference():
    forest = tt.Forest.from_paths([[1, 2], [3], [4, 5]])
    with pytest.raises(NotCompiledError, match="rules that look at length"):
        tt.replay(forest, Short(), 3, cache=tt.RadixNodes(), engine="kernel")
    outcome = tt.replay(forest, Short(), 3, cache=tt.RadixNodes())
    assert outcome.written.tolist() == [2, 1, 2]


class Told(LeastRecentlyUsed):
    """A custom policy that has a key for each value that a fact of a node can have, and for no other."""

    name = "told"

    def __init__(self, fact: str, keys: np.ndarray) -> None:
        self.fact, self.keys = fact, keys

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        return self.keys[getattr(node, self.fact)]


@pytest.mark.parametrize(("fact", "values"), [("reads", 6), ("since", 5), ("stamp", 10)])
def test_a_rule_is_asked_only_of_what_a_node_can_be(fact, values):
    forest = tt.Forest.from_paths([[1, 2], [3], [1, 4], [5], [3, 6]])
    for keys in (np.arange(values), -np.arange(values)):
        policy, shape = Told(fact, keys), tt.RadixNodes()
        plain, fast = (served(forest, policy, 4, e, cache=shape) for e in ("reference", "kernel"))
        assert plain == fast
        assert fast.written.sum() > 0


def test_policies_that_remember_blocks_are_refused():
    forest = tt.Forest.from_paths([[1, 2], [3], [4, 5]])
    with pytest.raises(
        tt.ArgumentError, match=r"expected 'strict' or 'holes' for GDSF\(\), which remembers blocks"
    ):
        tt.replay(forest, GDSF(), 3, cache=tt.RadixNodes())


def test_wrong_chunks_are_named():
    refused(tt.ArgumentError, "chunk: found 0, expected 1 or more tokens, or None", tt.RadixNodes, chunk=0)
    refused(tt.ArgumentError, "chunk: found 1.5", tt.RadixNodes, chunk=1.5)
    refused(tt.ArgumentError, "split: found 3, expected True or False", tt.RadixNodes, split=3)
    with pytest.raises(tt.ArgumentError, match=r"cache: found RadixNodes.*expected a Forest with it"):
        tt.replay(tt.Trace.from_turns([0], [1], [1]), tt.LRU(), 2, cache=tt.RadixNodes())


def test_chunks_are_in_tokens_and_hold_whole_blocks():
    forest = tt.Forest.from_paths([[1, 2, 3, 4], [5], [1, 2, 3, 4]], block_size=16)
    units = tt.Forest.from_paths([[1, 2, 3, 4], [5], [1, 2, 3, 4]])
    for engine in ("reference", "kernel"):
        tokens, blocks = (
            tt.replay(each, tt.LRU(), 4, cache=tt.RadixNodes(chunk), engine=engine)
            for each, chunk in ((forest, 47), (units, 2))
        )
        assert tokens.cached.tolist() == blocks.cached.tolist() == [0, 0, 2]
        with pytest.raises(tt.ArgumentError, match="chunk: found 15, expected at least 16 tokens, a block"):
            tt.replay(forest, tt.LRU(), 4, cache=tt.RadixNodes(15), engine=engine)
