"""Hints in a queue: what a replica hears of requests that went elsewhere, by parts and one request at a time."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import forests, given_columns, timed_columns

import teltheory as tt
from teltheory.errors import ArgumentError
from teltheory.policies import FIFO, LFU
from teltheory.policies.hinted import Hint

SECOND = tt.LatencyModel(1)
ROUTERS = "round-robin", "hash"
POLICIES = tt.LRU(), tt.TLRU(3, 1), tt.TLRU(2, 0, "eager"), LFU(), FIFO()
USES = "close", "superseded", "retain", "resume", "priority"


def told(draw, requests):
    """Requests with agents, and hints of all kinds."""
    n = len(requests)
    times = st.lists(st.none() | st.integers(0, 4), min_size=n, max_size=n)
    agent = draw(st.none() | st.lists(st.none() | st.integers(0, 1), min_size=n, max_size=n))
    ends = [None if t is None else t + at for t, at in zip(draw(times), requests.arrival, strict=True)]
    more = {name: draw(times) for name in ("retain_until", "resume_at", "priority")}
    return requests.with_hints(tt.Hints.of(requests, agent=agent, closed_at=ends, **more))


turns = timed_columns(given_columns(max_turns=12)).map(lambda columns: tt.Trace.from_turns(**columns))


@given(forests(), st.data(), st.sampled_from(POLICIES), st.sets(st.sampled_from(USES)), st.integers(0, 8))
def test_parts_hear_what_the_plain_engine_hears(forest, data, policy, use, capacity):
    """So ends reach every replica that served an earlier request of their agent."""
    forest = told(data.draw, forest)
    options = {"replicas": data.draw(st.integers(1, 3)), "router": data.draw(st.sampled_from(ROUTERS))}
    options |= {"stretch": data.draw(st.sampled_from([1, 2.5])), "latency": SECOND, "forced": False}
    hinted = tt.Hinted(policy, tuple(sorted(use)))
    one, other = (tt.serve(forest, hinted, capacity, engine=e, **options) for e in ("kernel", "reference"))
    assert one.outcome == other.outcome
    for name in ("replica", "start", "service"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@given(forests() | turns.filter(lambda trace: trace.is_chains), st.data(), st.sampled_from(POLICIES[:2]))
def test_one_replica_does_what_a_replay_does(requests, data, policy):
    requests, capacity = told(data.draw, requests), data.draw(st.integers(0, 8))
    served = tt.serve(requests, tt.Hinted(policy), capacity, latency=SECOND, engine="reference")
    assert served.cached.tolist() == tt.replay(requests, tt.Hinted(policy), capacity).cached.tolist()


@pytest.mark.parametrize("engine", ["kernel", "reference"])
@pytest.mark.parametrize("stretch", [1, 0.1])
def test_an_end_reaches_the_replica_that_served_the_agent_before(engine, stretch):
    """A asks on replica 0, then on replica 1, and ends: its block on 0 goes before B's, which is older.

    That its first request was the last is void everywhere once it has asked on replica 1.
    """
    forest = tt.Forest.from_paths([[1], [9], [2], [3], [4], [9], [1], [9]], arrival=np.arange(8.0))

    def hits(*closed_at):
        told = tt.Hints.of(forest, agent=list("bcaaefbg"), closed_at=[None, None, *closed_at, *[None] * 4])
        asked, how = forest.with_hints(told), {"latency": SECOND, "engine": engine, "stretch": stretch}
        return tt.serve(asked, tt.Hinted(tt.LRU(), "close"), 2, replicas=2, **how).cached.tolist()

    assert hits(None, 3.5) == [0, 0, 0, 0, 0, 1, 1, 1]
    assert hits(3.5, None) == hits(None, None) == [0, 0, 0, 0, 0, 1, 0, 1]


@dataclass(frozen=True)
class Everyone(Hint):
    """An author's own hint."""


def test_what_no_loop_does_under_hints_is_said():
    forest = tt.Forest.from_paths([[1], [2]], arrival=[0.0, 1.0])
    options = {"replicas": 2, "latency": SECOND, "engine": "kernel"}
    with pytest.raises(ArgumentError, match=r"router.*engine='reference' for it"):
        tt.serve(forest, tt.Hinted(tt.LRU()), 2, router="least-loaded", **options)
    with pytest.raises(ArgumentError, match="the toolkit's hints, or engine='reference'"):
        tt.serve(forest, tt.Hinted(tt.LRU(), (Everyone(),)), 2, **options)
    many = tt.Forest.from_paths([range(300_000)], arrival=[0.0])
    with pytest.raises(ArgumentError, match="at most 200,000 blocks in all requests under hints"):
        tt.serve(many, tt.Hinted(tt.LRU()), tt.Tiers((2, 3), (0, 0)), latency=SECOND)
