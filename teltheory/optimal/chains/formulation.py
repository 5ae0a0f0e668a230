"""The hindsight problem (1)-(5) of Zhang et al. 2025, Appendix B, in Pyomo, one function for each equation.

Sets: conversations i, steps t = 1 ... T, one turn a step; A_i are the steps at which i arrives. Variables:
x[i, t], what i has in the cache at the start of step t, and u[i, t] for t in A_i, the excess.

Read with what the problem describes, three things are added to the printed text:

* (1)-(5) leave x[i, 1] free, so that a conversation could be cached before it was ever computed:
  `initial_state` gives it (leave it out with ``initial_state=False`` to have the printed text);
* where a given history shortens a past, x <= h joins the constraints (`history_cut`);
* under forced caching (9) replaces (4). A conversation that arrives at t and again at t + 1 then holds its
  whole past although the turn reuses at most h of it, so there the cut is on the excess instead.

The constraint (2) is not named "slack", a name that one of Pyomo's solver interfaces claims for itself.
"""

from typing import Any

import pyomo.environ as pyo

from teltheory.errors import NOT_WHOLE, SolverError
from teltheory.model.instance import Instance

INTEGRALITY = 1e-6


def hindsight_model(instance: Instance, xi: int, *, initial_state: bool = True, relaxed: bool = False) -> Any:
    """Build problem (1)-(5), or its forced variant with (9), for an instance.

    `initial_state` bounds x[i, 1] by the initial cache, which the printed formulation leaves out; `relaxed` allows
    fractions of x and u. The model has `x`, `u`, and one component for each equation.
    """
    model = pyo.ConcreteModel()
    _data(model, instance, xi)
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    model.x = pyo.Var(model.conversations, model.steps, domain=domain)
    model.u = pyo.Var(model.arrivals, domain=domain)
    model.tail_excess_latency = pyo.Objective(rule=tail_excess_latency, sense=pyo.minimize)
    model.excess = pyo.Constraint(model.arrivals, rule=excess)
    model.capacity = pyo.Constraint(model.steps, rule=capacity)
    if instance.forced:
        model.forced_history = pyo.Constraint(model.arrivals, rule=forced_history)
    else:
        model.history = pyo.Constraint(model.arrivals, rule=history)
    model.prefix_cannot_grow = pyo.Constraint(model.conversations, model.steps, rule=prefix_cannot_grow)
    if initial_state:
        model.initial_state = pyo.Constraint(model.conversations, rule=first_step)
    if not instance.requests.cumulative:
        model.history_cut = pyo.Constraint(model.arrivals, rule=history_cut)
    return model


def _data(model: Any, instance: Instance, xi: int) -> None:
    code = instance.requests.code.tolist()
    starts = {start.code: start.cached for start in instance.initial}
    n_conversations = 1 + max([-1, *code, *starts])
    model.T = len(code)
    model.C, model.xi, model.forced = instance.capacity, xi, instance.forced
    model.conversations = pyo.RangeSet(0, n_conversations - 1)
    model.steps = pyo.RangeSet(1, model.T)
    model.theta = dict(enumerate(code, start=1))
    model.arrivals = pyo.Set(dimen=2, initialize=[(i, t) for t, i in model.theta.items()])
    model.total = dict(enumerate(instance.total.tolist(), start=1))
    model.past = dict(enumerate(instance.past.tolist(), start=1))
    model.h = dict(enumerate(instance.history.tolist(), start=1))
    model.x0 = {i: starts.get(i, 0) for i in model.conversations}


def tail_excess_latency(model: Any) -> Any:
    """(1): minimise the sum of u[i, t] over all arrivals."""
    return pyo.quicksum(model.u[i, t] for i, t in model.arrivals)


def excess(model: Any, i: int, t: int) -> Any:
    """(2): u[i, t] >= history + prompt - x[i, t] - xi."""
    return model.u[i, t] >= model.total[t] - model.x[i, t] - model.xi


def capacity(model: Any, t: int) -> Any:
    """(3): the sum of x[i, t] over i is at most C."""
    return pyo.quicksum(model.x[i, t] for i in model.conversations) <= model.C


def history(model: Any, i: int, t: int) -> Any:
    """(4): x[i, t + 1] <= the past after the turn, for t < T."""
    if t == model.T:
        return pyo.Constraint.Skip
    return model.x[i, t + 1] <= model.past[t]


def prefix_cannot_grow(model: Any, i: int, t: int) -> Any:
    """(5): x[i, t + 1] <= x[i, t] where i does not arrive at t, for t < T."""
    if t == model.T or model.theta[t] == i:
        return pyo.Constraint.Skip
    return model.x[i, t + 1] <= model.x[i, t]


def forced_history(model: Any, i: int, t: int) -> Any:
    """(9): x[i, t + 1] = the past after the turn, for t < T."""
    if t == model.T:
        return pyo.Constraint.Skip
    return model.x[i, t + 1] == model.past[t]


def first_step(model: Any, i: int) -> Any:
    """x[i, 1] <= what the initial cache holds of i (not in the printed formulation)."""
    return model.x[i, 1] <= model.x0[i]


def history_cut(model: Any, i: int, t: int) -> Any:
    """x[i, t] <= h, or u[i, t] >= total - h - xi where (9) holds x[i, t] at the whole past."""
    if model.forced and t > 1 and model.theta[t - 1] == i:
        return model.u[i, t] >= model.total[t] - model.h[t] - model.xi
    return model.x[i, t] <= model.h[t]


def whole_point(model: Any) -> tuple[list[int], list[int]]:
    """Return x[i, t] and u[i, t] of each turn t of a solved model; `SolverError` unless they are whole."""
    point: tuple[list[int], list[int]] = ([], [])
    for found, variables in zip(point, (model.x, model.u), strict=True):
        for t, i in model.theta.items():
            value = float(pyo.value(variables[i, t]))
            if abs(value - round(value)) > INTEGRALITY * max(1.0, abs(value)):
                raise SolverError(f"{NOT_WHOLE}: {variables[i, t].name} is {value}")
            found.append(round(value))
    return point
