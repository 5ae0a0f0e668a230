"""The loop of forests in tiers beside the tree in plain Python, request by request."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import examples, fewer
from strategies import forests
from test_differences import LOAD, branching_forest, with_room

import teltheory as tt
from teltheory.model.instance import instance_of
from teltheory.policies import GDSF, EndAwareTLRU, LeastRecentlyUsed, LengthAwareTLRU
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.asked import KERNEL_FROM, Asked
from teltheory.replay.tiers import replays
from teltheory.replay.tiers.forests import replay_forest_in_tiers
from teltheory.replay.tiers.replays import replay_one_by_one


class DeepFirst(LeastRecentlyUsed):
    """A policy whose order differs from unit to unit of a piece, and is no order of children before parents."""

    def eviction_key(self, node):
        return node.depth % 3

    eviction_key.on_arrays = True


class Rare(LeastRecentlyUsed):
    """A policy that drops what was asked for an even number of times, and trims long pasts first."""

    def drops(self, node):
        return node.hits % 2 == 0

    def trim_key(self, node):
        return -node.past

    def budget(self, node):
        return node.past // 2

    drops.on_arrays = trim_key.on_arrays = budget.on_arrays = True


BUDGETED = [
    partial(tt.TLRU, trim=trim, mark=mark, budget=budget)
    for trim in ("least-recent", "eager")
    for mark in ("high-water", "last")
    for budget in ("scaled", "flat")
]
POLICIES = [
    *BUDGETED,
    lambda xi, _: tt.LRU(),
    lambda xi, _: tt.ThresholdLRU(xi),
    lambda xi, _: tt.Belady(),
    lambda xi, _: tt.TailOptimizedBelady(xi),
    partial(EndAwareTLRU, trim="eager"),
    lambda xi, _: LengthAwareTLRU(xi, "least-recent"),
    lambda xi, _: DeepFirst(),
    lambda xi, _: Rare(),
]
SIZES = st.lists(st.integers(0, 8), min_size=1, max_size=4)


def check(forest, policies, tiers, forced):
    """Assert that the loop and the tree find, write, copy and load the same."""
    instance = instance_of(forest, tiers.capacities[0], forced=forced)
    judge = replay_one_by_one(instance, Asked(policies, tiers, forced))
    columns = judge.cached, judge.written, judge.copied, judge.loaded
    for found, expected in zip(replay_forest_in_tiers(instance, policies, tiers), columns, strict=True):
        assert found.tolist() == expected.tolist()


def a_mark(policies):
    return len({policy.mark for policy in policies if hasattr(policy, "mark")}) < 2


@examples(400)
@given(forests(), st.data(), st.integers(0, 6), st.integers(0, 3), SIZES, st.booleans())
def test_a_forest_in_tiers_is_the_tree_request_by_request(forest, data, xi, q_hat, sizes, forced):
    longest = int(forest.past[:-1].max(initial=0))
    kind = data.draw(st.sampled_from(POLICIES))
    policies = [kind(xi, q_hat)] * len(sizes)
    if data.draw(st.booleans()):
        policies[0] = data.draw(st.sampled_from(POLICIES))(xi, q_hat)
    if a_mark(policies):
        check(forest, policies, with_room(sizes, longest, forced), forced)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("forced", [False, True])
def test_larger_forests_are_the_tree_request_by_request(policy, forced):
    rng = np.random.default_rng(11)
    for _ in range(fewer(30)):
        forest = branching_forest(rng, 120)
        sizes = rng.integers(0, 60, rng.integers(2, 5)).tolist()
        tiers = with_room(sizes, int(forest.past[:-1].max()), forced)
        check(forest, policy(int(rng.integers(0, 9)), int(rng.integers(0, 4))), tiers, forced)


def test_a_last_path_that_does_not_fit_is_not_cut():
    forest = tt.Forest.from_paths([[1, 2], [3], [1, 2, 4, 5]])
    check(forest, tt.LRU(), with_room([2, 5], 2, True), True)


@pytest.mark.parametrize("scale", [2**40, 2**59])
def test_lengths_near_the_largest_numbers(scale):
    tree, asked = np.array([-1, 0, 0, -1]), np.array([2, 2, 1, 2, 2])
    leaves = np.array([1, 2, 3, 1, 2])
    forest, large = (tt.Forest(tree, np.full(4, unit), leaves, asked * unit, asked * unit) for unit in (1, scale))
    tiers, more = tt.Tiers((2, 1), (0, LOAD)), tt.Tiers((2 * scale, scale), (0, LOAD))
    few = replay_forest_in_tiers(instance_of(forest, 2), tt.LRU(), tiers)
    many = replay_forest_in_tiers(instance_of(large, 2 * scale), tt.LRU(), more)
    assert [(column * scale).tolist() for column in few] == [column.tolist() for column in many]


@pytest.mark.parametrize(
    ("policy", "mode"),
    [(tt.TLRU(2, 1, mark="resident"), "exclusive"), (GDSF(), "exclusive"), (tt.LRU(), "inclusive")],
)
def test_what_the_loop_does_not_do_is_left_to_the_tree(policy, mode):
    forest = branching_forest(np.random.default_rng(5), 900)
    tiers = tt.Tiers((20, 50), (0, LOAD), mode)
    with pytest.raises(NotCompiledError):
        replay_forest_in_tiers(instance_of(forest, 20), policy, tiers)
    assert tt.replay(forest, policy, tiers) == replay_one_by_one(instance_of(forest, 20), Asked(policy, tiers))


def test_conversations_that_trim_in_rounds_are_no_trees():
    trace = tt.Trace.from_turns(*np.random.default_rng(3).integers(0, 9, (3, 60)))
    tiers = tt.Tiers((30, 40), (0, LOAD))
    outcome = tt.replay(trace.forest, tt.TLRU(9, 1), tiers, engine="kernel")
    assert outcome == tt.replay(trace, tt.TLRU(9, 1), tiers, engine="reference")


def test_replay_takes_the_loop(monkeypatch):
    forest = branching_forest(np.random.default_rng(5), 900)
    assert int(forest.past.sum()) >= KERNEL_FROM
    tiers = tt.Tiers((20, 50), (0, LOAD))
    for policy in (tt.TLRU(4, 1), tt.TailOptimizedBelady(4), (tt.LRU(), tt.TLRU(4, 1))):
        judge = replay_one_by_one(instance_of(forest, 20), Asked(policy, tiers))
        with monkeypatch.context() as without:
            without.setattr(replays, "TieredTree", None)
            found = tt.replay(forest, policy, tiers), tt.replay(forest, policy, tiers, engine="kernel")
        assert all(outcome == judge for outcome in found)
