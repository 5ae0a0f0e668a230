"""The hindsight optimum in tiers: a lower side that is proved, and a plan that can be carried out.

The linear program is not whole in tiers: it proves the lower side, and the plan is what it keeps, rounded, and
more where there is room. Both sides are checked by code that shares nothing with what makes them; where they meet,
that is the optimum. Branch and bound and Pyomo solve small instances; their bound is the solver's word.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np

from teltheory.cost.metrics import tail_excess_latency
from teltheory.errors import NOT_WHOLE, ArgumentError, CertificateError, SolverError
from teltheory.model.forest import Forest
from teltheory.model.instance import Instance, Instances
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import FloatArray, IntArray, exact_sum, readonly, whole_number
from teltheory.model.tiers import Tiers
from teltheory.model.trace import Trace
from teltheory.optimal.deadline import deadline_of
from teltheory.optimal.methods import Cache, checked_cache
from teltheory.optimal.sides import Optimum, lower_side
from teltheory.optimal.tiers.certificate import TieredCertificate, bound_of, tiered_instance
from teltheory.optimal.tiers.integer import solve_tiers
from teltheory.optimal.tiers.lazy import LazyTieredSolver, TieredSolution
from teltheory.optimal.tiers.outcome import outcome_of
from teltheory.optimal.tiers.plan import plan_of
from teltheory.optimal.tiers.problem import TieredProblem, tiered_problem

METHODS = ("auto", "lp", "milp")
FINENESS = 2**26
"""Prices and shares are whole multiples of one over this."""
ROUNDING = 1e-6


def tiered_optimum(
    trace: Trace | Forest | ModuleTrace,
    tiers: Tiers,
    xi: int,
    forced: bool = False,
    method: str = "auto",
    time_limit: float | None = None,
    cache: str = "strict",
) -> Optimum:
    """Return both sides of the optimum; the arguments are those of `teltheory.optimal.hindsight_optimum`."""
    instance, xi = tiered_instance(trace, tiers, forced), whole_number("xi", xi)
    if method not in methods_of(instance):
        raise ArgumentError(
            "method", method, "'auto', 'lp', 'milp', or of private conversations 'pyomo', in tiers"
        )
    strict = _cache_of(cache, instance) == "strict"
    deadline_of(time_limit)
    problem = tiered_problem(instance, tiers, xi)
    solution = LazyTieredSolver(problem).solve(time_limit)
    certificate = certified(instance, problem, solution)
    plans = [plan_of(problem, instance, solution.kept, strict)]
    bound = None
    if method == "milp":
        whole = solve_tiers(problem, time_limit)
        plans.append(plan_of(problem, instance, whole.kept.astype(float), strict))
        bound = exact_sum(problem.useful) - whole.bound / tiers.denominator
    if method == "pyomo" and len(instance):
        plan, bound = _by_pyomo(instance, tiers, xi, time_limit)
        plans.append(plan)
    return _sides(instance, problem, certificate, plans, strict, "lp" if method == "auto" else method, bound)


@singledispatch
def methods_of(instance: Any) -> tuple[str, ...]:
    """Return the methods in tiers; Pyomo's problem is written of private conversations alone."""
    return METHODS


methods_of.register(Instance, lambda instance: (*METHODS, "pyomo"))


def _cache_of(cache: object, instance: Instances) -> Cache:
    found = checked_cache(instance, cache)
    if found == "whole":
        raise ArgumentError("cache", cache, "'strict' of module sets in tiers")
    return found


def _sides(
    instance: Instances,
    problem: TieredProblem,
    certificate: TieredCertificate,
    plans: list[IntArray],
    strict: bool,
    method: str,
    bound: float | None,
) -> Optimum:
    """Check plans, and return the best of them with the larger of both bounds."""
    tiers, xi = problem.tiers, problem.xi
    try:
        outcomes = [outcome_of(instance, tiers, plan, strict) for plan in plans]
    except CertificateError as error:
        raise SolverError(f"{NOT_WHOLE}: {error}", None, float(certificate.lower)) from None
    outcome = min(outcomes, key=lambda one: tail_excess_latency(one, xi))
    upper, proof = tail_excess_latency(outcome, xi), certificate.lower
    lower = lower_side(proof, upper, bound, tiers.denominator)
    return Optimum(lower, upper, proof, outcome, certificate, method, bound=bound)


def certified(instance: Instances, problem: TieredProblem, solution: TieredSolution) -> TieredCertificate:
    """Round the prices of a solution, those of 0 left out, and count what they prove."""
    numerators, order = _rounded(solution.prices), np.lexsort((solution.tiers, solution.steps))
    order = order[numerators[order] > 0]
    shares = np.minimum(_rounded(solution.shares), FINENESS)
    shares[1:] = np.minimum(shares[1:], FINENESS - shares[0])
    columns = (solution.steps[order], solution.tiers[order], numerators[order], *shares)
    steps, tiers, prices, *of_turns = map(readonly, columns)
    loading = of_turns[1] if len(of_turns) > 1 else None
    nothing = TieredCertificate(Fraction(0), steps, tiers, prices, of_turns[0], loading, FINENESS)
    return replace(nothing, lower=bound_of(instance, problem.tiers, problem.xi, nothing))


def _rounded(values: FloatArray) -> IntArray:
    return np.rint(values * FINENESS).astype(np.int64)


def _by_pyomo(instance: Any, tiers: Tiers, xi: int, time_limit: float | None) -> tuple[IntArray, float]:
    """Return what tiers 0 to i hold in the problem as it is written, and the solver's bound on the TEL."""
    from teltheory.optimal.solver import solve_model
    from teltheory.optimal.tiers.formulation import reused_in, tiered_model

    model = tiered_model(instance, tiers, xi)
    _, bound = solve_model(model, time_limit)
    return np.minimum(np.cumsum(reused_in(model), axis=0), instance.history), bound
