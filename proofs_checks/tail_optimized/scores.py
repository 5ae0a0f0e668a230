"""Algorithm 2's score P(L + Q - xi >= X) and what it stands for, the growth of E[(L + Q - xi - X)+] (Appendix D).

The appendix prints the two as equal. They are for whole numbers; with xi between two whole numbers the growth is
larger by (ceil xi - xi) P(L + Q - X = floor xi). The small cases go through the library's laws and means;
`excess_calculus` proves the identities for all numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product, starmap
from math import ceil, floor
from typing import Any

from proofs_checks.tail_optimized.algorithm_2 import HALF, LAWS, THIRD
from proofs_checks.tail_optimized.hindsight import all_equal
from proofs_checks.tail_optimized.lemmas.excess_calculus import (
    convexity_proof,
    real_score_proof,
    whole_score_proof,
)
from teltheory.claims.claim import Values, claim
from teltheory.claims.listed import Listed, Told
from teltheory.claims.origin import BOTH, OURS, repairs
from teltheory.claims.registry import run
from teltheory.policies.learned.eviction import mean_excess
from teltheory.workloads.laws import Finite

SOURCE = "Appendix D, Greedy Implementation"
SCORE, GROWTH = "P(L + Q - xi >= X)", "growth"


@dataclass(frozen=True)
class Token(Told):
    """The last cached token of a conversation: L, X >= 1, the threshold, and the law of the next prompt."""

    past: int
    cached: int
    xi: Fraction
    prompt: Finite

    @property
    def score(self) -> Fraction:
        """P(L + Q - xi >= X)."""
        return self.prompt.exactly_at_least(ceil(self.cached - self.past + self.xi))

    @property
    def just_missed(self) -> Fraction:
        """P(L + Q - X = floor xi)."""
        missed = floor(self.xi) + self.cached - self.past
        return sum((p for q, p in self.prompt.outcomes if q == missed), Fraction(0))

    def growth(self, cached: int) -> Fraction:
        """Return what the expected excess grows by if the last of some cached tokens goes."""
        less, more = (mean_excess(self.past, x, self.prompt, self.xi) for x in (cached - 1, cached))
        return less - more

    def size(self) -> tuple[Any, ...]:
        outcomes = self.prompt.outcomes
        return (self.past, self.cached, len(outcomes), self.xi.denominator, self.xi, outcomes)


def tokens(*thresholds: Fraction) -> Listed[Token]:
    """Return every last token of pasts up to a length, at each of some thresholds, shortest past first."""

    def up_to(longest: int) -> Iterator[Iterator[Token]]:
        for past in range(1, longest + 1):
            yield starmap(Token, product([past], range(1, past + 1), thresholds, LAWS))

    tried = ", ".join(map(str, thresholds))
    return Listed(up_to, 8, 24, f"every X >= 1 of pasts up to {{}}, xi of {tried}, {len(LAWS)} laws")


WHOLE_XI = tuple(map(Fraction, range(5)))
REAL_XI = (HALF, THIRD, 2 * THIRD, Fraction(3, 2), Fraction(9, 4))
WHOLE, REAL, EVERY = tokens(*WHOLE_XI), tokens(*REAL_XI), tokens(*WHOLE_XI, *REAL_XI)


def score_and_growth(case: Token) -> Values:
    """Compare the score with the growth."""
    return {SCORE: case.score, GROWTH: case.growth(case.cached)}


score = claim(
    "algorithm-2.score",
    SOURCE,
    "P(L + Q - xi >= X) = E[(L + Q - xi - (X - 1))+] - E[(L + Q - xi - X)+], for whole xi.",
    relation=all_equal,
    space=WHOLE,
    proof=whole_score_proof,
    origin=BOTH,
)(score_and_growth)

score_at_real_thresholds = claim(
    "algorithm-2.score.real-threshold",
    SOURCE,
    "P(L + Q - xi >= X) = E[(L + Q - xi - (X - 1))+] - E[(L + Q - xi - X)+], for xi that is not whole.",
    relation=all_equal,
    space=REAL,
    origin=BOTH,
)(score_and_growth)


@claim(
    "algorithm-2.score.difference",
    SOURCE,
    "For xi that is not whole the growth is P(L + Q - xi >= X) + (ceil xi - xi) P(L + Q - X = floor xi).",
    relation=all_equal,
    space=REAL,
    proof=real_score_proof,
    origin=repairs("algorithm-2.score.real-threshold"),
)
def difference(case: Token) -> Values:
    """Compare the repaired score with the growth."""
    repaired = case.score + (ceil(case.xi) - case.xi) * case.just_missed
    return {"repaired score": repaired, GROWTH: case.growth(case.cached)}


def falls_to_zero(values: Values) -> bool:
    """Whether the growths are 0 or more, and none is above the one before."""
    growths = [1, *values["growth at X = 1, 2, ..."], 0]
    return all(a >= b for a, b in pairwise(growths))


@claim(
    "algorithm-2.convex",
    SOURCE,
    "E[(L + Q - X - xi)+] is convex in X for any law of Q and real xi: each token kept saves no more than the one "
    "before it, and 0 or more.",
    relation=falls_to_zero,
    space=EVERY,
    proof=convexity_proof,
    origin=OURS,
)
def convex(case: Token) -> Values:
    """List the growth at 1 ... X."""
    return {"growth at X = 1, 2, ...": [case.growth(x) for x in range(1, case.cached + 1)]}


if __name__ == "__main__":
    run(__file__)
