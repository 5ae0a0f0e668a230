"""What the command compares: the systems, what each is worth, and the highest rate of each."""

import pytest
from systems.rag.small_workloads import LATENCY, workload_of

import teltheory as tt
from teltheory.model.tiers import Tiers
from teltheory.policies import GDSF, LFU
from teltheory.systems.rag.faults import RequestFault
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.systems import ablation, at_rate, highest_rate, worth

ONE_TIER = Server(Tiers((9,)), tt.LRU(), retries=0)


def test_throughput_is_counted_from_the_first_arrival():
    """A prefill of 0.875 s, then one of 0.375 s that finds the document: two tokens in 1.25 s."""
    for first in (0.0, 1000.0):
        workload = workload_of([[[0]], [[0]]], [4, 4], [0.0], [first, first + 0.25])
        found = worth(serve(workload, ONE_TIER, LATENCY))
        assert found.throughput == 2 / 1.25


def test_throughput_does_not_count_requests_that_were_given_up():
    workload = workload_of([[[0]], [[0]], [[0]]], [4], [0.0], [0.0, 4.0, 8.0])
    found = worth(serve(workload, ONE_TIER, LATENCY, faults=[RequestFault(2)]))
    assert (found.throughput, found.mean) == (2 / 4.375, float("inf"))
    none = worth(serve(workload, ONE_TIER, LATENCY, faults=[RequestFault(k) for k in range(3)]))
    assert none.throughput == 0


def test_a_policy_for_each_tier_is_switched_off_tier_by_tier():
    full = Server(
        Tiers((9, 9), (0, 0), "swap-out-once"),
        (LFU(), GDSF()),
        window=4,
        speculation="idle",
    )
    systems = ablation(full)
    assert systems["without host"].policy == LFU()
    workload = workload_of([[[0]], [[1]], [[0]]], [4, 4], [0.0], [0.0, 4.0, 8.0])
    assert all(len(serve(workload, server, LATENCY)) == 3 for server in systems.values())


@pytest.mark.parametrize(("most", "highest"), [(0.875, 1 / 0.875), (100.0, float("inf")), (0.5, 0.0)])
def test_the_highest_rate_may_be_none_or_any(most, highest):
    """Eight prefills of 0.875 s: at a rate of 1 / 0.875 nobody waits, at any rate nobody waits for long."""
    workload = workload_of([[[k]] for k in range(8)], [4] * 8, [0.0], [float(k) for k in range(8)])
    server = Server(Tiers((9,)), tt.LRU(), reuse=False)
    found = highest_rate(lambda rate: serve(at_rate(workload, rate), server, LATENCY), 1.0, most)
    assert found == pytest.approx(highest, rel=0.01)
