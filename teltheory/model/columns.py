"""Columns of a trace or of a forest, checked once: an error names column, turn, value and what was expected.

A column is a list, an array of NumPy or Arrow, or a Series of pandas or polars. Where values are missing, tables
hold whole numbers as floats, so floats with whole values are whole numbers.
"""

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.numbers import INT64_MAX, BoolArray, FloatArray, IntArray, readonly, whole_number

Column: TypeAlias = Any
"""One value a turn: a list, an array of NumPy or Arrow, a Series of pandas or polars."""

_NUMBERS = (int, float, np.integer, np.floating, Decimal, Fraction)
_DATETIMES = (datetime, np.datetime64)
_TOO_LARGE = 2.0**63


def checked_block_size(value: int, argument: str = "block_size") -> int:
    """Return a block size of at least 1."""
    size = whole_number(argument, value)
    if size == 0:
        raise ArgumentError(argument, size, "at least 1 token a block")
    return size


def column_of(column: str, values: Any) -> NDArray[Any]:
    """Return `values` as an array of one dimension, if they are one value per turn."""
    dtype: Any = getattr(values, "dtype", None)
    if getattr(dtype, "tz", None) is not None:  # pandas would make an object of each time
        values = np.asarray(values, f"datetime64[{dtype.unit}]")
    elif hasattr(values, "__array__"):
        values = np.asarray(values)
    else:
        try:
            listed = list(values)
        except TypeError:
            raise TraceError(column, None, values, "one value a turn") from None
        return np.fromiter(listed, object, len(listed))
    if values.ndim != 1:
        raise TraceError(column, None, f"an array of shape {values.shape}", "one value a turn")
    return values  # type: ignore[no-any-return]


def conversation_numbers(column: Any) -> tuple[IntArray, tuple[str, ...] | None]:
    """Return conversations as int64; strings are numbered by first arrival and returned beside."""
    values = column_of("conversation", column)
    if len(values) and isinstance(values[0], str):
        numbers: dict[str, int] = {}
        for turn, name in enumerate(values):
            if not isinstance(name, str):
                raise TraceError("conversation", turn, name, "a string, as in the turns before it")
            numbers.setdefault(str(name), len(numbers))
        labels = np.fromiter((numbers[name] for name in values), np.int64, len(values))
        return readonly(labels), tuple(numbers)
    return _whole_numbers("conversation", values), None


def _whole_numbers(column: str, array: NDArray[Any]) -> IntArray:
    """Return an array as int64, or say which value is not a whole number that fits."""
    if array.dtype.kind == "f":
        _check_floats(column, array.astype(np.float64))
    elif array.dtype.kind not in "iu":
        whole = (_whole(column, turn, value) for turn, value in enumerate(array.tolist()))
        array = np.fromiter(whole, object, len(array))
    outside = () if array.dtype.kind == "f" else np.flatnonzero((array > INT64_MAX) | (array < -INT64_MAX - 1))
    for place in outside:
        raise TraceError(column, int(place), int(array[place]), "a whole number below 2**63")
    return readonly(array.astype(np.int64))


def _check_floats(column: str, values: FloatArray) -> None:
    whole = np.isfinite(values) & (np.floor(values) == values)
    for turn in np.flatnonzero(~whole)[:1]:
        raise TraceError(column, int(turn), float(values[turn]), "a whole number")
    for turn in np.flatnonzero(abs(values) >= _TOO_LARGE)[:1]:
        raise TraceError(column, int(turn), float(values[turn]), "a whole number below 2**63")


def _whole(column: str, turn: int, value: Any) -> int:
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        try:
            number = int(value)
        except (OverflowError, ValueError):
            number = None
        if number is not None and number == value:
            return number
    raise TraceError(column, turn, value, "a whole number")


def lengths(column: str, values: Any, n: int) -> IntArray:
    """Return n whole numbers, 0 or more."""
    found = _whole_numbers(column, column_of(column, values))
    if len(found) != n:
        raise TraceError(column, None, f"{len(found)} values", f"{n}, one a turn")
    for turn in np.flatnonzero(found < 0)[:1]:
        raise TraceError(column, int(turn), int(found[turn]), "0 tokens or more")
    return readonly(found)


def times_of(values: Any) -> NDArray[Any]:
    """Return arrival times, in any order, as finite float64 seconds or as datetime64 in UTC."""
    column = column_of("arrival", values)
    if column.dtype.kind == "O":
        column = _datetimes(column) if len(column) and isinstance(column[0], _DATETIMES) else _seconds(column)
    elif column.dtype.kind not in "fiuMm":
        column = _seconds(column)
    times = column if column.dtype.kind == "M" else _as_seconds(column)
    for turn in np.flatnonzero(np.isnat(times) if times.dtype.kind == "M" else ~np.isfinite(times))[:1]:
        if times.dtype.kind == "M":
            raise TraceError("arrival", int(turn), str(times[turn]), "a datetime")
        raise TraceError("arrival", int(turn), float(times[turn]), "a finite number of seconds")
    return times


def _as_seconds(column: NDArray[Any]) -> FloatArray:
    return column / np.timedelta64(1, "s") if column.dtype.kind == "m" else np.array(column, np.float64)


def _seconds(column: NDArray[Any]) -> FloatArray:
    for turn, value in enumerate(column.tolist()):
        if isinstance(value, bool) or not isinstance(value, _NUMBERS):
            raise TraceError("arrival", turn, value, "a number of seconds or a datetime")
        if isinstance(value, int) and abs(value) > INT64_MAX:
            raise TraceError("arrival", turn, value, "a number of seconds below 2**63")
    return column.astype(np.float64)


def _datetimes(column: NDArray[Any]) -> NDArray[Any]:
    """Return objects of datetime, of NumPy or of pandas as datetime64; all with a time zone, or none."""
    zoned = getattr(column[0], "tzinfo", None) is not None
    for turn, value in enumerate(column):
        if not isinstance(value, _DATETIMES):
            raise TraceError("arrival", turn, value, "a datetime, as in the turns before it")
        if (getattr(value, "tzinfo", None) is not None) != zoned:
            expected = "a datetime with a time zone" if zoned else "a datetime without a time zone"
            raise TraceError("arrival", turn, str(value), f"{expected}, as in the turns before it")
    return np.array([_in_utc(value) for value in column])


def _in_utc(value: Any) -> Any:
    if hasattr(value, "to_datetime64"):
        return value.to_datetime64()
    return np.datetime64(value.astimezone(UTC).replace(tzinfo=None) if getattr(value, "tzinfo", None) else value)


def is_missing(value: Any) -> bool:
    """Whether a value of a table stands for none: None, not a number, or pandas' NaT and NA."""
    return not isinstance(value, str) and str(value) in ("None", "nan", "NaT", "<NA>")


def seconds_since(first: np.datetime64, column: str, values: Any) -> Any:
    """Return a column of datetimes in seconds since the first arrival, not a number where one is missing."""
    found = column_of(column, values)
    if found.dtype.kind == "O":
        told = [None if is_missing(one) else one for one in found.tolist()]
        if not any(isinstance(one, _DATETIMES) for one in told):
            return values
        for turn, one in enumerate(told):
            if not (one is None or isinstance(one, _DATETIMES)):
                raise TraceError(column, turn, one, "a datetime, as the arrival is one")
        found = np.array([np.datetime64("NaT") if one is None else _in_utc(one) for one in told])
    if found.dtype.kind != "M":
        return values
    return (found - first) / np.timedelta64(1, "s")


def arrivals(values: Any, n: int) -> FloatArray:
    """Return n finite times in seconds that never decrease; of datetimes, since the first of them.

    Differences of datetimes are whole numbers of their unit, such as nanoseconds; the nearest float is taken of
    each, so nothing is lost below 104 days of nanoseconds or 285 years of microseconds.
    """
    times = times_of(values)
    if len(times) != n:
        raise TraceError("arrival", None, f"{len(times)} values", f"{n}, one a turn")
    for turn in np.flatnonzero(times[1:] < times[:-1])[:1] + 1:
        found, earliest = (str(t) if times.dtype.kind == "M" else float(t) for t in (times[turn], times[turn - 1]))
        raise TraceError("arrival", int(turn), found, f"{earliest} or later, as turns are in order")
    if times.dtype.kind == "M":
        fine = times.astype(np.promote_types(times.dtype, "M8[s]"))
        times = (fine - fine[:1]) / np.timedelta64(1, "s")
    times.setflags(write=False)
    return times


def checked(column: str, values: IntArray, wrong: BoolArray, expected: str, bound: IntArray) -> None:
    """Raise `TraceError` for the first entry that is wrong; `expected` has its bound at {}."""
    for k in np.flatnonzero(wrong)[:1]:
        raise TraceError(column, int(k), int(values[k]), expected.format(int(bound[k])))
