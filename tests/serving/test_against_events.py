"""`serve` is a second simulator's, turn by turn."""

import numpy as np
import pytest
from serving.served_by_events import Events
from serving.worlds import EVERY_MODE, LATENCIES, ROUTERS, a_capacity, a_forest, a_policy, a_trace

import teltheory as tt


def assert_same(served, events):
    assert served.replica.tolist() == events.replica
    assert served.start.tolist() == events.start
    assert served.load.tolist() == events.load
    assert served.compute.tolist() == events.compute
    assert np.atleast_2d(served.cached).T.tolist() == events.cached
    assert (served.arrival + served.ttft).tolist() == events.first_token


def compare(seed, routers):
    """Compare so many of the routers."""
    rng = np.random.default_rng(seed)
    forest = seed % 3 == 2
    trace = a_forest(rng) if forest else a_trace(rng)
    capacity = a_capacity(rng, modes=EVERY_MODE)
    policy, latency = a_policy(rng), LATENCIES[rng.integers(len(LATENCIES))]
    replicas = int(rng.integers(1, 5))
    for i in rng.permutation(len(ROUTERS))[:routers]:
        router = ROUTERS[i]
        served = tt.serve(trace, policy, capacity, replicas=replicas, router=router, latency=latency)
        assert_same(served, Events(trace, policy, capacity, replicas, router, latency).run())


@pytest.mark.parametrize("seed", range(60))
def test_serve_is_the_event_loop(seed):
    compare(seed, 2)


@pytest.mark.long
@pytest.mark.parametrize("first", range(60, 1060, 50))
def test_serve_is_the_event_loop_on_a_thousand_traces(first):
    for seed in range(first, first + 50):
        compare(seed, 3)
