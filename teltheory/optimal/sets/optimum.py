"""What an optimum of module sets is: two sides, what proves the one, and the plan that reaches the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from teltheory.model.display import in_short
from teltheory.model.numbers import IntArray
from teltheory.model.outcome import Outcome
from teltheory.optimal.certificate import Certificate
from teltheory.optimal.sets.certificate import WholeCertificate

ItemCache = Literal["strict", "whole"]


@in_short
@dataclass(frozen=True)
class ModuleOptimum:
    """The least TEL that any policy reaches on a trace of module sets, or two sides of it.

    Attributes
    ----------
    lower : int
        No policy has less, in tokens.
    upper : int
        The TEL of `outcome`. Of divisible items (`cache` "strict") it is `lower`.
    outcome : Outcome
        What each request reuses in the best plan found.
    kept : ndarray of int64
        The plan, item by item: what is kept for each use, places as in ``ModuleTrace.members``.
    certificate : Certificate or WholeCertificate
        A proof for `check_certificate`, of the optimum of divisible items or of a lower side of whole ones; it was
        checked.
    cache : {"strict", "whole"}
        Whether any prefix of an item may be kept, or the whole of it or nothing.
    method : str
        What found it: "greedy", "lp", "milp" or "pyomo".
    bound : float or None
        The solver's lower bound on the TEL; None if no solver was asked for one.
    """

    lower: int
    upper: int
    outcome: Outcome
    kept: IntArray
    certificate: Certificate | WholeCertificate
    cache: ItemCache
    method: str
    bound: float | None

    @property
    def objective(self) -> int | None:
        """The optimal TEL; None if the two sides differ."""
        return self.lower if self.lower == self.upper else None

    @property
    def gap(self) -> int:
        """What is left open, upper - lower."""
        return self.upper - self.lower

    @property
    def by_solver(self) -> bool:
        """Whether `lower` rests on the word of a solver: it is above what the certificate proves."""
        proof = self.certificate
        return self.lower > (proof.lower if isinstance(proof, WholeCertificate) else proof.objective)
