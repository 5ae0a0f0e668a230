"""Seconds of a prompt's stages, by the wall and by the processor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter, process_time


@dataclass(frozen=True)
class Seconds:
    """Time that passed, and time of the processor, all threads together."""

    wall: float = 0.0
    cpu: float = 0.0

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall + other.wall, self.cpu + other.cpu)


@dataclass
class Stages:
    """Measures stages one after another."""

    seconds: dict[str, Seconds] = field(default_factory=dict)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Count what happens inside for a stage."""
        wall, cpu = perf_counter(), process_time()
        yield
        passed = Seconds(perf_counter() - wall, process_time() - cpu)
        self.seconds[name] = self.seconds.get(name, Seconds()) + passed

    def until(self, *names: str) -> Seconds:
        """Return the seconds of some stages together."""
        return sum((self.seconds.get(name, Seconds()) for name in names), Seconds())
