"""Plans that are made as time goes: a rule says at every arrival and end what starts where.

1. What ends at a time has ended before anything starts at it; what arrives at it is there.
2. The rule is asked once at each such time, and then again as long as it starts something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from teltheory.errors import ArgumentError
from teltheory.optimal.schedules.problem import PlacedTask, Plan, Scheduling


@dataclass(frozen=True)
class Moment:
    """What a rule sees.

    Attributes
    ----------
    problem : Scheduling
        The problem.
    time : int
        Now.
    waiting : tuple of int
        Tasks that can start, by number.
    running : tuple of tuple of int
        Of each server the tasks that it holds, in the order of their starts.
    filled : tuple of dict
        Of each server, when its prefixes are filled.
    """

    problem: Scheduling
    time: int
    waiting: tuple[int, ...]
    running: tuple[tuple[int, ...], ...]
    filled: tuple[dict[int, int], ...]

    def used(self, server: int) -> int:
        """Return how many tokens a server holds."""
        return sum(self.problem.tasks[j].tokens for j in self.running[server])

    def end(self, task: int, server: int) -> int:
        """Return when a task would end that starts now on a server."""
        one, pace = self.problem.tasks[task], self.problem.servers[server].pace
        begin = self.time
        if one.prefix is not None:
            begin = max(
                begin, self.filled[server].get(one.prefix, begin + pace * self.problem.prefixes[one.prefix])
            )
        return begin + pace * one.work


Rule: TypeAlias = Callable[[Moment], Sequence[tuple[int, int]]]
"""What starts now: tasks with their servers, in order."""


class _Clock:
    """A dispatch under way."""

    def __init__(self, problem: Scheduling) -> None:
        self.problem = problem
        self.placed: dict[int, PlacedTask] = {}
        self.ends: dict[int, int] = {}
        self.filled: tuple[dict[int, int], ...] = tuple({} for _ in problem.servers)

    def at(self, time: int) -> Moment:
        """Return what there is at a time."""
        tasks, arrivals = self.problem.tasks, self.problem.arrivals
        running: list[list[int]] = [[] for _ in self.problem.servers]
        for j, (server, _) in self.placed.items():
            if self.ends[j] > time:
                running[server].append(j)
        waiting = tuple(
            j
            for j, task in enumerate(tasks)
            if j not in self.placed
            and arrivals[task.application] <= time
            and all(self.ends.get(i, time + 1) <= time for i in task.after)
        )
        return Moment(self.problem, time, waiting, tuple(map(tuple, running)), self.filled)

    def start(self, moment: Moment, j: int, server: int) -> None:
        """Start a task."""
        if j not in moment.waiting or not self.problem.fits(j, server, moment.used(server)):
            raise ArgumentError(f"rule at {moment.time}", (j, server), "a task that waits and a server with room")
        task, pace = self.problem.tasks[j], self.problem.servers[server].pace
        self.ends[j], self.placed[j] = moment.end(j, server), PlacedTask(server, moment.time)
        if task.prefix is not None:
            self.filled[server].setdefault(task.prefix, moment.time + pace * self.problem.prefixes[task.prefix])


def dispatched(problem: Scheduling, rule: Rule) -> Plan:
    """Return the plan that a rule makes.

    Raises
    ------
    ArgumentError
        The rule starts what can't start, or leaves everything waiting for good.
    """
    clock, time = _Clock(problem), 0
    while len(clock.placed) < len(problem.tasks):
        while starts := rule(clock.at(time)):
            for j, server in starts:
                clock.start(clock.at(time), j, server)
        later = [moment for moment in (*problem.arrivals, *clock.ends.values()) if moment > time]
        if not later and len(clock.placed) < len(problem.tasks):
            raise ArgumentError("rule", f"nothing at {time}", "a start, as nothing runs and nobody comes")
        time = min(later, default=time)
    return tuple(clock.placed[j] for j in range(len(problem.tasks)))


def by_order(order: Sequence[int]) -> Rule:
    """Return the rule that starts what waits in an order, where it ends first of all servers that have room."""
    rank = {j: place for place, j in enumerate(order)}

    def first(moment: Moment) -> list[tuple[int, int]]:
        for j in sorted(moment.waiting, key=rank.__getitem__):
            rooms = [s for s in range(len(moment.running)) if moment.problem.fits(j, s, moment.used(s))]
            if rooms:
                return [(j, min(rooms, key=lambda server: (moment.end(j, server), server)))]
        return []

    return first
