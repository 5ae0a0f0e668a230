"""The hindsight problem of module sets in Pyomo, item by item and step by step, all that must hold written down.

Sets: items i, steps t = 1 ... n, one request a step; M_t are the items of request t. Variables: x[i, t], what the
cache holds of i at the start of step t, in units, or in whole items; u[t], the excess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray


def set_model(instance: ModuleInstance, xi: int, *, relaxed: bool = False) -> Any:
    """Build the problem of an instance; `relaxed` allows fractions of x."""
    model = pyo.ConcreteModel()
    trace, model.n = instance.requests, len(instance)
    model.C, model.xi, model.whole, model.forced = instance.capacity, xi, instance.whole, instance.forced
    model.size = trace.sizes.tolist()
    model.unit = model.size if instance.whole else [1] * len(model.size)
    model.modules, model.steps = pyo.RangeSet(0, len(model.size) - 1), pyo.RangeSet(1, model.n)
    model.M = {t: trace.items(t - 1).tolist() for t in model.steps}
    model.total = dict(enumerate(trace.total.tolist(), start=1))
    domain = pyo.NonNegativeReals if relaxed else pyo.NonNegativeIntegers
    model.x = pyo.Var(model.modules, model.steps, domain=domain, bounds=within)
    model.u = pyo.Var(model.steps, domain=pyo.NonNegativeReals)
    model.tail_excess_latency = pyo.Objective(expr=pyo.quicksum(model.u[t] for t in model.steps))
    model.excess = pyo.Constraint(model.steps, rule=excess)
    model.capacity = pyo.Constraint(model.steps, rule=capacity)
    model.cannot_grow = pyo.Constraint(model.modules, model.steps, rule=cannot_grow)
    if instance.forced:
        model.running = pyo.Constraint(model.modules, model.steps, rule=running)
    return model


def within(model: Any, i: int, _: int) -> tuple[int, int]:
    """0 <= x[i, t] <= size, or 1 if items go whole."""
    return 0, model.size[i] // model.unit[i]


def excess(model: Any, t: int) -> Any:
    """u[t] >= total - sum of x[i, t] over M_t - xi."""
    reused = pyo.quicksum(model.unit[i] * model.x[i, t] for i in model.M[t])
    return model.u[t] >= model.total[t] - reused - model.xi


def capacity(model: Any, t: int) -> Any:
    """Sum of x[i, t] over i <= C."""
    return pyo.quicksum(model.unit[i] * model.x[i, t] for i in model.modules) <= model.C


def cannot_grow(model: Any, i: int, t: int) -> Any:
    """x[i, t] <= x[i, t - 1] unless request t - 1 used i; nothing is there at first."""
    if t == 1:
        return model.x[i, t] <= 0
    return pyo.Constraint.Skip if i in model.M[t - 1] else model.x[i, t] <= model.x[i, t - 1]


def running(model: Any, i: int, t: int) -> Any:
    """x[i, t] = size for the items of request t - 1, for t > 1."""
    if t == 1 or i not in model.M[t - 1]:
        return pyo.Constraint.Skip
    return model.x[i, t] == model.size[i] // model.unit[i]


def kept_of(model: Any) -> IntArray:
    """Return what the cache holds of each member when its request comes, in a solved model, by rounding."""
    kept = [model.unit[i] * round(pyo.value(model.x[i, t])) for t in model.steps for i in model.M[t]]
    return np.array(kept, np.int64)
