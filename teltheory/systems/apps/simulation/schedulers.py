"""Who gets which engine in the simulation: Algorithm 1, or the shortest queue.

The shortest queue: a request goes, when it arrives, to the engine of its model with the fewest requests that run
or wait, of several the first; each engine begins with them in order of arrival, as soon as the first of them fits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

from teltheory.systems.apps.algorithm_1 import algorithm_1
from teltheory.systems.apps.simulation.cluster import Load
from teltheory.systems.apps.waiting import Job, WaitingJobs


class Scheduler(Protocol):
    """A queue of jobs that knows where they go."""

    def add(self, job: Job, loads: Sequence[Load]) -> None:
        """Let a job wait that some engine could run alone."""

    def assign(self, loads: Sequence[Load]) -> list[tuple[Hashable, int]]:
        """Return who may begin now, by key, with their engines, in order."""

    def remove(self, key: Hashable, at: int) -> None:
        """Let a job, which begins on an engine, wait no more."""


class Algorithm1:
    """Algorithm 1 with its readings."""

    def __init__(self, readings: Mapping[str, Any]) -> None:
        self.readings = readings
        self.waiting = WaitingJobs()

    def add(self, job: Job, loads: Sequence[Load]) -> None:
        """Let a job wait."""
        self.waiting.add(job)

    def assign(self, loads: Sequence[Load]) -> list[tuple[Hashable, int]]:
        """Return who may begin now."""
        if not self.waiting:
            return []
        return algorithm_1(self.waiting, [load.view for load in loads], **self.readings)

    def remove(self, key: Hashable, at: int) -> None:
        """Let a job wait no more."""
        self.waiting.remove(key)


class ShortestQueue:
    """A queue for each engine."""

    def __init__(self, engines: int) -> None:
        self.queues: list[deque[Job]] = [deque() for _ in range(engines)]

    def add(self, job: Job, loads: Sequence[Load]) -> None:
        """Let a job wait for the engine with the shortest queue."""
        able = [at for at, load in enumerate(loads) if job.model is None or load.model.model in ("", job.model)]
        self.queues[min(able, key=lambda at: loads[at].jobs + len(self.queues[at]))].append(job)

    def assign(self, loads: Sequence[Load]) -> list[tuple[Hashable, int]]:
        """Return the first job of each queue that fits."""
        able = [at for at, queue in enumerate(self.queues) if queue and loads[at].fits(queue[0])]
        return [(self.queues[at][0].key, at) for at in able]

    def remove(self, key: Hashable, at: int) -> None:
        """Let the first job of a queue wait no more."""
        self.queues[at].popleft()
