"""The hindsight problem in tiers in Pyomo, step by step and tier by tier, as one would write it down.

Sets: tiers j, conversations i, steps t = 1 ... T, one turn a step. Variables: x[j, i, t], what tier j holds of i
at the start of step t, and u[t], the excess of the turn at t. It is the problem (1)-(5) of Zhang et al. 2025,
Appendix B (`teltheory.optimal.chains.formulation`), with three changes: each tier has its capacity; what tiers 0
to j hold together cannot grow, in place of (5); and a unit of tier j saves 1 - rho_j.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.model.tiers import Tiers


def tiered_model(instance: Instance, tiers: Tiers, xi: int, *, relaxed: bool = False) -> Any:
    """Build the problem of private conversations; `relaxed` allows fractions of x."""
    model = pyo.ConcreteModel()
    _data(model, instance, tiers, xi)
    model.x = pyo.Var(
        model.tiers,
        model.conversations,
        model.steps,
        domain=pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers,
    )
    model.u = pyo.Var(model.steps, domain=pyo.NonNegativeReals)
    model.tail_excess_latency = pyo.Objective(expr=pyo.quicksum(model.u[t] for t in model.steps))
    model.computing = pyo.Constraint(model.steps, rule=computing)
    if tiers.loading == "overlapped":
        model.loading = pyo.Constraint(model.steps, rule=loading)
    model.capacity = pyo.Constraint(model.tiers, model.steps, rule=capacity)
    model.nothing_at_first = pyo.Constraint(model.conversations, rule=nothing_at_first)
    model.only_sinks = pyo.Constraint(model.tiers, model.conversations, model.steps, rule=only_sinks)
    if instance.forced:
        model.running = pyo.Constraint(model.steps, rule=running)
    model.history_cut = pyo.Constraint(model.steps, rule=history_cut)
    return model


def _data(model: Any, instance: Instance, tiers: Tiers, xi: int) -> None:
    code = instance.requests.code.tolist()
    model.T, model.xi, model.forced = len(code), xi, instance.forced
    model.C, model.rho = tiers.capacities, [float(load) for load in tiers.loads]
    model.inclusive, model.overlapped = tiers.mode == "inclusive", tiers.loading == "overlapped"
    model.tiers = pyo.RangeSet(0, len(tiers) - 1)
    model.conversations = pyo.RangeSet(0, max(code, default=-1))
    model.steps = pyo.RangeSet(1, model.T)
    model.theta = dict(enumerate(code, start=1))
    model.total = dict(enumerate(instance.total.tolist(), start=1))
    model.past = dict(enumerate(instance.past.tolist(), start=1))
    model.h = dict(enumerate(instance.history.tolist(), start=1))


def together(model: Any, j: int, i: int, t: int) -> Any:
    """Return what tiers 0 to j hold of i, x[0, i, t] + ... + x[j, i, t]."""
    return pyo.quicksum(model.x[tier, i, t] for tier in range(j + 1))


def computing(model: Any, t: int) -> Any:
    """u[t] >= total - sum of (1 - rho_j) x_j - xi; of overlapped loading with 1 in place of 1 - rho_j."""
    worth = [1.0 if model.overlapped else 1.0 - rho for rho in model.rho]
    saved = pyo.quicksum(worth[j] * model.x[j, model.theta[t], t] for j in model.tiers)
    return model.u[t] >= model.total[t] - saved - model.xi


def loading(model: Any, t: int) -> Any:
    """u[t] >= sum of rho_j x_j - xi, if loading is overlapped."""
    return model.u[t] >= pyo.quicksum(model.rho[j] * model.x[j, model.theta[t], t] for j in model.tiers) - model.xi


def capacity(model: Any, j: int, t: int) -> Any:
    """Sum over i of x[j, i, t] <= C_j; of inclusive tiers of what tiers 0 to j hold."""
    held = (together(model, j, i, t) if model.inclusive else model.x[j, i, t] for i in model.conversations)
    return pyo.quicksum(held) <= model.C[j]


def nothing_at_first(model: Any, i: int) -> Any:
    """x[j, i, 1] = 0 for all j."""
    return together(model, max(model.tiers), i, 1) == 0


def only_sinks(model: Any, j: int, i: int, t: int) -> Any:
    """Sum of x[0 ... j, i, t + 1] <= that at t, or the past if i arrives at t."""
    if t == model.T:
        return pyo.Constraint.Skip
    at_hand = model.past[t] if model.theta[t] == i else together(model, j, i, t)
    return together(model, j, i, t + 1) <= at_hand


def running(model: Any, t: int) -> Any:
    """x[0, i, t + 1] = the past after the turn at t: forced caching."""
    return pyo.Constraint.Skip if t == model.T else model.x[0, model.theta[t], t + 1] == model.past[t]


def history_cut(model: Any, t: int) -> Any:
    """Sum over j of x[j, i, t] <= the history of the turn at t; where i is held whole, u >= total - h - xi."""
    if model.forced and t > 1 and model.theta[t - 1] == model.theta[t]:
        return model.u[t] >= model.total[t] - model.h[t] - model.xi
    return together(model, max(model.tiers), model.theta[t], t) <= model.h[t]


def reused_in(model: Any) -> IntArray:
    """Return what each turn meets in each tier in a solved model, rounded; shape (tiers, n)."""
    rows = [[round(pyo.value(model.x[j, i, t])) for t, i in model.theta.items()] for j in model.tiers]
    return np.array(rows, np.int64)
