"""Linear programs in fractions: the greatest c x with A x <= b, x >= 0 and b >= 0, with a proof of each optimum.

The simplex method with Bland's rule, from the origin. What it ends with is a plan and prices; both are checked
against the program as it was given: the plan keeps every row, the prices cover every column, and both are worth
the same, so that no plan is worth more.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Numbers: TypeAlias = Sequence[int | Fraction]


def greatest(gains: Numbers, rows: Sequence[Numbers], bounds: Numbers) -> Fraction:
    """Return the optimum; `ArithmeticError` if plan and prices do not prove it."""
    table = [
        [Fraction(x) for x in (*row, *unit(k, len(rows)), b)]
        for k, (row, b) in enumerate(zip(rows, bounds, strict=True))
    ]
    price = [Fraction(-x) for x in (*gains, *(0 for _ in rows), 0)]
    basis = [len(gains) + k for k in range(len(rows))]
    while (column := next((j for j, x in enumerate(price[:-1]) if x < 0), None)) is not None:
        pivot(table, price, basis, column)
    plan = [Fraction(0)] * (len(gains) + len(rows))
    for k, j in enumerate(basis):
        plan[j] = table[k][-1]
    return proved(gains, rows, bounds, plan[: len(gains)], price[len(gains) : -1])


def unit(k: int, length: int) -> list[int]:
    """Return a row of zeros with a one at k."""
    return [int(j == k) for j in range(length)]


def pivot(table: list[list[Fraction]], price: list[Fraction], basis: list[int], column: int) -> None:
    """Let a column enter; of the rows that allow least of it the one with the first variable leaves."""
    ratios = [(row[-1] / row[column], basis[k], k) for k, row in enumerate(table) if row[column] > 0]
    if not ratios:
        raise ArithmeticError("found a program without an optimum, expected one with bounds")
    leaving = min(ratios)[2]
    basis[leaving] = column
    table[leaving] = [x / table[leaving][column] for x in table[leaving]]
    for row in (*(row for k, row in enumerate(table) if k != leaving), price):
        factor = row[column]
        if factor:
            row[:] = [x - factor * y for x, y in zip(row, table[leaving], strict=True)]


def proved(
    gains: Numbers, rows: Sequence[Numbers], bounds: Numbers, plan: Sequence[Fraction], prices: Sequence[Fraction]
) -> Fraction:
    """Return what a plan is worth, if it and the prices prove each other."""
    keeps = all(dot(row, plan) <= bound for row, bound in zip(rows, bounds, strict=True))
    covered = all(dot([row[j] for row in rows], prices) >= gain for j, gain in enumerate(gains))
    worth = dot(gains, plan)
    if not (keeps and covered and min((*plan, *prices), default=0) >= 0 and worth == dot(bounds, prices)):
        raise ArithmeticError(f"found {worth} without a proof, expected a plan and prices that are worth the same")
    return worth


def dot(first: Numbers, second: Numbers) -> Fraction:
    """Return the sum of products."""
    return sum((Fraction(a) * b for a, b in zip(first, second, strict=True)), Fraction(0))
