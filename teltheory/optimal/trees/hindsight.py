"""The hindsight optimum of a forest: exact in a cache with holes, between two sides in a strict one."""

from teltheory.cost.metrics import tail_excess_latency
from teltheory.model.instance import ForestInstance
from teltheory.optimal.certificate import unweighted
from teltheory.optimal.methods import (
    Answer,
    blocks_by_pyomo,
    by_plan,
    by_relaxation,
    outcome_of,
    proved,
)
from teltheory.optimal.sides import Optimum, lower_side

HOLES_LEGEND = "The optimum is that of a cache whose blocks may outlive their parents: no cache has less."


def strict_optimum(instance: ForestInstance, xi: int, method: str, time_limit: float | None) -> Optimum:
    """Return the two sides in a strict cache, by checked arguments of `hindsight_optimum`."""
    weights = unweighted(len(instance))
    below = by_relaxation(instance, xi, weights, time_limit) if method == "lp" else by_plan(instance, xi)
    certificate = proved(instance, xi, weights, below)
    above = _above(instance, xi, method, time_limit)
    upper, proof = tail_excess_latency(above.outcome, xi), int(certificate.objective)
    bound = above.said[-1] if above.said else None
    name = "lp" if method == "lp" else above.method
    return Optimum(lower_side(proof, upper, bound), upper, proof, above.outcome, certificate, name, bound=bound)


def _above(instance: ForestInstance, xi: int, method: str, time_limit: float | None) -> Answer:
    """Return a plan for a strict cache."""
    if method == "pyomo":
        return blocks_by_pyomo(instance, xi, time_limit, strict=True)
    if method == "milp":
        from teltheory.optimal.trees.strict_program import strict_states

        units = instance.by_units()
        states, bound = strict_states(units, xi, time_limit)
        return Answer("milp", outcome_of(units, states, True), (bound,))
    from teltheory.policies import TailOptimizedBelady
    from teltheory.replay import replay_forest

    return Answer("greedy", replay_forest(instance, TailOptimizedBelady(xi), "strict"))
