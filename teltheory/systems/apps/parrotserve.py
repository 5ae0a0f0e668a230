"""The rules of ParrotServe, the program that Parrot's authors published, with all four of its switches on.

1. The queue is in order of depth (requests with more requests before them first), then in order of arrival.
2. Each request in turn takes along those behind it in the queue that are of its task group, or those whose prompts
   begin with the same text; what the nearest of them has in common with it decides which.
3. They go to one engine, or wait. An engine counts tokens and requests, and has a bound: 4 requests if one of them
   is for latency. Those that come count as one request towards their own bound, and one by one towards the
   engine's. Nothing that is shared is counted once.
4. Engines are gone through in order. The next one is better than the best so far if it alone keeps the first
   text; or else if its bound is lower, or fewer tokens fit on it. So this is no order of engines.
5. A request may be taken along that was placed in this call already: it moves, and counts at both engines.

They are equal to the program's on stored answers of it, but for one thing: those that go together have one model.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from teltheory.systems.apps.deduction import LABELS
from teltheory.systems.apps.placing import EngineView, serves
from teltheory.systems.apps.waiting import Job

LATENCY, THROUGHPUT, IDLE = 4, 99_999, 10**10
"""The most requests beside one for latency, beside one for throughput, and on an engine that runs none."""


@dataclass
class _Counted:
    """An engine during a call."""

    view: EngineView
    at: int
    room: int
    jobs: int
    bound: int

    @classmethod
    def of(cls, view: EngineView, at: int) -> _Counted:
        bound = LATENCY if view.urgent else THROUGHPUT if view.jobs else IDLE
        return cls(view, at, view.capacity - view.used, view.jobs, bound)

    def fits(self, jobs: Sequence[Job]) -> bool:
        batch = IDLE if self.view.batch is None else self.view.batch
        most = self.jobs + len(jobs) <= min(self.bound, batch) and self.jobs < min(map(_bound, jobs))
        return most and serves(self.view, jobs[0].model) and sum(job.tokens for job in jobs) <= self.room

    def keeps(self, job: Job) -> bool:
        return any(name in self.view.prefixes for name, _ in job.prefixes[:1])

    def take(self, job: Job) -> None:
        self.room, self.jobs, self.bound = self.room - job.tokens, self.jobs + 1, min(self.bound, _bound(job))


def parrotserve(queue: Sequence[Job], engines: Sequence[EngineView]) -> list[tuple[Hashable, int]]:
    """Return what goes where now, as (key, place of the engine).

    Parameters
    ----------
    queue : sequence of Job
        What is ready, in order of arrival; `Job.order` is 0 for what follows nothing, and one less with each step.
    engines : sequence of EngineView
        The cluster; `batch` and `urgent` count here, and `label` and `latency_capacity` do not.
    """
    line = sorted(queue, key=lambda job: job.order)
    alike, counted = _alike(line), [_Counted.of(view, at) for at, view in enumerate(engines)]
    placed: dict[Hashable, int] = {}
    for k, job in enumerate(line):
        if job.key in placed:
            continue
        jobs = [job, *(line[j] for j in _along(k, job, alike))]
        able = [engine for engine in counted if engine.fits(jobs)]
        if able:
            best = reduce(lambda best, other: _better(best, other, job), able)
            for one in jobs:
                best.take(one)
                placed[one.key] = best.at
    return list(placed.items())


def _bound(job: Job) -> int:
    return THROUGHPUT if job.label == LABELS[0] else LATENCY


def _names(job: Job) -> list[Hashable]:
    """Return what a job may have in common with others: its task group, and its first text."""
    group = [] if job.group is None else [("group", job.group, job.model)]
    return [*group, *(("text", name, job.model) for name, _ in job.prefixes[:1])]


def _alike(line: Sequence[Job]) -> Mapping[Hashable, Sequence[int]]:
    """Return the places of those that have something in common."""
    found: dict[Hashable, list[int]] = {}
    for k, job in enumerate(line):
        for name in _names(job):
            found.setdefault(name, []).append(k)
    return found


def _along(k: int, job: Job, alike: Mapping[Hashable, Sequence[int]]) -> Sequence[int]:
    """Return the places of those that a job takes along."""
    behind = [alike[name][bisect_right(alike[name], k) :] for name in _names(job)]
    return min(filter(None, behind), key=lambda places: places[0], default=())


def _better(best: _Counted, other: _Counted, job: Job) -> _Counted:
    kept = other.keeps(job) and not best.keeps(job)
    return other if kept or other.bound < best.bound or other.room < best.room else best
