"""Hints come back from a file and a table as they were, events included; wrong columns are named at their row."""

import numpy as np
import pytest
from formats.files import lines, wrong_files
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from strategies import forests

import teltheory as tt
from teltheory.model.hint_columns import EVENTS
from teltheory.model.hint_tables import columns_of
from teltheory.model.hints import WHAT
from teltheory.serving.parts import parts_of

SUFFIXES = (".csv", ".jsonl", ".parquet")
TIMES = st.sampled_from([0.0, 0.1, 1.0, 2.5, 7.0])
EVENTS_SAID = st.tuples(TIMES, st.sampled_from(WHAT), st.sampled_from([0.0, 0.3, 5.0]))


def some(draw, n, values):
    """A column of n values, some of which are left out, or no column."""
    return draw(st.none() | st.lists(st.none() | values, min_size=n, max_size=n))


@st.composite
def hinted(draw):
    """Traces with hints of every kind: columns, and events that no column has."""
    plain = draw(forests())
    n = len(plain)
    agent = draw(st.none() | st.lists(st.none() | st.sampled_from(["a", "b b", "7"]), min_size=n, max_size=n))
    if draw(st.booleans()):
        agent = some(draw, n, st.integers(0, 3))
    asked = [one for one in agent or () if one is not None]
    parent = some(draw, n, st.sampled_from(asked)) if asked else None
    texts = {name: some(draw, n, st.sampled_from(["", "7", "tool_use", 'a,"b"'])) for name in ("kind", "stop")}
    trace = tt.Trace.from_turns(np.arange(n), plain.total, np.zeros(n, np.int64), plain.arrival)
    late = {name: some(draw, n, TIMES) for name in ("done", "closed_at")}
    at = {
        name: column
        and [None if x is None else t + x for t, x in zip(plain.arrival.tolist(), column, strict=True)]
        for name, column in late.items()
    }
    more = {name: some(draw, n, TIMES) for name in ("retain_until", "resume_at", "priority")}
    hints = tt.Hints.of(trace, agent=agent, parent_agent=parent, **texts, **at, **more)
    for time, what, value in draw(st.lists(EVENTS_SAID, max_size=3)) if n else ():
        about, said = draw(st.integers(0, n - 1)), np.nan if what in ("close", "demote") else value
        hints = hints.and_events([plain.arrival[about] + time], [about], [WHAT.index(what)], [said])
    return (trace.with_blocks(plain) if draw(st.booleans()) and n else trace).with_hints(hints)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(hinted())
def test_hints_come_back_from_a_file(suffix, tmp_path_factory, trace):
    path = tmp_path_factory.getbasetemp() / f"hinted{suffix}"
    if suffix == ".jsonl" and not len(trace):
        return
    names = {one for one in trace.hints.named(trace.hints.agent) if one is not None}
    if suffix == ".csv" and names == {"7"}:
        with pytest.raises(tt.ArgumentError, match="agent: found '7', expected a name that is no number"):
            tt.write_trace(trace, path)
        return
    tt.write_trace(trace, path)
    again = tt.read_trace(path)
    assert again == trace
    assert again.hints == trace.hints == again.forest.hints
    assert again.hints.events == trace.hints.events


@given(hinted())
def test_hints_come_back_from_a_table(trace):
    assert tt.Trace.from_table(trace.to_arrow()).hints == trace.hints
    assert tt.Trace.from_table(trace.to_pandas()).hints == trace.hints
    assert tt.Forest.from_table(trace.forest.to_arrow()).hints == trace.hints


def test_dates_of_hints_count_from_the_first_arrival():
    pandas = pytest.importorskip("pandas")
    at = pandas.to_datetime(["2026-01-01 00:00:05", "2026-01-01 00:00:00"])
    ends = pandas.to_datetime(["2026-01-01 00:00:06", None])
    columns = {"conversation": [0, 1], "prompt": [1, 1], "response": [0, 0], "arrival": at}
    expected = [[None, 6.0], [(6.0, 1, "close", None)]]
    for zone in (None, "UTC", "Asia/Tokyo"):
        table = columns | {"arrival": at.tz_localize(zone), "done": ends.tz_localize(zone)}
        table |= {"closed_at": list(table["done"])}
        for held in (table, pandas.DataFrame(table)):
            hints = tt.Trace.from_table(held).hints
            assert [[None if np.isnan(t) else t for t in hints.done], hints.events] == expected
    said = "row 1, done: found 'soon', expected a datetime, as the arrival is one"
    refused(tt.TraceError, said, tt.Trace.from_table, columns | {"done": [ends[0], "soon"]})
    named = pandas.DataFrame(columns | {"agent": pandas.array([None, "a"], "string"), "stop": ["x", None]})
    assert tt.Trace.from_table(named).hints.named(tt.Trace.from_table(named).hints.agent) == ["a", None]
    plain = columns | {"arrival": [0.0, 1.0], "done": list(ends)}
    refused(tt.TraceError, "row 0, done: found .*, expected a number or None", tt.Trace.from_table, plain)


def test_it_is_said_what_a_table_records_and_what_is_taken_for_an_agent():
    table = {"conversation": [0, 1, 0], "prompt": [1] * 3, "response": [0] * 3, "arrival": [0.0, 1.0, 2.0]}
    ends = table | {"closed_at": [None, 1.0, 3.0]}
    each = "assumed: each {} is taken for an agent"
    assert tt.Trace.from_table(ends).hints.said == ("recorded: closed_at 2", each.format("conversation"))
    named = ends | {"agent": ["a", "b", "a"], "parent_agent": [None, "a", None], "kind": ["x"] * 3}
    said = ("recorded: 2 agents, 1 of them started by others, 1 kind, closed_at 2",)
    assert tt.Trace.from_table(named).hints.said == said
    plain = tt.Trace.from_table(table)
    assert plain.hints is None
    assert tt.Hints.announce(plain).said[0] == each.format("conversation")
    forest = tt.Forest.from_paths([[1], [1]], arrival=[0.0, 1.0])
    assert tt.Hints.announce(forest).said[0] == each.format("request")
    assert tt.Hints.announce(tt.Trace.from_table(named)).said[0] == said[0]


def test_shuffled_rows_with_events_of_their_own_are_refused(tmp_path):
    rows = [ROW | {EVENTS: '[[0, 2.0, "priority", 1]]'}, ROW | {"arrival": 1.0, EVENTS: "[]"}]
    refused(tt.FileError, "line 2, arrival: found 1.0", tt.read_trace, lines(tmp_path / "own.jsonl", rows))
    assert tt.read_trace(lines(tmp_path / "own.jsonl", rows[:1])).hints.events == [(2.0, 0, "priority", 1.0)]


def test_a_second_event_of_a_kind_about_a_request_has_a_column_of_its_own():
    trace = tt.Trace.from_turns([0, 0], [1, 1], [0, 0], [0.0, 5.0])
    once = trace.with_hints(tt.Hints.of(trace, priority=[1, 2], closed_at=[None, 9]))
    assert columns_of(once) == {"agent": [0, 0], "priority": [1, 2], "closed_at": [None, 9]}
    twice = once.with_hints(once.hints.with_events(once, [(7.0, 0, "priority", 3.0)]))
    expected = ['[[0, 0.0, "priority", 1.0]]', '[[1, 5.0, "priority", 2.0], [2, 7.0, "priority", 3.0], '
                '[3, 9.0, "close", null]]']  # fmt: skip
    assert columns_of(twice) == {"agent": [0, 0], EVENTS: expected}


def test_parts_of_a_trace_have_the_hints_of_their_requests():
    paths = [[1], [2], [1, 3], [2]]
    forest = tt.Forest.from_paths(paths, arrival=[0.0, 1.0, 2.0, 3.0], agent=["a", "b", "a", "b"])
    forest = forest.with_hints(tt.Hints.of(forest, closed_at=[None, None, 2.5, 9.0]))
    parts = [part for _, part in parts_of(forest, np.array([0, 1, 0, 1]), 2)]
    assert [part.hints.events for part in parts] == [[(2.5, "a", "close", None)], [(9.0, "b", "close", None)]]
    turns = tt.Trace.from_turns([0, 1, 0, 1], [1] * 4, [0] * 4, forest.arrival).with_hints(forest.hints)
    assert [part.hints for _, part in parts_of(turns, np.array([0, 1, 0, 1]), 2)] == [part.hints for part in parts]


ROW = {"conversation": 0, "prompt": 9, "response": 0, "arrival": 2.0}
test_wrong_hints_are_named_at_their_row = wrong_files(
    "own.jsonl",
    ([ROW, ROW | {"stop": 5}], "line 2, stop: found 5, expected text or None"),
    ([ROW, ROW | {"closed_at": 1.5}], "line 2, closed_at: found 1.5, expected 2.0 or later, its arrival"),
    ([ROW, ROW | {"done": 1.5}], "line 2, done: found 1.5, expected 2.0 or later, its arrival"),
    ([ROW | {"agent": "a", "parent_agent": "b"}], "line 1, parent_agent: found 'b', expected an agent that has"),
    ([ROW | {"priority": "high"}], "line 1, priority: found 'high', expected a number or None"),
    ([ROW | {"agent": 1.5}], "line 1, agent: found 1.5, expected a name, or throughout a whole number"),
    ([ROW, ROW | {EVENTS: "[[0, 1]]"}], f"line 2, {EVENTS}: found '[[0, 1]]', expected a JSON list of [place,"),
)
