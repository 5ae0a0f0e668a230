"""The compiled loop for private conversations in tiers moves what the plain replay moves, turn by turn."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replay.instances import by_both_engines, examples, fewer
from strategies import given_columns

import teltheory as tt
from teltheory.base.loops import call
from teltheory.model.instance import Instance
from teltheory.policies import LeastRecentlyUsed, on_arrays
from teltheory.replay.tiers.budgets import scaled
from teltheory.replay.tiers.rules import empty, layout_of, moved_of, walks_forward


class LongestFirst(LeastRecentlyUsed):
    """Two orders of its own, and a budget."""

    @on_arrays
    def budget(self, node):
        return node.past // 2

    @on_arrays
    def trim_key(self, node):
        return -(node.past % 3)

    @on_arrays
    def eviction_key(self, node):
        return -node.past


HUGE = 2**62 // 300
"""As the unit of all lengths, this has random traces add up to nearly 2**62."""


@st.composite
def policies(draw, unit=1):
    xi, q_hat = unit * draw(st.integers(0, 12)), unit * draw(st.integers(0, 4))
    trim = draw(st.sampled_from(["least-recent", "eager", "round-robin"]))
    tlru = tt.TLRU(xi, q_hat, trim), tt.TLRU(xi, q_hat, trim, budget="flat"), tt.EndAwareTLRU(xi, q_hat, trim)
    others = tt.LRU(), tt.ThresholdLRU(xi), tt.Belady(), tt.TailOptimizedBelady(xi), LongestFirst()
    return draw(st.sampled_from((*tlru, tt.LengthAwareTLRU(xi, trim), *others)))


@st.composite
def in_tiers(draw, least, unit=1):
    """Tiers whose first one holds so much or more, and a policy for all of them or one for each."""
    number, mode = draw(st.integers(1, 3)), draw(st.sampled_from(["exclusive", "inclusive"]))
    others = draw(st.lists(st.integers(0, 25), min_size=number - 1, max_size=number - 1))
    sizes = [least + unit * draw(st.integers(0, 20)), *(unit * size for size in others)]
    parts = 1000 if unit == 1 else 2
    loads = [0, *sorted(Fraction(draw(st.integers(0, parts - 1)), parts) for _ in range(number - 1))]
    capacities = np.cumsum(sizes).tolist() if mode == "inclusive" else sizes
    tiers = tt.Tiers(capacities, loads, mode)
    each = draw(st.lists(policies(unit), min_size=number, max_size=number))
    return tiers, tuple(each) if draw(st.booleans()) else each[0]


@given(given_columns(max_turns=14), st.booleans(), st.sampled_from([1, 1, HUGE]), st.data())
@examples(1000)
def test_small_instances(columns, forced, unit, data):
    lengths = {name: unit * np.array(columns[name], np.int64) for name in ("prompt", "response", "history")}
    trace = tt.Trace.from_turns(**columns | lengths)
    tiers, policy = data.draw(in_tiers(int(trace.past[:-1].max(initial=0)) if forced else 0, unit))
    by_both_engines(trace, policy, tiers, forced)


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("mode", ["exclusive", "inclusive"])
def test_longer_traces_with_many_conversations(forced, mode):
    rng = np.random.default_rng(31)
    for _ in range(fewer(30)):
        turns = rng.integers(0, 40, 250), rng.integers(0, 20, 250), rng.integers(0, 20, 250)
        trace, xi = tt.Trace.from_turns(*turns), int(rng.integers(0, 150))
        number = int(rng.integers(2, 4))
        sizes = np.cumsum(rng.integers(0, 900, number)) + (int(trace.past.max()) if forced else 0)
        tiers = tt.Tiers(sizes.tolist(), (0, Fraction(1, 5), Fraction(1, 2))[:number], mode)
        tlru = tt.TLRU(xi, 9, "eager"), tt.TLRU(xi, 9, "least-recent"), tt.EndAwareTLRU(xi, 9, "least-recent")
        for policy in (tt.LRU(), *tlru, tt.TLRU(xi, 9), LongestFirst()):
            by_both_engines(trace, policy, tiers, forced)


def test_two_tiers_by_recency_walk_forward_as_the_loop_with_any_orders_goes():
    """The judge is the loop that takes any orders, which the plain replay judges above."""
    for seed in range(fewer(1000)):
        rng = np.random.default_rng(seed)
        turns = rng.integers(0, 30, 120), rng.integers(0, 20, 120), rng.integers(0, 20, 120)
        trace, forced, load = (
            tt.Trace.from_turns(*turns),
            bool(seed % 2),
            Fraction(int(rng.integers(0, 999)), 1000),
        )
        xi, q_hat = rng.integers(0, 300, 2).tolist()
        sizes = np.cumsum(rng.integers(0, 900, 2)) + (int(trace.past.max()) if forced else 0)
        tiers = tt.Tiers(sizes.tolist(), (0, load), ("exclusive", "inclusive")[seed // 2 % 2])
        each = tt.TLRU(xi, q_hat, "least-recent"), tt.TLRU(xi, q_hat, "eager")
        for policy in (tt.LRU(), tt.ThresholdLRU(xi), *each, (each[0], tt.LRU()), tt.LengthAwareTLRU(xi, "eager")):
            instance = Instance.of(trace, tiers.capacities[0], forced=forced)
            layout, previous = layout_of(instance, policy, tiers), trace.previous_turn
            assert walks_forward(layout), policy
            walked, any_order = moved_of(2, len(trace)), moved_of(2, len(trace))
            seen, held = (layout.sizes, layout), np.full((3, len(trace)), -1)
            call("replay_two_tiers_by_recency", seen, *held, walked, previous, forced)
            call("replay_tiers", seen, empty(layout, 1), any_order, previous, forced)
            assert all(map(np.array_equal, walked, any_order)), (policy, tiers)
    assert not walks_forward(layout_of(instance, (tt.LRU(), each[0]), tiers))


def test_lengths_beyond_32_bits_and_the_largest_capacities():
    unit = 2**50
    trace = tt.Trace.from_turns([0, 1, 0, 2, 1, 0], [unit, unit - 1, 1, unit, 0, 3], [0, 1, unit, 2, unit, 0])
    for policy in (tt.LRU(), tt.TLRU(unit, unit // 2, "eager"), tt.TLRU(unit, unit // 2, "least-recent")):
        for capacities in ((unit, unit), (0, 3 * unit), (unit, 2**63 - 1), (2**63 - 1, 0)):
            by_both_engines(trace, policy, tt.Tiers(capacities, (0, Fraction(999, 1000))))


def test_empty_and_one_turn_traces():
    for trace in (tt.Trace.from_turns([], [], []), tt.Trace.from_turns([4], [3], [2])):
        for forced in (False, True):
            by_both_engines(trace, tt.LRU(), tt.Tiers((5, 3), (0, 0)), forced)


@given(st.integers(0, 2**62), st.integers(0, 2**62), st.integers(0, 999))
@examples(300)
def test_a_scaled_budget_is_exact_on_numbers_and_on_arrays(budget, past, load):
    scale = 1 / (1 - Fraction(load, 1000))
    exact = min(past, -(-budget * scale.numerator // scale.denominator))
    assert scaled(budget, past, *scale.as_integer_ratio()) == exact
    arrays = np.array([budget]), np.array([past])
    assert scaled(*arrays, *scale.as_integer_ratio()).tolist() == [exact]


@pytest.mark.parametrize(("conversations", "policy"), [(6, LongestFirst()), (25, LongestFirst()), (25, tt.LRU())])
def test_slots_wait_far_from_each_other(conversations, policy):
    """Sets of waiting slots have three levels from 4,097 turns on; with few conversations most words are empty."""
    rng = np.random.default_rng(conversations)
    trace = tt.Trace.from_turns(*(rng.integers(0, most, 4500) for most in (conversations, 20, 20)))
    by_both_engines(trace, policy, tt.Tiers((20_000, 9_000, 30_000), (0, 0, 0)))
