"""Private conversations are forests that cut: with an initial cache, under every rule, request by request."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from replay.instances import TRIMS, assume_feasible, cases, fewer, policies, seeded

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.policies.policy import LeastRecentlyUsed
from teltheory.replay.chains import reference as chains
from teltheory.replay.trees import reference as trees


@dataclass(frozen=True)
class Own(LeastRecentlyUsed):
    """Rules that look at all that a unit and its conversation have in common."""

    trim: str

    def drops(self, node):
        return node.past % 5 == 4 and not node.ended

    def budget(self, node):
        return node.past - min(node.past, (node.last + node.coming.prompt) % 4)

    def trim_key(self, node):
        return -node.coming.history

    def eviction_key(self, node):
        return (node.past + node.last) % 3


def agree(case):
    """Histories shorten and branch, the cache is as full as it may be, and some conversations never arrive."""
    instance = case.instance
    own = {trim: Own(trim) for trim in TRIMS}
    for name, policy in ({**policies(case), **own}).items():
        chain = chains.replay_reference(instance, policy)
        forest = trees.replay_reference(instance.as_forest(), policy, strict=case.xi % 2 == 0)
        assert forest.cached.tolist() == chain.cached.tolist(), name
        assert forest.uncached.tolist() == chain.uncached.tolist()


@given(cases())
def test_a_conversation_is_its_forest_request_by_request(case):
    assume_feasible(case)
    agree(case)


def test_so_it_is_on_many_worlds():
    for case in seeded(fewer(600), seed=41):
        agree(case)


SHORTENED = tt.Trace.from_turns([0, 1, 1, 0], [3, 4, 1, 0], [0] * 4, history=[0, 0, 2, 3])
CUT = replace(SHORTENED.forest, cut=True)
BRANCHES = tt.Forest.from_paths([[1, 2, 3], [1, 4], [5]])


def test_what_a_shorter_history_leaves_out_makes_room():
    found = [tt.replay(forest, tt.LRU(), 7).cached.tolist() for forest in (SHORTENED, CUT, SHORTENED.forest)]
    assert found == [[0, 0, 2, 3], [0, 0, 2, 3], [0, 0, 2, 2]]
    curves = [tt.capacity_curve(forest, tt.LRU()) for forest in (SHORTENED, CUT)]
    assert curves[0].outcome(7).cached.tolist() == curves[1].outcome(7).cached.tolist()


def test_a_conversation_that_begins_anew_keeps_its_place_in_the_rounds():
    trace = tt.Trace.from_turns([0, 1, 0, 1], [3, 3, 3, 0], [0] * 4, history=[0, 0, 0, 3])
    forest = replace(trace.forest, cut=True)
    for requests in (trace, forest):
        assert tt.replay(requests, tt.TLRU(9, 0), 5).cached.tolist() == [0, 0, 0, 3]


def test_a_forest_may_begin_with_paths_that_are_cached():
    """The leaf of the first request is node 2: two of its three units are cached, the most recent of all."""
    for cache in ("strict", "holes"):
        found = tt.replay(BRANCHES, tt.LRU(), 3, initial=[(7, 2, 2)], cache=cache)
        assert (found.cached.tolist(), found.written.tolist()) == ([2, 1, 0], [1, 1, 1])


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        ([(0, 9, 1)], r"initial\[0\]: found \(0, 9, 1\), expected a node of the forest, -1 to 4"),
        ([(0, 1, 3)], r"initial\[0\]: found \(0, 1, 3\), expected at most 2 cached, the length of the path"),
        ([(0, 1, 1), (0, 4, 1)], r"initial\[1\]: found \(0, 4, 1\), expected each conversation once"),
        ([(0, 2, 3), (1, 4, 1)], "initial: found .*, expected at most the capacity 3 cached in all"),
        ([(0, 1)], r"initial\[0\]: found \(0, 1\), expected \(conversation, leaf, cached\)"),
    ],
)
def test_a_wrong_initial_cache_of_a_forest_is_named(initial, message):
    with pytest.raises(tt.ArgumentError, match=message):
        tt.replay(BRANCHES, tt.LRU(), 3, initial=initial)


def test_units_that_two_paths_share_are_there_once():
    assert tt.replay(BRANCHES, tt.LRU(), 3, initial=[(0, 2, 2), (1, 3, 2)]).cached.tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("forest", "options", "name"),
    [
        (CUT, {"engine": "kernel"}, "trace: found 'a Forest whose histories cut'"),
        (CUT, {"cache": tt.RadixNodes()}, "trace: found 'a Forest whose histories cut'"),
        (CUT, {"cache": tt.WholeNodes()}, "trace: found 'a Forest whose histories cut'"),
        (CUT, {"capacity": tt.Tiers((6, 6), (0, 0))}, "trace: found 'a Forest whose histories cut'"),
        (BRANCHES, {"initial": [(7, 2, 2)], "engine": "kernel"}, "initial: found"),
        (BRANCHES, {"initial": [(7, 2, 2)], "cache": tt.RadixNodes()}, "initial: found"),
        (BRANCHES, {"initial": [(7, 2, 2)], "policy": tt.policies.FIFO()}, "initial: found"),
    ],
)
def test_what_is_for_the_reference_alone_is_refused_elsewhere(forest, options, name):
    with pytest.raises(tt.ArgumentError, match=name):
        tt.replay(**{"trace": forest, "policy": tt.LRU(), "capacity": 6, **options})


def test_a_forest_that_cuts_nothing_is_for_all_loops():
    trace = tt.Trace.from_turns([0, 1, 0], [2, 2, 1], [1, 0, 0])
    assert Instance.of(trace, 4).as_forest().is_plain
    assert Instance.of(trace, 4).as_forest().requests != trace.forest
    assert CUT.is_cut
