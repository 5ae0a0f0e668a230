"""Tables in and out of a trace and a forest: what comes back is what went, whatever library held it."""

import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused
from strategies import NAMES, forests, given_columns, timed_columns, turn_columns

import teltheory as tt
from teltheory.errors import ArgumentError, TelTheoryError, TraceError
from teltheory.formats.walks import in_order_of_use


class Stream:
    """A table that has nothing but Arrow's interface, as one of DuckDB."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


WAYS = {
    "itself": lambda value: value,
    "stream": Stream,
    "PyArrow": lambda value: value.to_arrow(),
    "pandas": lambda value: value.to_pandas(),
    "pandas, Arrow": lambda value: Stream(value.to_pandas()),
    "polars": lambda value: value.to_polars(),
    "dict": lambda value: value.to_arrow().to_pydict(),
}
TRACES = st.one_of(
    turn_columns(), given_columns(), timed_columns(turn_columns(NAMES)), timed_columns(given_columns(NAMES))
).map(lambda columns: tt.Trace.from_turns(**columns))


@settings(max_examples=8)
@given(TRACES)
@pytest.mark.parametrize("way", WAYS)
def test_a_trace_is_the_trace_of_its_table(way, trace):
    table = WAYS[way](trace)
    assert tt.Trace.from_table(table) == trace


@settings(max_examples=8)
@given(forests())
@pytest.mark.parametrize("way", WAYS)
def test_a_forest_is_the_forest_of_its_table(way, forest):
    assert tt.Forest.from_table(WAYS[way](forest)) == forest


@given(timed_columns(given_columns(NAMES)), st.randoms(use_true_random=False))
def test_rows_are_sorted_by_arrival_and_those_of_one_time_stay_in_order(columns, chance: random.Random):
    trace = tt.Trace.from_turns(**columns)
    times = trace.arrival.tolist()
    rows_of = {time: iter([k for k, other in enumerate(times) if other == time]) for time in times}
    table = trace.to_pandas().iloc[[next(rows_of[time]) for time in chance.sample(times, len(times))]]
    assert tt.Trace.from_table(table) == trace
    dates = pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(table.arrival, unit="s")
    assert tt.Trace.from_table(table.assign(arrival=dates)).prompt.tolist() == trace.prompt.tolist()


def test_columns_of_other_names_are_mapped_and_others_left_alone():
    log = pd.DataFrame({"session": ["b", "a", "b"], "new": [1.0, 2.0, 3.0], "out": [4, 5, 6]})
    log["mixed"] = [1, "x", None]
    ours = {"conversation": "session", "prompt": "new", "response": "out"}
    trace = tt.Trace.from_table(log, ours)
    assert trace == tt.Trace.from_turns(["b", "a", "b"], [1, 2, 3], [4, 5, 6])
    assert tt.Trace.from_table(pl.from_pandas(log.drop(columns="mixed")), ours) == trace


TABLE = {"id": [1, 1, 1], "prompt": [1, 2, 3], "response": [0, 0, 0], "arrival": [3.0, 1.0, 2.0]}
MAPPED = {"conversation": "id"}


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        (TABLE, None, "table: found 'columns id, prompt, response, arrival', expected a column 'conversation'; "),
        (TABLE, {"conversation": "session"}, "table: found .*, expected a column 'session'; columns={'conv"),
        (TABLE, MAPPED | {"history": "past"}, "table: found .*, expected a column 'past'"),
        (TABLE, MAPPED | {"promt": "prompt"}, "columns: found 'promt', expected one of conversation, prompt, "),
        ([1, 2], None, "table: found 'list', expected a mapping of columns, or a table of pandas"),
        (TABLE, {"id": "conversation"}, "columns: found 'id', expected .*; perhaps {'conversation': 'id'}, our"),
        (TABLE | {"total": [9, 9, 9]}, MAPPED | {"total": "prompt"}, "columns: found .*, expected our name first"),
        (TABLE | {"prompt": [1, -2, 3]}, MAPPED, "row 1, prompt: found -2, expected 0 tokens"),
        (TABLE | {"id": [1, 1.5, 1]}, MAPPED, "row 1, id: found 1.5, expected a whole number"),
        (TABLE | {"history": [9, 0, 0]}, MAPPED, "row 0, history: found 9, expected at most 3, the"),
        (TABLE | {"arrival": [3.0, None, 1.0]}, MAPPED, "row 1, arrival: found None, expected a number of sec"),
        (TABLE | {"prompt": [1, 2]}, MAPPED, "prompt: found '2 values', expected 3, one a turn"),
        (TABLE | {"id": [1, 2]}, MAPPED, "prompt: found '3 values', expected 2, one a turn"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_own_rows_and_names(table, columns, message):
    refused((ArgumentError, TraceError), message, tt.Trace.from_table, table, columns)


@pytest.mark.parametrize("path", [None, "12", 3])
def test_a_path_that_is_no_list_is_named(path):
    with pytest.raises(TraceError, match=r"^row 1, hashes: found .*, expected a list of block ids"):
        tt.Forest.from_table({"hashes": [[1], path]}, {"paths": "hashes"})


def test_without_pandas_or_polars_the_error_says_what_to_install(monkeypatch):
    trace = tt.Trace.from_turns([0], [1], [2])
    for name, convert in (("pandas", trace.to_pandas), ("polars", trace.to_polars)):
        monkeypatch.setitem(__import__("sys").modules, name, None)
        refused(TelTheoryError, f"{name} is needed for `dataframes`: pip install", convert)


@given(forests(), st.integers(0, 20))
def test_an_outcome_has_a_column_for_each_array(forest, capacity):
    outcome = tt.replay(forest, tt.LRU(), capacity)
    table = outcome.to_arrow()
    for name in ("cached", "uncached", "written", "inputs"):
        assert table[name].to_pylist() == getattr(outcome, name).tolist()
    tiered = tt.replay(forest, tt.LRU(), tt.Tiers((capacity, 3), loads=(0, 0)))
    frame = tiered.to_pandas()
    assert frame.columns.tolist() == ["cached_1", "cached_2", "total", "uncached", "written"]
    assert (frame.cached_1 + frame.cached_2 + frame.uncached).tolist() == frame.total.tolist()


FEW = st.integers(0, 1)
PLACE = st.integers(0, 9) | st.integers(-9, -1) | st.none()


@given(
    turn_columns(FEW) | timed_columns(given_columns(FEW)) | given_columns(NAMES), PLACE, PLACE, st.integers(0, 40)
)
def test_a_slice_is_what_a_server_sees_that_starts_empty_there(columns, first, after, capacity):
    trace = tt.Trace.from_turns(**columns)
    part = trace[first:after]
    shown = slice(first, after)
    for name in ("total", "past", "response"):
        assert getattr(part, name).tolist() == getattr(trace, name)[shown].tolist()
    assert list(part.labels) == list(trace.labels[shown])
    assert len(part) == 0 or (part.arrival is None) == (trace.arrival is None)
    assert part.cumulative == trace.cumulative
    # The same turns with their histories, the pasts known and nothing cached.
    earlier = range(len(trace))[shown].start if len(part) else 0
    pasts = dict(zip(trace.labels[:earlier], trace.past[:earlier].tolist(), strict=True))
    columns = {name: getattr(trace, name)[shown] for name in ("prompt", "response", "history")}
    known = tt.Trace.from_turns(trace.labels[shown], **columns)
    returning = set(part.labels)
    initial = [(label, past, 0) for label, past in pasts.items() if label in returning]
    for policy in (tt.LRU(), tt.TLRU(3, 2), tt.Belady()):
        assert tt.replay(part, policy, capacity) == tt.replay(known, policy, capacity, initial=initial)


@given(forests(), st.integers(-12, 12) | st.none(), st.integers(-12, 12) | st.none())
def test_a_slice_of_a_forest_has_the_requests_and_the_blocks_that_they_walk(forest, first, after):
    table = {name: column[first:after] for name, column in forest.to_arrow().to_pydict().items()}
    assert in_order_of_use(forest[first:after]) == tt.Forest.from_table(table)


def test_turns_are_named_tuples():
    trace = tt.Trace.from_turns(["b", "a", "b"], [1, 2, 3], [4, 5, 6], arrival=[0, 0.5, 1])
    assert [turn.conversation for turn in trace] == ["b", "a", "b"]
    assert list(trace) == [trace[0], trace[1], trace[-1]]
    assert trace[2] == ("b", 3, 6, 5, 1.0)
    assert [turn.arrival for turn in tt.Trace.from_turns([1], [1], [1])] == [None]
    with pytest.raises(IndexError):
        trace[3]
    refused(ArgumentError, "slice: found slice(None, None, 2), expected neighbours", lambda: trace[::2])
    refused(ArgumentError, "request: found 0, expected a slice", lambda: trace.forest[0])


def test_numpy_and_pandas_take_tables_apart():
    trace = tt.Trace.from_turns([0, 1], np.array([1, 2]), [3, 4])
    assert pa.table(trace).column_names == ["conversation", "prompt", "response"]
    assert pl.DataFrame(trace).shape == (2, 3)


@given(turn_columns().filter(lambda columns: columns["conversation"]))
def test_whole_inputs_of_a_table_are_read_as_those_of_a_log(tmp_path_factory, columns):
    table = {name: columns[name] for name in ("conversation", "response")} | {"all": columns["prompt"]}
    path = tmp_path_factory.getbasetemp() / "inputs.parquet"
    pl.DataFrame(table).write_parquet(path)
    assert tt.Trace.from_table(table, {"total": "all"}) == tt.read_trace(path, columns={"total": "all"})
