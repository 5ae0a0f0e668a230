"""Sizes and times as people write them: one reader for each, for every option and for policies.

No unit is guessed: what has none, or one that may stand for several things, is an error that offers what may have
been meant. A comma lists.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from teltheory.errors import ArgumentError
from teltheory.model.numbers import exact, whole_number

Seconds: TypeAlias = int | float | Fraction | str
"""A time: seconds, or text with its unit."""
TOKENS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6}
BYTES = {
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
TIMES = {
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 10**3),
    "s": Fraction(1),
    "min": Fraction(60),
    "h": Fraction(3600),
    "d": Fraction(86400),
}
LONG_TIMES = {**TIMES, "m": Fraction(60)}
"""For budgets of work, where ``30m`` is no 30 ms."""
_POWERS = {"k": 1, "m": 2, "g": 3, "b": 3, "t": 4}
_NUMBER = r"((?:\d[\d_]{0,39}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,2})?)"
_QUANTITY = re.compile(_NUMBER + r"\s*([a-zA-Zµ]{0,20})", re.ASCII)
_PERCENT = re.compile(r"\d{1,3}(?:\.\d{1,9})?", re.ASCII)
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+", re.ASCII)


@dataclass(frozen=True)
class Time:
    """A time as it was given, with its unit, and its seconds."""

    text: str
    seconds: Fraction

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class PeakShare:
    """A part of what an endless cache holds at its peak, as it was given, such as ``10%``."""

    text: str
    share: Fraction

    def __format__(self, _: str) -> str:
        return self.text

    def of(self, peak: int) -> int:
        """Return the size, rounded down."""
        return int(self.share * peak)


def read_share(argument: str, text: str) -> PeakShare | None:
    """Read a share of the peak such as ``10%`` or ``2.5 %``; None if the text has no per cent sign."""
    number = text.strip().removesuffix("%").strip()
    if not text.strip().endswith("%"):
        return None
    found = Fraction(Decimal(number)) / 100 if _PERCENT.fullmatch(number) else None
    if found is None or found > 1:
        raise ArgumentError(argument, text, "a share of the peak from 0% to 100%, such as 10%")
    return PeakShare(text.strip(), found)


def listed_values(argument: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the values of an option that is repeated, or lists values between commas; ``1,000`` is an error."""
    return tuple(value for text in texts for value in _values(argument, text))


def _values(argument: str, text: str) -> list[str]:
    values = [value.strip() for value in text.split(",")]
    if any(re.match(r"0\d", value, re.ASCII) for value in values[1:]):
        joined = text.replace(",", "")
        grouped = f"{joined} or {text.replace(',', '_')}" if _GROUPED.fullmatch(text) else joined
        raise ArgumentError(argument, text, f"{grouped}, as a comma lists: 100k,200k")
    if "" in values:
        raise ArgumentError(argument, text, "a value, or several with commas between them")
    return values


def read_time(argument: str, text: str, units: Mapping[str, Fraction] = TIMES) -> Fraction:
    """Read a time such as ``200ms`` or ``1.5s``, in seconds; `units` are `TIMES` or `LONG_TIMES`."""
    number, unit = _quantity(text)
    if number is not None and unit in units:
        return Fraction(Decimal(number)) * units[unit]
    usual = ("s", "min", "h") if units is LONG_TIMES else ("ms", "s")
    alike = [name for name in units if unit and name[0] == unit[0].lower().replace("µ", "u")]
    offers = [f"{number or 200}{name}" for name in alike or usual]
    raise ArgumentError(argument, text, f"a time with its unit, such as {' or '.join(offers)}")


def seconds_of(argument: str, value: Seconds) -> Fraction:
    """Return a time in seconds, exactly; a float stands for the decimal that Python prints."""
    if isinstance(value, str):
        return read_time(argument, value)
    found = exact(argument, value)
    if found < 0:
        raise ArgumentError(argument, f"{float(found):g} s", "0 seconds or more")
    return found


def is_time(text: str) -> bool:
    """Whether a text is a number with a unit of time."""
    return _quantity(text)[1] in TIMES


def bytes_in(text: str) -> Fraction | None:
    """Read a size such as ``40GiB`` (of 2^30 bytes) or ``40GB`` (10^9); None if there is no unit of bytes."""
    number, unit = _quantity(text)
    return Fraction(Decimal(number)) * BYTES[unit] if number is not None and unit in BYTES else None


def read_tokens(argument: str, text: str, or_bytes: bool = False) -> int:
    """Read a whole number of tokens such as ``300000``, ``300_000``, ``300k`` or ``0.3M``.

    The error for another unit offers bytes too if they are an alternative (`or_bytes`).
    """
    number, unit = _quantity(text)
    factor = TOKENS.get(unit)
    if number is None or factor is None:
        raise ArgumentError(argument, text, _sizes_like(number, unit, or_bytes))
    value = Fraction(Decimal(number)) * factor
    if value.denominator != 1:
        raise ArgumentError(argument, text, "a whole number of tokens such as 300000 or 0.3M")
    return whole_number(argument, int(value))


def _quantity(text: str) -> tuple[str | None, str]:
    """Return the number of a text, without underscores, and its unit; None if it has not that form."""
    found = _QUANTITY.fullmatch(text.strip())
    return (None, "") if found is None else (found[1].replace("_", ""), found[2])


def _sizes_like(number: str | None, unit: str, or_bytes: bool) -> str:
    """Return what may have been meant by a size with a unit that is none of tokens."""
    power, rest = _POWERS.get(unit[:1].lower()), unit[1:].lower()
    if unit in TIMES:
        return "tokens such as 2800 or 2.8k; --slo takes times"
    if number is None or power is None or rest not in ("", "b", "i", "ib"):
        return "tokens such as 300000, 300k or 1M" + (", or bytes such as 40GB or 40GiB" if or_bytes else "")
    offers = [] if rest and or_bytes else [f"{_in_tokens(number, power)} tokens"]
    if or_bytes:
        known = [name for name in BYTES if BYTES[name] in (1000**power, 1024**power)]
        offers += [f"{number}{name}" for name in known if "i" not in rest or "i" in name]
    return " or ".join(offers)


def _in_tokens(number: str, power: int) -> str:
    """Return a number of thousands to a power in the largest unit of tokens."""
    return f"{number}k" if power == 1 else f"{(Decimal(number) * 1000 ** (power - 2)).normalize():f}M"


def in_seconds(seconds: float, plus: bool = False) -> str:
    """Return seconds as text: below 100 with a decimal place; with its sign if asked for."""
    places, sign = (1, 0)[abs(seconds) >= 100], "+" if plus else ""
    return f"{round(seconds, places) + 0.0:{sign},.{places}f}"
