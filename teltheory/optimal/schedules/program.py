"""The best schedule as a program in whole numbers, indexed by time, in plain arrays.

x[j, s, t, h] = 1 if task j starts on server s at time t and finds its prefix filled (h = 1) or fills it (h = 0);
z[a, t] = 1 if application a is done by t. With horizon T no application is done later, and with the work of a
prefix left out at h = 1 it is

    max  sum of z                           (an application's end is the number of times t < T with z[a, t] = 0)
    sum of x[j, ...] = 1                    for each task,
    z[a, t] <= starts of j that end by t    for each task j of a,
    starts of j by t <= starts of i that end by t         if j follows i,
    tokens of what runs on s at t <= capacity,
    x[j, s, t, 1] <= starts on s that fill the prefix by t.

For the makespan all tasks are of one application that arrives at 0. No plan is lost: a task that starts while its
prefix is being filled can as well start when it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from teltheory.model.numbers import IntArray
from teltheory.optimal.schedules.bounds import applications_of
from teltheory.optimal.schedules.problem import PlacedTask, Plan, Scheduling


class TaskStart(NamedTuple):
    """A column: a task starts on a server at a time and ends then; whether it finds its prefix."""

    task: int
    server: int
    time: int
    end: int
    finds: bool


class ColumnsRow(NamedTuple):
    """Columns with their numbers, and what their sum is at most."""

    columns: list[int]
    numbers: list[int]
    most: int


@dataclass(frozen=True)
class Program:
    """Columns x, then z; all rows are "at most", a row for "one start" is there with both signs."""

    problem: Scheduling
    horizon: int

    @cached_property
    def starts(self) -> list[TaskStart]:
        """The columns x."""
        found = []
        for j, task in enumerate(self.problem.tasks):
            for s in range(len(self.problem.servers)):
                for finds in (False,) if task.prefix is None else (False, True):
                    takes = self.problem.time(j, s, finds)
                    first = self.problem.arrivals[task.application]
                    times = range(first, self.horizon - takes + 1) if self.problem.fits(j, s) else ()
                    found += [TaskStart(j, s, t, t + takes, finds) for t in times]
        return found

    @cached_property
    def done(self) -> dict[tuple[int, int], int]:
        """The columns z by application and time."""
        apps = applications_of(self.problem)
        pairs = [(a, t) for a in apps for t in range(self.horizon)]
        return {pair: len(self.starts) + k for k, pair in enumerate(pairs)}

    @property
    def worth(self) -> IntArray:
        """What each column is worth: 1 for z."""
        return np.repeat(np.array([0, 1], np.int64), [len(self.starts), len(self.done)])

    @property
    def most(self) -> int:
        """What a plan costs if no application is done before the horizon."""
        if self.problem.goal == "makespan":
            return self.horizon
        return sum(self.horizon - self.problem.arrivals[a] for a in applications_of(self.problem))

    def matrix(self) -> tuple[csc_array, IntArray]:
        """Return the rows and their right sides."""
        rows = list(self._rows())
        counts = [len(row.columns) for row in rows]
        index = np.array([k for row in rows for k in row.columns], np.int64)
        value = np.array([number for row in rows for number in row.numbers], np.float64)
        shape = (len(rows), len(self.worth))
        sides = np.array([row.most for row in rows], np.int64)
        return csc_array((value, (np.repeat(np.arange(len(rows)), counts), index)), shape=shape), sides

    def plan(self, values: Iterator[float]) -> Plan:
        """Return the plan of a point, by rounding."""
        one = {start.task: start for start, value in zip(self.starts, values, strict=False) if value > 1 / 2}
        return tuple(PlacedTask(one[j].server, one[j].time) for j in sorted(one))

    def _rows(self) -> Iterator[ColumnsRow]:
        of_task: dict[int, list[int]] = defaultdict(list)
        for k, start in enumerate(self.starts):
            of_task[start.task].append(k)
        for columns in of_task.values():
            yield ColumnsRow(columns, [1] * len(columns), 1)
            yield ColumnsRow(columns, [-1] * len(columns), -1)
        yield from self._ends(of_task)
        yield from self._follows(of_task)
        yield from self._rooms()
        yield from self._prefixes()

    def _ends(self, of_task: dict[int, list[int]]) -> Iterator[ColumnsRow]:
        for a, tasks in applications_of(self.problem).items():
            for t in range(self.horizon):
                for j in tasks:
                    ended = [k for k in of_task[j] if self.starts[k].end <= t]
                    yield ColumnsRow([self.done[a, t], *ended], [1] + [-1] * len(ended), 0)

    def _follows(self, of_task: dict[int, list[int]]) -> Iterator[ColumnsRow]:
        for j, task in enumerate(self.problem.tasks):
            for i in task.after:
                for t in range(self.horizon):
                    begun = [k for k in of_task[j] if self.starts[k].time <= t]
                    ended = [k for k in of_task[i] if self.starts[k].end <= t]
                    if begun and len(ended) < len(of_task[i]):
                        yield ColumnsRow(begun + ended, [1] * len(begun) + [-1] * len(ended), 0)

    def _rooms(self) -> Iterator[ColumnsRow]:
        there: dict[tuple[int, int], list[int]] = defaultdict(list)
        for k, start in enumerate(self.starts):
            for t in range(start.time, start.end):
                there[start.server, t].append(k)
        for (server, _), columns in there.items():
            tokens = [self.problem.tasks[self.starts[k].task].tokens for k in columns]
            yield ColumnsRow(columns, tokens, self.problem.servers[server].capacity)

    def _prefixes(self) -> Iterator[ColumnsRow]:
        filling: dict[tuple[int, int | None], list[tuple[int, int]]] = defaultdict(list)
        for k, start in enumerate(self.starts):
            prefix, pace = self.problem.tasks[start.task].prefix, self.problem.servers[start.server].pace
            if prefix is not None and not start.finds:
                filling[start.server, prefix].append((k, start.time + pace * self.problem.prefixes[prefix]))
        for k, start in enumerate(self.starts):
            if start.finds:
                key = start.server, self.problem.tasks[start.task].prefix
                by_then = [i for i, filled in filling[key] if filled <= start.time]
                yield ColumnsRow([k, *by_then], [1] + [-1] * len(by_then), 0)
