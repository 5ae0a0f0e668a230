"""Replays of module sets: the compiled loops do what the reference does, and the reference what is expected."""

from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import TRIMS, by_both_engines, examples, fewer
from replay.own_policies import OWN
from strategies import module_traces

import teltheory as tt
from teltheory.model.instance import ModuleInstance
from teltheory.model.reuses import caps
from teltheory.policies import FIFO, GDSF, LFU, PGDSF, S3FIFO, SLRU, TTL, Priority, SharedTLRU
from teltheory.policies.node import on_arrays
from teltheory.policies.policy import LeastRecentlyUsed, NotCompiledError
from teltheory.replay.sets.reference import replayed_requests

CACHES = ("strict", "whole")
UNITS = st.sampled_from([1, 1, 2**62 // 270])
"""Of lengths; in the last one, random traces may add up to 2**62."""


@st.composite
def policies(draw, unit=1):
    """Return a policy that has a compiled loop."""
    xi, q_hat, trim = unit * draw(st.integers(0, 12)), unit * draw(st.integers(0, 8)), draw(st.sampled_from(TRIMS))
    by_rules = [
        tt.LRU(),
        tt.TLRU(xi, q_hat, trim),
        SharedTLRU(xi, q_hat, trim),
        tt.EndAwareTLRU(xi, q_hat, trim),
        tt.LengthAwareTLRU(xi, trim),
        tt.ThresholdLRU(unit * draw(st.integers(0, 6))),
        tt.Belady(),
        tt.TailOptimizedBelady(xi),
    ]
    by_residence = [FIFO(), LFU(), SLRU(), GDSF(), PGDSF(per_depth=0.5)]
    return draw(st.sampled_from([*by_rules, *by_residence, *OWN]))


def replayed(trace, policy, capacity, **options):
    """Replay by both engines, which agree, or by the reference alone where no loop does what a policy does."""
    with suppress(*([NotCompiledError] if policy in OWN else [])):
        by_both_engines(trace, policy, capacity, **options)
    return tt.replay(trace, policy, capacity, engine="reference", **options)


@examples(1500)
@given(st.data(), UNITS, st.sampled_from(CACHES), st.booleans())
def test_the_kernel_agrees_with_the_reference(data, unit, cache, forced):
    trace, policy = data.draw(module_traces(unit=unit)), data.draw(policies(unit))
    least = int(ModuleInstance(trace, 0).asked[:-1].max(initial=0)) if forced else 0
    capacity = least + unit * data.draw(st.integers(0, 9))
    outcome = replayed(trace, policy, capacity, cache=cache, forced=forced)
    assert (outcome.cached + outcome.uncached == trace.total).all()


@pytest.mark.parametrize("policy", [FIFO(), LFU(), SLRU(), GDSF(), PGDSF(per_depth=0.5)], ids=repr)
def test_longer_traces_whose_items_go_and_come_back(policy):
    """What is known of an item begins anew each time that it is added."""
    for seed in range(fewer(150)):
        rng = np.random.default_rng(seed)
        asked = [rng.choice(9, size=int(rng.integers(1, 3)), replace=False).tolist() for _ in range(50)]
        trace = tt.ModuleTrace.from_requests(asked, rng.integers(1, 6, 9).tolist(), [0] * 50)
        for cache in CACHES:
            replayed(trace, policy, int(rng.integers(3, 20)), cache=cache)


@dataclass(frozen=True)
class WhatIsUsedNext(LeastRecentlyUsed):
    """Keeps what is used again, the items of short requests longest."""

    @on_arrays
    def drops(self, node):
        return node.coming.history < 1

    @on_arrays
    def eviction_key(self, node):
        return -node.coming.history - 2 * node.coming.prompt


@given(module_traces(), st.integers(0, 12), st.sampled_from(CACHES))
def test_the_kernel_knows_the_next_use_as_the_reference_does(trace, capacity, cache):
    instance = ModuleInstance.of(trace, capacity, whole=cache == "whole")
    for k, (_, held) in enumerate(replayed_requests(instance, WhatIsUsedNext())):
        assert all(trace.next[node.last] < len(trace.members) for node in held.values()), k
    replayed(trace, WhatIsUsedNext(), capacity, cache=cache)


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 12), st.integers(0, 8), st.integers(0, 8))
def test_items_that_come_alone_are_private_conversations(items, capacity, xi, q_hat):
    """Of one item a request, and no fresh tokens, a trace of sets is one of conversations that never grow."""
    sizes = [3, 1, 5, 4]
    sets = tt.ModuleTrace.from_requests([[item] for item in items], sizes)
    new = [items.index(item) == k for k, item in enumerate(items)]
    prompt = [sizes[item] * first for item, first in zip(items, new, strict=True)]
    chains = tt.Trace.from_turns(items, prompt, [0] * len(items))
    trims = [tt.TLRU(xi, q_hat, trim) for trim in TRIMS]
    aware = [
        SharedTLRU(xi, q_hat),
        tt.EndAwareTLRU(xi, q_hat),
        tt.LengthAwareTLRU(xi),
        tt.TailOptimizedBelady(xi),
        tt.Belady(),
    ]
    for policy in (tt.LRU(), tt.ThresholdLRU(3), *trims, *aware):
        assert tt.replay(sets, policy, capacity) == tt.replay(chains, policy, capacity)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=20, max_size=20), st.integers(1, 4))
def test_single_tokens_that_come_alone_are_roots_of_a_forest(uses, capacity):
    """What a policy remembers of an item, such as the greatest priority since it came, it remembers of a block."""
    asked, of, arrival = [[item] for item, _ in uses], [priority for _, priority in uses], range(len(uses))
    sets = tt.ModuleTrace.from_requests(asked, [1] * 5, arrival=arrival)
    forest = tt.Forest.from_paths(asked, arrival=arrival)
    for policy in (FIFO(), LFU(), SLRU(), GDSF(), TTL(3), Priority(of)):
        found, expected = (tt.replay(one, policy, capacity, engine="reference") for one in (sets, forest))
        assert found == expected, policy


@given(module_traces(), policies(), st.integers(0, 9), st.sampled_from(CACHES))
def test_a_cache_holds_no_more_than_its_capacity_and_whole_items_whole(trace, policy, capacity, cache):
    instance = ModuleInstance.of(trace, capacity, whole=cache == "whole")
    for _, held in replayed_requests(instance, policy):
        assert sum(node.cached for node in held.values()) <= capacity
        assert all(0 < node.cached <= node.past for node in held.values())
        if cache == "whole":
            assert all(node.cached == node.past for node in held.values())


@given(module_traces(), st.integers(0, 12), st.integers(0, 15))
def test_a_next_use_needs_what_hindsight_promises_it(trace, capacity, xi):
    promised = caps(trace, xi)
    seen = {}
    for k, (_, held) in enumerate(replayed_requests(ModuleInstance.of(trace, 10**6), tt.LRU())):
        for item in trace.items(k).tolist():
            turn = held[item].coming
            seen[turn.turn] = turn.need(xi)
            assert turn.need(0) == (held[item].past if held[item].next else 0)
    assert all(promised[use] == need for use, need in seen.items() if use < len(promised))


@given(module_traces(), st.integers(0, 12), st.integers(0, 12))
def test_exact_caps_are_no_worse_than_belady(trace, capacity, xi):
    best, belady = (tt.replay(trace, policy, capacity) for policy in (tt.TailOptimizedBelady(xi), tt.Belady()))
    assert tt.tail_excess_latency(best, xi) <= tt.tail_excess_latency(belady, xi)
    assert belady.reused >= best.reused


@given(module_traces(), st.integers(0, 12))
def test_parents_outlive_their_children_under_lru_if_they_have_larger_numbers(trace, capacity):
    """Items of a request are used in ascending order, so the larger numbers of equal requests go last."""
    asked = [[2 * item + side for item in trace.items(k).tolist() for side in (0, 1)] for k in range(len(trace))]
    pairs = tt.ModuleTrace.from_requests(asked, [1] * (2 * len(trace.sizes)))
    for _, held in replayed_requests(ModuleInstance.of(pairs, capacity), tt.LRU()):
        assert all(item + 1 in held for item in held if item % 2 == 0)


TRACE = tt.ModuleTrace.from_requests([[0, 1], [2], [0, 2], [1]], sizes=[4, 3, 2], fresh=[1, 1, 1, 1])


@pytest.mark.parametrize(
    ("policy", "cache", "cached"),
    [
        # After request 0 item 0, used before item 1, loses 2 of its 4 tokens, and after request 1 the others.
        (tt.LRU(), "strict", [0, 0, 2, 0]),
        # After request 0 item 0 goes whole; item 2 fits beside item 1, which goes after request 2.
        (tt.LRU(), "whole", [0, 0, 2, 0]),
        # Each item may lose 2 tokens: items 0 and 1 lose one each after each of requests 0 and 1, and items 0 and
        # 2 after request 2, so that a token of item 1 is left.
        (tt.TLRU(3, 1), "strict", [0, 0, 4, 1]),
        # Item 1 is used last: it goes first, then a token of item 2, used after item 0 by request 2.
        (tt.Belady(), "strict", [0, 0, 5, 0]),
        (tt.Belady(), "whole", [0, 0, 4, 0]),
    ],
    ids=str,
)
def test_by_hand(policy, cache, cached):
    assert replayed(TRACE, policy, 5, cache=cache).cached.tolist() == cached


def test_whole_surplus_is_an_item_without_a_budget():
    """With T-LRU(3, 1) only item 2 has none: after requests 1 and 2 it makes room for the others."""
    for trim in TRIMS:
        assert replayed(TRACE, tt.TLRU(3, 1, trim), 7, cache="whole").cached.tolist() == [0, 0, 4, 3]
    assert replayed(TRACE, tt.LRU(), 7, cache="whole").cached.tolist() == [0, 0, 2, 0]


def test_a_shared_budget_is_promised_to_the_most_recent_items():
    """Of 4 + 3 tokens 5 are worth keeping, 3 of item 1 and 2 of item 0; by themselves 2 and 1."""
    trace = tt.ModuleTrace.from_requests([[0, 1], [2], [0, 1]], sizes=[4, 3, 2])
    for trim, shared, single in zip(TRIMS, (6, 5, 5), (5, 5, 3), strict=True):
        assert replayed(trace, SharedTLRU(3, 1, trim), 7).cached.tolist() == [0, 0, shared]
        assert replayed(trace, tt.TLRU(3, 1, trim), 7).cached.tolist() == [0, 0, single]
    for item, kept in ((0, 2), (1, 3)):
        trace = tt.ModuleTrace.from_requests([[0, 1], [item]], sizes=[4, 3])
        assert replayed(trace, SharedTLRU(3, 1, "eager"), 7).cached.tolist() == [0, kept]


def test_what_module_sets_do_not_have_is_refused():
    for options, message in {
        ("cache", "holes"): "cache: found 'holes', expected 'strict' or 'whole' for module sets",
        ("initial", ((0, 3, 2),)): "initial: found .*, expected",
        ("running", 2): "running: found 2, expected 1 for module sets",
        ("engine", "fast"): "engine: found 'fast'",
        ("capacity", tt.Tiers((3, 4), (0, Fraction(1, 2)), "inclusive")): "mode: found 'inclusive', expected",
        ("policy", S3FIFO()): "policy: .*smallest key first",
        ("policy", tt.LRU): "policy: .*such as LRU",
        ("policy", Priority([1])): "a priority for each of 6 requests",
    }.items():
        arguments = {"policy": tt.LRU(), "capacity": 5} | dict([options])
        refused(tt.ArgumentError, message, tt.replay, TRACE, **arguments)
    with pytest.raises(tt.ForcedCachingError, match="turn 0: forced caching must keep a past of length 7"):
        tt.replay(TRACE, tt.LRU(), 6, forced=True)


def test_forced_caching_exempts_the_items_of_the_request():
    assert replayed(TRACE, tt.LRU(), 7, forced=True).cached.tolist() == [0, 0, 4, 1]
    assert replayed(TRACE, GDSF(), 7, forced=True).cached.tolist() == [0, 0, 4, 1]


def test_what_expired_is_not_reused():
    trace = tt.ModuleTrace.from_requests([[0], [1], [0, 1]], sizes=[2, 3], arrival=[0, 5, 7])
    for seconds, cached in ((1, 0), (3, 3), (9, 5)):
        assert tt.replay(trace, TTL(seconds), 9).cached.tolist() == [0, 0, cached]
    refused(tt.ArgumentError, "engine: found 'kernel'", lambda: tt.replay(trace, TTL(3), 5, engine="kernel"))


def test_frequent_items_stay_under_lfu_and_gdsf():
    trace = tt.ModuleTrace.from_requests([[0], [0], [1], [2], [1], [0]], sizes=[2, 2, 2])
    for policy in (LFU(), GDSF()):
        assert replayed(trace, policy, 4).cached.tolist() == [0, 2, 0, 0, 0, 2]
    assert replayed(trace, tt.LRU(), 4).cached.tolist() == [0, 2, 0, 0, 2, 0]
