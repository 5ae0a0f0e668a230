"""Replays in tiers: two engines, one tier, and LRU in two tiers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, given_columns
from tiered import MODES, Dear, documents, policies, tiered

import teltheory as tt

CAPACITIES = st.integers(0, 8)


@given(documents(), st.data())
def test_the_heaps_agree_with_the_reference_request_by_request(forest, data):
    tiers, policy, block, _ = data.draw(tiered(forest))
    if data.draw(st.integers(0, 9)) == 9:
        policy = tt.Priority([k % 3 for k in range(len(forest))])
    fast, plain = (
        tt.replay(forest, policy, tiers, cache=tt.WholeNodes(block), engine=engine)
        for engine in ("auto", "reference")
    )
    assert fast == plain
    assert (fast.cached.sum(axis=0) + fast.written == forest.end).all()
    assert (fast.loaded == fast.cached[1:].sum(axis=0)).all()


@pytest.mark.parametrize("policy", [tt.LRU(), tt.GDSF(), tt.TLRU(8, 1), (tt.FIFO(), tt.LRU()), Dear()], ids=repr)
@pytest.mark.parametrize("mode", MODES)
def test_they_agree_on_a_longer_run(policy, mode):
    """First on few documents that all fit, so that orders that no longer count pile up, then on many."""
    rng = np.random.default_rng(7)
    parent = np.array([rng.integers(-1, node) for node in range(40)])
    leaf = np.concatenate(([39], rng.integers(0, 9, 250), rng.integers(0, 40, 150)))
    sized = replace(tt.Forest.of_nodes(parent, leaf), length=rng.integers(1, 9, 40))
    forest = replace(sized, ask=sized.end, total=sized.end)
    tiers = tt.Tiers((int(sized.depth.max()) + 49, 60), (0, 0), mode)
    fast, plain = (
        tt.replay(forest, policy, tiers, cache=tt.WholeNodes(2), engine=e) for e in ("auto", "reference")
    )
    assert fast == plain
    assert min(fast.copied.sum(), fast.loaded.sum()) > 100


@given(forests(), policies(), CAPACITIES, CAPACITIES, st.sampled_from(MODES), st.booleans())
def test_the_heaps_agree_with_the_reference_unit_by_unit(forest, policy, first, second, mode, forced):
    first += int(forest.end.max(initial=0)) if forced else 0
    tiers = tt.Tiers((first, second), (0, 0), mode)
    fast, plain = (tt.replay(forest, policy, tiers, forced, engine=engine) for engine in ("auto", "reference"))
    assert fast == plain


def test_paths_may_be_long():
    chain = tt.Forest.from_paths([range(3000), range(2999)])
    for cache in ("strict", tt.WholeNodes()):
        outcome = tt.replay(chain, tt.LRU(), tt.Tiers((3000, 1), (0, 0)), cache=cache)
        assert outcome.cached.tolist() == [[0, 2999], [0, 0]]


@given(forests(), policies(), CAPACITIES, st.booleans())
def test_one_tier_is_the_strict_cache(forest, policy, capacity, forced):
    size = capacity + (int(forest.end.max(initial=0)) if forced else 0)
    single = tt.replay(forest, policy, size, forced=forced)
    tier = tt.replay(forest, policy, tt.Tiers((size,)), forced=forced)
    assert tier.cached.tolist() == [single.cached.tolist()]
    assert tier.uncached == single.uncached.tolist()
    assert tier.written.tolist() == single.written.tolist()


@given(forests(), policies(), CAPACITIES, st.sampled_from(MODES))
def test_whole_nodes_of_a_unit_are_the_strict_forced_cache(forest, policy, room, mode):
    capacity = int(forest.end.max(initial=0)) + room
    single = tt.replay(forest, policy, capacity, forced=True)
    assert tt.replay(forest, policy, capacity, cache=tt.WholeNodes()) == single
    host = tt.Tiers((capacity, 0), (0, 0), mode)
    assert tt.replay(forest, policy, host, cache=tt.WholeNodes()).cached[0].tolist() == single.cached.tolist()


@given(forests(), CAPACITIES, CAPACITIES, st.booleans())
def test_lru_in_two_tiers_is_the_difference_of_two_caches(forest, first, second, forced):
    first += int(forest.end.max(initial=0)) if forced else 0
    upper, both = (tt.replay(forest, tt.LRU(), size, forced=forced) for size in (first, first + second))
    tiers = tt.replay(forest, tt.LRU(), tt.Tiers((first, second), (0, 0)), forced=forced)
    assert tiers.cached.tolist() == [upper.cached.tolist(), (both.cached - upper.cached).tolist()]
    assert tiers.uncached == both.uncached.tolist()


@pytest.mark.long
def test_lru_on_the_mooncake_trace_is_the_difference_of_two_caches(mooncake):
    forest = tt.read_trace(mooncake).forest
    upper, both = (tt.replay(forest, tt.LRU(), size) for size in (1953, 1953 + 5859))
    tiers = tt.replay(forest, tt.LRU(), tt.Tiers((1953, 5859), (0, Fraction(3, 10))))
    assert tiers.cached.tolist() == [upper.cached.tolist(), (both.cached - upper.cached).tolist()]


def traces():
    return given_columns(max_turns=10).map(lambda columns: tt.Trace.from_turns(**columns))


@st.composite
def of_chains(draw):
    xi, q_hat, trim = (
        draw(st.integers(0, 12)),
        draw(st.integers(0, 4)),
        draw(st.sampled_from(["round-robin", "least-recent", "eager"])),
    )
    kinds = tt.LRU(), tt.ThresholdLRU(xi), tt.TLRU(xi, q_hat, trim), tt.EndAwareTLRU(xi, q_hat, trim)
    return draw(st.sampled_from((*kinds, tt.LengthAwareTLRU(xi, trim), tt.Belady(), tt.TailOptimizedBelady(xi))))


@given(traces(), of_chains(), st.integers(0, 30), st.booleans())
def test_one_tier_of_private_conversations_is_one_cache(trace, policy, capacity, forced):
    size = capacity + (int(trace.past.max(initial=0)) if forced else 0)
    single = tt.replay(trace, policy, size, forced)
    tier = tt.replay(trace, policy, tt.Tiers((size,)), forced)
    assert tier.cached.tolist() == [single.cached.tolist()]
    assert tier.uncached == single.uncached.tolist()


@given(traces(), st.integers(0, 30), st.integers(0, 30), st.booleans())
def test_lru_of_private_conversations_is_the_difference_of_two_caches(trace, first, second, forced):
    first += int(trace.past.max(initial=0)) if forced else 0
    upper, both = (tt.replay(trace, tt.LRU(), size, forced) for size in (first, first + second))
    tiers = tt.replay(trace, tt.LRU(), tt.Tiers((first, second), (0, 0)), forced)
    assert tiers.cached.tolist() == [upper.cached.tolist(), (both.cached - upper.cached).tolist()]
    assert tiers.written.tolist() == (trace.past - both.cached).tolist()


def test_a_budget_is_counted_from_the_root():
    trace = tt.Trace.from_turns([0, 1, 0], [4, 3, 1], [0, 0, 0])
    policies = tt.LRU(), tt.TLRU(2, 0, "least-recent")
    for each in (trace, trace.forest):
        outcome = tt.replay(each, policies, tt.Tiers((1, 2), (0, 0)))
        assert outcome.cached.tolist() == [[0, 0, 0], [0, 0, 2]]


@given(traces(), of_chains(), st.integers(0, 2), st.integers(0, 20), st.integers(0, 20), st.booleans())
def test_chains_are_a_forest_of_units(trace, policy, which, first, second, forced):
    if not trace.is_chains or getattr(policy, "trim", "") == "round-robin":
        return
    first += int(trace.past.max(initial=0)) if forced else 0
    each, tiers = (
        [policy, (policy, tt.LRU()), (tt.LRU(), policy)][which],
        tt.Tiers((first, second), (0, Fraction(1, 2))),
    )
    assert tt.replay(trace, each, tiers, forced) == tt.replay(trace.forest, each, tiers, forced)


def test_a_scaled_budget_is_worth_as_much_as_a_flat_one_of_the_first_tier():
    trace = tt.Trace.from_turns([0, 1, 0], [6, 3, 1], [0, 0, 0])
    tiers = tt.Tiers((3, 9), (0, Fraction(1, 2)))
    scaled, flat = (tt.replay(trace, tt.TLRU(4, 0, "eager", budget=kind), tiers) for kind in ("scaled", "flat"))
    assert scaled.cached[:, 2].tolist() == [2, 2]  # b = 2, twice as much with the second tier
    assert flat.cached[:, 2].tolist() == [2, 0]
