"""What a server says of its memory: accounts as the tree has them, lists that never fit, prefills side by side."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems.rag.small_workloads import LATENCY, LOAD, TIERS, faults, workload_of, workloads

import teltheory as tt
from teltheory.errors import ForcedCachingError
from teltheory.model.tiers import Tiers
from teltheory.policies import RetrievalPGDSF
from teltheory.replay.tiers.replicas import Replicas
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.simulation import Simulation

servers = st.builds(
    Server,
    tiers=st.sampled_from([TIERS, replace(TIERS, mode="swap-out-once")]),
    policy=st.just(tt.LRU()),
    speculation=st.sampled_from([None, "always"]),
    interruption=st.sampled_from(["at once", "after the iteration"]),
    batch=st.integers(1, 3),
    reuse=st.sampled_from([True, True, False]),
    replicas=st.sampled_from([None, Replicas(1), Replicas(2), Replicas(0, 1)]),
)


@settings(max_examples=150, deadline=None)
@given(workloads(), servers, faults)
def test_what_requests_move_is_what_the_tree_counts(workload, server, faults):
    tree = server.tree(workload)
    served = Simulation(workload, server, tree, LATENCY, LOAD, faults).run()
    assert (served.written.sum(), served.copied.sum()) == (tree.written, tree.copied)
    assert (served.totals.copied, served.totals.freed) == (tree.copied, tree.freed)


def test_replicas_are_copied_to_the_host():
    workload = workload_of([[[0]], [[0]]], [4], [0.0], [0.0, 10.0], system=2)
    served = serve(workload, Server(Tiers((9, 9), (0, 0)), tt.LRU(), replicas=Replicas(1)), LATENCY)
    assert (served.copied.tolist(), served.written.tolist(), served.totals.copied) == ([2, 0], [6, 0], 2)


def test_requests_of_one_iteration_write_what_they_share_once():
    workload = workload_of([[[1]], [[0]], [[0]]], [4, 4], [0.0], [0.0, 0.0, 0.0])
    both = serve(workload, Server(Tiers((12,)), tt.LRU(), batch=3), LATENCY)
    assert (both.cached.tolist(), both.written.tolist()) == ([[0, 0, 0]], [4, 4, 0])
    assert serve(workload, Server(Tiers((12,)), tt.LRU(), reuse=False), LATENCY).written.tolist() == [0, 0, 0]


def test_without_reuse_prefills_of_an_iteration_have_room_beside_each_other():
    workload = workload_of([[[0]], [[0]], [[0]]], [4], [0.0], [0.0, 0.0, 0.0])
    for capacity, block, starts in ((12, 1, [0, 0, 0]), (12, 5, [0, 0, 1.75]), (11, 1, [0, 0, 1.75])):
        server = Server(Tiers((capacity,)), tt.LRU(), block, batch=3, reuse=False)
        assert serve(workload, server, LATENCY).start.tolist() == starts
    with pytest.raises(ForcedCachingError, match="length 5"):
        serve(workload, Server(Tiers((4,)), tt.LRU(), 5, reuse=False), LATENCY)


@pytest.mark.parametrize("reuse", [True, False])
def test_documents_that_never_fit_are_no_speculation(reuse):
    workload = workload_of([[[1], [0]], [[0], [0]]], [4, 20], [1.0, 1.0], [0.0, 8.0])
    served = serve(workload, Server(Tiers((9,)), tt.LRU(), speculation="always", reuse=reuse), LATENCY)
    assert (served.totals.speculated, served.totals.used) == (1, 1)
    assert served.ttft[0] == 2.875
    wrong = workload_of([[[0], [1]]], [4, 20], [1.0, 1.0], [0.0])
    with pytest.raises(ForcedCachingError, match="length 20"):
        serve(wrong, Server(Tiers((9,)), tt.LRU(), speculation="always", reuse=reuse), LATENCY)


def test_seconds_of_an_outcome_in_tiers_are_those_of_an_idle_server():
    workload = workload_of([[[0]], [[1]], [[0]]], [4, 4], [0.0], [0.0, 10.0, 20.0])
    served = serve(
        workload, Server(Tiers((5, 9), (0, Fraction(1, 2))), tt.LRU()), LATENCY, float(LATENCY.per_token) / 2
    )
    outcome = served.outcome
    assert outcome.loaded.tolist() == [[0, 0, 4]]
    assert tt.ttft_quantiles(outcome, [0.1, 1.0], LATENCY).tolist() == [served.ttft[2], served.ttft[0]]
    assert tt.ttft_violations(outcome, LATENCY, Fraction(served.ttft[2])) == 2
    assert tt.slo_violations(outcome, 3) == 2


def test_costs_of_provisional_documents_are_within_a_profile_of_the_longest_prompt():
    workload = workload_of([[[1], [0]], [[0], [0]]], [4, 20], [1.0, 1.0], [0.0, 8.0], question=[3, 1], system=2)
    assert (workload.longest, int(workload.forest.total.max())) == (25, 9)
    profile = tt.PrefillProfile.of_latency(LATENCY, workload.longest, workload.longest)
    served = serve(workload, Server(Tiers((30,)), RetrievalPGDSF(profile), speculation="always"), LATENCY)
    assert served.totals.speculated == 2
