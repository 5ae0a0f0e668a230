"""The compiled loop of policies that listen agrees with the reference, request by request, whatever is said."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import by_both_engines, examples
from replay.trees.test_forest_engines import CACHES, LeastFrequentDeepest, modes
from strategies import forests, given_columns, timed_columns

import teltheory as tt
from teltheory.model.hints import WHAT
from teltheory.policies import Node, larger, on_arrays
from teltheory.policies.policy import LeastRecentlyUsed, NotCompiledError
from teltheory.policies.residence import LFU

NAMES = ("close", "superseded", "retain", "resume", "priority")
CLOSE, RETAIN, RESUME, PRIORITY, _ = range(len(WHAT))
NOW_OR_LATER = st.sampled_from((0.0, 0.0, 0.0, 0.5, 1.0, 2.0, 5.0, 40.0))
TIMES = st.integers(0, 14).map(float) | st.sampled_from((0.1, 0.3, 1e16, 1e16 + 2, np.inf, -np.inf))


class LeastFrequent(LeastRecentlyUsed):
    """A custom policy whose order is by pieces, not by depth."""

    @on_arrays
    def budget(self, node: Node) -> int:
        """Count what lies below half of the past as surplus."""
        return larger(node.past // 2, 1)

    @on_arrays
    def eviction_key(self, node: Node) -> int:
        """Evict by reads."""
        return node.hits


@st.composite
def listening(draw):
    """Return a policy of any rules, to any hints."""
    xi, q_hat = draw(st.integers(0, 5)), draw(st.integers(0, 3))
    trim = draw(st.sampled_from(("least-recent", "eager", None)))
    mark = draw(st.sampled_from((None, "high-water", "resident", "last")))
    own = tt.LRU(), tt.TLRU(xi, q_hat, trim, mark), tt.ThresholdLRU(xi), LeastFrequentDeepest(), LeastFrequent()
    use = draw(st.lists(st.sampled_from(NAMES), unique=True))
    return tt.Hinted(draw(st.sampled_from(own)), use, draw(st.sampled_from(("first", "after"))))


def told(draw, requests, agents):
    """Return requests with agents, and with events early and late, whose values replace each other."""
    hints = tt.Hints.of(requests, agent=agents)
    rows = []
    for _ in range(draw(st.integers(0, 2 * len(requests))) if len(requests) else 0):
        about, what = draw(st.integers(0, len(requests) - 1)), draw(st.integers(CLOSE, PRIORITY))
        value = {CLOSE: st.just(np.nan), PRIORITY: st.integers(-2, 2).map(float)}.get(what, TIMES)
        rows.append((requests.arrival[about] + draw(NOW_OR_LATER), about, what, draw(value)))
    columns = zip(*sorted(rows, key=lambda row: row[0]), strict=True)
    return requests.with_hints(hints.and_events(*map(np.array, columns)) if rows else hints)


@examples(4000)
@given(st.data(), forests(), listening(), st.sampled_from(CACHES))
def test_the_loop_agrees_with_the_reference(data, forest, policy, cache):
    agents = data.draw(st.lists(st.none() | st.integers(0, 2), min_size=len(forest), max_size=len(forest)))
    capacity, mode = modes(data.draw, forest)
    by_both_engines(told(data.draw, forest, agents), policy, capacity, cache=cache, **mode)


@examples(1000)
@given(st.data(), timed_columns(given_columns()), listening(), st.booleans())
def test_conversations_whose_histories_cut_are_replayed_as_their_forest(data, columns, policy, forced):
    trace = tt.Trace.from_turns(**columns)
    need = max(trace.past[:-1].tolist(), default=0) if forced else 0
    capacity = need + data.draw(st.integers(0, 9))
    agents = trace.code.tolist() if data.draw(st.booleans()) else [None] * len(trace)
    by_both_engines(told(data.draw, trace, agents), policy, capacity, forced)


def test_distances_that_round_to_the_same_are_equal():
    far = 2.0**53
    forest = tt.Forest.from_paths([[1], [2], [3], [4], [5], [3], [2]], arrival=[*range(4), far, far, far])
    back = [1, 0.5, 0.25, far, far, None, None]
    forest = forest.with_hints(tt.Hints.of(forest, agent=range(7), resume_at=back))
    outcome = by_both_engines(forest, tt.Hinted(tt.LRU(), "resume"), 4)
    assert outcome.cached.tolist() == [0, 0, 0, 0, 0, 1, 0]


def test_what_no_loop_does_is_left_to_the_reference():
    forest = tt.Forest.from_paths([[1, 2], [3]] * 300, arrival=range(600))

    @dataclass(frozen=True)
    class Deep(tt.Hint):
        def keeps(self, requests, now):
            return len(requests)

    for policy in (tt.Hinted(LFU(), "close"), tt.Hinted(tt.LRU(), [Deep()])):
        with pytest.raises(NotCompiledError):
            tt.replay(forest, policy, 2, engine="kernel")
        assert tt.replay(forest, policy, 2) == tt.replay(forest, policy, 2, engine="reference")
    without, policy = tt.Forest.from_paths([[1, 2]]), tt.Hinted(tt.LRU())
    refused(tt.ArgumentError, "no arrival times", lambda: tt.replay(without, policy, 2, engine="kernel"))
    nan = tt.Hints.of(forest).with_events(forest, [(0, 0, "retain", None)])
    with pytest.raises(NotCompiledError):
        tt.replay(forest.with_hints(nan), policy, 2, engine="kernel")
