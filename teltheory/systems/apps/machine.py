"""One engine as a scheduler knows it, in a program or simulated: what it keeps, what runs there, whether it rests.

Tokens of requests are counted by the borders at which their prompts may be shared: what lies between two borders
counts once, however many requests have it, and what comes after the last border counts for each request.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from teltheory.systems.apps.deduction import strictest
from teltheory.systems.apps.engines.keeping import Kept
from teltheory.systems.apps.engines.protocol import Engine
from teltheory.systems.apps.placing import THROUGHPUT, EngineView
from teltheory.systems.apps.prefixes import Hashes
from teltheory.systems.apps.waiting import Job

REMEMBERED = 20_000
"""Prefixes of chats that an engine is said to have: the latest."""


@dataclass(eq=False)
class EngineState:
    """An engine beside what was done there.

    Attributes
    ----------
    kept : Kept
        The engine, with the contexts that requests share.
    clock : function
        Seconds; by default it is always 0, and nobody rests.
    speed : float
        How fast it is, beside the others.
    batch : int or None
        Most requests that it runs at once, and None for as many as fit.
    used, jobs : int
        Tokens and number of the requests that run there.
    given : int
        How many requests it was given so far.
    resting : float
        Until when, by `clock`, it is given nothing while another one of its model does not rest.
    """

    kept: Kept
    clock: Callable[[], float] = float
    speed: float = 1.0
    batch: int | None = None
    used: int = 0
    jobs: int = 0
    given: int = 0
    resting: float = 0.0
    _limits: Counter[str] = field(default_factory=Counter)
    _urgent: int = 0
    _borders: Counter[int] = field(default_factory=Counter)
    _left: dict[int, None] = field(default_factory=dict)

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.kept.engine

    @property
    def rests(self) -> bool:
        """Whether it rests now."""
        return self.resting > self.clock()

    @property
    def label(self) -> str | None:
        """The strictest label on it; None: it runs nothing."""
        return strictest(*+self._limits) if self.jobs else None

    def remember(self, hashes: Iterable[int]) -> None:
        """Write down prefixes that it has computed and that no context of ours holds, the latest last."""
        for hash in hashes:
            self._left.pop(hash, None)
            self._left[hash] = None
        for hash in list(islice(self._left, max(0, len(self._left) - REMEMBERED))):
            del self._left[hash]

    def view(self, passed: bool = False) -> EngineView:
        """Return what Algorithm 1 sees; an engine that is passed over has no room."""
        engine = self.engine
        return EngineView(
            name=engine.name,
            capacity=engine.capacity,
            latency_capacity=min(engine.latency_capacity, engine.capacity),
            used=engine.capacity if passed else self.used,
            label=self.label,
            jobs=self.jobs,
            model=engine.model or None,
            speed=self.speed,
            prefixes=ChainMap[int, Any](self.kept.by_hash, self._left).keys(),
            counted=self._borders.keys(),
            given=self.given,
            urgent=self._urgent > 0,
            batch=self.batch,
        )

    def fits(self, job: Job) -> bool:
        """Return whether a job that shares nothing fits: beside the others, or alone in the whole engine."""
        strict = strictest(self.label, job.limit) != THROUGHPUT
        room = self.engine.latency_capacity if strict and self.jobs else self.engine.capacity
        return self.used + job.tokens <= room

    def holds(self, job: Job, borders: Hashes) -> bool:
        """Return whether the engine's memory and its batch have room for a job that is cut at these borders."""
        full = self.batch is not None and self.jobs >= self.batch
        return not full and self.used + self._more(job, borders) <= self.engine.capacity

    def take(self, job: Job, borders: Hashes) -> None:
        """Count a job that begins, with the borders at which it is cut."""
        self.used += self._more(job, borders)
        self.jobs, self.given = self.jobs + 1, self.given + 1
        self._limits[job.limit] += 1
        self._urgent += job.label != THROUGHPUT
        self._borders.update(name for name, _ in borders)

    def leave(self, job: Job, borders: Hashes) -> None:
        """Count a job no more."""
        self._borders.subtract(name for name, _ in borders)
        for name, _ in borders:
            if not self._borders[name]:
                del self._borders[name]
        self._limits[job.limit] -= 1
        self._urgent -= job.label != THROUGHPUT
        self.jobs -= 1
        self.used -= self._more(job, borders)

    def _more(self, job: Job, borders: Hashes) -> int:
        """Return the tokens of a job that no other one on the engine has."""
        shared = max((length for name, length in borders if self._borders[name]), default=0)
        return job.tokens - shared
