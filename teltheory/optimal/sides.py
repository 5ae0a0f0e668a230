"""What every search for an optimum returns: two sides, a proof of the lower one, a plan that reaches the upper.

1. `upper` is what a plan comes to, counted exactly; `proved` is what a certificate proves, in whole numbers or
   fractions, that no policy beats. Both are checked by code that shares nothing with what finds them.
2. A solver may say more than is proved. `lower` is the larger of both, rounded up to what a plan can come to; the
   part of it that is above `proved` is the solver's word. Where it is above a plan, the solver is wrong.
3. Where the sides meet, that is the optimum, whoever found them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any, Literal, TypeAlias

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.display import in_short, table_of
from teltheory.model.numbers import Ratio

Number: TypeAlias = int | Fraction
Status = Literal["optimal", "optimal by solver", "feasible", "time limit", "interrupted"]
"""How a search between two sides ended; "by solver" rests on the word of HiGHS alone."""
ROUNDING = 1e-6


@in_short
@dataclass(frozen=True, eq=False)
class Optimum:
    """The least that any policy reaches, or two sides of it.

    Attributes
    ----------
    lower : int or Fraction
        No policy has less, in the requests' unit; of violations in turns, of costs and weights in theirs.
    upper : int or Fraction
        What the plan comes to.
    proved : int or Fraction
        The part of `lower` that the certificate proves in exact arithmetic; the rest is the solver's word.
    outcome : Outcome or TieredOutcome or None
        What each turn reuses and computes in the plan; None for schedules.
    certificate : object or None
        What proves `proved`, checked: a Certificate, TieredCertificate or WholeCertificate for
        `check_certificate`, Prices for `check_violations` or `cost_bound`, an ApplicationCertificate; None where
        nothing has to be proved.
    method : str
        What found the plan, such as "greedy", "lp", "milp", "pyomo", "heuristic" or "policy".
    plan : ndarray or tuple
        What each turn reuses, shape (n,), or of each tier, shape (tiers, n); of module sets what is kept for each
        use, places as in ``ModuleTrace.members``; of a schedule server and start of each task.
    bound : float or None
        The solver's own lower bound; None if no solver was asked for one.
    ended : str
        How the search ended, for where the sides do not meet.
    facts : mapping
        What else was found: of violations those that are "unavoidable" and those that are "avoidable", turns above
        the threshold that need more, or no more, than was ever there; of a percentile how many turns are "allowed"
        above it.
    what : str
        What is least, in a word.
    """

    lower: Any
    upper: Any
    proved: Any
    outcome: Any
    certificate: Any
    method: str
    plan: Any = None
    bound: float | None = None
    ended: Status = "feasible"
    facts: Mapping[str, int] = field(default_factory=dict)
    what: str = "TEL"

    def __post_init__(self) -> None:
        if self.plan is None and self.outcome is not None:
            object.__setattr__(self, "plan", self.outcome.cached)

    @property
    def objective(self) -> Any:
        """The optimum; None if the two sides differ."""
        return self.lower if self.lower == self.upper else None

    @property
    def status(self) -> Status:
        """How the search ended: "optimal" where the sides meet, "by solver" if they do not without its word."""
        if self.objective is None:
            return self.ended
        return "optimal by solver" if self.by_solver else "optimal"

    @property
    def by_solver(self) -> bool:
        """Whether `lower` rests on the word of a solver: it is above what is proved."""
        return bool(self.lower > self.proved)

    @property
    def gap(self) -> Any:
        """What is left open, upper - lower."""
        return self.upper - self.lower

    @property
    def relative_gap(self) -> Fraction:
        """What is left open against what the plan comes to; 0 if that is 0."""
        return Ratio(self.gap) / self.upper if self.upper else Ratio(0)

    def _repr_html_(self) -> str:
        sides = {"lower": self.lower, "upper": self.upper, "proved": self.proved, **self.facts}
        cells = {name: _text(value) for name, value in sides.items()}
        return table_of(str(self), cells | {"status": self.status, "method": self.method})

    def __str__(self) -> str:
        if self.objective is not None:
            return f"{self.what} {_text(self.lower)}"
        share = f", {float(self.relative_gap):.2%}" if self.upper else ""
        return f"{self.what} {_text(self.lower)} to {_text(self.upper)}{share}"


def lower_side(proved: Number, upper: Number, bound: float | None, parts: int = 1) -> Any:
    """Return the larger of what is proved and what a solver says, in whole `parts` of a unit.

    Raises
    ------
    SolverError
        If it is above a plan.
    """
    said = proved if bound is None else type(proved)(Ratio(ceil((bound - ROUNDING) * parts), parts))
    if max(proved, said) > upper:
        raise SolverError(NOT_WHOLE, float(upper), bound)
    return max(proved, said)


def _text(value: Number) -> str:
    return f"{float(value):,.3f}".rstrip("0").rstrip(".")
