"""The best schedule in Pyomo, all that must hold written down once more, as the texts on scheduling have it.

Sets: tasks j, servers s, times t = 0 ... T. Variables: x[j, s, t, h], task j starts on server s at t and finds its
prefix there (h = 1) or fills it (h = 0); C[a], when application a is done. An end is the start and what the task
takes. The relaxation is weaker than that of `teltheory.optimal.schedules.program`.
"""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo

from teltheory.optimal.schedules.problem import PlacedTask, Plan, Scheduling


def schedule_model(problem: Scheduling, horizon: int) -> Any:
    """Build the problem for plans that end by a horizon."""
    model = pyo.ConcreteModel()
    model.problem, model.T = problem, horizon
    model.tasks, model.servers = range(len(problem.tasks)), range(len(problem.servers))
    model.columns = pyo.Set(dimen=4, initialize=list(_columns(problem, horizon)))
    model.x = pyo.Var(model.columns, domain=pyo.Binary)
    model.C = pyo.Var(range(len(problem.arrivals)), bounds=(0, horizon))
    model.last = pyo.Var(bounds=(0, horizon))
    model.cost = pyo.Objective(rule=cost)
    model.once = pyo.Constraint(model.tasks, rule=once)
    model.done = pyo.Constraint(model.tasks, rule=done)
    pairs = [(i, j) for j, task in enumerate(problem.tasks) for i in task.after]
    model.follows = pyo.Constraint(pairs, rule=follows)
    model.capacity = pyo.Constraint(model.servers, range(horizon), rule=capacity)
    model.prefix = pyo.Constraint(model.columns, rule=prefix)
    model.makespan = pyo.Constraint(model.tasks, rule=lambda model, j: ending(model, j) <= model.last)
    return model


def _columns(problem: Scheduling, horizon: int) -> Any:
    for j, task in enumerate(problem.tasks):
        for s in range(len(problem.servers)):
            for h in (0,) if task.prefix is None else (0, 1):
                for t in range(problem.arrivals[task.application], horizon - problem.time(j, s, bool(h)) + 1):
                    yield j, s, t, h


def cost(model: Any) -> Any:
    """Sum of C[a] less the arrivals over applications with tasks, or the last end."""
    problem = model.problem
    if problem.goal == "makespan":
        return model.last
    apps = {task.application for task in problem.tasks}
    return pyo.quicksum(model.C[a] - problem.arrivals[a] for a in apps)


def once(model: Any, j: int) -> Any:
    """Sum of x[j, s, t, h] = 1."""
    return pyo.quicksum(model.x[key] for key in model.columns if key[0] == j) == 1


def starting(model: Any, j: int) -> Any:
    """Sum of t x[j, s, t, h]."""
    return pyo.quicksum(key[2] * model.x[key] for key in model.columns if key[0] == j)


def ending(model: Any, j: int) -> Any:
    """Sum of (t + what j takes) x[j, s, t, h]."""
    time = model.problem.time
    keys = (key for key in model.columns if key[0] == j)
    return pyo.quicksum((t + time(j, s, bool(h))) * model.x[j, s, t, h] for _, s, t, h in keys)


def done(model: Any, j: int) -> Any:
    """C[a] >= the end of each task of a."""
    return model.C[model.problem.tasks[j].application] >= ending(model, j)


def follows(model: Any, i: int, j: int) -> Any:
    """Make the start of j no earlier than the end of i."""
    return starting(model, j) >= ending(model, i)


def capacity(model: Any, s: int, t: int) -> Any:
    """Tokens of what runs on s at t <= the server's capacity."""
    problem = model.problem
    there = [
        problem.tasks[key[0]].tokens * model.x[key]
        for key in model.columns
        if key[1] == s and key[2] <= t < key[2] + problem.time(key[0], s, bool(key[3]))
    ]
    return pyo.quicksum(there) <= problem.servers[s].capacity if there else pyo.Constraint.Skip


def prefix(model: Any, j: int, s: int, t: int, h: int) -> Any:
    """x[j, s, t, 1] <= starts on s that have filled the prefix by t."""
    if not h:
        return pyo.Constraint.Skip
    problem = model.problem
    mine = problem.tasks[j].prefix
    fill = problem.servers[s].pace * problem.prefixes[mine]
    fillers = (
        model.x[i, s, u, 0]
        for i, server, u, found in model.columns
        if server == s and not found and problem.tasks[i].prefix == mine and u + fill <= t
    )
    return model.x[j, s, t, h] <= pyo.quicksum(fillers)


def plan_of(model: Any) -> Plan:
    """Return the plan of a solved model, by rounding."""
    chosen = {key[0]: PlacedTask(key[1], key[2]) for key in model.columns if pyo.value(model.x[key]) > 1 / 2}
    return tuple(chosen[j] for j in model.tasks)
