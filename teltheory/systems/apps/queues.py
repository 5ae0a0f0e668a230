"""What waits for engines, and who begins now: Algorithm 1, ParrotServe's rules, or the shortest queue.

The server (`teltheory.systems.apps.executor`) and the simulator call the same code here.

The shortest queue: a request goes, when it arrives, to the engine of its model with the fewest requests that run
or wait, of several the first; each engine begins with them in order of arrival, as soon as the first of them fits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from teltheory.errors import ArgumentError
from teltheory.systems.apps.algorithm_1 import algorithm_1
from teltheory.systems.apps.deduction import check_reading, groups, labels, reached
from teltheory.systems.apps.graph import Graph
from teltheory.systems.apps.machine import EngineState
from teltheory.systems.apps.parrotserve import parrotserve
from teltheory.systems.apps.placing import EngineView
from teltheory.systems.apps.prefixes import Hashes
from teltheory.systems.apps.waiting import Job, WaitingJobs


class Deduced(NamedTuple):
    """What a graph and the gets say of its requests: labels, task groups, and each one's order."""

    labels: dict[int, str]
    groups: list[tuple[int, ...]]
    order: dict[int, int]


class PlacingRules(Protocol):
    """How requests are placed."""

    @property
    def sharing(self) -> bool:
        """Whether what running requests share counts once."""

    def deduced(self, graph: Graph, gets: Mapping[str, str]) -> Deduced:
        """Return what is known of the requests of an application before they are ready."""

    def waiting(self, job: Job) -> Job:
        """Return a job as it waits."""

    def placed(self, jobs: Sequence[Job], views: Sequence[EngineView]) -> list[tuple[Hashable, int]]:
        """Return who goes where now."""

    def binding(self, borders: Hashes) -> Hashes:
        """Return the prefixes that say where a request belongs."""


@dataclass(frozen=True)
class Placing:
    """Algorithm 1, see `algorithm_1`.

    `reading` is that of task groups, see `deduction.groups`. A prefix of fewer tokens than `worth` binds nobody.
    """

    affinity: bool = True
    groups: bool = True
    ties: str = "spread"
    reading: str = "stage"
    sharing: bool = True
    worth: int = 0
    idle: bool = False

    def __post_init__(self) -> None:
        """Refuse what is none of these before anything waits for it."""
        self.placed(WaitingJobs(), [])
        check_reading(self.reading)

    def deduced(self, graph: Graph, gets: Mapping[str, str]) -> Deduced:
        """Return the strictest labels, groups by `reading`, and the topological order."""
        found = labels(graph, gets)
        return Deduced(found, groups(graph, found, self.reading), {k: at for at, k in enumerate(graph.order)})

    def waiting(self, job: Job) -> Job:
        """Return a job as it is."""
        return job

    def placed(self, jobs: Sequence[Job], views: Sequence[EngineView]) -> list[tuple[Hashable, int]]:
        """Return who goes where now, by Algorithm 1."""
        places = self.affinity, self.groups, self.ties
        return algorithm_1(jobs, views, *places, sharing=self.sharing, idle=self.idle)

    def binding(self, borders: Hashes) -> Hashes:
        """Return the prefixes that say where a request belongs."""
        return tuple((name, length) for name, length in borders if length >= self.worth)


@dataclass(frozen=True)
class ParrotServe:
    """The rules of the program that Parrot's authors published, see `parrotserve`."""

    sharing = False

    def deduced(self, graph: Graph, gets: Mapping[str, str]) -> Deduced:
        """Return labels and groups by the get, and the consumer, that led there first; the deepest go first."""
        found = reached(graph, gets)
        together: dict[int | None, tuple[int, ...]] = {}
        for k, (consumer, _) in found.items():
            together[consumer] = (*together.get(consumer, ()), k)
        together.pop(None, None)
        order: dict[int, int] = {}
        for k in graph.order:
            order[k] = min((order[earlier] - 1 for earlier in graph.before[k]), default=0)
        return Deduced(labels(graph, gets, "first"), list(together.values()), order)

    def waiting(self, job: Job) -> Job:
        """Return a job that waits among those of all applications."""
        return replace(job, app=0)

    def placed(self, jobs: Sequence[Job], views: Sequence[EngineView]) -> list[tuple[Hashable, int]]:
        """Return who goes where now, by ParrotServe's rules."""
        return parrotserve(jobs, views)

    def binding(self, borders: Hashes) -> Hashes:
        """Return all prefixes."""
        return borders


RULES: Mapping[str, PlacingRules] = {"parrot": Placing(), "parrotserve": ParrotServe()}


def rules_of(said: PlacingRules | str) -> PlacingRules:
    """Return rules, which may be said by their name."""
    if not isinstance(said, str):
        return said
    if said not in RULES:
        raise ArgumentError("rules", said, " or ".join(map(repr, RULES)))
    return RULES[said]


class Scheduler(Protocol):
    """A queue of jobs that knows where they go."""

    def add(self, job: Job, machines: Sequence[EngineState]) -> None:
        """Let a job wait that some engine could run alone."""

    def assign(self, machines: Sequence[EngineState]) -> list[tuple[Hashable, int]]:
        """Return who may begin now, by key, with their engines, in order."""

    def remove(self, key: Hashable, at: int) -> None:
        """Let a job, which begins on an engine, wait no more."""


class Algorithm1:
    """One queue, from which some rules place requests."""

    def __init__(self, rules: PlacingRules) -> None:
        self.rules = rules
        self.waiting = WaitingJobs()

    def add(self, job: Job, machines: Sequence[EngineState] = ()) -> None:
        """Let a job wait."""
        self.waiting.add(self.rules.waiting(job))

    def renew(self, jobs: Iterable[Job]) -> None:
        """Let jobs wait and no others, as what is asked of them may have changed."""
        self.waiting = WaitingJobs(map(self.rules.waiting, jobs))

    def assign(self, machines: Sequence[EngineState]) -> list[tuple[Hashable, int]]:
        """Return who may begin now; an engine that rests has no room while another one of its model does not."""
        if not self.waiting:
            return []
        awake = {machine.engine.model for machine in machines if not machine.rests}
        views = [machine.view(machine.rests and machine.engine.model in awake) for machine in machines]
        return self.rules.placed(self.waiting, views)

    def remove(self, key: Hashable, at: int) -> None:
        """Let a job wait no more."""
        self.waiting.remove(key)


class ShortestQueue:
    """A queue for each engine."""

    def __init__(self, engines: int) -> None:
        self.queues: list[deque[Job]] = [deque() for _ in range(engines)]

    def add(self, job: Job, machines: Sequence[EngineState]) -> None:
        """Let a job wait for the engine with the shortest queue."""
        able = [at for at, one in enumerate(machines) if job.model is None or one.engine.model in ("", job.model)]
        self.queues[min(able, key=lambda at: machines[at].jobs + len(self.queues[at]))].append(job)

    def assign(self, machines: Sequence[EngineState]) -> list[tuple[Hashable, int]]:
        """Return the first job of each queue that fits."""
        able = [at for at, queue in enumerate(self.queues) if queue and machines[at].fits(queue[0])]
        return [(self.queues[at][0].key, at) for at in able]

    def remove(self, key: Hashable, at: int) -> None:
        """Let the first job of a queue wait no more."""
        self.queues[at].popleft()
