"""One store for all replicas: by hand, and what it is without room."""

from fractions import Fraction

import numpy as np
import pytest
from refusals import refused
from serving.worlds import LATENCIES, ROUTERS, a_forest, a_trace

import teltheory as tt

SECOND = tt.LatencyModel(Fraction(1))
TIERS = tt.Tiers((4, 20), (0, Fraction(1, 4)))


def serve(trace, tiers=TIERS, **options):
    return tt.serve(trace, tt.LRU(), tiers, latency=SECOND, shared=True, **options)


def test_what_one_replica_finished_another_loads():
    turns = tt.Trace.from_turns([0, 0, 0], [4, 2, 1], [0, 0, 0], [0, 5, 6])
    served = serve(turns, replicas=2)
    assert served.replica.tolist() == [0, 1, 0]
    assert served.cached.tolist() == [[0, 0, 4], [0, 4, 0]]
    assert served.load.tolist() == [0, 1, 0]
    assert served.ttft.tolist() == [4, 3, 3]
    assert served.outcome.copied.tolist() == [[4, 2, 1]]
    assert served.outcome.written.tolist() == [4, 2, 3]


def test_what_still_runs_is_not_there():
    at = {3: [0, 0], 4: [0, 4], 5: [0, 4]}
    for time, found in at.items():
        turns = tt.Trace.from_turns([0, 0], [4, 2], [0, 0], [0, time])
        assert serve(turns, replicas=2).cached[1].tolist() == found


def test_it_is_there_for_who_waited_meanwhile():
    turns = tt.Trace.from_turns([0, 1, 2, 0], [4, 5, 0, 1], [0, 0, 0, 0], [0, 0, 1, 1])
    served = serve(turns, replicas=2)
    assert served.replica.tolist() == [0, 1, 0, 1]
    assert (served.start[3], served.cached[1, 3]) == (5, 4)


def test_a_turn_that_finishes_late_does_not_shorten_its_conversation():
    """B keeps one replica until 20: A's first turn is over there at 29, its second on the other at 11."""
    turns = tt.Trace.from_turns([1, 2, 0, 0, 0], [20, 0, 9, 1, 5], [0] * 5, [0, 0, 0, 1, 40])
    served = serve(turns, tt.Tiers((0, 40), (0, Fraction(1, 2))), replicas=2)
    assert (served.arrival + served.ttft).tolist()[2:4] == [29, 11]
    assert served.cached[1].tolist() == [0, 0, 0, 0, 10]
    assert served.outcome.copied.tolist() == [[20, 0, 0, 10, 5]]


@pytest.mark.parametrize("seed", range(9))
def test_a_store_without_room_is_not_there(seed):
    rng = np.random.default_rng(seed)
    trace = a_forest(rng) if seed % 3 == 2 else a_trace(rng)
    for router in ROUTERS:
        options = {"replicas": 2, "router": router, "latency": LATENCIES[1]}
        stored = tt.serve(trace, tt.TLRU(3, 1), tt.Tiers((9, 0), (0, Fraction(1, 2))), shared=True, **options)
        alone = tt.serve(trace, tt.TLRU(3, 1), 9, **options)
        assert stored.replica.tolist() == alone.replica.tolist()
        assert stored.ttft.tolist() == alone.ttft.tolist()
        assert stored.cached[0].tolist() == alone.cached.tolist()
        assert not stored.cached[1].any()


def test_the_store_needs_a_tier_and_no_chunks():
    turns = tt.Trace.from_turns([0], [4], [0], [0])
    refused(tt.ArgumentError, "two tiers or more", serve, turns, 9)
    refused(tt.ArgumentError, "None with a shared store", lambda: serve(turns, batching=tt.Chunked()))
