"""Replays in tiers: two engines, and whole nodes in one tier."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests
from tiered import MODES, Dear, documents, memories, policies, tiered

import teltheory as tt
from teltheory.policies import FIFO, GDSF, Priority

CAPACITIES = st.integers(0, 8)


@given(documents(), st.data())
def test_the_heaps_agree_with_the_reference_request_by_request(forest, data):
    tiers, policy, block, _ = data.draw(tiered(forest))
    if data.draw(st.integers(0, 9)) == 9:
        policy = Priority([k % 3 for k in range(len(forest))])
    fast, plain = (
        tt.replay(forest, policy, tiers, cache=tt.WholeNodes(block), engine=engine)
        for engine in ("auto", "reference")
    )
    assert fast == plain
    assert (fast.cached.sum(axis=0) + fast.written == forest.past).all()
    assert (fast.loaded == fast.cached[1:]).all()


@pytest.mark.parametrize("policy", [tt.LRU(), GDSF(), tt.TLRU(8, 1), (FIFO(), tt.LRU()), Dear()], ids=repr)
@pytest.mark.parametrize("mode", MODES)
def test_they_agree_on_a_longer_run(policy, mode):
    """First on few documents that all fit, so that orders that no longer count pile up, then on many."""
    rng = np.random.default_rng(7)
    parent = np.array([rng.integers(-1, node) for node in range(40)])
    leaf = np.concatenate(([39], rng.integers(0, 9, 250), rng.integers(0, 40, 150)))
    sized = replace(tt.Forest.of_nodes(parent, leaf), length=rng.integers(1, 9, 40))
    forest = replace(sized, ask=sized.past, total=sized.past)
    gpu = int(sized.depth.max()) + 49
    tiers = tt.Tiers((gpu, gpu + 60 if mode == "inclusive" else 60), (0, 0), mode)
    fast, plain = (
        tt.replay(forest, policy, tiers, cache=tt.WholeNodes(2), engine=e) for e in ("auto", "reference")
    )
    assert fast == plain
    assert min(fast.copied.sum(), fast.loaded.sum()) > 100


@given(forests(), policies(), CAPACITIES, st.booleans(), st.data())
def test_the_heaps_agree_with_the_reference_unit_by_unit(forest, policy, first, forced, data):
    first += int(forest.past.max(initial=0)) if forced else 0
    tiers = data.draw(memories(first, 8))
    fast, plain = (tt.replay(forest, policy, tiers, forced, engine=engine) for engine in ("auto", "reference"))
    assert fast == plain


def test_paths_may_be_long():
    chain = tt.Forest.from_paths([range(3000), range(2999)])
    for cache in ("strict", tt.WholeNodes()):
        outcome = tt.replay(chain, tt.LRU(), tt.Tiers((3000, 1), (0, 0)), cache=cache)
        assert outcome.cached.tolist() == [[0, 2999], [0, 0]]


@given(forests(), policies(), CAPACITIES, st.sampled_from(MODES))
def test_whole_nodes_of_a_unit_are_the_strict_forced_cache(forest, policy, room, mode):
    capacity = int(forest.past.max(initial=0)) + room
    single = tt.replay(forest, policy, capacity, forced=True)
    assert tt.replay(forest, policy, capacity, cache=tt.WholeNodes()) == single
    host = tt.Tiers((capacity, capacity if mode == "inclusive" else 0), (0, 0), mode)
    assert tt.replay(forest, policy, host, cache=tt.WholeNodes()).cached[0].tolist() == single.cached.tolist()
