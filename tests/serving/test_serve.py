"""Replicas with a queue: by hand, against the replay of one cache, and what is refused."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from refusals import refused
from serving.worlds import EVERY_MODE, LATENCIES, a_capacity, a_forest, a_policy, a_trace

import teltheory as tt
from teltheory.model.numbers import readonly
from teltheory.serving.idle import on_idle_server
from teltheory.serving.routers import ROUTERS
from teltheory.serving.work import spread, work_of

SECOND = tt.LatencyModel(Fraction(1))
A, B = 0, 1
TURNS = tt.Trace.from_turns([A, B, A, B], [4, 2, 1, 1], [0, 0, 0, 0], [0, 0, 1, 3])


def test_four_turns_on_two_replicas():
    served = tt.serve(TURNS, tt.LRU(), 10, replicas=2, latency=SECOND)
    assert served.replica.tolist() == [0, 1, 0, 1]
    assert served.cached.tolist() == [0, 0, 4, 2]
    assert served.uncached.tolist() == [4, 2, 1, 1]
    assert served.start.tolist() == [0, 0, 4, 3]
    assert served.wait.tolist() == [0, 0, 3, 0]
    assert served.ttft.tolist() == [4, 2, 4, 1]
    assert served.utilisation == 8 / (2 * 3)
    assert served.utilisations.tolist() == [5 / 3, 1]


@pytest.mark.parametrize(
    ("router", "replicas"),
    [("least-loaded", [0, 1, 1, 0]), ("affinity", [0, 1, 0, 1]), ("min-ttft", [0, 1, 0, 1])],
)
def test_routers_on_four_turns(router, replicas):
    assert tt.serve(TURNS, tt.LRU(), 10, replicas=2, router=router, latency=SECOND).replica.tolist() == replicas


@pytest.mark.parametrize(
    ("turns", "arrivals", "replicas"),
    [
        ([(A, 9), (A, 1)], [0, 2], [0, 0]),
        ([(A, 3), (B, 9), (A, 1)], [0, 0, 4], [0, 1, 0]),
        ([(A, 3), (B, 9), (A, 1)], [0, 3, 4], [0, 0, 1]),
    ],
)
def test_the_least_ttft_weighs_the_wait_against_the_cache(turns, arrivals, replicas):
    conversation, prompt = zip(*turns, strict=True)
    trace = tt.Trace.from_turns(conversation, prompt, [0] * len(turns), arrivals)
    served = tt.serve(trace, tt.LRU(), 20, replicas=2, router="min-ttft", latency=SECOND)
    assert served.replica.tolist() == replicas


def test_a_later_turn_finds_what_waits_before_it_on_its_replica_alone():
    turns = tt.Trace.from_turns([A, A, A], [5, 1, 1], [0, 0, 0], [0, 1, 2])
    assert tt.serve(turns, tt.LRU(), 20, replicas=1, latency=SECOND).cached.tolist() == [0, 5, 6]
    assert tt.serve(turns, tt.LRU(), 20, replicas=2, latency=SECOND).cached.tolist() == [0, 0, 5]


def test_loading_takes_seconds():
    tiers = tt.Tiers((4, 4), (0, Fraction(1, 4)))
    turns = tt.Trace.from_turns([A, B, A], [4, 4, 2], [0, 0, 0], [0, 0, 10])
    served = tt.serve(turns, tt.LRU(), tiers, latency=SECOND)
    assert served.load.tolist() == [0, 0, 1]
    assert served.compute.tolist() == [4, 4, 2]
    assert served.ttft.tolist() == [4, 8, 3]
    overlapped = tt.Tiers((4, 4), (0, Fraction(1, 4)), loading="overlapped")
    assert tt.serve(turns, tt.LRU(), overlapped, latency=SECOND).ttft.tolist() == [4, 8, 2]


@pytest.mark.parametrize("seed", range(30))
def test_one_replica_that_nobody_waits_for_is_a_replay(seed):
    rng = np.random.default_rng(seed)
    trace = a_forest(rng) if seed % 3 == 2 else a_trace(rng)
    capacity = a_capacity(rng, modes=EVERY_MODE)
    policy, latency = a_policy(rng), LATENCIES[0]
    for stretch in (1, 10**6):
        served = tt.serve(trace, policy, capacity, latency=latency, stretch=stretch)
        assert served.outcome == tt.replay(trace, policy, capacity)
    apart = np.diff(served.arrival) > 0
    assert not served.wait[1:][apart].any()


@pytest.mark.parametrize("make", [a_trace, a_forest])
def test_one_replica_that_nobody_waits_for_is_an_idle_server(make):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        trace, capacity, policy = make(rng), a_capacity(rng, modes=EVERY_MODE), a_policy(rng)
        tiers = capacity if isinstance(capacity, tt.Tiers) else tt.Tiers((capacity,), (0,))
        apart = replace(trace, arrival=readonly(2.0**20 * np.arange(len(trace))))
        served = tt.serve(apart, policy, tiers, latency=LATENCIES[1])
        idle = on_idle_server(tt.replay(trace, policy, tiers), LATENCIES[1])
        for name in ("replica", "wait", "load", "compute", "service", "busy"):
            assert getattr(idle, name).tolist() == getattr(served, name).tolist()


@pytest.mark.parametrize(
    ("make", "engine"), [(a_trace, "kernel"), (a_trace, "reference"), (a_forest, "reference")]
)
def test_what_is_served_is_closed_for_writing(make, engine):
    rng, tiers = np.random.default_rng(7), tt.Tiers((9, 9), (0, Fraction(1, 4)))
    for trace, capacity in ((make(rng), 9), (make(rng), tiers)):
        asked = work_of(trace, 2, "spread")
        served = tt.serve(trace, tt.LRU(), capacity, replicas=2, engine=engine)
        idle = on_idle_server(tt.replay(trace, tt.LRU(), tiers), LATENCIES[0])
        for one in (asked, asked.requests, served, served.outcome, idle, idle.outcome):
            columns = [value for value in vars(one).values() if isinstance(value, np.ndarray)]
            assert columns
            assert not any(column.flags.writeable for column in columns)


@pytest.mark.parametrize(
    "policy", [tt.Belady(), tt.TailOptimizedBelady(2), tt.EndAwareTLRU(2, 2), tt.LengthAwareTLRU(2)]
)
def test_one_replica_knows_the_future_as_a_replay_does(policy):
    for seed in range(5):
        trace = a_trace(np.random.default_rng(seed))
        assert tt.serve(trace, policy, 9).outcome == tt.replay(trace, policy, 9)


@pytest.mark.parametrize("cache", ["strict", tt.WholeNodes()])
def test_forced_caching_and_whole_nodes_are_those_of_a_replay(cache):
    rng = np.random.default_rng(3)
    forest = a_forest(rng)
    served = tt.serve(forest, tt.LRU(), 9, forced=True, cache=cache)
    assert served.outcome == tt.replay(forest, tt.LRU(), 9, forced=True, cache=cache)
    trace = a_trace(rng)
    room = int(trace.past.max())
    assert tt.serve(trace, tt.LRU(), room, forced=True).outcome == tt.replay(trace, tt.LRU(), room, forced=True)


def test_the_wait_is_the_unfinished_work():
    """Work rises by the service of what arrives and falls by a second a second, in small steps."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        trace, replicas = a_trace(rng, 20), int(rng.integers(1, 4))
        served = tt.serve(trace, tt.LRU(), 12, replicas=replicas, router="least-loaded", latency=LATENCIES[1])
        work, now, step = np.zeros(replicas), 0.0, 1 / 8
        for k, time in enumerate(served.arrival.tolist()):
            while now < time:
                work, now = np.maximum(work - step, 0), now + step
            replica = served.replica[k]
            assert served.wait[k] == work[replica] == work.min()
            work[replica] += served.service[k]


def test_ticks_are_spread_up_to_the_next():
    assert spread(np.array([0.0, 0, 0, 3, 5, 5])).tolist() == [0, 1, 2, 3, 5, 6]
    assert spread(np.array([2.0, 2])).tolist() == [2, 2]
    assert spread(np.array([])).tolist() == []
    turns = tt.Trace.from_turns([0, 1, 2], [1, 1, 1], [0, 0, 0], [0, 0, 4])
    assert tt.serve(turns, tt.LRU(), 0, ticks="spread", stretch=Fraction(1, 2)).arrival.tolist() == [0, 1, 2]


def test_a_stretch_makes_the_load_that_was_asked_for():
    trace = a_trace(np.random.default_rng(0))
    for tiers in (9, tt.Tiers((4, 5), (0, Fraction(1, 2)))):
        stretch = tt.stretch_for(trace, tiers, SECOND, 1, 0.75)
        served = tt.serve(trace, tt.LRU(), tiers, latency=SECOND, stretch=stretch)
        assert served.utilisation == pytest.approx(0.75)
        assert tt.stretch_for(trace, tiers, SECOND, 3, 0.25) == pytest.approx(stretch)


def test_an_own_router_sees_the_work_and_the_caches():
    seen = []

    class Last:
        def choose(self, view):
            seen.append((view.turn, view.time, list(view.work), view.home, view.found(1), view.service().tolist()))
            return view.replicas - 1

    served = tt.serve(TURNS, tt.LRU(), 10, replicas=2, router=Last(), latency=SECOND)
    assert served.replica.tolist() == [1, 1, 1, 1]
    assert seen[2] == (2, 1.0, [0.0, 5.0], 1, (4,), [5.0, 1.0])


def test_looking_changes_nothing():
    class Looks:
        def choose(self, view):
            for _ in range(3):
                view.service()
            return view.turn % view.replicas

    for seed in range(20):
        rng = np.random.default_rng(seed)
        trace = a_forest(rng) if seed % 2 else a_trace(rng)
        looked, plain = (tt.serve(trace, tt.TLRU(2, 1), 7, replicas=2, router=r) for r in (Looks(), "round-robin"))
        assert looked.outcome == plain.outcome


def test_nothing_to_serve():
    served = tt.serve(tt.Trace.from_turns([], [], [], []), tt.LRU(), 3, replicas=2)
    assert len(served) == 0
    assert served.utilisation == 0
    assert np.isnan(served.quantiles([0.5])).all()


WRONG = {
    "arrival times": {"trace": tt.Trace.from_turns([0], [1], [0])},
    "a Trace or a Forest": {"trace": [1, 2]},
    "1 replica or more": {"replicas": 0},
    "a whole number": {"replicas": 1.5},
    "round-robin, least-loaded": {"router": "random"},
    "or an object with choose": {"router": 3},
    "a latency model": {"latency": 72e-6},
    "finite number above 0": {"stretch": 0},
    "raw, spread": {"ticks": "even"},
    "'strict' or WholeNodes": {"cache": "holes"},
    "Chunked\\(\\), or None": {"batching": 3},
    "one with rules": {"policy": tt.LRU},
}


@pytest.mark.parametrize("expected", WRONG)
def test_what_is_wrong_is_said_in_one_line(expected):
    arguments = {"trace": TURNS, "policy": tt.LRU(), "capacity": 9, **WRONG[expected]}
    refused(tt.ArgumentError, expected, tt.serve, **arguments)


@pytest.mark.parametrize("answer", [2, -1, True, 0.5, None])
def test_a_router_names_a_replica(answer):
    class Wrong:
        def choose(self, view):
            return answer

    refused(tt.ArgumentError, "router: found", lambda: tt.serve(TURNS, tt.LRU(), 9, replicas=2, router=Wrong()))


@pytest.mark.parametrize("load", [0, -1, "much"])
def test_a_load_is_above_0(load):
    refused(tt.ArgumentError, "load", tt.stretch_for, TURNS, 9, SECOND, 2, load)


def test_a_stretch_needs_arrivals_that_it_moves():
    refused(tt.ArgumentError, "a stretch can move", lambda: tt.stretch_for(TURNS[:2], 9, SECOND, 2, 0.5))
    empty = tt.Trace.from_turns([0, 1], [0, 0], [0, 0], [0, 9])
    refused(tt.ArgumentError, "requests that take no time", tt.stretch_for, empty, 9, SECOND, 2, 0.5)


def test_options_of_serving_are_those_of_serve():
    serving = tt.Serving(2, "hash", 2, "spread")
    served = tt.serve(TURNS, tt.LRU(), 9, **vars(serving))
    assert served.replicas == 2
    assert served.arrival.tolist() == [0, 1, 2, 6]
    refused(tt.ArgumentError, "router", tt.Serving, router="none")


def test_every_router_has_a_name():
    assert {"round-robin", "least-loaded", "affinity", "hash", "min-ttft"} <= set(ROUTERS)


def test_nothing_heavy_is_loaded():
    code = "import sys, teltheory as tt; tt.serve; print(*{'scipy', 'highspy'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not run.stdout.split()
