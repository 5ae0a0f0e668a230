"""Algorithm 1 and FindEngine in one call: what is kept together, what fits, who waits.

Small queues on small engines: 4 tokens for throughput, 2 for latency. A member of a task group counts as
throughput where capacity is asked for: its group is what is urgent.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from proofs_checks.parrot.origins import PAPER
from teltheory.claims.claim import Values, rows
from teltheory.claims.listed import Listed, ToldCase, told
from teltheory.claims.origin import OURS, reading
from teltheory.claims.worlds import Given
from teltheory.optimal.schedules import Scheduling, Task, TaskServer
from teltheory.systems.apps.algorithm_1 import EngineView, Job, algorithm_1, find_engine
from teltheory.systems.apps.schedules import by_algorithm_1

row = rows(source="Application-centric scheduling (Parrot, Section 5.4)")
THROUGHPUT, LATENCY = 4, 2
KINDS = (("throughput", False), ("latency", False), ("latency", True))
STATES = ((0, None), (1, "latency"), (2, "latency"), (1, "throughput"), (3, "throughput"))
Waits: TypeAlias = tuple[str, int, bool]
Busy: TypeAlias = tuple[int, str | None]


@dataclass(frozen=True)
class Queue(ToldCase):
    """What waits (label, tokens, whether it is of the task group), and what engines hold (tokens, label)."""

    jobs: tuple[Waits, ...]
    engines: tuple[Busy, ...]

    def measures(self) -> dict[str, int]:
        """Return jobs, engines and tokens."""
        tokens = sum(one[1] for one in self.jobs) + sum(one[0] for one in self.engines)
        return {"jobs": len(self.jobs), "engines": len(self.engines), "tokens": tokens}

    def queue(self) -> list[Job]:
        """Return the jobs, each of its own application but for the group's."""
        return [
            Job(k, 0 if grouped else k + 1, label, tokens, "group" if grouped else None)
            for k, (label, tokens, grouped) in enumerate(self.jobs)
        ]

    def views(self) -> list[EngineView]:
        """Return the engines."""
        return [
            EngineView(str(k), THROUGHPUT, LATENCY, used, label) for k, (used, label) in enumerate(self.engines)
        ]

    def group(self) -> list[int]:
        """Return the members of the task group."""
        return [k for k, (_, _, grouped) in enumerate(self.jobs) if grouped]


def queues(most: int) -> Iterator[Iterator[Queue]]:
    """Yield queues of up to so many jobs on one or two engines."""
    every = [(label, tokens, grouped) for tokens in (1, 2, 3) for label, grouped in KINDS]
    for count, engines in product(range(1, most + 1), (1, 2)):
        cases = product(product(every, repeat=count), product(STATES, repeat=engines))
        yield (Queue(*one) for one in cases)


NOTE = "up to {} jobs of 1 to 3 tokens on 1 or 2 engines of 4 tokens, 2 for latency"
SMALL = Listed(queues, 2, 3, NOTE)


@row(
    "parrot.algorithm.group",
    "A task group that some engine could hold is placed on one engine in one call, or waits as a whole.",
    relation=lambda of: of["placed"] in (0, of["members"]) and of["engines"] <= 1,
    space=SMALL,
    origin=reading("a group waits for room if an engine could run it whole"),
)
def group(case: Queue) -> Values | None:
    """Count the members that are placed, and their engines."""
    members = case.group()
    if len(members) < 2 or sum(case.jobs[k][1] for k in members) > THROUGHPUT:
        return None
    placed = [at for key, at in algorithm_1(case.queue(), case.views()) if key in members]
    return {"members": len(members), "placed": len(placed), "engines": len(set(placed))}


@row(
    "parrot.algorithm.capacity",
    "No engine gets beyond the capacity of the strictest label on it, but by one request alone.",
    relation=lambda of: not of["beyond"],
    space=SMALL,
    origin=PAPER,
)
def capacity(case: Queue) -> Values:
    """Return engines that got something and hold too much."""
    beyond = []
    found = algorithm_1(case.queue(), case.views())
    for at, (used, label) in enumerate(case.engines):
        new = [case.jobs[int(str(key))] for key, place in found if place == at]
        strict = label == "latency" or any(name == "latency" and not grouped for name, _, grouped in new)
        tokens, room = used + sum(one[1] for one in new), LATENCY if strict else THROUGHPUT
        if new and tokens > room and not (len(new) == 1 and label is None and tokens <= THROUGHPUT):
            beyond.append([at, tokens, room])
    return {"beyond": beyond}


@row(
    "parrot.algorithm.find-engine",
    "FindEngine: a latency request goes to an engine that runs one already, if it has room, rather than to one "
    "that it cuts from 64,000 tokens to 2,000.",
    relation=lambda of: of["goes to"] in of["engines with latency requests and room"],
    space=SMALL,
    origin=PAPER,
)
def find(case: Queue) -> Values | None:
    """Find the engine of the first request, if it is for latency."""
    job = case.queue()[0]
    quiet = [
        at for at, (used, label) in enumerate(case.engines) if label == "latency" and used + job.tokens <= LATENCY
    ]
    if job.label != "latency" or job.group is not None or not quiet:
        return None
    return {"goes to": find_engine(job, case.views()), "engines with latency requests and room": quiet}


@dataclass(frozen=True)
class Golden(ToldCase):
    """Jobs on four engines, and how many ParrotServe's own tests find on each."""

    name: str
    jobs: tuple[Job, ...]
    engines: tuple[int, ...]

    def measures(self) -> dict[str, int]:
        """Return the number of jobs."""
        return {"jobs": len(self.jobs)}

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return its name and the values."""
        return told({"name": self.name, "values": values})


def jobs(count: int, label: str, **facts: Any) -> tuple[Job, ...]:
    """Return jobs of 500 tokens, each of its own application."""
    return tuple(Job(k, k, label, 500, **facts) for k in range(count))


GOLDEN = (
    Golden("a task group of 16", jobs(16, "latency", group="maps"), (16, 0, 0, 0)),
    Golden("8 for throughput", jobs(8, "throughput"), (8, 0, 0, 0)),
    Golden("8 for latency", jobs(8, "latency"), (4, 4, 0, 0)),
)
PREFIXES = tuple(Job(k, k, "throughput", 15_000, prefixes=((k % 4, 14_000),)) for k in range(8))


def on_each(case: Golden) -> Values:
    """Count the jobs on each engine."""
    views = [EngineView(str(k)) for k in range(4)]
    places = Counter(at for _, at in algorithm_1(case.jobs, views, ties="pack"))
    return {"on each engine": [places[at] for at in range(4)], "in ParrotServe's tests": list(case.engines)}


golden = row(
    "parrot.algorithm.golden",
    "A task group of 16 is on one engine of four; 8 throughput requests are on one; 8 latency requests of 500 "
    "tokens are on two, 4 on each.",
    relation=lambda of: of["on each engine"] == of["in ParrotServe's tests"],
    space=Given(GOLDEN, "the cases of ParrotServe's own tests"),
    origin=reading("ties go to the engine with the least room"),
)(on_each)


@row(
    "parrot.algorithm.prefixes",
    "Requests with four prefixes, one after the other, are on four engines, those of one prefix on one.",
    relation=lambda of: of["engines"] == [[0, 4], [1, 5], [2, 6], [3, 7]],
    space=Given((Golden("8 requests with 4 prefixes", PREFIXES, (2, 2, 2, 2)),), "8 requests, 4 engines"),
    origin=reading("ties go to the engine with the fewest tokens"),
)
def prefixes(case: Golden) -> Values:
    """Return who is on each engine."""
    found = algorithm_1(case.jobs, [EngineView(str(k)) for k in range(4)])
    return {"engines": [sorted(int(str(key)) for key, at in found if at == k) for k in range(4)]}


@dataclass(frozen=True)
class Stream(ToldCase):
    """So many small requests that keep coming while one waits that needs a whole engine."""

    small: int

    def problem(self) -> Scheduling:
        """Return the problem: a small one of 2 units at each unit of time, the large one after the first."""
        tasks = [Task(0, 2), Task(1, 1, tokens=2), *(Task(2 + k, 2) for k in range(self.small))]
        return Scheduling.of(tasks, [TaskServer(1, 2)], arrivals=[0, 0, *range(1, self.small + 1)])


def streams(most: int) -> Iterator[Iterator[Stream]]:
    """Yield streams by their length."""
    return (iter([Stream(count)]) for count in range(1, most + 1))


@row(
    "parrot.algorithm.starvation",
    "One that needs a whole engine starves: all small ones that keep coming go first, even if no more than 32 "
    "may be passed over in a call. If none may be, none of them does.",
    relation=lambda of: of["no limit"] == of["32 in a call"] == of["small ones"] and of["none"] == 0,
    space=Listed(streams, 20, 50, "1 to {} small requests"),
    origin=OURS,
)
def starvation(case: Stream) -> Values:
    """Count the later requests that start before the large one."""
    ways: dict[str, int | None] = {"no limit": None, "32 in a call": 32, "none": 0}
    plans = {name: by_algorithm_1(case.problem(), lookahead=limit) for name, limit in ways.items()}
    before = {name: sum(one.start < plan[1].start for one in plan[2:]) for name, plan in plans.items()}
    return {"small ones": case.small, **before}
