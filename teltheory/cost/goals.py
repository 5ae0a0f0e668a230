"""What is to be small: TEL, the turns above an SLO, or a percentile, as `advise` and `optimum` are told it."""

import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.numbers import IntArray

TEL = "tel"
SLO = "slo"
MOST_DIGITS = 9


@dataclass(frozen=True)
class Level:
    """A percentile such as p95 or p99.9; q is above 0, at most 1."""

    text: str
    q: Fraction

    def rank(self, turns: int) -> int:
        """Return ceil(q n): the percentile is the value of this rank, counted from 1."""
        return -(-self.q.numerator * turns // self.q.denominator)

    def share(self, turns: int) -> float:
        """Return a number that has the exact rank among so many turns, whatever rounding does."""
        return (max(self.rank(turns), 1) - 0.5) / max(turns, 1)

    def of(self, values: IntArray) -> int:
        """Return the percentile of at least one value."""
        place = self.rank(len(values)) - 1
        return int(np.partition(values, place)[place])


def read_level(text: str) -> Level | None:
    """Read a percentile; None if the text is none."""
    found = re.fullmatch(rf"p(\d{{1,3}}(?:\.\d{{1,{MOST_DIGITS}}})?)", text, re.ASCII)
    q = Fraction(found[1]) / 100 if found else Fraction(0)
    return Level(text, q) if 0 < q <= 1 else None


def read_goal(text: str) -> str | Level:
    """Read a goal: TEL, violations of the SLO, or a percentile."""
    if not isinstance(text, str):
        raise ArgumentError("goal", text, "a text such as tel, slo or p95")
    asked = text.lower()
    level = read_level(asked)
    if level is None and asked not in (TEL, SLO):
        raise ArgumentError("goal", text, "tel, slo or a percentile such as p95 or p99.9")
    return level or asked
