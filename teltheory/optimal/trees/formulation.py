"""The hindsight problem of a forest in Pyomo, block by block and step by step, all that must hold written down.

Sets: units v, steps t = 1 ... n, one request a step; path[t] are the units of request t, root first. Variables:
x[v, t], whether v is in the cache at the start of step t; z[t, d], whether request t hits the first d units of its
input; u[t], the excess. `strict` asks for a cache that is closed towards the root.
"""

from typing import Any

import pyomo.environ as pyo

from teltheory.model.instance import ForestInstance
from teltheory.optimal.trees.judge import begun_of, running_at


def forest_model(instance: ForestInstance, xi: int, strict: bool, *, relaxed: bool = False) -> Any:
    """Build the problem of an instance whose nodes are units; `relaxed` allows fractions of x and z."""
    forest, n = instance.requests, len(instance)
    domain = pyo.UnitInterval if relaxed else pyo.Binary
    model = pyo.ConcreteModel()
    model.C, model.xi, model.n = instance.capacity, xi, n
    model.parent, model.total = forest.parent.tolist(), forest.total.tolist()
    model.path = [forest.path(k) for k in range(n)]
    model.begun = begun_of(instance)
    model.exempt = [running_at(instance, k) for k in range(n)]
    model.units, model.steps = pyo.RangeSet(0, forest.nodes - 1), pyo.RangeSet(1, n)
    asked = [(t, d) for t, ask in enumerate(forest.ask.tolist(), start=1) for d in range(1, ask + 1)]
    model.asked = pyo.Set(dimen=2, initialize=asked)
    model.x = pyo.Var(model.units, model.steps, domain=domain)
    model.z = pyo.Var(model.asked, domain=domain)
    model.u = pyo.Var(model.steps, domain=pyo.NonNegativeReals)
    model.tail_excess_latency = pyo.Objective(expr=pyo.quicksum(model.u[t] for t in model.steps))
    model.excess = pyo.Constraint(model.steps, rule=excess)
    model.hit = pyo.Constraint(model.asked, rule=hit)
    model.leading = pyo.Constraint(model.asked, rule=leading)
    model.capacity = pyo.Constraint(model.steps, rule=capacity)
    model.at_hand = pyo.Constraint(model.units, model.steps, rule=at_hand)
    if instance.forced:
        model.running = pyo.Constraint(model.units, model.steps, rule=running)
    if strict:
        model.closed = pyo.Constraint(model.units, model.steps, rule=closed)
    return model


def excess(model: Any, t: int) -> Any:
    """u[t] >= total - hits - xi."""
    hits = pyo.quicksum(model.z[t, d] for s, d in model.asked if s == t)
    return model.u[t] >= model.total[t - 1] - hits - model.xi


def hit(model: Any, t: int, d: int) -> Any:
    """z[t, d] <= x of the unit at depth d."""
    return model.z[t, d] <= model.x[model.path[t - 1][d - 1], t]


def leading(model: Any, t: int, d: int) -> Any:
    """z[t, d] <= z[t, d - 1]: the precedence."""
    return pyo.Constraint.Skip if d == 1 else model.z[t, d] <= model.z[t, d - 1]


def capacity(model: Any, t: int) -> Any:
    """Sum of x[v, t] over v <= C."""
    return pyo.quicksum(model.x[v, t] for v in model.units) <= model.C


def at_hand(model: Any, v: int, t: int) -> Any:
    """x[v, t] <= x[v, t - 1] unless request t - 1 read v; at first the initial cache is there."""
    if t == 1:
        return model.x[v, t] <= int(v in model.begun)
    return pyo.Constraint.Skip if v in model.path[t - 2] else model.x[v, t] <= model.x[v, t - 1]


def running(model: Any, v: int, t: int) -> Any:
    """x[v, t] = 1 for the paths of requests that run."""
    return model.x[v, t] == 1 if v in model.exempt[t - 1] else pyo.Constraint.Skip


def closed(model: Any, v: int, t: int) -> Any:
    """x[v, t] <= x of its parent."""
    return pyo.Constraint.Skip if model.parent[v] < 0 else model.x[v, t] <= model.x[model.parent[v], t]


def states_of(model: Any) -> list[set[int]]:
    """Return what the cache holds before each request in a solved model, by rounding."""
    return [{v for v in model.units if pyo.value(model.x[v, t]) > 1 / 2} for t in model.steps]
