"""Whole numbers and fractions: checked when they come in, exact when they are added up."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError

IntArray: TypeAlias = NDArray[np.int64]
Array = TypeVar("Array", bound=NDArray[Any])
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

INT64_MAX = 2**63 - 1
MOST_POWER = 30
LARGEST = 1e9
"""The largest rate, mean or time that is taken."""
CLOSED = ["add", "sub", "mul", "truediv", "radd", "rsub", "rmul", "rtruediv", "neg", "abs"]
"""Operations on a Ratio that give a Ratio."""


class Ratio(Fraction):
    """A Fraction that has a float's formats, such as ``.1%``: Fraction itself has them from Python 3.12 on."""

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"


def _closed(rule: Callable[..., Any]) -> Callable[..., Any]:
    def found(*given: Any) -> Any:
        value = rule(*given)
        return Ratio(value) if isinstance(value, Fraction) else value

    return found


for _name in CLOSED:
    setattr(Ratio, f"__{_name}__", _closed(getattr(Fraction, f"__{_name}__")))


def whole_number(argument: str, value: object) -> int:
    """Return `value` as an int from 0 to 2**63 - 1; booleans and floats are errors."""
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentError(argument, value, "a whole number, 0 or more")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(argument, value, "a whole number, 0 or more") from None
    if not 0 <= number <= INT64_MAX:
        raise ArgumentError(argument, number, "a whole number from 0 to 2**63 - 1")
    return number


def rational(
    argument: str, value: object, least: int | None = None, most: int | None = None, above: bool = False
) -> Fraction:
    """Return a whole number or a Fraction as a Fraction; a float is an error, as nobody wrote that number down.

    It has to be at least `least` (or `above` it) and at most `most`, if they are given.
    """
    if isinstance(value, bool) or not isinstance(value, Rational):
        raise ArgumentError(argument, value, "a whole number or a Fraction")
    found = Fraction(int(value.numerator), int(value.denominator))
    if least is not None and (found < least or (above and found == least) or (most is not None and found > most)):
        expected = f"a fraction, above {least}" if above else f"a fraction, {least} or more"
        raise ArgumentError(argument, str(value), expected if most is None else f"{expected}, at most {most}")
    return found


def real_number(argument: str, value: Any, low: float, high: float = LARGEST, closed: bool = False) -> float:
    """Return a number above `low` (or from it on, if `closed`) and at most `high`, as a float."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not (low < value <= high or (closed and value == low)):
        least = f"from {low:g} to" if closed else f"above {low:g}, at most"
        raise ArgumentError(argument, value, f"a finite number {least} {high:g}")
    return float(value)


def exact(argument: str, value: object) -> Fraction:
    """Return a number that may have decimals, exactly: a float stands for the decimal that Python prints."""
    if isinstance(value, float):
        return Fraction(repr(real_number(argument, float(value), 0, closed=True)))
    return rational(argument, value)


def read_number(argument: str, text: str, expected: str) -> float:
    """Read a finite number such as ``2.5``."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise ArgumentError(argument, text, expected)
    return found


def read_fraction(argument: str, text: str, expected: str) -> Fraction:
    """Read a fraction such as ``0.5``, ``1/2`` or ``1e-3``; a power of ten above 30 is an error."""
    power = text.lower().partition("e")[2]
    try:
        if abs(int(power or 0)) <= MOST_POWER:
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise ArgumentError(argument, text, expected)


def exact_sum(values: IntArray) -> int:
    """Sum fewer than 2**31 int64 values without overflow."""
    high, low = values >> 32, values & 0xFFFFFFFF
    return (int(high.sum()) << 32) + int(low.sum())


def exact_dot(left: IntArray, right: IntArray) -> int:
    """Return the sum of left * right, exactly, whatever its size."""
    if not len(left):
        return 0
    if int(abs(left).max()) * int(abs(right).max()) * len(left) <= INT64_MAX:
        return int(left @ right)
    return sum(map(operator.mul, left.tolist(), right.tolist()))


def running_sums(values: IntArray) -> IntArray:
    """Return 0 and the sums of the first 1, 2, ... values of 0 or more; Python ints if int64 is too narrow."""
    wide = exact_sum(values) > INT64_MAX
    return np.concatenate(([0], np.cumsum(values.astype(object) if wide else values)))


def readonly(values: Array) -> Array:
    """Return `values`, closed for writing."""
    values.setflags(write=False)
    return values


def exact_root(argument: str, value: Fraction, degree: int) -> Fraction:
    """Return the fraction of 0 or more whose power of a degree is `value`, or raise ArgumentError."""
    from sympy import integer_nthroot

    root = Fraction(*(int(integer_nthroot(part, degree)[0]) for part in value.as_integer_ratio()))
    if root**degree != value:
        raise ArgumentError(argument, value, f"the {degree}th power of a fraction")
    return root
