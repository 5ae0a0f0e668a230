"""Fourier and Motzkin's elimination: whether linear inequalities contradict each other, and which multiples do.

1. A row is a weighted sum of the given inequalities: its coefficients, its constant, its weights, all whole.
2. To eliminate a symbol, each row in which it is positive is added to each in which it is negative, so that it
   cancels, and the rows that have it are dropped.
3. Rows without symbols are left. One that says 0 >= c for c > 0, or 0 > 0, is the contradiction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True)
class Row:
    """An inequality: coefficients times symbols, plus a constant, is 0 or more, or above 0 where it is strict.

    Attributes
    ----------
    coefficients : tuple of int
        One for each symbol.
    constant : int
        The rest.
    strict : bool
        Whether it is above 0.
    weights : tuple of int
        How much of each given inequality it is made of.
    """

    coefficients: tuple[int, ...]
    constant: int
    strict: bool
    weights: tuple[int, ...]

    def plus(self, other: Row, mine: int, its: int) -> Row:
        """Return a weighted sum of two rows, with weights above 0."""
        return Row(
            tuple(mine * a + its * b for a, b in zip(self.coefficients, other.coefficients, strict=True)),
            mine * self.constant + its * other.constant,
            self.strict or other.strict,
            tuple(mine * a + its * b for a, b in zip(self.weights, other.weights, strict=True)),
        )

    def key(self) -> tuple[tuple[int, ...], int, bool]:
        """Return the row up to a factor above 0 and without its weights."""
        factor = gcd(*self.coefficients, self.constant) or 1
        return tuple(a // factor for a in self.coefficients), self.constant // factor, self.strict


def contradiction(rows: Sequence[Row]) -> tuple[int, ...] | None:
    """Return weights of 0 or more that turn the rows into 0 > 0, None where they have a solution."""
    left = list(rows)
    for _ in range(len(rows[0].coefficients)):
        left = _without(left, _cheapest(left))
    return next((row.weights for row in left if row.constant < 0 or (row.constant == 0 and row.strict)), None)


def _cheapest(rows: list[Row]) -> int:
    """Return the symbol whose elimination makes the fewest rows, of those that still occur."""
    made = {}
    for k in range(len(rows[0].coefficients)) if rows else ():
        signs = [row.coefficients[k] for row in rows if row.coefficients[k]]
        if signs:
            made[k] = sum(a > 0 for a in signs) * sum(a < 0 for a in signs) - len(signs)
    return min(made, key=lambda k: made[k], default=0)


def _without(rows: list[Row], k: int) -> list[Row]:
    kept = [row for row in rows if not row.coefficients[k]]
    up = [row for row in rows if row.coefficients[k] > 0]
    down = [row for row in rows if row.coefficients[k] < 0]
    kept += [a.plus(b, -b.coefficients[k], a.coefficients[k]) for a in up for b in down]
    return list({row.key(): row for row in reversed(kept)}.values())
