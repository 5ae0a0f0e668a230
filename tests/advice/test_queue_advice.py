"""Advice in a queue: what is recommended where nothing waits, and rows that are served by hand."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from advice.advised_traces import LATENCY, chats
from refusals import refused

import teltheory as tt
from teltheory.advice.cautions import unproved
from teltheory.advice.held_out import named
from teltheory.advice.run import Run
from teltheory.advice.search import Candidate
from teltheory.advice.server import ENDLESS
from teltheory.serving.batching import Chunked
from teltheory.serving.routers import ROUTERS
from teltheory.serving.serve import Serving, serve, stretch_for

SLOW = tt.LatencyModel(Fraction(1, 10**4))
SLO = Fraction(1, 5)
CAPACITY = 3000


def at(trace, arrival):
    """The trace with other arrivals."""
    return tt.Trace.from_turns(trace.conversation, trace.prompt, trace.response, arrival=arrival)


@cache
def loaded(turns=140):
    """Chats that come as in a Poisson process."""
    return at(chats(turns, 2), np.cumsum(np.random.default_rng(5).exponential(1, turns)))


def timeless():
    """The same without arrivals."""
    return at(loaded(), None)


@cache
def in_tiers():
    """The advice on two tiers and two replicas that several tests look at."""
    tiers = tt.Tiers((800, 2000), (0, Fraction(3, 10)))
    serving = Serving(replicas=2, router="least-loaded")
    return tt.advise(loaded(), tiers, SLO, SLOW, serving=serving, load=Fraction(7, 10)), tiers


def test_what_an_idle_server_recommends_is_recommended_where_nothing_waits_without_a_guarantee():
    trace, slo = at(chats(1200), np.arange(1200) * 1e5), Fraction(1, 10)
    idle = tt.advise(trace, 2000, slo, SLOW)
    queue = tt.advise(trace, 2000, slo, SLOW, serving=Serving())
    assert idle.recommended
    assert queue.recommended
    assert queue.engines == () != idle.engines
    assert "no queue is served under their rules" in str(queue)
    assert queue.warnings[0].startswith("In a queue nothing is guaranteed")
    assert queue.why == ()


def by_hand(trace, policy, memory, start, serving, stretch):
    """What of a serve counts: TEL of the rest, and its parts, each from the definition."""
    served = serve(
        trace, policy, memory, replicas=serving.replicas, router=serving.router, latency=SLOW, stretch=stretch
    )
    ttft, slo = served.ttft[start:], float(SLO)
    above = np.maximum(ttft - slo, 0)
    busy = served.service[start:].sum()
    span = served.arrival[-1] - served.arrival[start]
    wait = np.minimum(served.wait[start:], above).sum()
    p95 = np.sort(ttft)[-(-95 * len(ttft) // 100) - 1]
    return {
        "tel": above.sum(), "slow": (ttft > slo).sum(), "busy": busy, "wait": wait, "p95": p95,
        "utilisation": busy / (serving.replicas * span),
        "alone": np.maximum(served.service[start:] - slo, 0).sum(),
        "hits": list(np.atleast_2d(served.outcome.cached)[:, start:].sum(axis=1)),
        "prefilled": (trace.total - np.atleast_2d(served.outcome.cached).sum(axis=0))[start:].sum(),
    }  # fmt: skip


def test_every_row_is_served_by_hand_on_the_same_arrivals():
    advice, tiers = in_tiers()
    trace, start, serving = loaded(), advice.start, Serving(2, "least-loaded")
    stretch = stretch_for(trace, tiers, SLOW, 2, Fraction(7, 10))
    assert advice.serving.stretch == stretch
    t_lru = tt.TLRU(advice.xi, advice.q_hat, "least-recent", budget="flat" if advice.tried.flat else "scaled")
    policies = {"LRU": tt.LRU()}
    for on in ((True, False), (False, True), (True, True)):
        one = Candidate(on, advice.tried.flat and on == advice.tried.on, advice.tried.margin)
        own = t_lru if on == advice.tried.on else tt.TLRU(advice.xi, advice.q_hat, "least-recent")
        policies[named(one, "T-LRU")] = tuple(own if use else tt.LRU() for use in on)
    held = advice.held_out
    assert {row.policy for row in held.rows} == set(policies)
    asked = [(row, policies[row.policy], tiers, serving) for row in held.rows]
    asked += [(row, tt.LRU(), tiers, Serving(2, row.router)) for row in held.routers]
    asked += [(held.endless, tt.LRU(), ENDLESS, serving)]
    if held.best is not None:
        asked += [(held.best, policies[held.best.policy], tiers, Serving(2, held.best.router))]
    for row, policy, memory, how in asked:
        expected = by_hand(trace, policy, memory, start, how, stretch)
        assert list(row.hits) == expected.pop("hits")
        assert {name: getattr(row, name) for name in expected} == pytest.approx(expected)
        if memory is tiers:
            served_as = {"replicas": 2, "router": row.router, "latency": SLOW, "stretch": stretch}
            outcome = serve(trace, policy, tiers, **served_as).outcome
            assert row.loaded == (outcome.loaded[0, start:].sum(),)
            assert row.written == (outcome.written[start:].sum(), outcome.copied[0, start:].sum())
        assert row.wait + row.load + row.compute == pytest.approx(row.tel)
    lru = held.rows[0].tel
    assert [row.gain.value for row in held.rows] == pytest.approx([1 - row.tel / lru for row in held.rows])
    assert [row.router for row in held.routers] == list(ROUTERS)
    assert held.best_router.tel == min(row.tel for row in held.routers)
    assert 0 <= held.bound <= min(row.tel for row in (*held.rows, *held.routers))


def test_the_tiers_that_run_t_lru_are_chosen_and_few_runs_are_needed():
    advice, _ = in_tiers()
    tried = [one.candidate for one in advice.choice.tried]
    assert tried[0].is_lru
    assert {one.on for one in tried[1:]} == {(False, True), (True, False), (True, True)}
    assert len(tried) == len(set(tried)) < 40
    assert advice.tried in tried
    best = max(advice.choice.tried, key=lambda one: (one.allowed, one.gain))
    assert advice.choice.candidate == best.candidate


def test_what_is_recommended_helps_on_both_parts_and_lru_is_recommended_otherwise():
    advice, _ = in_tiers()
    assert repr(advice) == f"<Advice: {str(advice).splitlines()[1].removeprefix('ADVICE: ')}>"
    assert all(f"<td>{row.policy}</td>" in advice._repr_html_() for row in advice.held_out.rows)
    held = advice.held_out
    gain = replace(held.rows[1].gain, low=-0.01)
    lost = replace(held, rows=(held.rows[0], replace(held.rows[1], gain=gain), *held.rows[2:]))
    assert not replace(advice, held_out=lost).recommended
    assert replace(advice, choice=replace(advice.choice, promise=None)).recommended == advice.recommended
    assert not replace(advice, choice=replace(advice.choice, here=gain)).recommended
    assert not replace(advice, held_out=replace(held, broken=("P50",))).recommended
    won = replace(held, rows=(held.rows[0], replace(held.rows[1], gain=replace(gain, low=0.01)), *held.rows[2:]))
    gained = replace(advice.choice, here=won.gain)
    assert replace(advice, choice=gained, held_out=replace(won, broken=())).recommended


def test_a_load_sets_one_stretch_for_all_and_both_at_once_are_refused():
    trace = loaded()
    for load in (Fraction(1, 2), 0.5):
        advice = tt.advise(trace, 10**9, SLO, SLOW, serving=Serving(), load=load)
        assert advice.serving.stretch == stretch_for(trace, 10**9, SLOW, 1, 0.5)
        assert (advice.load, advice.choice.idle, advice.recommended) == (0.5, True, False)
    with pytest.raises(tt.ArgumentError, match=r"load: found '0\.5', expected none with a stretch"):
        tt.advise(trace, 1000, SLO, SLOW, serving=Serving(stretch=2), load=0.5)


def test_prompts_in_chunks_are_advised_on_too():
    trace, batching = loaded(), Chunked(chunk=256)
    advice = tt.advise(trace, 1000, SLO, SLOW, serving=Serving(batching=batching), load=Fraction(7, 10))
    served = serve(trace, tt.LRU(), 1000, latency=SLOW, stretch=advice.serving.stretch, batching=batching)
    row = advice.held_out.rows[0]
    assert row.tel == pytest.approx(np.maximum(served.ttft[advice.start :] - float(SLO), 0).sum())
    assert row.utilisation == pytest.approx(served.utilisation)


def test_a_shared_store_overflows_before_a_first_tier_that_never_does():
    """Two replicas take the turns in turns, so that the store is asked, and it is too small for them."""
    trace, serving = loaded(), Serving(2, shared=True)
    tiers = tt.Tiers((10**9, 1000), (0, Fraction(1, 2)))
    choice = tt.advise(trace, tiers, SLO, SLOW, serving=serving).choice
    assert choice.warm_up < len(trace) // 2
    assert not choice.idle


def test_iterations_of_turns_that_come_at_once_are_busy_too():
    trace = tt.Trace.from_turns([0, 1, 2], [4, 4, 4], [0, 0, 0], arrival=[0, 9, 9])
    served = serve(trace, tt.LRU(), 9, latency=tt.LatencyModel(Fraction(1)), batching=Chunked(chunk=2))
    assert served.busy.tolist() == [12]
    assert Run.of(trace, served).since(1).served.busy == pytest.approx(8)
    assert Run.of(trace, served).since(0).served.busy == pytest.approx(12)


def test_why_it_stays_with_lru_is_measured():
    trace = loaded()
    ample = tt.advise(trace, 10**9, SLO, SLOW, serving=Serving(), load=0.9)
    assert any("no first tier" in reason for reason in ample.why)
    assert any("with LRU and endless memory the seconds above the SLO would be" in reason for reason in ample.why)
    kept = tt.advise(trace, 10**9, Fraction(10**6), SLOW, serving=Serving())
    assert kept.why[-1] == "There is no tail: under LRU no turn of the rest takes longer than 1e+06 s."
    advice, _ = in_tiers()
    lru, tried, *others = (replace(row, tel=100.0, wait=60.0, alone=50.0) for row in advice.held_out.rows)
    worse = replace(tried, tel=130.0, wait=95.0, alone=40.0, busy=lru.busy + 7)
    held = replace(advice.held_out, rows=(lru, worse, *others), endless=replace(lru, tel=10.0))
    why = replace(advice, held_out=held, choice=replace(advice.choice, promise=None)).why
    assert len(why) == 3
    assert "would have 10.0 s less above the SLO than LRU's 50.0; its waits have +35.0 s." in why[0]
    assert "busy for 7.0 s longer" in why[1]
    assert "it adds 30.0 s above the SLO, its waits alone 35.0." in why[1]
    assert "60.0 % of LRU's 100 s" in why[2]
    better = replace(held, rows=(lru, replace(worse, tel=90.0), *others))
    assert len(replace(advice, held_out=better, choice=replace(advice.choice, promise=None)).why) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"capacity": tt.Tiers((1, 2), (0, Fraction(1, 2)))}, "expected serving=Serving"),
        ({"load": 0.5}, "load: found '0.5', expected serving=Serving"),
        ({"serving": Serving(), "load": 0}, "load: found 0, expected a load above 0"),
        ({"serving": Serving(), "trace": timeless()}, "trace: found 'no arrival times'"),
        ({"serving": Serving(), "trace": at(timeless(), np.zeros(140)), "load": 0.5}, "arrivals at one time"),
    ],
)
def test_wrong_arguments_in_a_queue_are_named(arguments, message):
    asked = {"trace": loaded(), "capacity": 1000, "slo": SLO, "latency": LATENCY, **arguments}
    refused(tt.ArgumentError, message, tt.advise, **asked)


@pytest.mark.parametrize(
    ("tiers", "on", "flat", "said"),
    [
        (tt.Tiers((4,)), (True,), False, None),
        (tt.Tiers((4, 4), (0, 0)), (True, True), False, None),
        (tt.Tiers((4, 4), (0, 0)), (False, True), True, "With flat budgets T-LRU can have more TEL"),
        (tt.Tiers((4, 4), (0, 0)), (True, False), True, None),
        (tt.Tiers((4, 4, 4), (0, 0, 0)), (True, False, True), False, "In three tiers or more"),
        (tt.Tiers((4, 4, 4), (0, 0, 0)), (False, False, True), False, None),
        (tt.Tiers((4, 4), (0, 0), loading="overlapped"), (False, True), False, "With loading beside computing"),
    ],
)
def test_what_no_proof_covers_is_said(tiers, on, flat, said):
    trace = tt.Trace.from_turns([0], [1], [0])
    found = [*unproved(trace, tiers, Candidate(on, flat, 3))]
    assert len(found) == (said is not None)
    assert all(sentence.startswith(said) for sentence in found)
    of_a_forest = [*unproved(trace.forest, tiers, Candidate(on, flat, 3))]
    assert of_a_forest[len(tiers) > 1 :] == found
