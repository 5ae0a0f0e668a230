"""Points in time as logs and tables have them.

1. A text is a date and a time in ISO 8601 ("2023-11-16T18:15:46Z", a space for the T, any zone, UTC without one),
   or a number.
2. The size of a number says its unit: below 10**10 it is seconds; from 10**12 to 10**13 milliseconds, from 10**15
   to 10**16 microseconds and from 10**18 to 10**19 nanoseconds since 1970. What lies between is refused.
3. Dates, and numbers of the smaller units, count from the earliest; seconds count as they are.
4. A whole number such as 20260101 is a date, of the years 1900 to 2100, where all times of a file are dates.
   Beside other seconds it is seconds.
5. All times of a file are of one kind: dates or seconds.
"""

from __future__ import annotations

import re
from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, Protocol

import numpy as np

from teltheory.model.numbers import FloatArray

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECONDS, DIGITS = "seconds", "dates of eight digits"
MOST_SECONDS = 10**10
UNITS = ((10**12, "milliseconds", 1, 1000), (10**15, "microseconds", 1, 1), (10**18, "nanoseconds", 1000, 1))
EXPECTED = (
    "a date and time in ISO 8601, seconds (below 10**10), or milliseconds, microseconds or nanoseconds since 1970"
)
_NUMBER = re.compile(r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,2})?")


class Located(Protocol):
    """A record, or a row of a table: what has fields, and says where one is wrong."""

    def needed(self, name: str, /) -> Any:
        """Return a field; one that is missing is an error."""
        ...

    def fail(self, name: str, found: object, expected: str, /) -> NoReturn:
        """Raise the error about a field."""
        ...


@dataclass
class Clock:
    """Times of a file, in its order: seconds as they are, or microseconds since 1970 (`dates`); and what they are.

    While all are whole numbers that may be dates, they are kept as numbers.
    """

    times: array[float] = field(default_factory=lambda: array("d"))
    dates: bool | None = None
    what: str = ""

    def add(self, record: Located, name: str, milliseconds: bool = False) -> None:
        """Add the time that a field of a record has."""
        found = record.needed(name)
        value, what = _point(found, milliseconds)
        if what not in ("", SECONDS, DIGITS):
            self._take_digits_for_dates()
        elif what == DIGITS and self.what not in ("", DIGITS):
            value, what = (date_of(found), "dates") if self.dates else (value, SECONDS)
        dates = what not in (SECONDS, DIGITS)
        if value is None or self.dates not in (None, dates):
            kind = "" if value is None else f", {self.what} as before"
            record.fail(name, found, EXPECTED + kind)
        self.dates, self.what = dates, what if self.what in ("", DIGITS) else self.what
        self.times.append(value)

    def beside(self, record: Located, name: str) -> float:
        """Return another time of the record that was added last, of the same kind as its first."""
        found = record.needed(name)
        value, what = _point(found, False)
        if value is None or (what not in (SECONDS, DIGITS)) != bool(self.dates):
            record.fail(name, found, f"{EXPECTED}, {self.what or 'seconds'} as the arrival")
        return value

    def _take_digits_for_dates(self) -> None:
        if self.what == DIGITS:
            self.times = array("d", [date_of(int(time)) or 0.0 for time in self.times])
            self.dates, self.what = True, "dates"

    def arrivals(self, stands_for: str) -> tuple[FloatArray, str]:
        """Return seconds in the order of the file, and what they stand for in words."""
        self._take_digits_for_dates()
        times = np.array(self.times, np.float64)
        if not self.dates:
            return times, f"{stands_for}; its numbers are seconds"
        seconds, words = since_first(times, stands_for)
        return seconds, f"{words}, read as {self.what}"


def _point(value: object, milliseconds: bool) -> tuple[float | None, str]:
    """Return seconds or microseconds since 1970, and what the value is; None if it is no time."""
    if isinstance(value, str):
        value = _told(value.strip())
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        with suppress(OverflowError):
            return float((aware - EPOCH) // timedelta(microseconds=1)), "dates"
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 10**19:
        return None, ""
    if milliseconds and abs(value) < MOST_SECONDS * 1000:
        return value / 1000, SECONDS
    if abs(value) < MOST_SECONDS:
        return float(value), SECONDS if date_of(value) is None else DIGITS
    for least, name, over, times in UNITS:
        if least <= value < 10 * least:
            return float(round(value * times) // over), name
    return None, ""


def date_of(value: object) -> float | None:
    """Return the microseconds since 1970 of a date of eight digits, 20260101; None if a value is none."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) and value.strip().isdecimal():
        value = int(value)
    if not isinstance(value, int | np.integer) or not 1900_00_00 < value < 2101_00_00:
        return None
    year, day = divmod(int(value), 10_000)
    with suppress(ValueError):
        return (datetime(year, *divmod(day, 100), tzinfo=UTC) - EPOCH) / timedelta(microseconds=1)
    return None


def _told(text: str) -> object:
    """Return the number or the date that a text is, None if it is neither."""
    with suppress(ValueError):
        if _NUMBER.fullmatch(text):
            return float(text) if set(text) & set(".eE") else int(text)
        return datetime.fromisoformat(text)
    return None


def since_first(micros: FloatArray, stands_for: str) -> tuple[FloatArray, str]:
    """Return seconds since the earliest of some times, and what they stand for in words."""
    if not len(micros):
        return np.empty(0), stands_for
    first = float(micros.min())
    try:
        zero = (EPOCH + timedelta(microseconds=int(first))).isoformat()
    except OverflowError:
        zero = "outside the years 1 to 9999 of UTC"
    return (micros - first) / 1e6, f"{stands_for}; 0 is {zero}"
