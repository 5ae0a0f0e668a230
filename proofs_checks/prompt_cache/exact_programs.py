"""Linear programs in whole numbers: the greatest c x with A x <= b, x >= 0 and b >= 0, each optimum proved.

The simplex method with Bland's rule, from the origin. The table is kept times its last pivot, which is positive:
then every entry is a minor of the program (Edmonds 1967, Bareiss 1968), so each division by the pivot before it
leaves no rest. What it ends with is a plan and prices; both are checked against the program as it was given: the
plan keeps every row, the prices cover every column, and both are worth the same, so that no plan is worth more.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

Numbers: TypeAlias = Sequence[int]


def greatest(gains: Numbers, rows: Sequence[Numbers], bounds: Numbers) -> Fraction:
    """Return the optimum; `ArithmeticError` if plan and prices do not prove it."""
    table = [[*row, *unit(k, len(rows)), b] for k, (row, b) in enumerate(zip(rows, bounds, strict=True))]
    price = [*(-x for x in gains), *(0 for _ in rows), 0]
    basis, scale = [len(gains) + k for k in range(len(rows))], 1
    while (column := next((j for j, x in enumerate(price[:-1]) if x < 0), None)) is not None:
        scale = pivot(table, price, basis, column, scale)
    plan = [0] * (len(gains) + len(rows))
    for k, j in enumerate(basis):
        plan[j] = table[k][-1]
    return proved(gains, rows, bounds, plan[: len(gains)], price[len(gains) : -1], scale)


def unit(k: int, length: int) -> list[int]:
    """Return a row of zeros with a one at k."""
    return [int(j == k) for j in range(length)]


def pivot(table: list[list[int]], price: list[int], basis: list[int], column: int, scale: int) -> int:
    """Let a column enter; of the rows that allow least of it the one with the first variable leaves.

    `scale` is what the table is multiplied by; return what it is multiplied by afterwards.
    """
    ratios = [(Fraction(row[-1], row[column]), basis[k], k) for k, row in enumerate(table) if row[column] > 0]
    if not ratios:
        raise ArithmeticError("found a program without an optimum, expected one with bounds")
    leaving = min(ratios)[2]
    basis[leaving] = column
    lead = table[leaving]
    grown = lead[column]
    for row in (*(row for row in table if row is not lead), price):
        factor = row[column]
        if factor:
            row[:] = [(x * grown - factor * y) // scale for x, y in zip(row, lead, strict=True)]
        elif grown != scale:
            row[:] = [x * grown // scale for x in row]
    return grown


def proved(
    gains: Numbers, rows: Sequence[Numbers], bounds: Numbers, plan: Numbers, prices: Numbers, scale: int
) -> Fraction:
    """Return what a plan is worth, if it and the prices, both times a positive `scale`, prove each other."""
    keeps = all(dot(row, plan) <= bound * scale for row, bound in zip(rows, bounds, strict=True))
    covered = all(dot([row[j] for row in rows], prices) >= gain * scale for j, gain in enumerate(gains))
    worth = dot(gains, plan)
    positive = scale > 0 and min((*plan, *prices), default=0) >= 0
    if not (keeps and covered and positive and worth == dot(bounds, prices)):
        raise ArithmeticError(f"found {worth} without a proof, expected a plan and prices that are worth the same")
    return Fraction(worth, scale)


def dot(first: Numbers, second: Numbers) -> int:
    """Return the sum of products."""
    return sum(a * b for a, b in zip(first, second, strict=True))
