"""The compiled loop of policies that listen agrees with the reference, request by request, whatever is said."""

import random
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import by_both_engines, examples, fewer
from replay.trees.test_forest_engines import CACHES, LeastFrequentDeepest
from strategies import given_columns, named, timed_columns

import teltheory as tt
from teltheory.model.hints import WHAT
from teltheory.model.instance import ForestInstance
from teltheory.policies import Node, larger, on_arrays
from teltheory.policies.policy import LeastRecentlyUsed, NotCompiledError
from teltheory.policies.residence import LFU

NAMES = ("close", "superseded", "retain", "resume", "priority")
CLOSE, _, _, PRIORITY, _ = range(len(WHAT))
LATER = (0.0, 0.0, 0.0, 0.5, 1.0, 2.0, 5.0, 40.0)
TIMES = (*map(float, range(15)), 0.1, 0.3, 1e16, 1e16 + 2, np.inf, -np.inf)


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


def listening(rng):
    """Return a policy of any rules, to any hints."""
    trim, mark = rng.choice(("least-recent", "eager", None)), rng.choice((None, "high-water", "resident", "last"))
    xi, q_hat = rng.randint(0, 5), rng.randint(0, 3)
    own = tt.LRU(), tt.TLRU(xi, q_hat, trim, mark), tt.ThresholdLRU(xi), LeastFrequentDeepest(), LeastFrequent()
    use = rng.sample(NAMES, rng.choice((0, 1, 1, 1, 2, 2, 3, 4, 5)))
    return tt.Hinted(rng.choice(own), use, rng.choice(("first", "after")))


def forest_of(rng):
    """Return a forest with branches, shortened histories and requests at the same time."""
    spelt = []
    for _ in range(rng.randint(2, 20)):
        begins = rng.choice(spelt) if spelt else []
        spelt.append(begins[: rng.randint(0, len(begins))] + [rng.randint(0, 1) for _ in range(rng.randint(0, 3))])
    ask = [rng.randint(max(len(word) - 1, 0), len(word)) for word in spelt]
    return tt.Forest.from_paths(named(spelt), ask, None, sorted(rng.randint(0, 12) for _ in spelt))


def told(rng, requests):
    """Return requests with agents, and with events early and late, whose values replace each other."""
    hints = tt.Hints.of(requests, agent=[rng.choice((0, 0, 1, 2, None)) for _ in range(len(requests))])
    rows = []
    for _ in range(rng.randint(0, 2 * len(requests)) if len(requests) else 0):
        about, what = rng.randrange(len(requests)), rng.randint(CLOSE, PRIORITY)
        value = np.nan if what == CLOSE else float(rng.randint(-2, 2)) if what == PRIORITY else rng.choice(TIMES)
        rows.append((requests.arrival[about] + rng.choice(LATER), about, what, value))
    columns = zip(*sorted(rows, key=lambda row: row[0]), strict=True)
    return requests.with_hints(hints.and_events(*map(np.array, columns)) if rows else hints)


def test_the_loop_agrees_with_the_reference():
    for seed in range(fewer(16_000)):
        rng = random.Random(seed)
        forest, running, room = told(rng, forest_of(rng)), rng.randint(0, 3), rng.randint(1, 9)
        pinned = ForestInstance(forest, 0, forced=True, running=running).pinned[:-1] if running else np.zeros(1)
        mode = {"forced": True, "running": running} if running else {}
        by_both_engines(forest, listening(rng), room + int(pinned.max()), cache=rng.choice(CACHES), **mode)


@examples(4000)
@given(st.integers(0, 2**32), timed_columns(given_columns()), st.booleans())
def test_conversations_whose_histories_cut_are_replayed_as_their_forest(seed, columns, forced):
    rng, trace = random.Random(seed), tt.Trace.from_turns(**columns)
    capacity = rng.randint(0, 9) + (max(trace.past[:-1].tolist(), default=0) if forced else 0)
    by_both_engines(told(rng, trace), listening(rng), capacity, forced)


def test_distances_that_round_to_the_same_are_equal():
    far = 2.0**53
    forest = tt.Forest.from_paths([[1], [2], [3], [4], [5], [3], [2]], arrival=[*range(4), far, far, far])
    back = [1, 0.5, 0.25, far, far, None, None]
    forest = forest.with_hints(tt.Hints.of(forest, agent=range(7), resume_at=back))
    outcome = by_both_engines(forest, tt.Hinted(tt.LRU(), "resume"), 4)
    assert outcome.cached.tolist() == [0, 0, 0, 0, 0, 1, 0]


def test_a_time_of_return_gives_way_to_one_that_is_nearer_by_now():
    forest = tt.Forest.from_paths([[1], [1], [2], [3], [1]], arrival=[0, 1, 2, 18, 19])
    forest = forest.with_hints(tt.Hints.of(forest, agent=range(5), resume_at=[10, 20, 13, 18, None]))
    assert by_both_engines(forest, tt.Hinted(tt.LRU(), "resume"), 2).cached.tolist() == [0, 1, 0, 0, 1]


def test_what_no_loop_does_is_left_to_the_reference():
    unsaid = tt.Forest.from_paths([[1, 2], [3]] * 170, arrival=range(340))
    forest = unsaid.with_hints(tt.Hints.announce(unsaid))
    assert tt.replay(unsaid, tt.Hinted(LFU(), "close"), 2, engine="kernel") == tt.replay(unsaid, LFU(), 2)

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
