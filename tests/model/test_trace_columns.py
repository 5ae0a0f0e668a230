"""Columns as people have them: what they are made of does not change the trace."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Columns, given_columns, timed_columns

import teltheory as tt
from teltheory.errors import TraceError

MADE_OF = {
    "tuple": tuple,
    "int64": lambda values: np.array(values, np.int64),
    "float64": lambda values: np.array(values, np.float64),
    "floats": lambda values: list(map(float, values)),
    "decimals": lambda values: list(map(Decimal, values)),
    "pandas": lambda values: pd.Series(values, dtype="int64", index=range(7, 7 + len(values))),
    "pandas, floats": lambda values: pd.Series(values, dtype="float64"),
    "pandas, nullable": lambda values: pd.Series(values, dtype="Int64"),
    "pandas, Arrow": lambda values: pd.Series(values, dtype="int64[pyarrow]"),
    "polars": lambda values: pl.Series(values, dtype=pl.Int64),
    "polars, floats": lambda values: pl.Series(values, dtype=pl.Float64),
    "Arrow": lambda values: pa.array(values, pa.int64()),
    "Arrow, sums of DuckDB": lambda values: pa.array(values, pa.int64()).cast(pa.decimal128(38, 0)),
    "Arrow, chunks": lambda values: pa.chunked_array([values[:2], values[2:]], pa.int64()),
}
NAMES = pd.Series(["a", None, "b"])
BEGIN = datetime(2024, 3, 30, 23, 59, 59, 123457)
BERLIN_IN_WINTER = timezone(timedelta(hours=1))
TIMES_OF = {
    "datetimes": lambda times: times,
    "time zones": lambda times: [
        t.replace(tzinfo=UTC).astimezone(BERLIN_IN_WINTER if i % 2 else UTC) for i, t in enumerate(times)
    ],
    "NumPy": lambda times: np.array(times, "datetime64[ns]"),
    "NumPy, in a list": lambda times: [np.datetime64(t) for t in times],
    "pandas": lambda times: pd.Series(times, dtype="datetime64[us]"),
    "pandas, time zone": lambda times: pd.Series(times, dtype="datetime64[ns]").dt.tz_localize("Asia/Tokyo"),
    "pandas, one by one": lambda times: [pd.Timestamp(t) for t in times],
    "pandas, Arrow": lambda times: pd.Series(times, dtype="timestamp[us, UTC][pyarrow]"),
    "polars": lambda times: pl.Series(times, dtype=pl.Datetime("us", "UTC")),
    "Arrow": lambda times: pa.array(times, pa.timestamp("us", "Europe/Berlin")),
    "Arrow, chunks": lambda times: pa.chunked_array([times[:1], times[1:]], pa.timestamp("ns")),
}


@settings(max_examples=5)
@given(timed_columns(given_columns()))
@pytest.mark.parametrize("kind", MADE_OF)
def test_a_column_may_be_a_list_an_array_or_a_series(kind: str, columns: Columns) -> None:
    whole = {name: MADE_OF[kind](values) for name, values in columns.items() if name != "arrival"}
    assert tt.Trace.from_turns(**whole, arrival=columns["arrival"]) == tt.Trace.from_turns(**columns)


def moments(gaps: list[int]) -> list[datetime]:
    times = [BEGIN]
    for gap in gaps:
        times.append(times[-1] + timedelta(microseconds=gap))
    return times


@settings(max_examples=5)
@given(st.lists(st.sampled_from([0, 1, 999_999]) | st.integers(0, 2**44), max_size=6))
@pytest.mark.parametrize("kind", TIMES_OF)
def test_datetimes_are_the_nearest_floats_to_seconds_since_the_first(kind: str, gaps: list[int]) -> None:
    times = moments(gaps)
    zeros = [0] * len(times)
    trace = tt.Trace.from_turns(zeros, zeros, zeros, arrival=TIMES_OF[kind](times))
    exact = [Fraction(sum(gaps[:k]), 10**6) for k in range(len(times))]
    assert trace.arrival is not None
    assert trace.arrival.tolist() == list(map(float, exact))


def test_nanoseconds_and_days_are_kept() -> None:
    fine = [pd.Timestamp("2024-01-01T00:00:00.000000001Z"), pd.Timestamp("2024-01-01T00:00:00.000000003Z")]
    days = np.array(["2024-02-28", "2024-03-01"], "datetime64[D]")
    months = np.array(["2024-02", "2024-03"], "datetime64[M]")
    waits = pd.to_timedelta([1.5, 2.25], unit="s")
    found = [tt.Trace.from_turns([0, 0], [1, 1], [0, 0], arrival=a).arrival for a in (fine, days, months, waits)]
    assert [times.tolist() for times in found] == [[0, 2e-9], [0, 2 * 86400], [0, 29 * 86400], [1.5, 2.25]]


@pytest.mark.parametrize(
    ("field", "values", "turn", "found"),
    [
        ("prompt", pd.Series([1, None, 3]), 1, "nan"),
        ("prompt", pd.Series([1, None, 3], dtype="Int64"), 1, "nan"),
        ("prompt", pl.Series([1, 2, None]), 2, "nan"),
        ("response", pa.array([None, 2, 3]), 0, "nan"),
        ("response", [1, Decimal("2.5"), 3], 1, "Decimal('2.5')"),
        ("response", pl.Series([1.0, 2.5, 3.0]), 1, "2.5"),
        ("history", pd.Series([0.0, -1.0, 0.0]), 1, "-1"),
        ("history", np.array([0, np.inf, 0]), 1, "inf"),
        ("prompt", pd.DataFrame({"a": [1, 2, 3]}), None, "'an array of shape (3, 1)'"),
        ("prompt", np.array([1, 2, 3], "datetime64[s]"), 0, "datetime.datetime(1970, 1, 1, 0, 0, 1)"),
        ("conversation", NAMES, 1, repr(NAMES[1])),  # None or nan, as pandas has it
        ("conversation", pl.Series(["a", None, "b"]), 1, "None"),
        ("arrival", pd.Series([BEGIN, None, BEGIN]), 1, "'NaT'"),
        ("arrival", [BEGIN, None, BEGIN], 1, "None"),
        ("arrival", [BEGIN, BEGIN, BEGIN.replace(tzinfo=UTC)], 2, "'2024-03-30 23:59:59.123457+00:00'"),
        ("arrival", [BEGIN, 1.0, 2.0], 1, "1.0"),
        ("arrival", ["2024-03-30", "2024-03-31", "2024-04-01"], 0, "'2024-03-30'"),
        ("arrival", np.array([3, 2, 1], "datetime64[s]"), 1, "'1970-01-01T00:00:02'"),
        ("arrival", np.array([1, "NaT", 2], "timedelta64[s]"), 1, "nan"),
    ],
)
def test_what_is_missing_or_no_whole_number_is_named(field, values, turn, found):
    columns = {"conversation": [0, 0, 0], "prompt": [1, 2, 3], "response": [0, 0, 0], "history": [0, 1, 2]}
    with pytest.raises(TraceError) as caught:
        tt.Trace.from_turns(**{**columns, field: values})
    place = field if turn is None else f"turn {turn}, {field}"
    assert str(caught.value).startswith(f"{place}: found {found}, expected ")
