"""One cache of all replicas without a queue: never above any router and policy."""

from fractions import Fraction

import numpy as np
import pytest
from serving.worlds import ROUTERS, a_capacity, a_policy, a_trace

import teltheory as tt
from teltheory.model.tiers import tiers_of

SECOND = tt.LatencyModel(Fraction(1))


@pytest.mark.parametrize("seed", range(12))
def test_no_router_and_no_policy_is_below(seed):
    rng = np.random.default_rng(seed)
    trace, capacity, replicas = a_trace(rng), a_capacity(rng), int(rng.integers(1, 4))
    latency = (SECOND, tt.LatencyModel(Fraction(3, 4), 0, Fraction(1, 2), Fraction(2)))[seed % 2]
    slo = Fraction(int(rng.integers(5, 14)), 2)
    bound = tt.pooled(trace, capacity, replicas, slo, latency)
    assert bound.capacity == replicas * tiers_of(capacity).pooled[-1]
    for router in ROUTERS:
        for policy in (a_policy(rng), tt.TailOptimizedBelady(bound.xi)):
            served = tt.serve(trace, policy, capacity, replicas=replicas, router=router, latency=latency)
            assert bound.seconds <= served.tail_seconds(slo) + 1e-9
            if isinstance(capacity, int):
                assert bound.units <= tt.tail_excess_latency(served.outcome, bound.xi)


def test_one_cache_that_nobody_waits_for_meets_it():
    for seed in range(12):
        trace, slo = a_trace(np.random.default_rng(seed)), Fraction(seed % 4)
        alone = tt.serve(trace, tt.TailOptimizedBelady(int(slo)), 9, latency=SECOND)
        bound = tt.pooled(trace, 9, 1, slo, SECOND)
        assert bound.seconds == bound.units == np.maximum(alone.service - float(slo), 0).sum()


def test_a_threshold_between_two_lengths():
    turns = tt.Trace.from_turns([0, 0], [4, 1], [0, 0], [0, 9])
    assert tt.pooled(turns, 2, 1, Fraction(5, 2), SECOND).seconds == Fraction(3, 2) + Fraction(1, 2)
    floor = tt.LatencyModel(Fraction(1), 0, 0, Fraction(3))
    assert tt.pooled(turns, 9, 2, 1, tt.LatencyModel(Fraction(1), 0, 0, 0)).seconds == 3
    assert tt.pooled(turns, 9, 1, 3, floor).seconds == 1


def test_sticky_conversations_may_not_meet_it():
    """The one conversation of more than C is in one cache only."""
    turns = tt.Trace.from_turns([0, 0], [4, 1], [0, 0], [0, 9])
    assert tt.pooled(turns, 2, 2, 1, SECOND).seconds == 3
    for router in ROUTERS:
        best = tt.serve(turns, tt.TailOptimizedBelady(1), 2, replicas=2, router=router, latency=SECOND)
        assert best.tail_seconds(1) > 3


def test_a_latency_with_attention_has_no_seconds():
    turns = tt.Trace.from_turns([0], [4], [0], [0])
    assert tt.pooled(turns, 2, 1, 1, tt.A100_LLAMA2_7B_PREFILL).seconds is None
    with pytest.raises(tt.ArgumentError, match="trace: found 'Forest', expected a Trace"):
        tt.pooled(turns.forest, 2, 1, 1, SECOND)
