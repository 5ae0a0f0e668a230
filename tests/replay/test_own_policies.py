"""Policies of one's own: the kernel does what the reference does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from replay.instances import cases, examples, fewer, seeded
from replay.own_policies import DERIVED, OWN, ByRules, HalfKept, LongestFirst, WholeTLRU
from strategies import given_columns, turn_columns

import teltheory as tt
from teltheory.instance import Instance
from teltheory.policies import Conversation, LeastRecentlyUsed
from teltheory.policies.policy import Trim
from teltheory.workloads.laws import fixed


def same(case, policy):
    fast = case.replay(policy, engine="kernel").cached.tolist()
    assert fast == case.replay(policy).cached.tolist(), (policy, case)


@pytest.mark.parametrize("policy", OWN, ids=repr)
@given(case=cases())
@examples(100)
def test_small_instances(policy, case):
    same(case, policy)


@pytest.mark.parametrize("seed", range(2))
def test_seeded_instances(seed):
    for case in seeded(fewer(200), 900 + seed):
        for policy in OWN:
            same(case, policy)


@pytest.mark.parametrize("forced", [False, True])
def test_longer_traces_with_many_conversations(forced):
    for case in seeded(8, 11, turns=(150, 300), conversations=40, length=30, forced=forced):
        for policy in OWN:
            same(case, policy)


@dataclass(frozen=True, eq=False)
class Noting(LongestFirst):
    """Notes what it is shown, of all conversations at every cut."""

    seen: set[tuple[object, ...]] = field(default_factory=set)

    def drops(self, conversation: Conversation) -> bool:
        c = conversation
        self.seen.add((c.first, c.past, c.next, c.code, c.last))
        return False


@given(case=cases())
@examples(200)
def test_the_kernel_shows_a_conversation_as_the_reference_does(case):
    in_kernel, in_reference = Noting(), Noting()
    case.replay(in_kernel, engine="kernel")
    case.replay(in_reference)
    assert in_reference.seen <= in_kernel.seen


def test_long_traces_take_the_kernel_where_a_policy_says_that_it_may():
    asked = []

    @dataclass(frozen=True)
    class Counted(LongestFirst):
        has_kernel = True

        def eviction_key(self, conversation: Conversation) -> int:
            asked.append(conversation)
            return super().eviction_key(conversation)

    rng = np.random.default_rng(1)
    trace = tt.Trace.from_turns(rng.integers(0, 50, 2500), rng.integers(0, 9, 2500), rng.integers(0, 9, 2500))
    fast = tt.replay(trace, Counted(), 500)
    assert len(asked) == 2500
    assert fast == tt.replay(trace, LongestFirst(), 500)


def test_rules_that_look_at_what_is_cached_are_for_the_reference():
    @dataclass(frozen=True)
    class SmallestFirst(LeastRecentlyUsed):
        def eviction_key(self, conversation: Conversation) -> int:
            return conversation.cached

    trace = tt.Trace.from_turns([0, 1, 0], [3, 2, 1], [0, 0, 0])
    tt.replay(trace, SmallestFirst(), 4)
    with pytest.raises(tt.ArgumentError, match="rules that look at what is cached"):
        tt.replay(trace, SmallestFirst(), 4, engine="kernel")


def test_round_robin_with_an_order_of_its_own_is_for_the_reference():
    trace = tt.Trace.from_turns([0, 1, 2, 0], [3, 2, 1, 1], [0, 0, 0, 0])
    with pytest.raises(tt.ArgumentError, match="round-robin with its own orders"):
        tt.replay(trace, ByRules(trim="round-robin"), 4, engine="kernel")


def test_a_budget_below_0_is_an_error_in_both_engines():
    @dataclass(frozen=True)
    class Negative(LeastRecentlyUsed):
        def budget(self, conversation: Conversation) -> int:
            return -1

    trace = tt.Trace.from_turns([0, 1, 0], [3, 2, 1], [0, 0, 0])
    for engine in ("reference", "kernel"):
        with pytest.raises(tt.ArgumentError, match="keeps 0 or more"):
            tt.replay(trace, Negative(), 1, engine=engine)


@dataclass(frozen=True)
class EagerHalf(LeastRecentlyUsed):
    """Half of every past, at once."""

    trim: Trim = "eager"
    has_kernel = True

    def budget(self, conversation: Conversation) -> int:
        return conversation.past // 2


@dataclass(frozen=True)
class LongOnly(tt.LRU):
    """Nothing of what is short."""

    has_kernel = True

    def drops(self, conversation: Conversation) -> bool:
        return conversation.past < 4


@pytest.mark.parametrize("policy", [EagerHalf(), LongOnly()], ids=repr)
@given(columns=turn_columns(max_turns=8) | given_columns(max_turns=8))
def test_by_recency_and_without_surplus_one_pass_has_every_capacity(policy, columns):
    trace = tt.Trace.from_turns(**columns)
    curve = tt.capacity_curve(trace, policy)
    assert curve.one_pass
    for capacity in range(int(trace.past.sum()) + 2):
        assert curve.cached(capacity).tolist() == tt.replay(trace, policy, capacity).cached.tolist()


def test_a_curve_asks_the_rules_of_each_turn_once():
    asked = []

    @dataclass(frozen=True)
    class Counted(EagerHalf):
        def budget(self, conversation: Conversation) -> int:
            asked.append(conversation)
            return super().budget(conversation)

    trace = tt.Trace.from_turns([0, 1, 2, 0], [3, 2, 1, 1], [0, 0, 0, 0])
    curve = tt.capacity_curve(trace, Counted())
    curve.tail_excess_latency(range(9), xi=1)
    assert curve.one_pass
    assert len(asked) == 4


def test_other_policies_are_replayed_at_each_capacity():
    trace = tt.Trace.from_turns([0, 1, 2, 0], [3, 2, 1, 1], [0, 0, 0, 0])

    @dataclass(frozen=True)
    class Fast(LongestFirst):
        has_kernel = True

    for policy in (LongestFirst(), Fast(), EagerHalf(trim="least-recent"), HalfKept("eager")):
        curve = tt.capacity_curve(trace, policy)
        assert not curve.one_pass
        assert curve.cached(4).tolist() == tt.replay(trace, policy, 4).cached.tolist()


@pytest.mark.parametrize("policy", DERIVED, ids=repr)
@given(case=cases(forced=False, start=False))
@examples(100)
def test_the_curve_of_what_is_derived_is_of_its_own_rules(policy, case):
    curve = tt.capacity_curve(case.trace, policy)
    assert curve.one_pass or not isinstance(policy, WholeTLRU)
    for capacity in range(0, int(case.trace.past.sum()) + 2, 3):
        replayed = tt.replay(case.trace, policy, capacity)
        assert curve.cached(capacity).tolist() == replayed.cached.tolist()


@dataclass(frozen=True)
class CutsItself(LeastRecentlyUsed):
    has_kernel = True

    def cut(self, conversations: Sequence[Conversation], overflow: int) -> None:
        for conversation in conversations:
            conversation.cached = 0


@dataclass(frozen=True)
class Observes(LeastRecentlyUsed):
    has_kernel = True

    def observing(self) -> Callable[[int], tt.LRU]:
        return lambda uncached: tt.LRU()


@dataclass(frozen=True)
class Timed(LeastRecentlyUsed):
    has_kernel = True

    def bound_to(self, instance: Instance) -> Callable[[int], tt.LRU]:
        return lambda turn: tt.LRU()


class OtherETLRU(tt.ETLRU):
    """ET-LRU's class, which may do anything."""


class OtherAdaptive(tt.AdaptiveTLRU):
    """The class of T-LRU with an adaptive threshold, which may do anything."""


@pytest.mark.parametrize(
    "policy",
    [CutsItself(), Observes(), Timed(), OtherETLRU(3, fixed(1), 0.1, 0.1), OtherAdaptive(3, 1)],
    ids=lambda policy: type(policy).__name__,
)
def test_what_has_more_than_rules_is_for_the_reference(policy):
    trace = tt.Trace.from_turns([0, 1, 0], [3, 2, 1], [0, 0, 0], arrival=[0, 1, 2])
    with pytest.raises(tt.ArgumentError, match="'reference' for"):
        tt.replay(trace, policy, 4, engine="kernel")
    assert not tt.capacity_curve(trace, policy).one_pass


def test_a_class_derived_from_et_lru_is_replayed_by_the_reference_however_long_the_trace():
    n = 2001
    trace = tt.Trace.from_turns([0, 1, 2] * (n // 3), [1] * n, [0] * n, arrival=range(n))

    class NothingKept(tt.ETLRU):
        def bound_to(self, instance: Instance) -> Callable[[int], CutsItself]:
            return lambda turn: CutsItself()

    assert not tt.replay(trace, NothingKept(3, fixed(1), 0.1, 0.1), 100).cached.any()
