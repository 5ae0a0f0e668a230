"""Columns of a trace or of a forest, checked once: an error names column, turn, value and what was expected."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError, TraceError
from teltheory.model.numbers import INT64_MAX, FloatArray, IntArray, readonly, whole_number


def checked_block_size(value: int, argument: str = "block_size") -> int:
    """Return a block size of at least 1."""
    size = whole_number(argument, value)
    if size == 0:
        raise ArgumentError(argument, size, "at least 1 token a block")
    return size


def _column(column: str, values: Any) -> Sequence[Any] | NDArray[Any]:
    """Return `values` as an array of one dimension or a list, if they are one value per turn."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise TraceError(column, None, f"an array of shape {values.shape}", "one value a turn")
        return values
    try:
        return list(values)
    except TypeError:
        raise TraceError(column, None, values, "one value a turn") from None


def conversation_numbers(column: Sequence[Any] | NDArray[Any]) -> tuple[IntArray, tuple[str, ...] | None]:
    """Return conversations as int64; strings are numbered by first arrival and returned beside."""
    values = _column("conversation", column)
    if len(values) and isinstance(values[0], str):
        numbers: dict[str, int] = {}
        for turn, name in enumerate(values):
            if not isinstance(name, str):
                raise TraceError("conversation", turn, name, "a string, as in the turns before it")
            numbers.setdefault(str(name), len(numbers))
        labels = np.fromiter((numbers[name] for name in values), np.int64, len(values))
        return readonly(labels), tuple(numbers)
    return _whole_numbers("conversation", values), None


def _whole_numbers(column: str, values: Sequence[Any] | NDArray[Any]) -> IntArray:
    """Return `values` as int64, or say which one is not a whole number that fits."""
    array = values if isinstance(values, np.ndarray) else np.fromiter(values, object, len(values))
    if array.dtype.kind not in "iu":
        for turn, value in enumerate(array.tolist()):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise TraceError(column, turn, value, "a whole number")
    outside = np.flatnonzero((array > INT64_MAX) | (array < -INT64_MAX - 1)) if len(array) else ()
    for place in outside:
        raise TraceError(column, int(place), int(array[place]), "a whole number below 2**63")
    return readonly(array.astype(np.int64))


def lengths(column: str, values: Sequence[Any] | NDArray[Any], n: int) -> IntArray:
    """Return n whole numbers, 0 or more."""
    found = _whole_numbers(column, _column(column, values))
    if len(found) != n:
        raise TraceError(column, None, f"{len(found)} values", f"{n}, one a turn")
    for turn in np.flatnonzero(found < 0)[:1]:
        raise TraceError(column, int(turn), int(found[turn]), "0 tokens or more")
    return readonly(found)


def arrivals(values: Sequence[Any] | NDArray[Any], n: int) -> FloatArray:
    """Return n finite times in seconds that never decrease."""
    column = _column("arrival", values)
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "fiu":
        for turn, value in enumerate(column):
            if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
                raise TraceError("arrival", turn, value, "a number of seconds")
            if isinstance(value, int) and abs(value) > INT64_MAX:
                raise TraceError("arrival", turn, value, "a number of seconds below 2**63")
    seconds = np.array(column, np.float64)
    if len(seconds) != n:
        raise TraceError("arrival", None, f"{len(seconds)} values", f"{n}, one a turn")
    for turn in np.flatnonzero(~np.isfinite(seconds))[:1]:
        raise TraceError("arrival", int(turn), float(seconds[turn]), "a finite number of seconds")
    for turn in np.flatnonzero(np.diff(seconds) < 0)[:1] + 1:
        earliest = float(seconds[turn - 1])
        raise TraceError("arrival", int(turn), float(seconds[turn]), f"{earliest} or later, as turns are in order")
    seconds.setflags(write=False)
    return seconds
