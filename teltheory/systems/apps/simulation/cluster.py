"""Clusters of simulated engines, and what runs on each of them now.

Tokens of requests are counted by the borders at which their prompts are cut: what lies between two borders counts
once, however many requests have it, and what comes after the last border counts for each request.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from teltheory.errors import ArgumentError
from teltheory.systems.apps.deduction import strictest
from teltheory.systems.apps.engines.keeping import Kept
from teltheory.systems.apps.placing import THROUGHPUT, EngineView
from teltheory.systems.apps.prefixes import Hashes
from teltheory.systems.apps.simulation.timing import LLAMA_7B, IterationTiming
from teltheory.systems.apps.waiting import Job

__all__ = ["Cluster", "EngineModel"]


@dataclass(frozen=True)
class EngineModel:
    """An engine of a cluster.

    Attributes
    ----------
    timing : Timing
        What its iterations take.
    capacity, latency_capacity : int
        Tokens of all its requests, if all are for throughput, and if one is not.
    batch : int or None
        Most requests that it runs at once, and None for as many as fit.
    model : str
        What it serves; empty: anything.
    """

    timing: IterationTiming = LLAMA_7B
    capacity: int = 64_000
    latency_capacity: int = 4_096
    batch: int | None = None
    model: str = ""


@dataclass(frozen=True)
class Cluster:
    """Engines, and the network between clients and them.

    Attributes
    ----------
    engines : tuple of EngineModel
        One or more.
    network : (float, float)
        Least and most seconds that a call of a client takes beside the server's work; each has its own, uniform.
    """

    engines: tuple[EngineModel, ...]
    network: tuple[float, float] = (0.2, 0.3)

    def __post_init__(self) -> None:
        object.__setattr__(self, "engines", tuple(self.engines))
        if not self.engines:
            raise ArgumentError("engines", (), "one or more")
        if not 0 <= self.network[0] <= self.network[1]:
            raise ArgumentError("network", self.network, "two times of 0 or more, the least first")


@dataclass
class Load:
    """What runs on an engine."""

    name: str
    model: EngineModel
    kept: Kept
    used: int = 0
    jobs: int = 0
    _limits: Counter[str] = field(default_factory=Counter)
    _borders: Counter[int] = field(default_factory=Counter)

    @property
    def label(self) -> str | None:
        """The strictest label on it; None: it runs nothing."""
        return strictest(*+self._limits) if self.jobs else None

    @property
    def view(self) -> EngineView:
        """What a scheduler sees."""
        model = self.model
        return EngineView(
            name=self.name,
            capacity=model.capacity,
            latency_capacity=model.latency_capacity,
            used=self.used,
            label=self.label,
            jobs=self.jobs,
            model=model.model or None,
            speed=model.timing.speed,
            prefixes=self.kept.hashes,
        )

    def fits(self, job: Job) -> bool:
        """Return whether a job that shares nothing fits: beside the others, or alone in the whole engine."""
        strict = strictest(self.label, job.limit) != THROUGHPUT
        room = self.model.latency_capacity if strict and self.jobs else self.model.capacity
        return self.used + job.tokens <= room

    def holds(self, job: Job, borders: Hashes) -> bool:
        """Return whether the engine's memory and its batch have room for a job that is cut at these borders."""
        full = self.model.batch is not None and self.jobs >= self.model.batch
        return not full and self.used + self._more(job, borders) <= self.model.capacity

    def take(self, job: Job, borders: Hashes) -> None:
        """Count a job that begins, with the borders at which it is cut."""
        self.used += self._more(job, borders)
        self.jobs += 1
        self._limits[job.limit] += 1
        self._borders.update(name for name, _ in borders)

    def leave(self, job: Job, borders: Hashes) -> None:
        """Count a job no more."""
        self._borders.subtract(name for name, _ in borders)
        self._borders = +self._borders
        self._limits[job.limit] -= 1
        self.jobs -= 1
        self.used -= self._more(job, borders)

    def _more(self, job: Job, borders: Hashes) -> int:
        """Return the tokens of a job that no other one on the engine has."""
        shared = max((length for name, length in borders if self._borders[name]), default=0)
        return job.tokens - shared
