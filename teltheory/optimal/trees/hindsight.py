"""The hindsight optimum of a forest: exact in a cache with holes, between two sides in a strict one."""

from dataclasses import dataclass
from math import ceil
from typing import Literal, get_args

from teltheory.cost.metrics import tail_excess_latency
from teltheory.errors import NOT_WHOLE, ArgumentError, SolverError
from teltheory.model.display import in_short
from teltheory.model.instance import ForestInstance
from teltheory.model.outcome import Outcome
from teltheory.optimal.certificate import Certificate, unweighted
from teltheory.optimal.methods import (
    Answer,
    AnyInstance,
    blocks_by_pyomo,
    by_plan,
    by_relaxation,
    by_units,
    outcome_of,
    proved,
)

BlockCache = Literal["strict", "holes"]
ROUNDING = 1e-6
HOLES_LEGEND = "The optimum is that of a cache whose blocks may outlive their parents: no cache has less."


def checked_cache(cache: object, instance: AnyInstance) -> BlockCache:
    """Return the cache; `ArgumentError` unless it is one of a forest, or "strict" of private conversations."""
    if cache not in get_args(BlockCache) or (cache != "strict" and not isinstance(instance, ForestInstance)):
        raise ArgumentError("cache", cache, "'strict' or 'holes', of a Forest such as trace.forest")
    return cache  # type: ignore[return-value]


@in_short
@dataclass(frozen=True)
class ForestOptimum:
    """The least TEL that any policy reaches on a forest, or two sides of it.

    Attributes
    ----------
    lower : int
        No policy has less, in the forest's unit.
    upper : int
        The TEL of `outcome`.
    outcome : Outcome
        What each request hits in the best plan found.
    certificate : Certificate
        A proof, for `check_certificate`, that no cache has less than ``certificate.objective``, be it strict or
        with holes; it was checked.
    cache : {"strict", "holes"}
        What the plan is carried out in. With "holes" both sides are the certificate's objective.
    method : str
        What found it: "greedy", "lp", "milp" or "pyomo".
    bound : float or None
        The solver's lower bound on the TEL; None if no solver was asked.
    """

    lower: int
    upper: int
    outcome: Outcome
    certificate: Certificate
    cache: BlockCache
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
        return self.lower > self.certificate.objective


def strict_optimum(instance: ForestInstance, xi: int, method: str, time_limit: float | None) -> ForestOptimum:
    """Return the two sides in a strict cache, by checked arguments of `hindsight_optimum`."""
    weights = unweighted(len(instance))
    below = by_relaxation(instance, xi, weights, time_limit) if method == "lp" else by_plan(instance, xi)
    certificate = proved(instance, xi, weights, below)
    above = _above(instance, xi, method, time_limit)
    upper, lower = tail_excess_latency(above.outcome, xi), int(certificate.objective)
    bound = above.said[-1] if above.said else None
    if bound is not None:
        lower = max(lower, ceil(bound - ROUNDING))
    if lower > upper:
        raise SolverError(NOT_WHOLE, float(upper), bound)
    name = "lp" if method == "lp" else above.method
    return ForestOptimum(lower, upper, above.outcome, certificate, "strict", name, bound)


def _above(instance: ForestInstance, xi: int, method: str, time_limit: float | None) -> Answer:
    """Return a plan for a strict cache."""
    if method == "pyomo":
        return blocks_by_pyomo(instance, xi, True, time_limit)
    if method == "milp":
        from teltheory.optimal.trees.strict import strict_states

        units = by_units(instance)
        states, bound = strict_states(units, xi, time_limit)
        return Answer("milp", outcome_of(units, states, True), (bound,))
    from teltheory.policies import TailOptimizedBelady
    from teltheory.replay import replay_forest

    return Answer("greedy", replay_forest(instance, TailOptimizedBelady(xi), "strict"))
