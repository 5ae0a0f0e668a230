"""Clusters of simulated engines."""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.systems.apps.simulation.timing import LLAMA_7B, IterationTiming

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
