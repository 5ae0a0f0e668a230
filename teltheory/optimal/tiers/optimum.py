"""What an optimum in tiers is: two sides, what proves the one, and the plan that reaches the other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from teltheory.model.display import in_short
from teltheory.model.numbers import IntArray
from teltheory.model.tiers import TieredOutcome
from teltheory.optimal.tiers.certificate import TieredCertificate
from teltheory.optimal.trees.hindsight import BlockCache


@in_short
@dataclass(frozen=True)
class TieredOptimum:
    """Two sides of the least TEL that any policy reaches in tiers.

    Attributes
    ----------
    lower : Fraction
        No policy has less, in the trace's unit.
    upper : Fraction
        The TEL of `outcome`.
    outcome : TieredOutcome
        What each turn reuses of each tier in the best plan found; it was checked step by step.
    certificate : TieredCertificate
        A proof, for `check_certificate`, that no policy has less than ``certificate.lower``; it was checked. On a
        forest that is true of caches with holes too.
    xi : int
        The threshold.
    cache : {"strict", "holes"}
        What the plan is carried out in, on a forest.
    method : str
        What found it: "lp", "milp" or "pyomo".
    bound : float or None
        The solver's lower bound on the TEL, if it was asked for whole numbers; None if it was not.
    """

    lower: Fraction
    upper: Fraction
    outcome: TieredOutcome
    certificate: TieredCertificate
    xi: int
    cache: BlockCache
    method: str
    bound: float | None

    @property
    def plan(self) -> IntArray:
        """What each turn reuses of each tier; shape (tiers, n)."""
        return self.outcome.cached

    @property
    def objective(self) -> Fraction | None:
        """The optimal TEL; None if the two sides differ."""
        return self.lower if self.lower == self.upper else None

    @property
    def gap(self) -> Fraction:
        """What is left open, upper - lower."""
        return self.upper - self.lower

    @property
    def by_solver(self) -> bool:
        """Whether `lower` rests on the word of a solver: it is above what the certificate proves."""
        return self.lower > self.certificate.lower

    def __str__(self) -> str:
        if self.objective is not None:
            return f"TEL {_text(self.lower)}"
        share = f", {float(self.gap / self.upper):.2%}" if self.upper else ""
        return f"TEL {_text(self.lower)} to {_text(self.upper)}{share}"


def _text(value: Fraction) -> str:
    return f"{float(value):,.3f}".rstrip("0").rstrip(".")
