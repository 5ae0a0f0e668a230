"""Problem (6) as a mixed-integer program: the expected excess is convex and piecewise linear in Y.

Variables: Y[i], whole, and u[i, s] >= 0 for each outcome s of Q_i, which is the excess then.
"""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.optimal.formulation import whole
from teltheory.optimal.solver import solve_model
from teltheory.policies.learned.allocation import AllocationProblem, bound, objective, price_of

TOLERANCE = 1e-6


def allocation_model(problem: AllocationProblem) -> Any:
    """Build problem (6) in Pyomo, with `Y`, `u`, and one component for each equation."""
    model = pyo.ConcreteModel()
    model.problem = problem
    model.conversations = pyo.RangeSet(0, len(problem.lengths) - 1)
    outcomes = [(i, s) for i, law in enumerate(problem.laws) for s in range(len(law.lengths))]
    model.outcomes = pyo.Set(dimen=2, initialize=outcomes)
    model.Y = pyo.Var(model.conversations, domain=pyo.NonNegativeIntegers, bounds=_kept)
    model.u = pyo.Var(model.outcomes, domain=pyo.NonNegativeReals)
    model.expected_excess = pyo.Objective(rule=_expected_excess, sense=pyo.minimize)
    model.excess = pyo.Constraint(model.outcomes, rule=_excess)
    model.capacity = pyo.Constraint(expr=pyo.quicksum(model.Y.values()) <= problem.capacity)
    return model


def milp_allocation(problem: AllocationProblem) -> tuple[int, ...]:
    """Return an optimal allocation of (6), found by HiGHS in floats, and proved in fractions or `SolverError`."""
    model = allocation_model(problem)
    said, _ = solve_model(model)
    kept = tuple(whole(model.Y[i]) for i in model.conversations)
    fits = all(0 <= y <= most for y, most in zip(kept, problem.cached, strict=True))
    if not fits or sum(kept) > problem.capacity:
        raise SolverError(f"{NOT_WHOLE}: {kept} is no allocation")
    value, least = objective(problem, kept), bound(problem, price_of(problem, kept))
    if value != least or abs(float(value) - said) > TOLERANCE * max(1.0, float(value)):
        raise SolverError(f"{NOT_WHOLE}: {least} is proved", said, float(least))
    return kept


def _kept(model: Any, i: int) -> tuple[int, int]:
    """(7), (8): 0 <= Y[i] <= X[i]."""
    return 0, model.problem.cached[i]


def _expected_excess(model: Any) -> Any:
    """(6): the sum over i of lambda[i] times the mean of u[i, s]."""
    rates, laws = model.problem.rates, model.problem.laws
    return pyo.quicksum(float(rates[i] * laws[i].probabilities[s]) * model.u[i, s] for i, s in model.outcomes)


def _excess(model: Any, i: int, s: int) -> Any:
    """u[i, s] >= L[i] + Q[i, s] - Y[i] - xi."""
    problem = model.problem
    return model.u[i, s] >= float(problem.lengths[i] + problem.laws[i].lengths[s] - problem.xi) - model.Y[i]
