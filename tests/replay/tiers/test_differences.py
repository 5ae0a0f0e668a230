"""Tiers as differences of caches: the loops that use it, beside the replay in tiers, request by request."""

from copy import copy
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import examples, fewer
from strategies import forests, given_columns

import teltheory as tt
from teltheory.model.instance import instance_of
from teltheory.policies import LFU, EndAwareTLRU, LeastRecentlyUsed
from teltheory.replay.asked import Asked
from teltheory.replay.chains.replays import replay_instance
from teltheory.replay.tiers import differences
from teltheory.replay.tiers.replays import replay_one_by_one
from teltheory.replay.trees.replays import replay_forest

LOAD = Fraction(3, 10)
FLAT = [partial(tt.TLRU, trim=trim, budget="flat") for trim in ("least-recent", "eager")]
ON_FORESTS = [lambda xi, _: tt.LRU(), lambda xi, _: tt.ThresholdLRU(xi), lambda xi, _: tt.Belady(), *FLAT]
ON_CHAINS = [*ON_FORESTS, partial(tt.TLRU, budget="flat")]


class ByLength(LeastRecentlyUsed):
    """A policy of one's own that the recency of forests covers: half of a long past is worth keeping."""

    budgets = "flat"

    def budget(self, node):
        return node.past // 2

    budget.on_arrays = True


def in_tiers(sizes):
    return tt.Tiers(sizes, (0, *[LOAD] * (len(sizes) - 1)))


def check(requests, policy, tiers, forced=False):
    """Assert that differences of caches are the replay in tiers; copies are found once they are asked for."""
    instance = instance_of(requests, tiers.capacities[0], forced=forced)
    assert differences.covered(instance, policy, tiers)
    judge = replay_one_by_one(instance, Asked(policy, tiers, forced))
    one = partial(
        replay_forest if requests.shared else replay_instance, policy=differences.one_of(policy, requests)
    )
    found = differences.replay(instance, tiers, one, lambda: judge.copied)
    assert "copied" not in vars(found)
    assert found == judge
    assert vars(found)["copied"] is judge.copied


def with_room(sizes, longest, forced):
    return in_tiers((max(sizes[0], longest), *sizes[1:]) if forced else tuple(sizes))


SIZES = st.lists(st.integers(0, 8), min_size=2, max_size=4)


@given(forests(), st.sampled_from(ON_FORESTS), st.integers(0, 6), st.integers(0, 3), SIZES, st.booleans())
def test_a_forest_in_tiers_is_a_difference_of_caches(forest, policy, xi, q_hat, sizes, forced):
    longest = int(forest.past[:-1].max(initial=0))
    made = policy(xi, q_hat)
    if isinstance(made, tt.Belady):
        forest = tt.Forest.from_paths([forest.by_units().path(k) for k in range(len(forest))])
    check(forest, made, with_room(sizes, longest, forced), forced)


@examples(200)
@given(
    given_columns(st.integers(0, 2), st.integers(0, 4), 12),
    st.sampled_from(ON_CHAINS),
    st.integers(0, 9),
    st.integers(0, 3),
    SIZES,
    st.booleans(),
)
def test_private_conversations_in_tiers_are_a_difference_of_caches(turns, policy, xi, q_hat, sizes, forced):
    trace = tt.Trace.from_turns(**turns)
    check(trace, policy(xi, q_hat), with_room(sizes, int(trace.past[:-1].max(initial=0)), forced), forced)


def branching_forest(rng, requests):
    """Draw paths that go down any path before, and on from there; the last of some is asked for in part."""
    paths = [[0]]
    for k in range(requests):
        above = paths[rng.integers(len(paths))]
        paths.append([*above[: rng.integers(len(above) + 1)], *[(k, unit) for unit in range(rng.integers(0, 5))]])
    return tt.Forest.from_paths([[str(unit) for unit in path] for path in paths])


@pytest.mark.parametrize("policy", [*ON_FORESTS, lambda xi, q_hat: ByLength()])
def test_large_forests_are_replayed_so_and_their_copies_are_those_of_the_replay_in_tiers(policy):
    rng = np.random.default_rng(7)
    for _ in range(fewer(20)):
        forest = branching_forest(rng, 900)
        tiers = in_tiers(tuple(rng.integers(0, 200, rng.integers(2, 4)).tolist()))
        made = policy(int(rng.integers(0, 8)), int(rng.integers(0, 4)))
        outcome = tt.replay(forest, made, tiers)
        assert "_copying" in vars(outcome)
        judge = replay_one_by_one(instance_of(forest, tiers.capacities[0], forced=False), Asked(made, tiers))
        assert copy(outcome.in_tokens()) == judge.in_tokens()
        assert outcome == judge


def test_a_belady_that_may_not_reuse_answers_is_replayed_in_tiers():
    """Below a unit of an answer, which the next request may not reuse, the request after it reuses one."""
    paths = [[1, 2, 3], [1, 2], [1, 2, 3], [1, 2, 3, 4]]
    tiers = in_tiers((2, 2))
    whole = tt.Forest.from_paths(paths)
    answers = tt.Forest.from_paths(paths, ask=[3, 1, 3, 4])
    assert [differences.covered(instance_of(one, 2), tt.Belady(), tiers) for one in (whole, answers)] == [
        True,
        False,
    ]


def refuted():
    scaled, last, resident = tt.TLRU(3, 1), *(tt.TLRU(3, 1, mark=m, budget="flat") for m in ("last", "resident"))
    return [scaled, last, resident, tt.TailOptimizedBelady(2), EndAwareTLRU(3, 1, budget="flat"), LFU()]


@pytest.mark.parametrize("policy", refuted())
def test_what_no_row_covers_is_replayed_in_tiers(policy):
    forest = tt.Forest.from_paths([[1, 2], [1, 3], [4]])
    assert not differences.covered(instance_of(forest, 2), policy, in_tiers((2, 2)))


@pytest.mark.parametrize("mode", ["inclusive", "swap-out-once"])
def test_other_modes_and_different_policies_are_replayed_in_tiers(mode):
    forest = tt.Forest.from_paths([[1, 2], [1, 3], [4]])
    instance, flat = instance_of(forest, 2), tt.TLRU(3, 1, budget="flat")
    assert not differences.covered(instance, flat, tt.Tiers((2, 2), (0, LOAD), mode))
    assert not differences.covered(instance, (tt.LRU(), flat), in_tiers((2, 2)))
    assert differences.covered(instance, (flat, tt.TLRU(3, 1, budget="flat")), in_tiers((2, 2)))
    assert not differences.covered(instance, flat, in_tiers((2,)))


def test_private_conversations_go_by_differences_where_they_are_the_faster():
    trace = tt.Trace.from_turns(*np.random.default_rng(3).integers(0, 9, (3, 2100)))
    flat = partial(tt.TLRU, 9, 1, budget="flat")
    two, three = in_tiers((300, 400)), in_tiers((100, 200, 400))
    for policy, tiers, pays in (
        (flat("round-robin"), two, True),
        (tt.Belady(), two, True),
        (flat("eager"), two, False),
        (flat("eager"), three, True),
        (tt.TLRU(9, 1), three, False),
    ):
        outcome = tt.replay(trace, policy, tiers)
        assert ("_copying" in vars(outcome)) == pays
        assert outcome == tt.replay(trace, policy, tiers, engine="reference")


@pytest.mark.long
def test_the_mooncake_trace_in_tiers_is_a_difference_of_caches(mooncake_trace):
    forest = mooncake_trace.forest
    tiers = in_tiers((1953, 2000, 3859))
    for policy in (tt.LRU(), tt.Belady(), *(kind(54, 23) for kind in FLAT)):
        check(forest, policy, tiers)


@pytest.mark.parametrize("capacities", [(2**62, 2**62, 2**62), (5, 2**63 - 1)])
def test_rooms_that_add_up_to_more_than_a_number_holds(capacities):
    forest = tt.Forest.from_paths([[1, 2, 3], [1, 4], [1, 2, 3]])
    check(forest, tt.LRU(), in_tiers(capacities))
