"""`serve` is a second simulator's, turn by turn: plain, in iterations, and with a store that replicas share."""

import numpy as np
import pytest
from serving.served_by_events import Events
from serving.served_from_a_store import Shared
from serving.served_in_iterations import Iterations
from serving.worlds import EVERY_MODE, LATENCIES, ROUTERS, a_capacity, a_forest, a_policy, a_trace

import teltheory as tt
from teltheory.cost.decoding import Decode
from teltheory.serving.batching import Chunked

DECODES = (None, Decode(0.5), Decode(1, 0.25, 1 / 16))


def compare(served, events):
    assert served.replica.tolist() == events.replica
    assert np.atleast_2d(served.cached).T.tolist() == events.cached
    assert (served.arrival + served.ttft).tolist() == events.first_token


def plain(rng, trace, options):
    capacity, policy = a_capacity(rng, modes=EVERY_MODE), a_policy(rng)
    for i in rng.permutation(len(ROUTERS))[:2]:
        options["router"] = ROUTERS[i]
        served = tt.serve(trace, policy, capacity, **options)
        events = Events(trace, policy, capacity, **options).run()
        compare(served, events)
        for name in ("start", "load", "compute"):
            assert getattr(served, name).tolist() == getattr(events, name)


def in_iterations(rng, trace, options):
    capacity, policy = a_capacity(rng, modes=EVERY_MODE), a_policy(rng)
    batching = Chunked((None, 1, 3, 8)[rng.integers(4)], DECODES[rng.integers(3)], (None, 2, 6)[rng.integers(3)])
    served = tt.serve(trace, policy, capacity, batching=batching, **options)
    answers = batching.answers(trace).tolist()
    events = Iterations(trace, policy, capacity, **options, batching=batching, answers=answers).run()
    compare(served, events)
    assert served.busy.tolist() == [each.busy for each in events.each]
    for k in range(len(trace)):
        log = events.log(k)
        assert served.start[k] == log["start"]
        assert [served.load[k], served.compute[k], served.service[k]] == np.sum(log["times"], axis=0).tolist()


def from_a_store(rng, trace, options):
    tiers = a_capacity(rng, 3, ("exclusive",))
    while not isinstance(tiers, tt.Tiers) or len(tiers) < 2:
        tiers = a_capacity(rng, 3, ("exclusive",))
    policies = (*[a_policy(rng)] * (len(tiers) - 1), tt.LRU())
    served = tt.serve(trace, policies, tiers, shared=True, **options)
    events = Shared(trace, policies[:-1], tiers, **options).run()
    compare(served, events)
    assert served.start.tolist() == events.start
    assert served.outcome.copied[-1].tolist() == events.copied


def try_out(seed, engine):
    rng = np.random.default_rng(seed)
    trace = a_forest(rng) if seed % 3 == 2 else a_trace(rng)
    router, latency = ROUTERS[rng.integers(len(ROUTERS))], LATENCIES[rng.integers(len(LATENCIES))]
    engine(rng, trace, {"replicas": int(rng.integers(1, 5)), "router": router, "latency": latency})


ENGINES = pytest.mark.parametrize("engine", [plain, in_iterations, from_a_store])


@ENGINES
@pytest.mark.parametrize("seed", range(40))
def test_serve_is_a_second_simulators(seed, engine):
    try_out(seed, engine)


@pytest.mark.long
@ENGINES
@pytest.mark.parametrize("first", range(40, 1040, 50))
def test_serve_is_a_second_simulators_on_a_thousand_traces(first, engine):
    for seed in range(first, first + 50):
        try_out(seed, engine)
