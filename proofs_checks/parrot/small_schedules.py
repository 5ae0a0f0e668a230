"""Small applications on engines in whole units of time: the cases of the rows, smallest first."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import combinations, product
from typing import Any, Literal

from proofs_checks.tiers.chains import Row, compositions
from teltheory.claims.claim import Enumerated
from teltheory.claims.listed import ToldCase, told
from teltheory.optimal.schedules import Scheduling, Task, TaskServer
from teltheory.optimal.schedules.bounds import least_by_chains
from teltheory.optimal.schedules.brute_force import least_cost
from teltheory.optimal.schedules.problem import Goal

Edges = Literal["none", "chains", "any"]


@dataclass(frozen=True)
class World(ToldCase):
    """A problem of scheduling."""

    problem: Scheduling

    def measures(self) -> dict[str, int]:
        """Return tasks, applications, and units of work."""
        tasks = self.problem.tasks
        work = sum(task.work for task in tasks)
        return {"tasks": len(tasks), "applications": len({task.application for task in tasks}), "work": work}

    def size(self) -> tuple[Any, ...]:
        """Return tasks, applications, work, then engines, edges, prefixes, tokens and arrivals."""
        tasks, servers = self.problem.tasks, self.problem.servers
        edges = sum(len(task.after) for task in tasks)
        tokens, prefixes = sum(task.tokens for task in tasks), self.problem.prefixes
        rest = (len(servers), edges, len(prefixes), sum(prefixes), tokens, self.problem.arrivals)
        return (*self.measures().values(), *rest, servers, repr(tasks))

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the problem with its values; a task has only what is not the default."""
        tasks = [_told(task) for task in self.problem.tasks]
        facts: dict[str, Any] = {"tasks": tasks, "engines": [engine._asdict() for engine in self.problem.servers]}
        facts |= {"prefixes": self.problem.prefixes} if self.problem.prefixes else {}
        facts |= {"arrivals": self.problem.arrivals} if any(self.problem.arrivals) else {}
        return told({**facts, "values": values})


@dataclass(frozen=True)
class SmallSchedules(Enumerated):
    """All tasks of up to so many units of work each, by the number of tasks.

    Attributes
    ----------
    quick, full : mapping of int to int
        Most work of a task, by the number of tasks.
    clusters : tuple of tuple of Server
        The engines that are tried.
    edges : {"none", "chains", "any"}
        What tasks follow: nothing, the one before in their application, or any before in it.
    prefixes : tuple of int
        Work of each prefix; a task begins with one of them or none.
    tokens : int
        Most tokens of a task, where a cluster can hold them.
    arrivals : int
        Last time at which an application arrives.
    goal : {"latency", "makespan"}
        What a plan costs.
    """

    quick: Mapping[int, int]
    full: Mapping[int, int]
    clusters: tuple[tuple[TaskServer, ...], ...]
    edges: Edges = "any"
    prefixes: Row = ()
    tokens: int = 1
    arrivals: int = 0
    goal: Goal = "latency"

    def classes(self, effort: str) -> Iterator[Iterator[World]]:
        """Yield the cases by tasks, applications and work."""
        for count, most in getattr(self, effort).items():
            for apps in range(1, count + 1):
                for work in range(count, count * most + 1):
                    yield self._cases(count, apps, work, most)

    def bounds(self, effort: str) -> dict[str, Any]:
        """Return what is enumerated, in words."""
        most = ", ".join(f"{count}: {work}" for count, work in getattr(self, effort).items())
        engines = " or ".join(" and ".join(_engine(one) for one in cluster) for cluster in self.clusters)
        few = [f"tasks follow {'nothing' if self.edges == 'none' else self.edges}", f"engines {engines}"]
        few += [f"prefixes of {', '.join(map(str, self.prefixes))}"] if self.prefixes else []
        few += [f"up to {self.tokens} tokens"] if self.tokens > 1 else []
        few += [f"arrivals up to {self.arrivals}"] if self.arrivals else []
        return {"cases": "; ".join([f"most work of a task by number of tasks {most}", *few])}

    def _cases(self, count: int, apps: int, work: int, most: int) -> Iterator[World]:
        labels = [
            one for one in product(range(apps), repeat=count) if list(dict.fromkeys(one)) == list(range(apps))
        ]
        works = [tuple(1 + one for one in ones) for ones in compositions(work - count, count) if max(ones) < most]
        choices = (None, *range(len(self.prefixes)))
        begins = [one for one in product(choices, repeat=count) if self._used(one)]
        sizes = list(product(range(1, self.tokens + 1), repeat=count))
        times = [(0, *one) for one in product(range(self.arrivals + 1), repeat=apps - 1)]
        for label, some, prefix, size, arrival in product(labels, works, begins, sizes, times):
            for after in self._afters(label):
                tasks = tuple(map(Task, label, some, after, prefix, size))
                if list(arrival) == sorted(arrival):
                    yield from self._clustered(tasks, arrival)

    def _clustered(self, tasks: tuple[Task, ...], arrival: Row) -> Iterator[World]:
        for cluster in self.clusters:
            if max(task.tokens for task in tasks) <= max(server.capacity for server in cluster):
                yield World(Scheduling(tasks, cluster, self.prefixes, arrival, self.goal))

    def _used(self, chosen: tuple[int | None, ...]) -> bool:
        """Whether each prefix is used by two tasks or more, and they are numbered by their first use."""
        first = [one for one in dict.fromkeys(chosen) if one is not None]
        alike = len(set(self.prefixes)) < len(self.prefixes)
        often = all(chosen.count(one) > 1 for one in range(len(self.prefixes)))
        return often and (first == sorted(first) or not alike)

    def _afters(self, label: Row) -> Iterator[tuple[Row, ...]]:
        before = [[i for i in range(k) if label[i] == app] for k, app in enumerate(label)]
        if self.edges == "none":
            return iter([tuple(() for _ in label)])
        if self.edges == "chains":
            return iter([tuple(tuple(earlier[-1:]) for earlier in before)])
        return product(*([one for n in range(len(some) + 1) for one in combinations(some, n)] for some in before))


def one_engine(capacity: int) -> tuple[tuple[TaskServer, ...], ...]:
    """Return the cluster of one engine."""
    return ((TaskServer(1, capacity),),)


ONE, TWO = one_engine(1), ((TaskServer(), TaskServer()),)
"""One engine, and two, each with room for one task."""


@cache
def least(problem: Scheduling, upper: int) -> int:
    """Return what the best plan costs, by trying everything, unless a known plan costs what chains prove."""
    return upper if upper == least_by_chains(problem) else least_cost(problem)


def unshared(problem: Scheduling) -> Scheduling:
    """Return the same tasks if each fills its own prefix."""
    alone = (
        replace(task, work=task.work + (0 if task.prefix is None else problem.prefixes[task.prefix]), prefix=None)
        for task in problem.tasks
    )
    return replace(problem, tasks=tuple(alone), prefixes=())


def _told(task: Task) -> dict[str, Any]:
    plain = asdict(Task(task.application, task.work))
    always = ("application", "work")
    return {name: value for name, value in asdict(task).items() if name in always or value != plain[name]}


def _engine(server: TaskServer) -> str:
    return f"pace {server.pace}, room {server.capacity}"
