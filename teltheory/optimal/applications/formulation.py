"""The hindsight problem of applications in Pyomo, conversation by conversation and step by step.

It is (1)-(5) of Zhang et al. 2025 with another objective. Sets: conversations i, steps t = 1 ... n, one turn a
step. Variables: x[i, t], the cached prefix of i at the start of step t; d[t], the most that a path up to turn t
computes; u[a], the excess of an application.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyomo.environ as pyo

from teltheory.model.applications import ApplicationTrace, Measure
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray
from teltheory.optimal.certificate import check_kept


def application_model(apps: ApplicationTrace, instance: Instance, xi: Sequence[int], measure: Measure) -> Any:
    """Build the problem of an instance."""
    model, code = pyo.ConcreteModel(), apps.trace.code.tolist()
    model.n, model.C, model.forced = len(apps), instance.capacity, instance.forced
    model.conversations, model.steps = pyo.RangeSet(0, max(code)), pyo.RangeSet(1, model.n)
    model.applications = pyo.RangeSet(0, apps.applications - 1)
    model.theta = dict(enumerate(code, start=1))
    columns = {"total": instance.total, "past": instance.past, "h": instance.history}
    for name, column in columns.items():
        setattr(model, name, dict(enumerate(column.tolist(), start=1)))
    model.x = pyo.Var(model.conversations, model.steps, domain=pyo.NonNegativeIntegers)
    model.u = pyo.Var(model.applications, domain=pyo.NonNegativeReals)
    model.excess = pyo.Objective(expr=pyo.quicksum(model.u[a] for a in model.applications))
    model.capacity = pyo.Constraint(model.steps, rule=capacity)
    model.kept = pyo.Constraint(model.conversations, model.steps, rule=kept)
    model.reused = pyo.Var(model.steps, domain=pyo.NonNegativeReals)
    model.cut_to_history = pyo.Constraint(model.steps, rule=lambda m, t: m.reused[t] <= m.h[t])
    model.found = pyo.Constraint(model.steps, rule=lambda m, t: m.reused[t] <= m.x[m.theta[t], t])
    (_sums if measure == "sum" else _paths)(model, apps, xi)
    return model


def capacity(model: Any, t: int) -> Any:
    """Sum of x[i, t] over i <= C."""
    return pyo.quicksum(model.x[i, t] for i in model.conversations) <= model.C


def kept(model: Any, i: int, t: int) -> Any:
    """x[i, t] <= x[i, t - 1], or the past after turn t - 1 of i (forced: all of it); nothing is there at first."""
    if t == 1:
        return model.x[i, t] <= 0
    if model.theta[t - 1] != i:
        return model.x[i, t] <= model.x[i, t - 1]
    return model.x[i, t] == model.past[t - 1] if model.forced else model.x[i, t] <= model.past[t - 1]


def _sums(model: Any, apps: ApplicationTrace, xi: Sequence[int]) -> None:
    def above(m: Any, a: int) -> Any:
        return m.u[a] >= pyo.quicksum(m.total[k + 1] - m.reused[k + 1] for k in apps.turns[a]) - xi[a]

    model.above = pyo.Constraint(model.applications, rule=above)


def _paths(model: Any, apps: ApplicationTrace, xi: Sequence[int]) -> None:
    model.d = pyo.Var(model.steps, domain=pyo.NonNegativeReals)
    model.edges = pyo.Set(dimen=2, initialize=[(j, k) for k, js in enumerate(apps.before) for j in (*js, -1)])

    def longer(m: Any, j: int, k: int) -> Any:
        return m.d[k + 1] >= (0 if j < 0 else m.d[j + 1]) + m.total[k + 1] - m.reused[k + 1]

    model.longer = pyo.Constraint(model.edges, rule=longer)
    owner = apps.application.tolist()
    model.above = pyo.Constraint(model.steps, rule=lambda m, t: m.u[owner[t - 1]] >= m.d[t] - xi[owner[t - 1]])


def reused_in(model: Any, instance: Instance) -> IntArray:
    """Return what each turn reuses in a solved model; `CertificateError` if it can't be kept."""
    held = [round(pyo.value(model.x[model.theta[t], t])) for t in model.steps]
    reused = np.minimum(np.array(held, np.int64), instance.history)
    check_kept(reused, instance)
    return reused
