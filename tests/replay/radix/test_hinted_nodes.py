"""Hints under engines' rules: whole nodes by their first units, and blocks."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policies.test_listening import NAMES, made, world_of

import teltheory as tt

POLICIES = tt.LRU(), tt.TLRU(xi=2, q_hat=1), tt.TLRU(xi=1, q_hat=0, trim="eager")
ENGINES = "strict", "holes", "vllm", "trtllm", "sglang", "sglang:chunk=1"


@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(1, 2))
def test_nodes_of_one_unit_are_the_strict_forced_cache_under_hints_too(seed, room, running):
    rng = Random(seed)
    forest, use = made(world_of(rng)), rng.sample(NAMES, rng.randint(1, 3))
    policy = tt.Hinted(rng.choice(POLICIES), use, rng.choice(["first", "after"]))
    capacity = sum(sorted(forest.past.tolist())[-running:]) + room
    blocks = tt.replay(forest, policy, capacity, True, running=running)
    assert tt.replay(forest, policy, capacity, cache=tt.RadixNodes(chunk=1), running=running) == blocks


@pytest.mark.parametrize("rules", ENGINES)
def test_hints_are_heard_under_the_rules_of_every_engine(rules):
    """Without any in use it is the policy; a closed agent's blocks go before older ones."""
    for seed in range(20):
        forest = made(world_of(Random(seed)))
        for policy in POLICIES[:2]:
            plain = tt.replay(forest, policy, 6, rules=rules)
            assert tt.replay(forest, tt.Hinted(policy, ()), 6, rules=rules) == plain
    forest = tt.Forest.from_paths([[1], [2], [3], [1]], total=[2] * 4, arrival=range(4))
    told = forest.with_hints(tt.Hints.of(forest, closed_at=[None, 1, None, None]))
    capacity = 3 if rules == "vllm" else 2
    assert tt.replay(told, "lru", capacity, rules=rules).cached.tolist() == [0, 0, 0, 0]
    found = tt.replay(told, tt.Hinted("lru", "close"), capacity, rules=rules).cached.tolist()
    assert found == [0, 0, 0, 1]


def test_a_node_is_dead_if_its_first_unit_is():
    forest = tt.Forest.from_paths([[1, 2], [3], [1], [4], [3]], arrival=range(5), agent=[*"ABBBB"])
    told = forest.with_hints(tt.Hints.of(forest, closed_at=[0, None, None, None, None]))
    assert tt.replay(forest, "lru", 3, rules="sglang").cached.tolist() == [0, 0, 1, 0, 0]
    assert tt.replay(told, tt.Hinted("lru", "close"), 3, rules="sglang").cached.tolist() == [0, 0, 1, 0, 1]


def test_who_holds_the_first_unit_of_a_node_holds_the_node():
    paths, agent = [[1], [5, 6, 7], [3], [1, 2], [4], [3]], [*"BCDAEF"]
    forest = tt.Forest.from_paths(paths, arrival=range(6), agent=agent)
    for closed, found in ("A", 0), ("AB", 1):
        said = [t if who in closed else None for t, who in enumerate(agent)]
        told = forest.with_hints(tt.Hints.of(forest, closed_at=said))
        assert tt.replay(told, tt.Hinted("lru", "close"), 3, rules="sglang").cached.tolist()[-1] == found


def test_what_is_kept_stands_before_surplus_or_behind_it():
    forest = tt.Forest.from_paths([[3], [4, 5], [6], [3]], arrival=range(4))
    kept = forest.with_hints(tt.Hints.of(forest, retain_until=[9, None, None, None]))
    plain = tt.TLRU(xi=1, q_hat=0)
    for policy, found in (plain, 0), (tt.Hinted(plain, "retain"), 1), (tt.Hinted(plain, "retain", "after"), 0):
        assert tt.replay(kept, policy, 3, rules="sglang").cached.tolist() == [0, 0, 0, found]


def test_an_output_is_not_known_before_room_is_made_for_it():
    forest = tt.Forest.from_paths([[3], [1, 2], [1, 2], [3]], [1, 1, 1, 1], arrival=range(4), agent=[*"CABC"])
    told = forest.with_hints(tt.Hints.of(forest, closed_at=[None, 1, None, None]))
    assert tt.replay(told, tt.Hinted("lru", "close"), 3, rules="sglang").cached.tolist() == [0, 0, 1, 1]
    whole = replace(told, ask=told.past, total=told.past)
    assert tt.replay(whole, tt.Hinted("lru", "close"), 3, rules="sglang").cached.tolist() == [0, 0, 2, 1]


def test_under_sessions_hints_come_after_the_number_of_users():
    forest = tt.Forest.from_paths([[1], [2], [3], [1]], arrival=range(4), agent=[0, None, None, 0])
    told = forest.with_hints(tt.Hints.of(forest, priority=[0, 9, None, None]))
    hinted = tt.Hinted("lru", "priority")
    assert tt.replay(told, hinted, 2, rules="sglang").cached.tolist() == [0, 0, 0, 0]
    assert tt.replay(told, hinted, 2, rules="sglang:sessions=yes").cached.tolist() == [0, 0, 0, 1]


def test_no_loop_hears_hints_of_whole_nodes():
    forest = tt.Forest.from_paths([[1]], arrival=[0])
    with pytest.raises(tt.ArgumentError, match="engine='reference' for it where whole nodes go"):
        tt.replay(forest, tt.Hinted("lru"), 2, rules="sglang", engine="kernel")
