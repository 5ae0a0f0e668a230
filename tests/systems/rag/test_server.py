"""The server in time against a second simulator, Lindley's recursion, and Pollaczek and Khinchine's formula."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from systems.rag.event_loop import Loop
from systems.rag.small_workloads import LATENCY, LOAD, TIERS, faults, workloads

import teltheory as tt
from teltheory.model.tiers import Tiers
from teltheory.policies import LFU
from teltheory.systems.rag.server import Server, serve
from teltheory.systems.rag.workload import Workload

RULES = [None, "always", "idle", "spare", "queue:1"]
servers = st.builds(
    Server,
    tiers=st.sampled_from([TIERS, replace(TIERS, mode="swap-out-once"), Tiers((12,))]),
    policy=st.sampled_from([tt.LRU(), LFU()]),
    window=st.sampled_from([0, 1, 2, 100]),
    speculation=st.sampled_from(RULES),
    batch=st.sampled_from([1, 1, 2, 3]),
    copying=st.sampled_from(["beside", "before"]),
    reuse=st.sampled_from([True, True, True, False]),
    timeout=st.sampled_from([0.0, 0.5]),
    retries=st.integers(0, 2),
)


@settings(max_examples=2 * settings().max_examples)
@given(workloads(), servers, st.booleans(), st.one_of(st.just([]), faults))
def test_a_second_simulator_agrees_request_by_request(workload, server, late, faults):
    if late and server.speculation != "spare":
        server = replace(server, interruption="after the iteration")
    served = serve(workload, server, LATENCY, LOAD, faults)
    judge = Loop(workload, server, server.tree(workload), LATENCY, LOAD, faults).run()
    nothing = (0,) * len(server.tiers)
    for k in range(len(workload)):
        assert served.first_token[k] == judge.first_token.get(k, np.inf)
        assert served.start[k] == judge.start.get(k, np.inf)
        assert tuple(served.cached[:, k]) == judge.cached.get(k, nothing)
        assert served.failures[k] == judge.failed[k]
    totals = served.totals
    assert (totals.busy, totals.wasted_seconds, totals.lost_seconds) == (judge.busy, judge.wasted, judge.lost)


@given(workloads(), servers)
def test_seconds_of_the_gpu_are_used_or_wasted(workload, server):
    served = serve(workload, server, LATENCY, LOAD)
    assert served.totals.busy == served.prefill.sum() + served.totals.wasted_seconds
    assert (served.first_token >= served.found).all()
    assert served.totals.given_up == 0


def lindley(workload, server):
    """Return first tokens of a server that takes requests as retrieval finds them, one at a time."""
    tree, free = server.tree(workload), -np.inf
    found = workload.arrival + workload.seconds.sum(axis=1)
    first_token = np.empty(len(workload))
    for k in np.argsort(found, kind="stable").tolist():
        leaf = int(workload.forest.leaf[k])
        start = tree.start(leaf, k, now=max(found[k], free))
        tree.finish(leaf, k)
        cached = sum(start.cached)
        took = LATENCY.ttft(workload.forest.total[k] - cached, cached) + start.loaded * LOAD
        first_token[k] = free = max(found[k], free) + took
    return first_token


@settings(max_examples=30)
@given(workloads(most=12), st.sampled_from([TIERS, replace(TIERS, mode="swap-out-once")]))
def test_first_in_first_out_is_lindleys_recursion(workload, tiers):
    server = Server(tiers, tt.LRU())
    served = serve(workload, server, LATENCY, LOAD)
    np.testing.assert_allclose(served.first_token, lindley(workload, server), rtol=0, atol=1e-9)


def poisson(requests, rate, seed):
    """Return requests without documents that need a prefill of the same length."""
    arrival = np.cumsum(np.random.default_rng(seed).exponential(1 / rate, requests))
    found = np.full((requests, 1, 1), -1)
    return Workload.of([1], found, np.zeros(1), np.full(requests, 10).tolist(), arrival)


def test_poisson_arrivals_wait_as_pollaczek_and_khinchine_say():
    latency = tt.LatencyModel(Fraction(1, 100))
    load, service, requests, batches = 0.8, 0.1, 8_000, 40
    workload = poisson(requests, load / service, seed=7)
    served = serve(workload, Server(Tiers((1,)), tt.LRU(), reuse=False), latency)
    wait = (served.ttft - service)[requests // 20 :]
    means = wait[: len(wait) // batches * batches].reshape(batches, -1).mean(axis=1)
    expected = load * service / (2 * (1 - load))
    assert abs(means.mean() - expected) <= 3 * means.std(ddof=1) / np.sqrt(batches)


@given(workloads(most=15), st.sampled_from([0, 1, 3]))
def test_nobody_is_overtaken_more_often_than_the_window(workload, window):
    served = serve(workload, Server(TIERS, tt.LRU(), window=window), LATENCY, LOAD)
    joined, order = np.lexsort((np.arange(len(served)), served.found)), np.argsort(served.start)
    place = np.argsort(joined)
    for at, k in enumerate(order):
        assert sum(place[before] > place[k] for before in order[:at]) <= window


def test_what_is_served_is_an_outcome_in_order_of_arrival():
    workload = Workload.of([4, 2], [[0, 1], [0, -1], [0, 1]], [0.0], [1, 1, 1], [0, 10, 20], system=3)
    served = serve(workload, Server(Tiers((9, 9), (0, Fraction(1, 2))), tt.LRU()), LATENCY)
    assert served.cached.tolist() == [[0, 7, 9], [0, 0, 0]]
    assert served.documents.tolist() == [[0, 1, 2], [0, 0, 0]]
    assert served.uncached.tolist() == [10, 1, 1]
    assert served.outcome.uncached == [10, 1, 1]
    assert served.ttft.tolist() == [1.5, 0.375, 0.375]


def test_what_an_iteration_computes_is_cached_after_it():
    """Two requests for one document: in one iteration neither hits, one after the other the second does."""
    workload = Workload.of([4], [[0], [0]], [0.0], [1, 1], [0, 0])
    together = serve(workload, Server(Tiers((8,)), tt.LRU(), batch=2), LATENCY)
    assert together.cached.tolist() == [[0, 0]]
    assert together.first_token.tolist() == [1.75, 1.75]
    apart = serve(workload, Server(Tiers((8,)), tt.LRU()), LATENCY)
    assert apart.cached.tolist() == [[0, 4]]
    assert apart.first_token.tolist() == [0.875, 1.25]


def test_an_iteration_takes_what_fits_beside_each_other():
    workload = Workload.of([4, 4], [[0], [1]], [0.0], [1, 1], [0, 0])
    served = serve(workload, Server(Tiers((7,)), tt.LRU(), batch=2), LATENCY)
    assert served.first_token.tolist() == [0.875, 1.75]


def test_searches_wait_for_a_searcher():
    workload = Workload.of([1], [[0], [0], [0]], [2.0], [1, 1, 1], [0, 0, 1])
    found = serve(workload, Server(Tiers((9,)), tt.LRU(), searchers=2), LATENCY).found
    assert found.tolist() == [2, 2, 4]
    assert serve(workload, Server(Tiers((9,)), tt.LRU()), LATENCY).found.tolist() == [2, 2, 3]


WRONG = [
    ({"batch": 0}, "batch: found 0, expected 1 or more"),
    ({"searchers": 0}, "searchers: found 0"),
    ({"window": -1}, "window: found -1"),
    ({"timeout": -1.0}, "timeout: found -1.0"),
    ({"patience": float("nan")}, "patience: found nan"),
    ({"speculation": "often"}, "speculation: found 'often', expected \"always\""),
    ({"speculation": "queue:-1"}, "speculation: found 'queue:-1'"),
    ({"interruption": "never"}, "interruption: found 'never'"),
    ({"copying": "after"}, "copying: found 'after'"),
    ({"speculation": "spare", "interruption": "after the iteration"}, "interruption: found"),
]


@pytest.mark.parametrize(("option", "message"), WRONG)
def test_wrong_options_are_errors(option, message):
    with pytest.raises(tt.ArgumentError, match=message):
        Server(Tiers((9,)), tt.LRU(), **option)


@pytest.mark.parametrize("tiers", [Tiers((9, 9), (0, 0), "inclusive"), Tiers((9, 9, 9), (0, 0, 0))])
def test_a_server_has_a_gpu_and_a_host_at_most(tiers):
    with pytest.raises(tt.ArgumentError, match=r"tiers: found Tiers.*expected a GPU, or a GPU and its host"):
        Server(tiers, tt.LRU())


@pytest.mark.parametrize("reuse", [True, False])
def test_documents_beyond_the_gpu_are_an_error(reuse):
    workload = Workload.of([4, 10], [[0], [1]], [0.0], [1, 1], [0, 0])
    with pytest.raises(tt.ForcedCachingError, match=r"turn 1: .*length 10, expected at most the capacity 9"):
        serve(workload, Server(Tiers((9,)), tt.LRU(), reuse=reuse), LATENCY)


def test_loading_takes_no_negative_time():
    workload = Workload.of([4], [[0]], [0.0], [1], [0])
    with pytest.raises(tt.ArgumentError, match="load: found -1"):
        serve(workload, Server(Tiers((9,)), tt.LRU()), LATENCY, -1)
