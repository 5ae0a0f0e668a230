"""How evenly a cluster serves its applications: slowdowns, the largest of them, and Jain's index.

The index of Jain, Chiu and Hawe (1984) is (sum x)^2 / (n sum x^2): 1 where all are alike, 1 / n where one has all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from teltheory.errors import ArgumentError
from teltheory.model.numbers import Ratio

Number = int | float | Fraction


def slowdowns(times: Sequence[Number], alone: Sequence[Number]) -> list[Number]:
    """Return how many times as long each application took as it takes alone (1: it was not slowed)."""
    if len(times) != len(alone):
        raise ArgumentError("alone", len(alone), f"{len(times)} times, one an application")
    if any(time <= 0 for time in alone):
        raise ArgumentError("alone", min(alone), "times above 0")
    return [_ratio(time, least) for time, least in zip(times, alone, strict=True)]


def largest_slowdown(times: Sequence[Number], alone: Sequence[Number]) -> Number:
    """Return the slowdown of the application that suffers most; 1 where there is none."""
    return max(slowdowns(times, alone), default=1)


def jain(values: Sequence[Number]) -> Number:
    """Return Jain's index of numbers that are not negative; 1 where there is none but 0."""
    if any(value < 0 for value in values):
        raise ArgumentError("values", min(values), "numbers of 0 or more")
    squares = len(values) * sum(value * value for value in values)
    return _ratio(sum(values) ** 2, squares) if squares else 1


def _ratio(above: Number, below: Number) -> Number:
    """Return the quotient, exact where both are."""
    return Ratio(above, below) if isinstance(above, int) and isinstance(below, int) else above / below
