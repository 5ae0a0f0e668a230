"""Module sets in exclusive tiers: one is one cache, LRU's are one LRU, single items are conversations."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import TRIMS
from strategies import module_traces

import teltheory as tt
from teltheory.model.instance import ModuleInstance
from teltheory.policies import GDSF, LFU, SharedTLRU
from teltheory.replay.sets.tiers import SetsInTiers

HALF = (0, Fraction(1, 2))
CAPACITIES = st.tuples(st.integers(0, 7), st.integers(0, 7))


@st.composite
def policies(draw):
    xi, q_hat, trim = draw(st.integers(0, 12)), draw(st.integers(0, 8)), draw(st.sampled_from(TRIMS))
    budget = draw(st.sampled_from(("scaled", "flat")))
    found = [tt.LRU(), LFU(), GDSF(), SharedTLRU(xi, q_hat, trim), tt.TLRU(xi, q_hat, trim, budget=budget)]
    return draw(st.sampled_from([*found, tt.Belady(), tt.TailOptimizedBelady(xi)]))


@given(module_traces(), policies(), st.integers(0, 12), st.sampled_from(("strict", "whole")))
def test_one_tier_is_one_cache(trace, policy, capacity, cache):
    tiered = tt.replay(trace, policy, tt.Tiers((capacity,)), cache=cache)
    plain = tt.replay(trace, policy, capacity, cache=cache)
    assert tiered.cached[0].tolist() == plain.cached.tolist()
    assert tiered.uncached == plain.uncached.tolist()


@given(module_traces(), CAPACITIES)
def test_lru_in_two_tiers_is_one_lru_of_both(trace, capacities):
    tiered = tt.replay(trace, tt.LRU(), tt.Tiers(capacities, HALF))
    first, both = (tt.replay(trace, tt.LRU(), capacity) for capacity in (capacities[0], sum(capacities)))
    assert tiered.cached[0].tolist() == first.cached.tolist()
    assert tiered.cached.sum(axis=0).tolist() == both.cached.tolist()
    assert tiered.uncached == [u + Fraction(x, 2) for u, x in zip(both.uncached, tiered.cached[1], strict=True)]


@given(st.lists(st.integers(0, 3), max_size=12), CAPACITIES, policies(), st.booleans())
def test_items_that_come_alone_are_private_conversations(items, capacities, policy, forced):
    if hasattr(policy, "memory"):
        return
    sizes = [3, 1, 5, 4]
    tiers = tt.Tiers((capacities[0] + 5 * forced, capacities[1]), HALF)
    prompt = [sizes[item] * (items.index(item) == k) for k, item in enumerate(items)]
    chains = tt.Trace.from_turns(items, prompt, [0] * len(items))
    sets = tt.ModuleTrace.from_requests([[item] for item in items], sizes)
    found, expected = (tt.replay(one, policy, tiers, forced=forced, engine="reference") for one in (sets, chains))
    assert found == expected


@given(module_traces(), policies(), CAPACITIES, st.sampled_from(("strict", "whole")))
def test_tiers_hold_no_more_than_their_capacities_and_an_item_once(trace, policy, capacities, cache):
    sets = SetsInTiers(
        ModuleInstance.of(trace, capacities[0], whole=cache == "whole"), policy, tt.Tiers(capacities, HALF)
    )
    for k in range(len(trace)):
        sets.serve(k)
        assert all(sum(held.values()) <= room for held, room in zip(sets.held, capacities, strict=True))
        for code, node in sets.recent.items():
            parts = [held.get(code, 0) for held in sets.held]
            assert sum(parts) <= node.past
            assert cache == "strict" or set(parts) <= {0, node.past}


def test_what_sinks_is_loaded_again():
    """Two tokens of item 0 sink when item 1 comes, and are loaded at half price."""
    trace = tt.ModuleTrace.from_requests([[0], [1], [0]], sizes=[4, 3], fresh=[0, 0, 1])
    found = tt.replay(trace, tt.LRU(), tt.Tiers((5, 9), HALF))
    assert found.cached.tolist() == [[0, 0, 2], [0, 0, 2]]
    assert found.uncached == [4, 3, 2]
    assert found.copied.tolist() == [[0, 2, 2]]
    whole = tt.replay(trace, tt.LRU(), tt.Tiers((5, 9), HALF), cache="whole")
    assert whole.cached.tolist() == [[0, 0, 0], [0, 0, 4]]
    assert whole.copied.tolist() == [[0, 4, 3]]


def test_what_tiers_of_sets_do_not_have_is_refused():
    trace = tt.ModuleTrace.from_requests([[0]], sizes=[1])
    with pytest.raises(tt.ArgumentError, match="engine: found 'kernel'"):
        tt.replay(trace, tt.LRU(), tt.Tiers((1, 2), HALF), engine="kernel")
    with pytest.raises(tt.ArgumentError, match=r"policy: found .*, expected one, or one for each of the tiers, 2"):
        tt.replay(trace, [tt.LRU()], tt.Tiers((1, 2), HALF))
