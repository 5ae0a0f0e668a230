"""Requests of applications on engines in whole units of time: what Parrot's Algorithm 1 decides as it goes.

1. A task is a request. It can start when its application has arrived and all that it follows has ended.
2. A server is an engine. It holds tasks of no more tokens than its capacity at a time, each at full speed: a unit
   of work takes `pace` units of time.
3. A prefix is filled once on a server, from the first start there of a task that begins with it, and is kept. A
   task that starts meanwhile waits for it in its room:

       filled = first start + pace * length,      end = max(start, filled) + pace * work.

4. The latency of an application is its last end less its arrival. What a plan costs is the sum of the latencies,
   or the last end of all (the makespan).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number

Goal = Literal["latency", "makespan"]


@dataclass(frozen=True)
class Task:
    """A request.

    Attributes
    ----------
    application : int
        The application that it belongs to; applications are numbered from 0.
    work : int
        Units of work besides its prefix, 1 or more.
    after : tuple of int
        Tasks that it follows, all with smaller numbers.
    prefix : int or None
        The prefix that it begins with.
    tokens : int
        What it takes of a server's capacity while it is there.
    """

    application: int
    work: int
    after: tuple[int, ...] = ()
    prefix: int | None = None
    tokens: int = 1


class TaskServer(NamedTuple):
    """An engine: time for a unit of work, and tokens that it holds at a time."""

    pace: int = 1
    capacity: int = 1


@dataclass(frozen=True)
class Scheduling:
    """Tasks and servers. Make one with `Scheduling.of`.

    Attributes
    ----------
    tasks, servers : tuple of Task, tuple of Server
        What there is, by number.
    prefixes : tuple of int
        Work of each prefix.
    arrivals : tuple of int
        When each application arrives.
    goal : {"latency", "makespan"}
        What is to be least: the sum of the applications' latencies, or the last end.
    """

    tasks: tuple[Task, ...]
    servers: tuple[TaskServer, ...]
    prefixes: tuple[int, ...]
    arrivals: tuple[int, ...]
    goal: Goal

    @classmethod
    def of(
        cls,
        tasks: Sequence[Task],
        servers: Sequence[TaskServer] = (TaskServer(),),
        prefixes: Sequence[int] = (),
        arrivals: Sequence[int] | None = None,
        goal: Goal = "latency",
    ) -> Scheduling:
        """Make a problem; without `arrivals` all applications are there at 0.

        Raises
        ------
        ArgumentError
            A task that follows itself or a later one, an unknown prefix or application, a number below its least,
            a task that no server can hold.
        """
        apps = 1 + max((task.application for task in tasks), default=-1)
        times = [0] * apps if arrivals is None else list(arrivals)
        if len(times) < apps:
            raise ArgumentError("arrivals", times, f"one for each of {apps} applications")
        if goal not in ("latency", "makespan"):
            raise ArgumentError("goal", goal, "'latency' or 'makespan'")
        for server in servers:
            _positive("pace", server.pace)
            _positive("capacity", server.capacity)
        for number in (*prefixes, *times):
            whole_number("prefixes and arrivals", number)
        most = max((server.capacity for server in servers), default=0)
        for j, task in enumerate(tasks):
            _check(j, task, len(prefixes), most)
        return cls(tuple(tasks), tuple(servers), tuple(prefixes), tuple(times), goal)

    def time(self, task: int, server: int, filled: bool) -> int:
        """Return what a task takes on a server if its prefix is filled there, or if it fills it."""
        one, pace = self.tasks[task], self.servers[server].pace
        return pace * (one.work + (0 if filled or one.prefix is None else self.prefixes[one.prefix]))

    def fits(self, task: int, server: int, used: int = 0) -> bool:
        """Return whether a server that holds so many tokens has room for a task."""
        return used + self.tasks[task].tokens <= self.servers[server].capacity


class PlacedTask(NamedTuple):
    """Where and when a task starts."""

    server: int
    start: int


Plan: TypeAlias = tuple[PlacedTask, ...]
"""Of each task, by number."""


def ends_of(problem: Scheduling, plan: Plan) -> tuple[int, ...]:
    """Return when each task of a plan ends.

    Raises
    ------
    ArgumentError
        A task is missing, starts too early, or where there is no room.
    """
    if len(plan) != len(problem.tasks):
        raise ArgumentError("plan", len(plan), f"{len(problem.tasks)} tasks")
    for j, one in enumerate(plan):
        if one.server not in range(len(problem.servers)):
            raise ArgumentError(f"plan, task {j}", one.server, f"one of {len(problem.servers)} servers")
    ends = tuple(_end(problem, plan, j) for j in range(len(plan)))
    for j, (server, start) in enumerate(plan):
        task = problem.tasks[j]
        least = max([problem.arrivals[task.application], *(ends[i] for i in task.after)])
        if start < least:
            raise ArgumentError(f"plan, task {j}", start, f"a start at {least} or later")
        there = [i for i, one in enumerate(plan) if one.server == server and one.start <= start < ends[i]]
        used, room = sum(problem.tasks[i].tokens for i in there), problem.servers[server].capacity
        if used > room:
            raise ArgumentError(f"plan, server {server} at {start}", f"{used} tokens", f"{room} at most")
    return ends


def cost_of(problem: Scheduling, ends: Sequence[int]) -> int:
    """Return what a plan costs whose tasks end at these times."""
    if problem.goal == "makespan":
        return max(ends, default=0)
    last: dict[int, int] = {}
    for task, end in zip(problem.tasks, ends, strict=True):
        last[task.application] = max(end, last.get(task.application, 0))
    return sum(end - problem.arrivals[app] for app, end in last.items())


def _end(problem: Scheduling, plan: Plan, j: int) -> int:
    (server, start), prefix = plan[j], problem.tasks[j].prefix
    pace = problem.servers[server].pace
    if prefix is not None:
        same = (one.start for i, one in enumerate(plan) if one.server == server and prefix == _prefix(problem, i))
        start = max(start, min(same) + pace * problem.prefixes[prefix])
    return start + pace * problem.tasks[j].work


def _prefix(problem: Scheduling, j: int) -> int | None:
    return problem.tasks[j].prefix


def _check(j: int, task: Task, prefixes: int, most: int) -> None:
    place = f"task {j}"
    _positive(f"{place}, work", task.work)
    _positive(f"{place}, tokens", task.tokens)
    whole_number(f"{place}, application", task.application)
    if not all(0 <= i < j for i in task.after):
        raise ArgumentError(f"{place}, after", task.after, "tasks with smaller numbers")
    if task.prefix is not None and not 0 <= task.prefix < prefixes:
        raise ArgumentError(f"{place}, prefix", task.prefix, f"one of {prefixes} prefixes, or None")
    if task.tokens > most:
        raise ArgumentError(f"{place}, tokens", task.tokens, f"at most {most}, what the largest server holds")


def _positive(argument: str, value: int) -> None:
    if not whole_number(argument, value):
        raise ArgumentError(argument, value, "a whole number, 1 or more")
