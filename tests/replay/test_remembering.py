"""Policies with a memory on private conversations: by runs, unit by unit, and as the forest that they are."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import fewer
from strategies import given_columns, timed_columns, turn_columns

import teltheory as tt
from teltheory.policies import FIFO, GDSF, LFU, PGDSF, S3FIFO, SLRU, TTL, Priority, TwoQ
from teltheory.policies.residence import ByResidence

LENGTH = st.integers(0, 5)
HALF = Fraction(1, 2)


@st.composite
def policies(draw, turns):
    own = (FIFO(), LFU(), SLRU(), GDSF(), PGDSF(per_depth=draw(st.sampled_from((0.0, 0.25)))), TTL(3))
    queues = (TwoQ(), S3FIFO(), TwoQ(HALF, draw(st.integers(0, 2))), S3FIFO(HALF, HALF))
    priorities = draw(st.lists(st.integers(0, 2), min_size=turns, max_size=turns))
    return draw(st.sampled_from((*own, *queues, Priority(priorities))))


def instances(draw, columns):
    """Return a trace, a capacity and whether caching is forced, a policy, and what the engines reuse under it."""
    trace = tt.Trace.from_turns(**draw(timed_columns(columns)))
    forced = draw(st.booleans())
    capacity = (int(trace.past.max(initial=0)) if forced else 0) + draw(st.integers(0, 20))
    policy = draw(policies(len(trace)))
    plain, runs = (
        tt.replay(trace, policy, capacity, forced, engine=engine).cached.tolist()
        for engine in ("reference", "auto")
    )
    return trace, capacity, forced, policy, plain, runs


@given(st.data())
def test_runs_of_units_are_the_units_where_histories_shorten_and_branch(data):
    *_, plain, runs = instances(data.draw, given_columns(st.integers(0, 3), LENGTH))
    assert runs == plain


@given(st.data())
def test_private_conversations_are_their_forest_of_units(data):
    trace, capacity, forced, policy, plain, runs = instances(data.draw, turn_columns(st.integers(0, 3), LENGTH))
    assert runs == plain
    for engine in ("kernel", "reference"):
        assert tt.replay(trace.forest, policy, capacity, forced, engine=engine).cached.tolist() == plain


def seeded(rng, turns):
    """Return a trace whose histories are cut now and then."""
    past, rows = dict[int, int](), []
    for c in rng.integers(0, 4, turns).tolist():
        most = past.get(c, 0)
        h = most if rng.random() < 0.7 else int(rng.integers(0, most + 1))
        q, a = int(rng.integers(0, 6)), int(rng.integers(0, 4))
        past[c] = h + q + a
        rows.append((c, q, a, h))
    c, q, a, h = zip(*rows, strict=True)
    return tt.Trace.from_turns(c, q, a, history=h)


def test_seeded_traces_by_runs_and_by_units():
    rng = np.random.default_rng(4)
    for _ in range(fewer(540)):
        trace, capacity, forced = seeded(rng, 25), int(rng.integers(0, 20)), bool(rng.integers(0, 2))
        capacity += int(trace.past.max()) if forced else 0
        for policy in (LFU(), GDSF(), PGDSF(per_depth=0.25), TwoQ(HALF, 2), S3FIFO(HALF, HALF)):
            plain, runs = (tt.replay(trace, policy, capacity, forced, engine=e) for e in ("reference", "kernel"))
            assert plain == runs


def test_what_a_turn_read_again_stays_under_lfu_and_what_came_first_goes_under_fifo():
    for conversations, prompts, kept in (
        ([0, 0, 1, 2, 0], [2, 0, 2, 1, 0], [2, 1, 1]),
        ([0, 1, 0, 2, 0], [2, 2, 0, 1, 0], [2, 1, 2]),
    ):
        trace = tt.Trace.from_turns(conversations, prompts, [0] * 5)
        assert [int(tt.replay(trace, policy, 4).cached[4]) for policy in (LFU(), FIFO(), tt.LRU())] == kept


def test_what_a_history_cuts_is_gone_as_under_lru():
    trace = tt.Trace.from_turns([0, 0, 0], [4, 0, 4], [0, 0, 0], history=[0, 1, 1])
    for policy in (tt.LRU(), LFU(), S3FIFO()):
        assert tt.replay(trace, policy, 100).cached.tolist() == [0, 1, 1]


@dataclass(frozen=True)
class MostRead(ByResidence):
    """What was read most goes first: of one's own, so that the reference runs it."""

    def eviction_key(self, node):
        return -node.reads


def test_one_of_ones_own_runs_unit_by_unit():
    trace = tt.Trace.from_turns([0, 1, 0, 1, 2, 0], [3, 2, 1, 1, 4, 1], [0] * 6)
    both = (tt.replay(one, MostRead(), 6) for one in (trace, trace.forest))
    assert next(both).cached.tolist() == next(both).cached.tolist()
    with pytest.raises(tt.ArgumentError, match="engine='reference' for one with a memory"):
        tt.replay(trace, MostRead(), 6, engine="kernel")


def test_an_initial_cache_has_no_memory_of_its_own():
    trace = tt.Trace.from_turns([0], [1], [0])
    with pytest.raises(tt.ArgumentError, match=r"initial: found .* expected none, under a policy with a memory"):
        tt.replay(trace, LFU(), 5, initial=[(0, 2, 2)])


@pytest.mark.parametrize("seconds", [2, Fraction(199, 100), Fraction(1, 3), 0])
def test_what_was_asked_for_so_long_ago_and_no_longer_is_there(seconds):
    """A third is no float: one above it is too old, although it rounds to the same."""
    ages = [float(seconds), np.nextafter(float(seconds), 9)]
    for age in ages:
        trace = tt.Trace.from_turns([0, 0], [4, 1], [0, 0], arrival=[0.0, age])
        assert tt.replay(trace, TTL(seconds), 9).cached.tolist() == [0, 4 * (age <= seconds)]
