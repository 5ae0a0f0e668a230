"""Two tiers with budgets: values of plain bytes, and a judge that counts what lives in each tier."""

import weakref
from itertools import count
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies import (
    FIFO,
    GDSF,
    LFU,
    LRU,
    PGDSF,
    SLRU,
    TLRU,
    TTL,
    Belady,
    EndAwareTLRU,
    SharedTLRU,
    ThresholdLRU,
)
from teltheory.systems.modules.runtime.store import ItemStore

SHARED = SharedTLRU(xi=6, q_hat=2)
POLICIES = [
    *(LRU(), LFU(), GDSF(), FIFO(), SLRU(), ThresholdLRU(cutoff=2), SHARED),
    *(TLRU(xi=4, q_hat=1, trim=trim) for trim in ("round-robin", "least-recent", "eager")),
]


class Value:
    """Bytes in a tier, counted while they live."""

    def __init__(self, item, nbytes, tier, lives):
        self.item, self.nbytes, self.tier = item, nbytes, tier
        lives.add(self)


class Memory:
    """Copies values, and holds each tier's budget against what lives there while a copy is made."""

    def __init__(self, fast, slow):
        self.budgets = {"fast": fast, "slow": slow}
        self.lives = weakref.WeakSet()
        self.failing = False

    def bytes_of(self, tier):
        return sum(value.nbytes for value in self.lives if value.tier == tier)

    def check(self):
        for tier, budget in self.budgets.items():
            assert budget is None or self.bytes_of(tier) <= budget

    def move(self, value, tier):
        assert value.tier != tier
        if self.failing:
            raise MemoryError
        copy = Value(value.item, value.nbytes, tier, self.lives)
        self.check()
        return copy


def serve(store, memory, sizes):
    """Serve a prompt as a cache does; return the items that were in the fast tier, and all that were kept."""
    fast, kept = [], {}
    before = {item: store.where(item) for item in sizes}
    with store.pinned(sizes):
        for item in sizes:
            if before[item] is not None:
                kept[item] = store.fetch(item)
                memory.check()
                fast += [item] * (before[item] == "fast")
        missing = [item for item in sizes if item not in kept]
        rooms = {item: store.reserve(item, sizes[item], sizes[item]) for item in missing}
        for item in missing:
            value = Value(item, sizes[item], "fast" if rooms[item] == "fast" else "working", memory.lives)
            memory.check()
            store.put(item, value)
            del value
        memory.check()
        for item in sizes:
            assert store.where(item) == (rooms[item] if item in missing else kept[item].tier)
            if before.get(item) == "fast":
                assert store.where(item) == "fast"
        assert all(value.item == item for item, value in kept.items())
        kept_items = list(kept)
        kept.clear()
    memory.check()
    assert store.used == {tier: memory.bytes_of(tier) for tier in ("fast", "slow")}
    return fast, kept_items


@st.composite
def logs(draw, most=5):
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=most))
    item = st.integers(0, len(sizes) - 1)
    return sizes, draw(st.lists(st.sets(item, max_size=3).map(sorted), min_size=1, max_size=14))


def long_log(seed):
    """A log long enough that clocks, counts and surplus decide what goes."""
    draws = Random(seed)
    sizes = [draws.randint(1, 6) for _ in range(9)]
    picks = [min(int(draws.expovariate(0.3)), 8) for _ in range(400)]
    return sizes, [sorted({*picks[k : k + draws.randint(1, 3)]}) for k in range(0, 400, 3)]


@given(logs(), st.sampled_from(POLICIES), st.integers(0, 4))
def test_one_tier_reuses_what_a_replay_under_forced_caching_does(log, policy, more):
    check_against_a_replay(log, policy, more)


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_one_tier_reuses_on_long_logs_what_a_replay_does(policy, seed):
    for more in (0, 2, 5):
        check_against_a_replay(long_log(seed), policy, more)


def check_against_a_replay(log, policy, more):
    sizes, requests = log
    capacity = max(sum(sizes[item] for item in request) for request in requests) + more
    memory = Memory(capacity, 0)
    store = ItemStore(capacity, 0, policy, memory.move)
    reused = [
        sum(sizes[item] for item in serve(store, memory, {item: sizes[item] for item in request})[0])
        for request in requests
    ]
    trace = tt.ModuleTrace.from_requests(requests, sizes)
    replayed = tt.replay(trace, policy, capacity, cache="whole", forced=True, engine="reference")
    assert reused == replayed.cached.tolist()


@given(logs(), st.sampled_from([LRU(), TLRU(xi=4, q_hat=1)]), st.integers(0, 4))
def test_over_an_endless_slow_tier_the_fast_one_is_the_same_and_nothing_is_encoded_twice(log, policy, more):
    sizes, requests = log
    capacity = max(sum(sizes[item] for item in request) for request in requests) + more
    memory, one = Memory(capacity, None), Memory(capacity, 0)
    store, single = ItemStore(capacity, None, policy, memory.move), ItemStore(capacity, 0, policy, one.move)
    seen = set()
    for request in requests:
        asked = {item: sizes[item] for item in request}
        fast, kept = serve(store, memory, asked)
        assert fast == serve(single, one, asked)[0]
        assert set(kept) == seen & set(request)
        seen |= set(request)


@given(logs(), st.sampled_from(POLICIES), st.integers(0, 12), st.integers(0, 12))
def test_budgets_hold_in_mid_copy_and_pinned_items_stay(log, policy, fast, slow):
    sizes, requests = log
    memory = Memory(fast, slow)
    store = ItemStore(fast, slow, policy, memory.move)
    for request in requests:
        found, kept = serve(store, memory, {item: sizes[item] for item in request})
        assert set(found) <= set(kept)
    assert set(store.items()) == {value.item for value in memory.lives}


def filled(fast=10, slow=10, sizes=(4, 4, 4)):
    """A store in which the last items are in the fast tier, and those before in the slow one."""
    memory, store, numbers = Memory(fast, slow), None, count()
    store = ItemStore(fast, slow, LRU(), memory.move)
    for item, size in zip(numbers, sizes, strict=False):
        serve(store, memory, {item: size})
    return store, memory


def test_an_item_goes_down_tier_by_tier_and_comes_back():
    store, memory = filled(sizes=(4, 4, 4, 4, 4))
    assert store.items() == {1: "slow", 2: "slow", 3: "fast", 4: "fast"}
    assert store.copied == 12
    assert serve(store, memory, {1: 4}) == ([], [1])
    assert store.items() == {1: "fast", 3: "slow", 4: "fast"}, "room for 3 is made before 1 has left the slow tier"
    assert store.copied == 20


def test_an_item_larger_than_a_tier_goes_to_the_next_or_is_used_once():
    store, _ = filled(fast=3, slow=5, sizes=(2, 5, 6))
    assert store.items() == {0: "fast", 1: "slow"}


def test_pinned_items_fill_a_tier_before_others_of_the_prompt_are_refused():
    memory = Memory(10, 0)
    store = ItemStore(10, 0, LRU(), memory.move)
    serve(store, memory, {0: 4, 1: 4, 2: 4})
    assert store.items() == {0: "fast", 1: "fast"}


def test_a_copy_that_fails_leaves_everything_as_it_was():
    store, memory = filled(sizes=(4, 4, 4))
    before = store.items(), dict(store.used)
    memory.failing = True
    with pytest.raises(MemoryError), store.pinned({0: 4}):
        store.fetch(0)
    assert (store.items(), store.used) == before


def test_room_that_was_reserved_in_vain_is_free_again():
    store, _ = filled(sizes=(4,))

    def failing():
        with store.pinned({7: 5}):
            store.reserve(7, 5, 5)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert store.used == {"fast": 4, "slow": 0}
    assert store.items() == {0: "fast"}


def test_a_forgotten_item_is_new_when_it_comes_back():
    store, memory = filled(sizes=(4, 4))
    store.forget(0)
    store.forget(9)
    assert store.items() == {1: "fast"}
    assert serve(store, memory, {0: 6}) == ([], [])
    assert store.used == {"fast": 10, "slow": 0}


@pytest.mark.parametrize("policy", [Belady(), EndAwareTLRU(3, 1), PGDSF(per_depth=1), TTL(1)])
def test_policies_that_a_store_cannot_run_are_refused(policy):
    refused(ArgumentError, "policy: found", ItemStore, 1, 1, policy)


def test_wrong_uses_are_refused():
    store, memory = filled(sizes=(4,))
    refused(ArgumentError, "fast: found -1", ItemStore, -1)
    refused(ArgumentError, "one that is pinned", store.fetch, 0)
    with store.pinned({0: 4, 1: 4}):
        for wrong, line in [
            (lambda: store.pinned({2: 1}).__enter__(), "while another one runs"),
            (lambda: store.forget(0), "no running prompt uses"),
            (lambda: store.reserve(0, 4, 4), "one that is in no tier"),
        ]:
            refused(ArgumentError, line, wrong)
        store.reserve(1, 4, 4)
        refused(ArgumentError, "found '3 bytes'", lambda: store.put(1, Value(1, 3, "fast", memory.lives)))
