"""The kernel reuses what the reference reuses, turn by turn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from replay.instances import POLICY_NAMES, TRIMS, by_both_engines, cases, examples, fewer, policies, same, seeded
from replay.own_policies import OWN

import teltheory as tt
from teltheory.policies import LeastRecentlyUsed
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.chains.replays import replay_instance
from teltheory.replay.chains.slots import Slots


@pytest.mark.parametrize("name", [*POLICY_NAMES, *OWN], ids=str)
@given(case=cases())
@examples(200)
def test_small_instances(name, case):
    same(case, policies(case)[name] if name in POLICY_NAMES else name)


def test_seeded_instances():
    for case in seeded(fewer(500), 500):
        for policy in (*policies(case).values(), *OWN):
            same(case, policy)


@pytest.mark.parametrize("forced", [False, True])
def test_longer_traces_with_many_conversations(forced):
    limits = {"turns": (150, 300), "conversations": 40, "length": 30, "forced": forced}
    for case in seeded(fewer(40, 10), 9, **limits):
        for policy in (*policies(case).values(), *OWN):
            same(case, policy)


@pytest.mark.parametrize("policy", [tt.Belady(), *OWN[:3]], ids=str)
def test_more_turns_than_two_levels_of_a_bitset_have(policy):
    """64 * 64 turns fill two levels; a third is above them."""
    (case,) = seeded(1, 4, turns=(5000, 5001), conversations=200, length=30)
    same(replace(case, capacity=20_000, forced=False), policy)


@pytest.mark.parametrize("unit", [2**31 - 1, 2**31, 2**31 + 1, 2**40, 3 * 2**59])
def test_lengths_around_and_beyond_32_bits(unit):
    trace = tt.Trace.from_turns([0, 1, 0, 2, 1, 0], [unit, unit - 1, 1, unit, 0, 3], [0, 1, unit, 2, unit, 0])
    trims = (tt.TLRU(unit, unit // 2, trim) for trim in TRIMS)
    for policy in (tt.LRU(), *trims, tt.TailOptimizedBelady(unit), *OWN):
        for capacity in (0, unit - 1, unit, 2 * unit + 1, 5 * unit):
            by_both_engines(trace, policy, capacity)


def test_rounds_whose_sum_is_beyond_int64_are_left_to_the_reference():
    trace = tt.Trace.from_turns([0, 1, 0, 1] * 4, [2**60, 2**60 + 1, *[0] * 14], [0] * 16)
    policy = tt.TLRU(2**60, 0, "round-robin")
    with pytest.raises(NotCompiledError, match=r"16 turns whose surpluses.* add up to 2\*\*63 or more"):
        tt.replay(trace, policy, 2**60, engine="kernel")
    few = trace[:4]
    for capacity in (2**60, 2**60 + 2**59, 2**61):
        by_both_engines(few, policy, capacity)


def test_empty_and_one_turn_traces():
    for trace in (tt.Trace.from_turns([], [], []), tt.Trace.from_turns([4], [3], [2])):
        for policy in (tt.LRU(), *(tt.TLRU(1, 1, trim) for trim in TRIMS), tt.Belady()):
            for initial in ((), [(4, 2, 1), (9, 1, 1)]):
                by_both_engines(trace, policy, 2, initial=initial)


@pytest.mark.long
@pytest.mark.parametrize(("forced", "capacity"), [(False, 1_000_000), (True, 300_000)])
def test_the_mooncake_trace(mooncake_trace, forced, capacity):
    trace = mooncake_trace
    trims = [tt.TLRU(27894, 1319, trim) for trim in TRIMS]
    aware = [tt.EndAwareTLRU(27894, 1319), tt.LengthAwareTLRU(27894), tt.TailOptimizedBelady(27894)]
    for policy in (tt.LRU(), tt.ThresholdLRU(5000), *trims, *aware):
        by_both_engines(trace, policy, capacity, forced)


class Unmarked(LeastRecentlyUsed):
    """A policy whose rule is not on arrays."""

    def drops(self, node):
        return False


@pytest.mark.parametrize(("policy", "kernel"), [(tt.LRU(), True), (Unmarked(), False)])
def test_auto_takes_the_kernel_for_long_traces_if_the_policy_allows_it(policy, kernel, monkeypatch):
    taken = []
    names = replay_instance.__globals__
    exact, turns = names["_by_kernel"], names["KERNEL_FROM"]
    monkeypatch.setitem(names, "_by_kernel", lambda *args: taken.append(True) or exact(*args))
    rng, told = np.random.default_rng(0), []
    for n in (turns - 1, turns):
        ones = np.ones(n, np.int64)
        trace = tt.Trace.from_turns(rng.integers(0, 50, n), ones, ones)
        found = tt.replay(trace, policy, 100, progress=lambda *place: told.append(place))
        assert found == tt.replay(trace, policy, 100, engine="reference")
        assert told[-1][0] <= told[-1][1] == n
    assert len(taken) == kernel


def test_slots_follow_each_other_as_the_turns_of_a_conversation_do():
    for case in seeded(60, 8):
        m, n = len(case.initial), len(case.conversation)
        last, previous, following = {entry[0]: slot for slot, entry in enumerate(case.initial)}, [], [n] * (m + n)
        for k, conversation in enumerate(case.conversation):
            previous.append(last.get(conversation, -1))
            if conversation in last:
                following[last[conversation]] = k
            last[conversation] = m + k
        slots = Slots.of(case.instance)
        assert (slots.previous.tolist(), slots.following.tolist()) == (previous, following), case
