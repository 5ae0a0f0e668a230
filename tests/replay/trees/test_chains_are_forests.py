"""Private conversations are forests that cut: with an initial cache, under every rule, request by request."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import given_columns, timed_columns, turn_columns

import teltheory as tt
from teltheory.model.instance import Instance
from teltheory.policies.policy import LeastRecentlyUsed, settled
from teltheory.replay.chains import reference as chains
from teltheory.replay.trees import reference as trees

LENGTH = st.integers(0, 6)
CONVERSATIONS = st.integers(0, 3)


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
        return (node.past + int(node.time)) % 3


@st.composite
def policies(draw):
    xi, q_hat = draw(st.integers(0, 12)), draw(st.integers(0, 8))
    trim = draw(st.sampled_from((None, "round-robin", "least-recent", "eager")))
    trimming = tt.TLRU(xi, q_hat, trim), tt.EndAwareTLRU(xi, q_hat, trim), tt.LengthAwareTLRU(xi, trim)
    others = tt.LRU(), tt.ThresholdLRU(q_hat), tt.Belady(), tt.TailOptimizedBelady(xi)
    return draw(st.sampled_from((*trimming, *others, Own(trim or "least-recent"))))


@st.composite
def instances(draw):
    """Histories that shorten and branch, ties of arrivals, an initial cache, optional or forced."""
    columns = draw(timed_columns(draw(st.sampled_from((turn_columns, given_columns)))(CONVERSATIONS, LENGTH)))
    pasts = draw(st.dictionaries(st.integers(0, 5), st.tuples(LENGTH, LENGTH), max_size=4))
    initial = [(conversation, max(pair), min(pair)) for conversation, pair in pasts.items()]
    trace, forced = tt.Trace.from_turns(**columns), draw(st.booleans())
    least = [sum(cached for *_, cached in initial)]
    least += Instance.of(trace, 10**6, initial=initial).past[:-1].tolist() if forced else []
    return Instance.of(trace, max(least) + draw(st.integers(0, 12)), forced=forced, initial=initial)


@given(instances(), policies(), st.booleans())
def test_a_conversation_is_its_forest_request_by_request(instance, policy, strict):
    forest = trees.replay_reference(instance.as_forest(), policy, strict)
    chain = chains.replay_reference(instance, settled(policy))
    assert forest.cached.tolist() == chain.cached.tolist()
    assert forest.uncached.tolist() == chain.uncached.tolist()


SHORTENED = tt.Trace.from_turns([0, 1, 1, 0], [3, 4, 1, 0], [0] * 4, history=[0, 0, 2, 3])
CUT = replace(SHORTENED.forest, cut=True)
BRANCHES = tt.Forest.from_paths([[1, 2, 3], [1, 4], [5]])


def test_what_a_shorter_history_leaves_out_makes_room():
    found = [tt.replay(forest, tt.LRU(), 7).cached.tolist() for forest in (SHORTENED, CUT, SHORTENED.forest)]
    assert found == [[0, 0, 2, 3], [0, 0, 2, 3], [0, 0, 2, 2]]
    curves = [tt.capacity_curve(forest, tt.LRU()) for forest in (SHORTENED, CUT)]
    assert curves[0].outcome(7).cached.tolist() == curves[1].outcome(7).cached.tolist()


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
        (BRANCHES, {"initial": [(7, 2, 2)], "policy": tt.FIFO()}, "initial: found"),
    ],
)
def test_what_is_for_the_reference_alone_is_refused_elsewhere(forest, options, name):
    with pytest.raises(tt.ArgumentError, match=name):
        tt.replay(**{"trace": forest, "policy": tt.LRU(), "capacity": 6, **options})


def test_a_forest_that_cuts_nothing_is_for_all_loops():
    trace = tt.Trace.from_turns([0, 1, 0], [2, 2, 1], [1, 0, 0])
    assert Instance.of(trace, 4).as_forest().is_plain
    assert Instance.of(trace, 4).as_forest().forest != trace.forest
    assert CUT.is_cut
