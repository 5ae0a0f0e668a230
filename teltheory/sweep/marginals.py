"""What one player is worth among several, and shares of LRU's distance to the optimum: exact, as fractions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from teltheory.sweep.compared import BoardRow

Pair = tuple[Fraction, Fraction]


def subsets(of: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield all subsets, the smallest first."""
    for size in range(len(of) + 1):
        yield from combinations(of, size)


@dataclass(frozen=True)
class Distance:
    """TEL of LRU, and between what the least TEL lies."""

    lru: Fraction
    lower: Fraction
    upper: Fraction

    @classmethod
    def of(cls, row: BoardRow) -> Distance:
        """Return those of a row's place; without an optimum there is no distance."""
        found = (Fraction(one or 0) for one in (row.lru, row.lower, row.upper))
        return cls(*found)

    def saved_by(self, tel: Fraction) -> Fraction:
        """Return by how much TEL is below LRU's."""
        return self.lru - tel


def share(saved: Sequence[Fraction], of: Sequence[Distance]) -> Pair | None:
    """Return what is saved over the distances, both summed: to the optimum's lower side, and to its upper one."""
    whole = [sum(base.lru - getattr(base, side) for base in of) for side in ("lower", "upper")]
    if not all(whole):
        return None
    one, other = (Fraction(sum(saved)) / distance for distance in whole)
    return min(one, other), max(one, other)


def ends(shares: Iterable[Pair | None]) -> tuple[float, float] | None:
    """Return the least and the greatest share; None if one of them is not known."""
    each = [*shares]
    known = [one for pair in each if pair is not None for one in pair]
    return (float(min(known)), float(max(known))) if known and None not in each else None


def floats(pair: Pair | None) -> tuple[float, float] | None:
    """Return a share's two sides as numbers."""
    return None if pair is None else (float(pair[0]), float(pair[1]))


def mean(values: Iterable[Fraction]) -> Fraction:
    """Return the mean, exactly."""
    several = [*values]
    return sum(several, Fraction(0)) / len(several)


@dataclass(frozen=True)
class Marginal:
    """By how much one player lowers TEL: alone, last, the least and the most beside others, and in the mean."""

    player: str
    alone: Fraction
    last: Fraction
    least: Fraction
    most: Fraction
    mean: Fraction


def marginals(tels: Mapping[frozenset[str], Fraction], players: Sequence[str]) -> list[Marginal]:
    """Return what each player is worth, from the TEL of every set of them."""
    return [_marginal(tels, one, [other for other in players if other != one]) for one in players]


def _marginal(tels: Mapping[frozenset[str], Fraction], one: str, others: Sequence[str]) -> Marginal:
    saved = {some: tels[frozenset(some)] - tels[frozenset((*some, one))] for some in subsets(others)}
    orders = sum((value / comb(len(others), len(some)) for some, value in saved.items()), Fraction(0))
    ordered = [*saved.values()]
    return Marginal(one, ordered[0], ordered[-1], min(ordered), max(ordered), orders / (len(others) + 1))
