"""A forest at every capacity from one pass: the same as a replay at each, request by request."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from replay.instances import fewer
from replay.trees.test_forest_recency import branches, in_long_units, seeded_forests
from strategies import forests, turn_columns

import teltheory as tt
from teltheory.policies import FIFO

TRIMS = ("least-recent", "eager")


def stack_policies(xi, q_hat):
    return (*(tt.TLRU(xi, q_hat, trim) for trim in TRIMS), tt.LRU(), tt.ThresholdLRU(xi))


def same_everywhere(forest, policy, xi, capacities, **how):
    """Assert that a curve, if one pass makes it, is a replay at each capacity."""
    curve = tt.capacity_curve(forest, policy)
    assert curve.one_pass
    outcomes = [tt.replay(forest, policy, capacity, **how) for capacity in capacities]
    assert [curve.outcome(capacity) for capacity in capacities] == outcomes
    excess = [tt.tail_excess_latency(outcome, xi) for outcome in outcomes]
    assert curve.tail_excess_latency(capacities, xi).tolist() == excess
    assert curve.slo_violations(capacities, xi).tolist() == [
        tt.slo_violations(outcome, xi) for outcome in outcomes
    ]


@st.composite
def stacks(draw):
    """A policy whose curve comes from one pass, and a threshold."""
    xi, q_hat = draw(st.integers(0, 5)), draw(st.integers(0, 3))
    return draw(st.sampled_from(stack_policies(xi, q_hat))), xi


@given(forests() | branches(), stacks(), st.sampled_from(("strict", "holes")))
def test_the_curve_is_the_reference_at_every_capacity(forest, stack, cache):
    same_everywhere(forest, *stack, range(min(forest.peak, 12) + 2), engine="reference", cache=cache)


def test_seeded_forests_at_every_capacity():
    for forest, draw in seeded_forests(fewer(2000), 5):
        xi = draw.randint(0, 5)
        policy = draw.choice(stack_policies(xi, draw.randint(0, 3)))
        same_everywhere(forest, policy, draw.randint(0, 6), range(forest.peak + 2), engine="kernel")


@given(forests() | branches(), st.integers(0, 5), st.integers(0, 3), st.integers(0, 12))
def test_lengths_near_2_62_have_the_curve_of_short_ones(forest, xi, q_hat, capacity):
    unit, long = in_long_units(forest, xi, q_hat, capacity)
    scaled = stack_policies(xi * unit, q_hat * unit)
    for policy, same in zip(stack_policies(xi, q_hat), scaled, strict=True):
        curve, other = tt.capacity_curve(forest, policy), tt.capacity_curve(long, same)
        assert other.cached(capacity * unit).tolist() == (unit * curve.cached(capacity)).tolist()
        tel, slow = (ask([capacity], xi) for ask in (curve.tail_excess_latency, curve.slo_violations))
        assert other.tail_excess_latency([capacity * unit], xi * unit).tolist() == [unit * int(tel[0])]
        assert other.slo_violations([capacity * unit], xi * unit).tolist() == slow.tolist()


@given(turn_columns(), stacks())
def test_conversations_have_the_curve_of_chains(columns, stack):
    trace, (policy, xi) = tt.Trace.from_turns(**columns), stack
    capacities = [0, 1, 2, 3, 5, 8, 13, 30, 100, 2**40]
    chains, forest = (tt.capacity_curve(one, policy) for one in (trace, trace.forest))
    assert chains.one_pass
    assert forest.one_pass
    for ask in (tt.CapacityCurve.tail_excess_latency, tt.CapacityCurve.slo_violations):
        assert ask(chains, capacities, xi).tolist() == ask(forest, capacities, xi).tolist()


def test_other_policies_and_caches_are_replayed_at_each_capacity():
    forest = tt.Forest.from_paths([[1, 2, 3], [1, 4], [1, 2, 3, 5], [6], [1, 4]])
    for policy, cache in (
        (tt.Belady(), "strict"),
        (tt.TLRU(1, 0, mark="last"), "holes"),
        (tt.TLRU(1, 0, mark="resident"), "strict"),
        (tt.LRU(), tt.RadixNodes()),
        (FIFO(), "strict"),
    ):
        curve = tt.capacity_curve(forest, policy, cache=cache)
        assert not curve.one_pass
        replayed = [tt.replay(forest, policy, capacity, cache=cache) for capacity in (5, 6)]
        assert [curve.outcome(5), curve.outcome(6)] == replayed
        assert curve.tail_excess_latency([6, 5], 1).tolist() == [
            tt.tail_excess_latency(o, 1) for o in replayed[::-1]
        ]


def test_percentiles_are_those_of_tokens():
    forest = tt.Forest.from_paths([[1, 2], [1, 2, 3]], block_size=64, tokens=[150, 192])
    found = tt.capacity_curve(forest, tt.LRU()).ttft_quantiles([0, 2], [0.5, 1.0], tt.A100_LLAMA2_7B)
    for row, capacity in zip(found, (0, 2), strict=True):
        tokens = tt.replay(forest, tt.LRU(), capacity).in_tokens()
        assert row.tolist() == tt.ttft_quantiles(tokens, [0.5, 1.0], tt.A100_LLAMA2_7B).tolist()


def test_no_requests_and_empty_paths():
    for paths in ([], [[]], [[], [7]]):
        curve = tt.capacity_curve(tt.Forest.from_paths(paths), tt.TLRU(1, 0, "least-recent"))
        assert curve.cached(3).tolist() == [0] * len(paths)
        assert curve.tail_excess_latency([0, 3], 0).tolist() == [sum(map(len, paths))] * 2


def test_wrong_arguments_are_named():
    forest, trace = tt.Forest.from_paths([[1]]), tt.Trace.from_turns([0], [1], [1])
    refused(tt.ArgumentError, "cache: found 'radix'", lambda: tt.capacity_curve(forest, tt.LRU(), cache="radix"))
    refused(tt.ArgumentError, "cache: found 'holes'", lambda: tt.capacity_curve(trace, tt.LRU(), cache="holes"))
    refused(tt.ArgumentError, "capacity: found -1", lambda: tt.capacity_curve(forest, tt.LRU()).cached(-1))


def test_the_mooncake_trace_has_its_known_curve(mooncake_blocks):
    capacities = [586, 1953, 5859]
    lru = tt.capacity_curve(mooncake_blocks, tt.LRU())
    assert lru.tail_excess_latency(capacities, 54).tolist() == [48_261, 47_834, 43_582]
    assert [int(lru.cached(capacity).sum()) for capacity in capacities] == [12_204, 15_803, 40_644]
    some = [0, *np.random.default_rng(3).integers(1, 180_000, 12).tolist(), 10**7]
    for policy in (tt.LRU(), tt.ThresholdLRU(20), tt.TLRU(54, 23, "least-recent"), tt.TLRU(54, 23, "eager")):
        same_everywhere(mooncake_blocks, policy, 54, [*capacities, *some], engine="kernel")
