"""What waits for an engine, in the order of Algorithm 1: application by application, each in topological order.

A `WaitingJobs` is a sequence of jobs. It knows who is of one task group, who begins with one prefix, and the
smallest need of each kind of job, so that a call of `algorithm_1` costs next to nothing where nothing fits.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from heapq import merge
from itertools import takewhile
from typing import Any, overload

from teltheory.errors import ArgumentError

Rank = tuple[int, int, int]
Kind = tuple[str | None, str]


@dataclass(frozen=True)
class Job:
    """A request that is ready, as the scheduler sees it.

    Attributes
    ----------
    key : hashable
        What the caller calls it.
    app : int
        Its application, numbered in order of arrival.
    label : str
        Its criterion, one of `teltheory.systems.apps.deduction.LABELS`.
    tokens : int
        Tokens of its prompt and of the longest output that it may have.
    group : hashable or None
        Its task group. Members are kept together, and have the room of throughput: the group is what is urgent.
    prefixes : tuple of (hash, tokens)
        As `prefix_hashes` returns them; leave out what is too short to be worth an engine.
    model : str or None
        The model that it needs; None: any.
    order : int
        Its place in its application: after what it depends on.
    """

    key: Hashable
    app: int
    label: str
    tokens: int
    group: Hashable | None = None
    prefixes: tuple[tuple[int, int], ...] = ()
    model: str | None = None
    order: int = 0

    @cached_property
    def limit(self) -> str:
        """The label that limits how much an engine runs beside it: "throughput" for members of a task group."""
        return self.label if self.group is None else "throughput"

    @cached_property
    def kind(self) -> Kind:
        """Its model and its limit, by which engines are looked for."""
        return self.model, self.limit

    @cached_property
    def least(self) -> int:
        """Tokens that it needs at least, on an engine that has all of its prefixes."""
        return self.tokens - (self.prefixes[-1][1] if self.prefixes else 0)


@dataclass
class _Kind:
    """The jobs of a kind: least needs and tokens, ascending, and their ranks."""

    least: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    ranks: list[Rank] = field(default_factory=list)


class WaitingJobs(Sequence[Job]):
    """Jobs by application in order of arrival, within one by their order, and then as they were added."""

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        self._added = 0
        self._order: list[Rank] = []
        self._jobs: dict[Rank, Job] = {}
        self._ranks: dict[Hashable, Rank] = {}
        self._groups: dict[Hashable, list[Rank]] = {}
        self._sharers: dict[tuple[int, Kind], list[Rank]] = {}
        self._kinds: dict[Kind, _Kind] = {}
        for job in jobs:
            self.add(job)

    def add(self, job: Job) -> None:
        """Add a job."""
        if job.key in self._ranks:
            raise ArgumentError("key", job.key, "a key that no waiting job has")
        rank = (job.app, job.order, self._added)
        self._added += 1
        self._jobs[rank], self._ranks[job.key] = job, rank
        alike = self._kinds.setdefault(job.kind, _Kind())
        insort(alike.least, job.least)
        insort(alike.tokens, job.tokens)
        for ranks in self._lists(job):
            insort(ranks, rank)

    def remove(self, key: Hashable) -> Job:
        """Take a job out, by its key, and return it."""
        rank = self._ranks.pop(key)
        job = self._jobs.pop(rank)
        _without(self._kinds[job.kind].least, job.least)
        _without(self._kinds[job.kind].tokens, job.tokens)
        for ranks in self._lists(job):
            _without(ranks, rank)
        for name, _ in job.prefixes:
            if not self._sharers.get((name, job.kind), True):
                del self._sharers[name, job.kind]
        if job.group is not None and not self._groups[job.group]:
            del self._groups[job.group]
        return job

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Job]:
        return map(self._jobs.__getitem__, self._order)

    @overload
    def __getitem__(self, at: int) -> Job: ...
    @overload
    def __getitem__(self, at: slice) -> list[Job]: ...
    def __getitem__(self, at: int | slice) -> Job | list[Job]:
        if isinstance(at, slice):
            return [self._jobs[rank] for rank in self._order[at]]
        return self._jobs[self._order[at]]

    def members(self, group: Hashable) -> list[Job]:
        """Return the jobs of a task group, in order."""
        return [self._jobs[rank] for rank in self._groups.get(group, ())]

    def sharers(self, prefix: int, kind: Kind) -> Iterator[Job]:
        """Return the jobs of a kind, and of no group, that begin with a prefix, in order; without a copy."""
        return map(self._jobs.__getitem__, self._sharers.get((prefix, kind), ()))

    def how_many(self, prefix: int, kind: Kind) -> int:
        """Return how many jobs `sharers` has."""
        return len(self._sharers.get((prefix, kind), ()))

    def kinds(self) -> dict[Kind, tuple[int, int]]:
        """Return for each kind of job (model and limit) the smallest need and the most tokens."""
        return {kind: (alike.least[0], alike.tokens[-1]) for kind, alike in self._kinds.items() if alike.ranks}

    def still(self, closed: Set[Kind]) -> Iterator[Job]:
        """Return the jobs in order; of a kind that comes into a set meanwhile, one more at most."""
        kinds = [_while_open(alike.ranks, kind, closed) for kind, alike in self._kinds.items()]
        return map(self._jobs.__getitem__, merge(*kinds))

    def _lists(self, job: Job) -> Iterator[list[Rank]]:
        yield self._order
        yield self._kinds[job.kind].ranks
        if job.group is not None:
            yield self._groups.setdefault(job.group, [])
            return
        for name in dict.fromkeys(name for name, _ in job.prefixes):
            yield self._sharers.setdefault((name, job.kind), [])


def _while_open(ranks: list[Rank], kind: Kind, closed: Set[Kind]) -> Iterator[Rank]:
    return takewhile(lambda _: kind not in closed, ranks)


def _without(sorted_list: list[Any], value: Any) -> None:
    del sorted_list[bisect_left(sorted_list, value)]
