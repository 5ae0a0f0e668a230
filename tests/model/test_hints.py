import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import teltheory as tt
from teltheory.model.hints import WHAT

FOREST = tt.Forest.from_paths(
    [[1, 2], [3], [1, 4], [1]], arrival=[0.0, 1.0, 2.0, 2.0], agent=["a", "b", "a", None]
)


def said(**columns):
    return tt.Hints.of(FOREST, **columns)


def test_columns_are_events_at_the_end_or_at_the_arrival():
    hints = said(done=[5, None, None, None], closed_at=[1, 1.5, None, None], retain_until=[None, 9, None, None])
    assert [tuple(e) for e in hints.events] == [(1.0, "b", "retain", 9.0), (1.5, "b", "close", None),
                                                (5.0, "a", "close", None)]  # fmt: skip
    assert hints.cuts(FOREST.arrival).tolist() == [1, 2, 4]
    assert hints.void(FOREST.arrival).tolist() == [False, False, True]


def test_what_is_left_out_stays():
    first = FOREST.with_hints(said(kind=["x", None, "y", "x"], closed_at=[None, 1, None, None]))
    more = tt.Hints.of(first, resume_at=[None, None, None, 7])
    assert more.names == ("a", "b")
    assert more.kind == ("x", "", "y", "x")
    assert [event.what for event in more.events] == ["close", "resume"]
    assert more.events[-1].agent is None


def test_a_slice_has_its_own_events():
    hints = said(closed_at=[0, 1, 2, None])
    assert [e.agent for e in hints[1:].events] == ["b", "a"]
    assert FOREST.with_hints(hints)[1:].hints == hints[1:]
    assert [tuple(e)[:2] for e in hints[np.array([0, 3])].events] == [(0.0, "a")]


def test_agents_are_conversations_where_nothing_is_said():
    trace = tt.Trace.from_turns(["x", "y", "x"], [1, 1, 1], [0, 0, 0], [0, 1, 2])
    assert trace.agents.tolist() == trace.forest.agents.tolist() == [0, 1, 0]
    assert tt.Forest.from_paths([[1], [1]]).agents.tolist() == [0, 1]
    assert FOREST.agents.tolist() == [0, 1, 0, -4]
    assert tt.Hints.announce(trace).agent.tolist() == [0, 1, 0]


def test_blocks_have_the_hints_of_their_trace():
    forest = tt.Forest.from_paths([[1], [2], [1]], arrival=[0, 1, 2])
    trace = tt.Trace.from_turns([0, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 2]).with_blocks(forest)
    told = trace.with_hints(tt.Hints.announce(trace))
    assert told.forest.hints is told.hints is told.blocks.hints
    assert told != trace
    assert len(told[1:].forest.hints) == 2
    assert told.to_blocks(1).hints is told.hints


def test_ends_are_announced_after_responses():
    hints = tt.Hints.announce(FOREST.with_hints(said(done=[None, 4, 3, None])), "60s")
    assert [tuple(e)[:3] for e in hints.events] == [(63.0, "a", "close"), (64.0, "b", "close")]
    assert hints.said == ("assumed: 2 agents are closed 60 s after their last response",)


def test_recorded_ends_are_not_announced_again():
    told = FOREST.with_hints(said(closed_at=[None, 1, None, None], stop=["s", "s", "t", "s"]))
    assert [tuple(e)[:2] for e in tt.Hints.announce(told).events] == [(1.0, "b"), (2.0, "a")]
    assert [tuple(e)[:2] for e in tt.Hints.announce(told, stop="s").events] == [(1.0, "b")]


def test_times_of_return_may_be_assumed():
    told = FOREST.with_hints(said(stop=["s", "t", "s", "s"]))
    back = {name: tt.Hints.announce(told, close=False, resume=name) for name in ("oracle", "15s", "stop")}
    values = {name: dict(zip(h.request.tolist(), h.value.tolist(), strict=True)) for name, h in back.items()}
    assert values == {"oracle": {0: 2.0}, "15s": {0: 15.0, 1: 16.0, 2: 17.0, 3: 17.0},
                      "stop": {0: 2.0, 2: 4.0, 3: 4.0}}  # fmt: skip
    kept = tt.Hints.announce(told, close=False, retain={"t": "3s"})
    assert [tuple(e) for e in kept.events] == [(1.0, "b", "retain", 4.0)]


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, 5.0]), st.integers(0, 3)), min_size=1, max_size=20),
       st.sampled_from([0.0, 0.5, 1.5]))  # fmt: skip
def test_what_is_learnt_is_of_silences_that_were_over(rows, service):
    arrival, agents = np.cumsum([gap for gap, _ in rows]), [agent for _, agent in rows]
    stops = ["even" if k % 2 else "odd" for k in range(len(rows))]
    forest = tt.Forest.from_paths([[k] for k in range(len(rows))], arrival=arrival.tolist(), agent=agents)
    forest = forest.with_hints(tt.Hints.of(forest, stop=stops, done=(arrival + service).tolist()))
    learnt = tt.Hints.announce(forest, "learnt", resume="learnt")
    rows_said = zip(learnt.what.tolist(), learnt.request.tolist(), learnt.time, learnt.value, strict=True)
    said = {(WHAT[what], k): (time, value) for what, k, time, value in rows_said}
    for k, now in enumerate(arrival.tolist()):
        pairs = [(i, j) for i in range(k) for j in range(i + 1, k + 1) if agents[j] == agents[i]]
        next_ones = [(i, j) for i, j in pairs if agents[i] not in agents[i + 1 : j] and stops[i] == stops[k]]
        over = sorted(arrival[j] - arrival[i] - service for i, j in next_ones)
        for share, what, place in ((0.99, "close", 0), (0.5, "resume", 1)):
            wanted = [over[max(math.ceil(share * len(over)) - 1, 0)] + now + service] if over else []
            found = [event[place] for event in [said.get((what, k))] if event is not None]
            assert found == pytest.approx(wanted)


def test_events_are_about_the_latest_request_and_the_later_line_wins():
    hints = said().with_events(FOREST, [(2, "a", "resume", 8), (2, "a", "resume", 9), (0.5, "a", "priority", 3)])
    assert [tuple(e) for e in hints.events] == [(0.5, "a", "priority", 3.0), (2.0, "a", "resume", 8.0),
                                                (2.0, "a", "resume", 9.0)]  # fmt: skip
    assert hints.request.tolist() == [0, 2, 2]


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 3.0]), st.integers(0, 2)), min_size=1, max_size=8), st.data())
def test_an_event_counts_from_the_first_cut_not_before_it(rows, data):
    arrival, agents = np.cumsum([gap for gap, _ in rows]), [agent for _, agent in rows]
    forest = tt.Forest.from_paths([[k] for k in range(len(rows))], arrival=arrival.tolist(), agent=agents)
    late = data.draw(st.lists(st.sampled_from([None, 0.0, 1.0, 2.0, 5.0]), min_size=len(rows), max_size=len(rows)))
    hints = tt.Hints.of(
        forest, closed_at=[None if x is None else t + x for t, x in zip(arrival, late, strict=True)]
    )
    void = hints.void(forest.arrival).tolist()
    for about, time, cut, never in zip(hints.request.tolist(), hints.time, hints.cuts(arrival), void, strict=True):
        assert cut == next((k for k in range(about, len(rows)) if arrival[k] >= time), len(rows))
        again = next((arrival[k] for k in range(about + 1, len(rows)) if agents[k] == agents[about]), math.inf)
        assert never == (again < time)
    assert {*hints.what.tolist()} <= {WHAT.index("close")}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: said(closed_at=[None, 0.5, None, None]), "request 1, closed_at: found 0.5, expected 1.0"),
        (lambda: said(done=[None, None, 1, None]), "request 2, done: found 1.0, expected 2.0 or later"),
        (lambda: said(closed_at=[1]), "closed_at: found '1 values', expected 4, one a request"),
        (lambda: said(priority=["1", None, None, None]), "request 0, priority: found '1', expected a number"),
        (lambda: said(stop=[1, None, None, None]), "request 0, stop: found 1, expected text or None"),
        (lambda: said(agent=["a", 1, None, None]), "request 1, agent: found 1, expected a name, or"),
        (lambda: said(parent_agent=["c", None, None, None]), "parent_agent: found 'c', expected an agent that"),
        (lambda: tt.Hints.of(tt.Forest.from_paths([[1]]), closed_at=[1]), "no arrival times"),
        (lambda: tt.Hints.announce(FOREST, "60"), "delay: found '60', expected a time with its unit"),
        (lambda: tt.Hints.announce(FOREST, stop="end_turn"), "no stop reasons"),
        (lambda: said().with_events(FOREST, [(0, "z", "close", None)]), "found 'z', expected an agent that"),
        (lambda: said().with_events(FOREST, [(0, "b", "close", None)]), "found 0, expected a time from its"),
        (lambda: said().with_events(FOREST, [(0, "a", "pin", None)]), "found 'pin', expected one of close"),
        (lambda: FOREST.with_hints(said()[1:]), "found 'those of 3 requests', expected tt.Hints of 4 requests"),
    ],
)  # fmt: skip
def test_what_can_not_be_said(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()
