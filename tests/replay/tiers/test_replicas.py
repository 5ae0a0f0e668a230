"""Copies in the second tier: made once, made early, and what they are worth when the first tier is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from test_algorithm_1 import FOREST, LEARNT
from tiered import MODES, documents, policies

import teltheory as tt
from teltheory.replay.tiers.recovery import cost_of_loss
from teltheory.replay.tiers.replicas import Replicas
from teltheory.replay.tiers.tree import TieredTree

TWO = tt.Tiers((6, 6), (0, 0))


def served(forest, tiers, policy, **options):
    tree = TieredTree(forest, tiers, policy, **options)
    for k, leaf in enumerate(forest.leaf.tolist()):
        tree.start(leaf, k)
        tree.finish(leaf, k)
    return tree


@given(documents(), policies(), st.integers(0, 4), st.integers(0, 12))
def test_nothing_is_copied_twice_while_it_is_cached(forest, policy, room, host):
    first = int(forest.depth.max()) + room
    tree = served(forest, tt.Tiers((first, host), (0, 0), "swap-out-once"), policy)
    assert tree.copied <= tree.written
    exclusive = served(forest, tt.Tiers((first, host), (0, 0)), policy)
    assert exclusive.freed == 0


@given(documents(), st.integers(0, 4))
def test_with_room_for_everything_copying_once_is_the_first_copy_of_each(forest, room):
    first = int(forest.depth.max()) + room
    host = int(forest.length.sum())
    once, every = (
        served(forest, tt.Tiers((first, host), (0, 0), mode), tt.LRU()) for mode in ("swap-out-once", "exclusive")
    )
    assert once.copied + once.freed == every.copied
    assert (once.loaded, once.written, once.dropped) == (every.loaded, every.written, 0)


def test_upper_levels_survive_the_loss_of_the_first_tier():
    tree = TieredTree(FOREST, TWO, tt.LRU(), replicas=Replicas(levels=2))
    tree.start(3, 0)
    tree.finish(3, 0)
    assert (tree.found(3), tree.copied, tree.replicated) == ((6, 0), 4, 4)
    assert tree.lose() == 2
    assert (tree.found(3), tree.lost) == ((0, 4), 2)


def test_without_a_copy_of_the_root_everything_is_lost():
    tree = TieredTree(FOREST, tt.Tiers((4, 6), (0, 0)), tt.LRU())
    for k, leaf in enumerate([1, 2]):
        tree.start(leaf, k)
        tree.finish(leaf, k)
    assert [tree.found(leaf) for leaf in (1, 2)] == [(2, 2), (4, 0)]
    assert tree.lose() == 6
    assert [tree.found(leaf) for leaf in (1, 2)] == [(0, 0), (0, 0)]


def test_the_first_tier_is_lost_while_nothing_runs():
    tree = TieredTree(FOREST, TWO, tt.LRU())
    tree.start(3, 0)
    refused(tt.ArgumentError, "running: found [(3, 0)], expected no request: cancel", tree.lose)
    tree.cancel(3, 0)
    assert (tree.lose(), tree.reserved, tree.pinned) == (0, 0, 0)
    refused(tt.ArgumentError, "k: found 0, expected a request that runs on the path to node 3", tree.finish, 3, 0)


def test_the_most_asked_for_are_copied_and_given_up():
    tree = TieredTree(FOREST, TWO, tt.LRU(), replicas=Replicas(nodes=2))
    hot = []
    for k, leaf in enumerate([1, 2, 2, 4]):
        tree.start(leaf, k)
        tree.finish(leaf, k)
        hot.append(sorted(node.code for node in tree.documents if node.tier == 0 and node.hosted))
    assert hot == [[0, 1], [0, 1], [0, 2], [0, 2]]
    assert tree.replicated == 6


@pytest.mark.parametrize("tiers", [tt.Tiers((7, 9, 9), (0, 0, 0)), tt.Tiers((7, 9), (0, 0), "inclusive")])
def test_two_tiers_that_are_not_inclusive_have_copies(tiers):
    with pytest.raises(tt.ArgumentError, match=f"expected none in {len(tiers)} {tiers.mode} tiers"):
        TieredTree(FOREST, tiers, tt.LRU(), replicas=Replicas(levels=1))


def test_each_replicated_level_saves_what_is_lost():
    costs = [cost_of_loss(FOREST, tt.Tiers((7, 9), (0, 0)), LEARNT, 3, replicas=Replicas(r)) for r in range(4)]
    assert costs == [(10, 10, -8, 0), (4, 4, -2, 2), (0, 0, 2, 8), (0, 0, 2, 10)]


@given(documents(), st.integers(0, 14), st.sampled_from(MODES[:2]))
def test_with_copies_of_everything_nothing_is_lost(forest, request, mode):
    tiers = tt.Tiers((int(forest.depth.max()), int(forest.length.sum())), (0, 0), mode)
    height = max(len(forest.path(k)) for k in range(len(forest)))
    costs = [
        cost_of_loss(forest, tiers, tt.LRU(), min(request, len(forest)), replicas=Replicas(r))
        for r in range(height + 1)
    ]
    lost = [cost.lost for cost in costs]
    assert lost == sorted(lost, reverse=True)
    assert costs[-1][:2] == (0, 0)
