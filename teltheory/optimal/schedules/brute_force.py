"""The least cost of tiny schedules by trying everything that can be started at every unit of time.

This is the judge of everything else in this folder, so it shares nothing with it but the problem, and it is
written from the problem's description.

1. At a time, what ended is done; any of the tasks that can start may start on any server that has room, or wait.
2. Then a unit of time passes. It costs 1 for each application that has arrived and is not done, or 1 in all.
3. All data are whole, so that starts at whole times are enough: in a plan each task in the order of the starts can
   begin as soon as the ones before it let it, at a sum of whole numbers, and no end becomes later.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from teltheory.optimal.schedules.problem import Scheduling


class _Now(NamedTuple):
    """The time, what waits, (task, server, end) of what runs, (server, prefix, time) of what is filled."""

    time: int
    waiting: frozenset[int]
    running: frozenset[tuple[int, int, int]]
    kept: frozenset[tuple[int, int, int]]


def least_cost(problem: Scheduling) -> int:
    """Return what the best plan costs; for some four tasks of a few units."""

    @cache
    def least(now: _Now) -> int:
        if not now.waiting and not now.running:
            return 0
        return min(
            _unit(problem, then) + least(_later(then))
            for then in _started(problem, now, tuple(sorted(now.waiting)))
            if then.running or any(time > then.time for time in problem.arrivals)
        )

    return least(_Now(0, frozenset(range(len(problem.tasks))), frozenset(), frozenset()))


def _unit(problem: Scheduling, now: _Now) -> int:
    """Return what the next unit of time costs."""
    if problem.goal == "makespan":
        return 1
    left = {problem.tasks[j].application for j in (*now.waiting, *(j for j, _, _ in now.running))}
    return sum(problem.arrivals[app] <= now.time for app in left)


def _later(now: _Now) -> _Now:
    time = now.time + 1
    return now._replace(time=time, running=frozenset(one for one in now.running if one[2] > time))


def _started(problem: Scheduling, now: _Now, left: tuple[int, ...]) -> Iterator[_Now]:
    """Yield what can be started of the tasks that are left, nothing first."""
    if not left:
        yield now
        return
    j, *rest = left
    yield from _started(problem, now, tuple(rest))
    task, here = problem.tasks[j], {i for i, _, _ in now.running} | now.waiting
    if problem.arrivals[task.application] > now.time or here.intersection(task.after):
        return
    for number, server in enumerate(problem.servers):
        used = sum(problem.tasks[i].tokens for i, where, _ in now.running if where == number)
        if used + task.tokens <= server.capacity:
            yield from _started(problem, _with(problem, now, j, number), tuple(rest))


def _with(problem: Scheduling, now: _Now, j: int, number: int) -> _Now:
    """Start a task on a server."""
    task, pace, begin, kept = problem.tasks[j], problem.servers[number].pace, now.time, now.kept
    if task.prefix is not None:
        here = [filled for server, prefix, filled in kept if (server, prefix) == (number, task.prefix)]
        filled = here[0] if here else now.time + pace * problem.prefixes[task.prefix]
        begin, kept = max(begin, filled), kept | {(number, task.prefix, filled)}
    end = begin + pace * task.work
    return _Now(now.time, now.waiting - {j}, now.running | {(j, number, end)}, kept)
