"""What an optimum of applications is: two sides, what proves the one, and the plan that reaches the other."""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.model.applications import Measure
from teltheory.model.outcome import Outcome
from teltheory.optimal.applications.certificate import ApplicationCertificate


@dataclass(frozen=True)
class ApplicationOptimum:
    """The least excess of all applications that any policy reaches, or two sides of it.

    Attributes
    ----------
    lower : int
        No policy has less, in the trace's unit, as the certificate proves.
    upper : int
        The excess of `outcome`, counted exactly.
    outcome : Outcome
        What each turn reuses in the best plan found.
    certificate : ApplicationCertificate
        The proof of `lower`; it was checked.
    measure : {"sum", "path"}
        What an application's excess is.
    method : str
        What found the plan: "policy", "milp" or "pyomo".
    bound : float or None
        The solver's own lower bound, its word alone; None if none was asked.
    """

    lower: int
    upper: int
    outcome: Outcome
    certificate: ApplicationCertificate
    measure: Measure
    method: str
    bound: float | None

    @property
    def objective(self) -> int | None:
        """The least excess; None if the two sides differ."""
        return self.lower if self.lower == self.upper else None

    @property
    def gap(self) -> int:
        """What is left open, upper - lower."""
        return self.upper - self.lower
