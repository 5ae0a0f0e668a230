"""Advice for an idle server is that for a queue in which nobody waits: on random traces both say the same."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from advice.advised_traces import chats
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import forests, given_columns, turn_columns

import teltheory as tt
from teltheory.advice.goal import Goal
from teltheory.advice.search import Candidate
from teltheory.advice.server import Queueing, Replaying
from teltheory.advice.settings import Settings

LATENCY = tt.LatencyModel(Fraction(1, 10**4))


def far_apart(trace):
    """The trace, each turn long after the one before it was answered."""
    arrival = np.arange(len(trace)) * 1e5
    return tt.Trace.from_turns(
        trace.conversation, trace.prompt, trace.response, history=trace.history, arrival=arrival
    )


def returning(seed, turns=80):
    """A random trace of a few conversations that shorten now and then."""
    rng = np.random.default_rng(seed)
    conversation, past, history = rng.integers(0, 12, turns), {}, []
    prompt, response = rng.integers(1, 900, turns), rng.integers(0, 300, turns)
    for one, asked, answered in zip(conversation.tolist(), prompt.tolist(), response.tolist(), strict=True):
        history.append(past.get(one, 0) if rng.random() < 0.8 else int(rng.integers(0, past.get(one, 0) + 1)))
        past[one] = history[-1] + asked + answered
    return tt.Trace.from_turns(conversation, prompt, response, history=history)


TRACES = [returning(0), chats(80, 3)]


@pytest.mark.parametrize("goal", ["tel", "slo", "p90"])
@pytest.mark.parametrize("trace", TRACES, ids=["shortened", "chats"])
def test_where_nobody_waits_both_servers_have_the_same_advice(trace, goal):
    slo, capacity = Fraction(1, 5), int(trace.past.max()) * 2
    idle = tt.advise(far_apart(trace), capacity, slo, LATENCY, goal=goal)
    queue = tt.advise(far_apart(trace), capacity, slo, LATENCY, goal=goal, serving=tt.Serving())
    assert (queue.xi, queue.q_hat, queue.recommended) == (idle.xi, idle.q_hat, idle.recommended)
    assert queue.kept_promise == idle.kept_promise
    assert (queue.choice.warm_up, queue.choice.candidate) == (idle.choice.warm_up, idle.choice.candidate)
    assert queue.held_out.broken == idle.held_out.broken
    for one, other in zip(queue.choice.tried, idle.choice.tried, strict=True):
        said = [(each.candidate, each.cost.prefilled, each.broken) for each in (one, other)]
        assert said[0] == said[1]
        assert one.gain == pytest.approx(other.gain, abs=1e-5)
    in_units = 1 / 10**4
    for row, before in zip(queue.held_out.rows, idle.held_out.rows, strict=True):
        for name in ("policy", "slow", "prefilled", "hit_rate", "written", "hits", "loaded"):
            assert getattr(row, name) == getattr(before, name)
        for name in ("wait", "load", "compute", "alone", "busy", "utilisation", "p50", "p99"):
            assert getattr(row, name) == pytest.approx(getattr(before, name), abs=1e-9)
        assert row.tel == pytest.approx(in_units * before.tel)
    assert queue.held_out.bound == pytest.approx(in_units * idle.held_out.optimum)
    for one, other in zip(*[(each.choice.here, each.held_out.gain) for each in (queue, idle)], strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-5)


CHAINS = (turn_columns() | given_columns()).map(lambda columns: far_apart(tt.Trace.from_turns(**columns)))
FORESTS = forests().map(lambda forest: replace(forest, arrival=np.arange(len(forest)) * 1e5))


@given(CHAINS | FORESTS, st.integers(0, 12), st.integers(0, 40), st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_the_server_that_replays_does_what_the_one_that_serves_does(requests, start, capacity, margin):
    goal, asked = Goal(Fraction(2), LATENCY), (requests, start, capacity, LATENCY, Settings(9))
    idle, queue = Replaying(*asked), Queueing(*asked)
    tried = Candidate((True,), False, margin)
    for when, candidate in product(("early", "late"), (idle.lru, tried)):
        one, other = (getattr(server, when)(candidate) for server in (idle, queue))
        for name in ("reused", "written", "inputs"):
            assert np.array_equal(getattr(one, name), getattr(other, name))
        assert np.allclose(one.ttft, other.ttft)
        assert (one.slow(goal), one.hits, one.moved) == (other.slow(goal), other.hits, other.moved)
    assert idle.warm_up(idle.early(idle.lru)) == queue.warm_up(queue.early(queue.lru))
