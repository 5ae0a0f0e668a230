"""Advice for an idle server is that for a queue in which nobody waits: on random traces both say the same."""

from fractions import Fraction

import numpy as np
import pytest
from advice.advised_traces import chats

import teltheory as tt

LATENCY = tt.LatencyModel(Fraction(1, 10**4))


def far_apart(trace):
    """The trace, each turn long after the one before it was answered."""
    arrival = np.arange(len(trace)) * 1e5
    return tt.Trace.from_turns(
        trace.conversation, trace.prompt, trace.response, history=trace.history, arrival=arrival
    )


def returning(seed, turns=100):
    """A random trace of a few conversations that shorten now and then."""
    rng = np.random.default_rng(seed)
    conversation, past, history = rng.integers(0, 12, turns), {}, []
    prompt, response = rng.integers(1, 900, turns), rng.integers(0, 300, turns)
    for one, asked, answered in zip(conversation.tolist(), prompt.tolist(), response.tolist(), strict=True):
        history.append(past.get(one, 0) if rng.random() < 0.8 else int(rng.integers(0, past.get(one, 0) + 1)))
        past[one] = history[-1] + asked + answered
    return tt.Trace.from_turns(conversation, prompt, response, history=history)


TRACES = [returning(0), returning(1), chats(100, 3)]


@pytest.mark.parametrize("goal", ["tel", "slo", "p90"])
@pytest.mark.parametrize("trace", TRACES, ids=["shortened", "shortened again", "chats"])
def test_where_nobody_waits_both_servers_have_the_same_advice(trace, goal):
    slo, capacity = Fraction(1, 5), int(trace.past.max()) * 2
    idle = tt.advise(far_apart(trace), capacity, slo, LATENCY, goal=goal)
    queue = tt.advise(far_apart(trace), capacity, slo, LATENCY, goal=goal, serving=tt.Serving())
    assert (queue.xi, queue.q_hat, queue.recommended) == (idle.xi, idle.q_hat, idle.recommended)
    assert queue.kept_promise == idle.kept_promise
    assert (queue.choice.warm_up, queue.choice.idle) == (idle.choice.warm_up, idle.choice.idle)
    assert queue.held_out.broken == idle.held_out.broken
    for one, other in zip(queue.choice.tried, idle.choice.tried, strict=True):
        assert (one.cost.prefilled, one.broken) == (other.cost.prefilled, other.broken)
        assert one.gain == pytest.approx(other.gain, abs=1e-5)
    for row, before in zip(queue.held_out.rows[:2], idle.held_out.rows[:2], strict=True):
        assert (row.slow, row.prefilled, row.hit_rate) == (before.slow, before.prefilled, before.hit_rate)
        assert (row.p50, row.p99) == pytest.approx((before.p50, before.p99), abs=1e-9)
    gains = [(one.choice.here, one.held_out.gain) for one in (queue, idle)]
    for one, other in zip(*gains, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-5)
