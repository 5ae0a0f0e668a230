"""Attention over parts, merged by their largest scores and sums of exponentials (Parrot, Section 7, kernel).

In real numbers with 2^x in the place of e^x, so that whole scores have exact weights: the merge uses nothing of
the exponential but f(a + b) = f(a) f(b) > 0. In floating point against e^x in 60 decimal digits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import ceil
from typing import NamedTuple

import numpy as np

from proofs_checks.parrot.origins import PAPER
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase
from teltheory.claims.origin import OURS, sharpness
from teltheory.systems.apps.engines.attention import attend, merge

row = rows(source="A kernel for shared prefixes (Parrot, Section 7)")


@dataclass(frozen=True)
class Scores(ToldCase):
    """Scores of keys, and after which keys they are cut into parts; key k's value is (k + 1)^2."""

    scores: tuple[int, ...]
    cuts: tuple[int, ...]

    def measures(self) -> dict[str, int]:
        """Return keys and parts."""
        return {"keys": len(self.scores), "parts": len(self.cuts) + 1}

    @property
    def values(self) -> list[int]:
        """The values."""
        return [(k + 1) ** 2 for k in range(len(self.scores))]

    def parts(self) -> list[slice]:
        """Return the keys of each part; none is empty."""
        ends = (0, *self.cuts, len(self.scores))
        return [slice(first, last) for first, last in pairwise(ends) if first < last]


class Part(NamedTuple):
    """The largest score, the sum of 2^(score - largest), and the values weighted by those."""

    top: int
    total: Fraction
    weighted: Fraction


def two_to(power: int) -> Fraction:
    """Return 2^power."""
    return Fraction(2) ** power


def part(scores: Sequence[int], values: Sequence[int], top: int | None = None) -> Part:
    """Return what is computed of a part; with another number in the place of the largest score if it is given."""
    most = max(scores) if top is None else top
    weights = [two_to(score - most) for score in scores]
    return Part(
        most, sum(weights, Fraction(0)), sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))
    )


def merged(parts: Sequence[Part]) -> Part:
    """Return the part that parts make together."""
    top = max(one.top for one in parts)
    shares = [two_to(one.top - top) for one in parts]
    total = sum((share * one.total for share, one in zip(shares, parts, strict=True)), Fraction(0))
    return Part(
        top, total, sum((share * one.weighted for share, one in zip(shares, parts, strict=True)), Fraction(0))
    )


def attention(one: Part) -> Fraction:
    """Return the attention."""
    return one.weighted / one.total


def cut(scores: Sequence[int], most: int, parts: tuple[int, ...]) -> Callable[[int], Iterator[Iterator[Scores]]]:
    """Return all scores out of some, for so many keys, with every cut into so many parts."""

    def of(keys: int) -> Iterator[Scores]:
        for some in product(scores, repeat=keys):
            for count in parts:
                for cuts in combinations_with_replacement(range(1, keys), count - 1):
                    yield Scores(some, cuts)

    return lambda limit: (of(keys) for keys in range(2, min(limit, most) + 1))


WHOLE = (-40, -1, 0, 3)
NOTE = "2 to {} keys, scores out of -40, -1, 0, 3"


def equal(of: Values) -> bool:
    """Whether all values are the same."""
    first, *others = of.values()
    return all(first == other for other in others)


@row(
    "parrot.merge.exact",
    "In real numbers attention over a shared part and over the rest, merged by their largest scores and sums of "
    "exponentials, is the attention over all keys.",
    relation=equal,
    space=Listed(cut(WHOLE, 6, (2,)), 4, 6, NOTE),
    origin=PAPER,
)
def exact(case: Scores) -> Values:
    """Compare two parts with the whole, whose largest score is left out."""
    parts = [part(case.scores[keys], case.values[keys]) for keys in case.parts()]
    return {"merged": attention(merged(parts)), "whole": attention(part(case.scores, case.values, 0))}


@row(
    "parrot.merge.in-turn",
    "Parts can be merged in any order, and one after another, as for prefixes of prefixes.",
    relation=equal,
    space=Listed(cut(WHOLE, 6, (3,)), 4, 5, NOTE),
    origin=OURS,
)
def in_turn(case: Scores) -> Values:
    """Merge the parts at once, from the first, and from the last."""
    parts = [part(case.scores[keys], case.values[keys]) for keys in case.parts()]
    from_first, from_last = parts[0], parts[-1]
    for one in parts[1:]:
        from_first = merged([from_first, one])
    for one in parts[-2::-1]:
        from_last = merged([one, from_last])
    return {"at once": merged(parts), "from the first": from_first, "from the last": from_last}


@row(
    "parrot.merge.without-largest",
    "In real numbers any other number does in the place of a part's largest score.",
    relation=equal,
    space=Listed(cut(WHOLE, 6, (2,)), 4, 5, NOTE),
    origin=sharpness("parrot.merge.exact", "parts are scaled by their largest scores"),
)
def without_largest(case: Scores) -> Values:
    """Compare parts that are scaled by 7 and -5."""
    scaled = zip(case.parts(), (7, -5), strict=False)
    parts = [part(case.scores[keys], case.values[keys], top) for keys, top in scaled]
    return {"merged": attention(merged(parts)), "whole": attention(part(case.scores, case.values))}


FAR = (-745, -40, -1, 0, 709, 1000)


@row(
    "parrot.merge.floats",
    "In double precision the merged attention of n keys is within (4 n + 16) 2^-53 of the exact one, relative to "
    "the largest value, whatever the scores.",
    relation=lambda of: of["error in 2^-53 of the largest value"] <= of["4 n + 16"],
    space=Listed(cut(FAR, 4, (2,)), 3, 4, "2 to {} keys, scores out of -745, -40, -1, 0, 709, 1000"),
    origin=OURS,
)
def floats(case: Scores) -> Values:
    """Compare the package's merge with exponentials in 60 digits."""
    error = abs(in_floats(case) - in_digits(case)) * 2**53 / max(case.values)
    return {"error in 2^-53 of the largest value": ceil(error), "4 n + 16": 4 * len(case.scores) + 16}


def in_floats(case: Scores) -> Fraction:
    """Return the package's merge of the parts."""
    one = np.ones((1, 1, 1))
    keys, values = (np.array(some, float).reshape(-1, 1, 1) for some in (case.scores, case.values))
    found = merge([attend(one, keys[some], values[some]) for some in case.parts()])
    return Fraction(float(found[0, 0, 0]))


def in_digits(case: Scores) -> Fraction:
    """Return the attention over all keys with exponentials in 60 digits."""
    with localcontext() as context:
        context.prec, context.Emin = 60, -(10**6)
        weights = [Fraction(Decimal(score - max(case.scores)).exp()) for score in case.scores]
    return sum((w * v for w, v in zip(weights, case.values, strict=True)), Fraction(0)) / sum(weights)
