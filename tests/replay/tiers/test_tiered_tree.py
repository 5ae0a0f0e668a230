"""The tree in tiers, step by step: against its reference, and what holds after each step."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiered import documents, tiered

import teltheory as tt
from teltheory.model.tiers import Tiers
from teltheory.policies import FIFO, LeastRecentlyUsed, Memory
from teltheory.replay.tiers.reference import PlainTree
from teltheory.replay.tiers.tree import TieredTree

ACCOUNTS = ("written", "copied_to", "freed", "loaded_from", "dropped", "lost", "replicated")


def test_a_leaf_sinks_and_comes_back():
    forest = tt.Forest.from_paths([[0, 1], [0, 2]])
    tree = TieredTree(forest, Tiers((2, 1), (0, 0)), tt.LRU())
    assert tree.start(1, 0) == ((0, 0), 2, 0, 0)
    assert tree.found(1) == (0, 0)
    tree.finish(1, 0)
    assert tree.found(1) == (2, 0)
    assert tree.start(2, 1) == ((1, 0), 1, 0, 1)
    tree.finish(2, 1)
    assert tree.found(1) == (1, 1)
    assert tree.start(1, 2) == ((1, 1), 0, 1, 1)
    assert (tree.copied, tree.loaded, tree.dropped, tree.written) == (2, 1, 0, 3)


@pytest.mark.parametrize("kind", [TieredTree, PlainTree])
def test_a_parent_is_a_leaf_once_its_last_child_has_gone(kind):
    forest = tt.Forest.from_paths([[0, 1], [0, 2], [3], [4], [5]])
    tree = kind(forest, Tiers((3, 3), (0, 0)), FIFO())
    gone = [served(tree, leaf, k) for k, leaf in enumerate(forest.leaf.tolist())]
    assert gone == [[], [], [1], [2], [0]]


def served(tree, leaf, k):
    """Serve a request; return what is in the second tier now and was not before."""
    before = in_host(tree)
    tree.start(leaf, k)
    tree.finish(leaf, k)
    return sorted(in_host(tree) - before)


def in_host(tree):
    found = tree.tier if isinstance(tree, PlainTree) else {node.code: node.tier for node in tree.documents}
    return {node for node, tier in found.items() if tier == 1}


@pytest.mark.parametrize("kind", [TieredTree, PlainTree])
def test_a_request_that_does_not_fit_now_waits(kind):
    forest = tt.Forest.from_paths([[0, 1], [2, 3], [0, 4]])
    tree = kind(forest, Tiers((3,)), tt.LRU())
    assert tuple(tree.start(1, 0)) == ((0,), 2, 0, 0)
    assert tree.start(3, 1) is None
    assert tree.start(4, 2) is None  # its root is not there before the first token
    tree.finish(1, 0)
    assert tuple(tree.start(4, 2)) == ((1,), 1, 0, 0)
    assert tree.start(3, 1) is None
    tree.cancel(4, 2)
    assert tuple(tree.start(3, 1)) == ((0,), 2, 0, 0)
    assert tree.found(1) == (1,)
    with pytest.raises(tt.ForcedCachingError, match=r"turn 4: .* length 4, expected at most the capacity 3"):
        kind(forest, Tiers((3,)), tt.LRU(), block=2).start(1, 4)


@pytest.mark.parametrize("kind", [TieredTree, PlainTree])
def test_two_that_run_at_once_both_compute_and_one_brings_it_in(kind):
    forest = tt.Forest.from_paths([[0, 1], [0, 1], [0]])
    tree = kind(forest, Tiers((5,)), tt.LRU())
    assert [tree.start(1, k)[1] for k in (0, 1)] == [2, 2]
    tree.finish(1, 0)
    assert (tree.found(1), tree.written) == ((2,), 2)
    assert tuple(tree.start(1, 2)) == ((2,), 0, 0, 0)
    tree.cancel(1, 2)
    tree.finish(1, 1)
    assert (tree.found(1), tree.written, tree.dropped) == ((2,), 2, 0)


class Attentive(LeastRecentlyUsed, Memory):
    """LRU, and its own memory, which notes the numbers that it hears of each request."""

    def __init__(self):
        self.heard = []

    def memory(self, instance):
        return self

    def retrieved(self, nodes, cached, fresh, tail):
        self.heard.append((cached, fresh, tail))


@pytest.mark.parametrize("kind", [TieredTree, PlainTree])
def test_a_policy_hears_what_is_found_and_computed_on_a_path_and_after_it(kind):
    forest = tt.Forest.from_paths([[0, 1], [0, 2], [0, 1]])
    policy = Attentive()
    tree = kind(forest, Tiers((3,)), policy)
    for k, (leaf, question) in enumerate([(1, {}), (2, {"tail": 4}), (1, {"tail": 0})]):
        tree.start(leaf, k, **question)
        tree.finish(leaf, k)
    assert policy.heard == [(0, 2, 0), (1, 1, 4), (2, 0, 0)]


class Both:
    """The tree and its reference, side by side."""

    def __init__(self, forest, tiers, policy, block, replicas):
        self.forest = forest
        self.trees = [kind(forest, tiers, policy, block, replicas) for kind in (TieredTree, PlainTree)]
        self.running, self.starts = [], 0

    def do(self, name, *arguments):
        fast, plain = (getattr(tree, name)(*arguments) for tree in self.trees)
        assert fast == plain
        self.check()
        return fast

    def start(self, leaf, tail):
        self.do("found", leaf)
        if self.do("start", leaf, self.starts, tail, self.starts / 2) is not None:
            self.running.append((leaf, self.starts))
            self.starts += 1

    def end(self, name, which):
        if self.running:
            self.do(name, *self.running.pop(which % len(self.running) if which >= 0 else -1))

    def lose(self):
        for _ in range(len(self.running)):
            self.end("cancel", 0)
        self.do("lose")

    def check(self):
        tree, plain = self.trees
        assert [getattr(tree, name) for name in ACCOUNTS] == [getattr(plain, name) for name in ACCOUNTS]
        known = list(tree.documents)
        assert {node.code: node.tier for node in known if node.tier >= 0} == plain.tier
        assert {node.code for node in known if node.tier == 0 and node.hosted} == plain.copies
        assert tree.pinned == sum(plain.room[node] for node in plain.pinned() if plain.tier.get(node) == 0)
        assert tree.reserved == plain.reserved()
        holds(plain)
        for number, level in enumerate(tree.levels):
            assert level.used == plain.used(number)
        if not any(tree.running):
            walked = [tuple(tree.found(leaf)) for leaf in range(-1, self.forest.nodes)]
            assert walked == [plain.found(leaf) for leaf in range(-1, self.forest.nodes)]


def holds(plain):
    """Assert what holds after every step of any tree."""
    cached = sum(plain.length[node] for node in plain.tier)
    assert cached == plain.written - plain.dropped - plain.lost
    for node, tier in plain.tier.items():
        above = plain.parent[node]
        assert above < 0 or plain.tier[above] <= tier
    used = [plain.used(number) for number in range(len(plain.tiers))]
    used[0] += plain.reserved()
    held = accumulate(used) if plain.tiers.mode == "inclusive" else used
    assert all(room <= size for room, size in zip(held, plain.tiers.capacities, strict=True))
    for path, room in plain.running.values():
        assert sum(plain.room[n] for n in path if plain.tier.get(n) == 0) + room >= sum(
            plain.room[n] for n in path
        )


STEPS = ("serve", "serve", "serve", "serve", "start", "start", "finish", "finish", "cancel", "lose")
WALKS = st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 20)), min_size=12, max_size=40)


@given(documents(), st.data())
def test_the_tree_is_its_reference_step_by_step(forest, data):
    both = Both(forest, *data.draw(tiered(forest)))
    for step, which in data.draw(WALKS):
        if step in ("serve", "start"):
            both.start(which % (forest.nodes + 1) - 1, which % 3)
        if step == "serve":
            both.end("finish", -1)
        elif step == "lose":
            both.lose()
        elif step in ("finish", "cancel"):
            both.end(step, which)
