"""The search in the queue on functions that are known, and the first overflow of replicas."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import forests, turn_columns

import teltheory as tt
from teltheory.advice.comparison import ComparedRun
from teltheory.advice.goal import Cost, Goal
from teltheory.advice.in_queue import least
from teltheory.advice.overflow import first_overflow
from teltheory.advice.search import STRIDE, Candidate, best, explore, near_of, sets_of_tiers


def told(gain, allowed=True):
    broken = () if allowed else ("P50",)
    return ComparedRun(gain, Cost(0, 0.0, 0.0, 0.0, 0), broken, *(np.full(3, gain),) * 4, np.zeros(3))


def test_sets_of_tiers_are_few_first_and_of_as_many_the_slower_ones():
    assert sets_of_tiers(1) == [(True,)]
    assert sets_of_tiers(2) == [(False, True), (True, False), (True, True)]
    assert len(sets_of_tiers(3)) == 7


@given(st.integers(1, 40), st.integers(2, 3), st.data())
def test_the_peak_of_one_set_is_found_in_few_runs(peak, tiers, data):
    margins, on, asked = list(range(0, 4100, 100)), data.draw(st.sampled_from(sets_of_tiers(tiers))), []

    def run(one):
        asked.append(one)
        return told(0.0 if one.is_lru else 1 - abs(one.margin - 100 * peak) / 10**4 + (one.on == on))

    found = explore(run, margins, tiers, every=False, loads=False)
    assert best(found) == Candidate(on, False, 100 * peak)
    assert len(asked) == len(set(asked)) == len(found)
    assert len(found) <= 1 + len(sets_of_tiers(tiers)) * (40 // STRIDE + 1) + 6
    assert next(iter(found)).is_lru


def test_of_one_tier_and_private_conversations_every_margin_is_served():
    found = explore(lambda one: told(0.0), [0, 3, 7, 20], 1, every=True, loads=False)
    assert [one.margin for one in found] == [0, 3, 7, 20]


@pytest.mark.parametrize(("on", "tried"), [((False, True), True), ((True, False), False)])
def test_flat_budgets_are_tried_where_the_best_has_t_lru_in_a_tier_that_loads(on, tried):
    found = explore(lambda one: told(float(one.on == on)), [0, 5], 2, every=False, loads=True)
    assert any(one.flat for one in found) is tried
    assert not any(one.flat for one in explore(lambda one: told(0.0), [0, 5], 2, every=False, loads=False))


def test_what_breaks_a_limit_is_best_only_if_everything_does():
    few, many = (Candidate((True,), False, margin) for margin in (1, 2))
    assert best({few: told(0.1), many: told(0.9, allowed=False)}) == few
    assert best({few: told(0.1, allowed=False), many: told(0.9, allowed=False)}) == many


def test_neighbours_are_of_the_same_tiers():
    groups = [((False, True), False), ((True, True), False), ((True, True), True)]
    candidates = [Candidate((False, False), False, 0)]
    candidates += [Candidate(on, flat, margin) for on, flat in groups for margin in (10, 20, 30)]
    near = near_of(candidates, 0.5)
    assert near.sum(axis=1) == pytest.approx(1.0)
    for i, one in enumerate(candidates):
        for j, other in enumerate(candidates):
            assert (near[i, j] > 0) == (one.group == other.group and one.is_lru == other.is_lru)
    assert np.array_equal(near_of(candidates, 0.0), np.eye(10))


@given(forests(), st.integers(0, 9))
def test_one_replica_of_a_forest_overflows_when_all_that_was_sent_does_not_fit(forest, capacity):
    over = (k for k in range(len(forest)) if forest[: k + 1].peak > capacity)
    assert first_overflow(forest, np.zeros(len(forest), np.int64), capacity) == next(over, len(forest))


def test_replicas_overflow_by_what_they_were_sent():
    trace = tt.Trace.from_turns([0, 1, 0, 1, 0], [2, 3, 2, 1, 2], [0, 0, 0, 0, 0])
    apart, mixed = np.array([0, 1, 0, 1, 0]), np.array([0, 1, 1, 0, 1])
    assert [first_overflow(trace, apart, size) for size in (1, 2, 3, 4, 5, 6)] == [0, 1, 2, 4, 4, 5]
    assert [first_overflow(trace, mixed, size) for size in (6, 7, 8, 9)] == [2, 4, 4, 5]
    forest = trace.forest
    assert [first_overflow(forest, mixed, size) for size in (6, 7, 8, 9)] == [2, 4, 4, 5]


@settings(max_examples=30)
@given(turn_columns(length=st.integers(0, 9)), st.integers(0, 30), st.integers(0, 20), st.integers(1, 3))
def test_the_bound_is_below_what_any_replay_of_all_memory_has(columns, capacity, slo, replicas):
    trace = tt.Trace.from_turns(**columns)
    latency = tt.LatencyModel(Fraction(1, 3), constant=Fraction(1, 2))
    goal, start = Goal(Fraction(slo, 7) + 1, latency), len(trace) // 2
    bound = least(trace, start, tt.Tiers((0, capacity), (0, Fraction(1, 2))), replicas, goal)
    for policy in (tt.LRU(), tt.Belady(), tt.TailOptimizedBelady(goal.xi)):
        outcome = tt.replay(trace, policy, capacity * replicas)
        ttft = latency.ttft(outcome.uncached, outcome.cached)[start:]
        assert bound <= np.maximum(ttft - float(goal.slo), 0).sum() + 1e-9
    assert least(trace, start, capacity, 1, Goal(Fraction(1), tt.A100_LLAMA2_7B_ATTENTION)) is None


def test_the_bound_counts_no_part_of_a_block_that_is_not_full():
    """A block of ten tokens that is asked for, and an input of 13: the three are no block."""
    latency = tt.LatencyModel(Fraction(1))
    forest = tt.Forest.from_paths([[0, 1]], [1], [2], [0], block_size=10, tokens=[13])
    served = tt.serve(forest, tt.LRU(), 0, latency=latency)
    assert served.tail_seconds(3) == least(forest, 0, 0, 1, Goal(Fraction(3), latency)) + 3 == 10
