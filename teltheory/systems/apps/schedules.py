"""Algorithm 1 on whole units of time: it is asked at every arrival and end, and what it places starts at once.

All tasks are for throughput, or an engine's capacity is the same with latency requests on it and without; prefixes
that are kept take no room.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teltheory.optimal.schedules import Moment, Plan, Scheduling, by_order, cost_of, dispatched, ends_of
from teltheory.systems.apps.algorithm_1 import EngineView, Job, algorithm_1


def by_algorithm_1(problem: Scheduling, **readings: Any) -> Plan:
    """Return the plan that Algorithm 1 makes, by its readings; applications are in order of arrival."""
    how = {"sharing": False, **readings}

    def rule(moment: Moment) -> Sequence[tuple[int, int]]:
        queue = [_job(problem, j) for j in sorted(moment.waiting, key=lambda j: _order(problem, j))]
        return [(int(str(key)), at) for key, at in algorithm_1(queue, _views(moment), **how)]

    return dispatched(problem, rule)


def in_order_of_requests(problem: Scheduling) -> Plan:
    """Return the plan of first in, first out by requests, each in line from when it can start (the baseline's)."""
    since: dict[int, int] = {}

    def rule(moment: Moment) -> Sequence[tuple[int, int]]:
        for j in moment.waiting:
            since.setdefault(j, moment.time)
        line = sorted(moment.waiting, key=lambda j: (since[j], _order(problem, j)))
        return by_order(line)(moment)

    return dispatched(problem, rule)


def cost(problem: Scheduling, plan: Plan) -> int:
    """Return what a plan costs, counted again."""
    return cost_of(problem, ends_of(problem, plan))


def finished(problem: Scheduling, plan: Plan) -> list[int]:
    """Return when each application is done."""
    ends: dict[int, int] = {}
    for task, end in zip(problem.tasks, ends_of(problem, plan), strict=True):
        ends[task.application] = max(end, ends.get(task.application, 0))
    return [ends[app] for app in sorted(ends)]


def _order(problem: Scheduling, j: int) -> tuple[int, int, int]:
    app = problem.tasks[j].application
    return problem.arrivals[app], app, j


def _job(problem: Scheduling, j: int) -> Job:
    task = problem.tasks[j]
    prefixes = () if task.prefix is None else ((task.prefix, problem.prefixes[task.prefix]),)
    return Job(j, task.application, "throughput", task.tokens, prefixes=prefixes)


def _views(moment: Moment) -> list[EngineView]:
    """Return the engines as Algorithm 1 sees them."""
    return [
        EngineView(
            str(number),
            server.capacity,
            server.capacity,
            moment.used(number),
            "throughput" if moment.running[number] else None,
            len(moment.running[number]),
            speed=1 / server.pace,
            prefixes=frozenset(moment.filled[number]),
        )
        for number, server in enumerate(moment.problem.servers)
    ]
