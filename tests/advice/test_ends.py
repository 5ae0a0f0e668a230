"""What advice says of announced ends is what replays of the announced trace say."""

from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from advice.advised_traces import chats

import teltheory as tt
from teltheory.advice.ends import LATE, SESSIONS
from teltheory.advice.sentences_of_ends import ends_lines
from teltheory.cli.advise.text import advice_as_data, advice_section

SLO, CAPACITY = Fraction(1, 5), 15_000


@cache
def agents(turns=2400, **columns):
    """Chats whose conversations are agents: the application knows when one is over."""
    trace = chats(turns)
    return trace.with_hints(tt.Hints.of(trace, agent=trace.code.tolist(), **columns))


@cache
def usual():
    return tt.advise(agents(), CAPACITY, SLO)


def tel_of(advice, trace, policy, **rules):
    """TEL on the rest, by a replay of its own."""
    outcome = tt.replay(trace, policy, CAPACITY, **rules)
    return outcome.excess_units(advice.goal.xi)[advice.start :].sum()


def test_what_ends_bring_is_what_replays_of_the_announced_trace_say():
    advice, trace = usual(), agents()
    ends, lru = advice.ends, tel_of(usual(), agents(), tt.LRU())
    xi, q_hat = advice.as_set(ends.margin)
    policy, told = tt.TLRU(xi, q_hat, "least-recent"), trace.with_hints(tt.Hints.announce(trace))
    late = trace.with_hints(tt.Hints.announce(trace, LATE))
    found = {
        "both": tel_of(advice, told, tt.Hinted(policy, "close")),
        "alone": tel_of(advice, told, tt.Hinted(tt.LRU(), "close")),
        "late": tel_of(advice, late, tt.Hinted(policy, "close")),
        "never": tel_of(advice, trace, policy),
    }
    for name, tel in found.items():
        assert getattr(ends, name).gain.value == pytest.approx(1 - tel / lru), name
    assert len({*found.values(), lru}) == 5
    assert ends.recommended
    computed = [
        int((one.total - one.cached)[advice.start :].sum())
        for one in (tt.replay(told, tt.Hinted(policy, "close"), CAPACITY), tt.replay(trace, tt.LRU(), CAPACITY))
    ]
    assert ends.both.work == pytest.approx(computed[0] / computed[1])


def test_under_sglang_it_is_sessions_that_are_closed():
    advice, trace = usual(), agents()
    xi, q_hat = advice.as_set(advice.ends.margin)
    told = trace.with_hints(tt.Hints.announce(trace)).forest
    lru = tel_of(advice, trace.forest, tt.LRU(), rules="sglang")
    both = tel_of(advice, told, tt.TLRU(xi, q_hat), rules="sglang:sessions=yes")
    assert advice.ends.engine.gain.value == pytest.approx(1 - both / lru)
    assert advice.ends.arguments.endswith(SESSIONS)
    ruled = tt.advise(trace.forest, CAPACITY, SLO, rules="sglang")
    xi, q_hat = ruled.as_set(ruled.ends.margin)
    both = tel_of(ruled, told, tt.TLRU(xi, q_hat), rules="sglang:sessions=yes")
    assert ruled.ends.both.gain.value == pytest.approx(1 - both / lru)
    assert ruled.ends.engine == ruled.ends.both
    assert tt.advise(trace.forest, CAPACITY, SLO, rules="vllm").ends is None


def test_in_a_queue_in_which_nobody_waits_it_is_the_same():
    trace = replace(agents(), arrival=agents().arrival * 1e4)
    idle, queue = (tt.advise(trace, CAPACITY, SLO, **how).ends for how in ({}, {"serving": tt.Serving()}))
    assert queue.engine is None
    assert queue.margin == idle.margin
    for name in ("both", "alone", "late", "never"):
        one, other = (getattr(ends, name) for ends in (idle, queue))
        assert one.gain.value == pytest.approx(other.gain.value, abs=1e-3), name
        assert (one.work, one.broken) == (other.work, other.broken), name


def test_late_is_late_at_the_servers_speed():
    trace, how = agents(), {"latency": tt.A100_LLAMA2_7B}
    slow, fast = (tt.advise(trace, CAPACITY, SLO, serving=tt.Serving(stretch=s), **how).ends for s in (1, 100))
    assert slow.late.gain.value < fast.late.gain.value
    assert slow.both.gain.value == pytest.approx(fast.both.gain.value, abs=0.05)


@pytest.mark.parametrize("router", ["hash", "least-loaded"])
def test_replicas_hear_if_their_router_looks_at_none_of_their_caches(router):
    advice = tt.advise(agents(), CAPACITY, SLO, serving=tt.Serving(2, router))
    assert (advice.ends is None) == (router == "least-loaded")


def test_nothing_is_said_where_no_agent_is_named_or_none_returns():
    trace = chats()
    alone = trace.with_hints(tt.Hints.of(trace, agent=list(range(len(trace)))))
    for one in (trace, alone):
        assert tt.advise(one, CAPACITY, SLO).ends is None


def test_it_says_what_is_assumed_and_what_was_recorded():
    lines = list(ends_lines(usual()))
    assert lines[0].startswith("ADVICE, where agents' ends are known: announce ends and use T-LRU with ξ = ")
    assert lines[1].startswith("Ends (assumed: ")
    assert f"; {LATE} s late, both are " in lines[1]
    assert "/close_session at each agent's end" in lines[2]
    assert lines[3] == f"  {usual().ends.arguments}"
    assert [line for line in str(usual()).split("\n") if line.startswith("ADVICE")]
    trace = agents()
    last = {one: k for k, one in enumerate(trace.code.tolist())}
    closed = [at if k in last.values() else None for k, at in enumerate(trace.arrival.tolist())]
    recorded = tt.advise(trace.with_hints(tt.Hints.of(trace, closed_at=closed)), CAPACITY, SLO)
    assert asdict(recorded.ends) == asdict(usual().ends) | {"said": (f"{trace.conversations} recorded",)}


def test_a_page_and_its_data_have_it():
    data, ends = advice_as_data(usual())["ends"], usual().ends
    assert data == asdict(ends) | {"recommended": True}
    text = advice_section("one", usual()).text
    assert f"\n\n    {ends.arguments}\n\n" in text
    assert "announce ends and use T-LRU" in text
    assert advice_as_data(replace(usual(), ends=None))["ends"] is None


def test_it_is_not_advised_above_its_limits_or_where_lru_does_as_well():
    ends = usual().ends
    for changed, words in (
        ({"both": replace(ends.both, broken=("P50",))}, "which is above the limit on P50."),
        ({"alone": ends.both}, "no more than LRU that hears them."),
        ({"helps": False}, "but the first part shows no gain within the limits that chance does not explain."),
        ({"helps": False, "unsure": "3 agents"}, "and there is no interval: 3 agents."),
    ):
        advice = replace(usual(), ends=replace(ends, **changed))
        assert not advice.ends.recommended
        first = next(ends_lines(advice))
        assert first.startswith("Ends: to announce them and use T-LRU")
        assert first.endswith(words)


def test_few_margins_are_tried_and_the_best_within_the_limits_is_chosen():
    """The prefill may be LRU's at most: so T-LRU that hears ends is chosen among what keeps that."""
    advice = tt.advise(agents(), CAPACITY, SLO, work_cost=Fraction(1))
    assert advice.ends.both.work <= 1
    assert np.isfinite(advice.ends.both.p50)
