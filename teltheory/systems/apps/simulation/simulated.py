"""What became of a workload in the simulation, in numbers.

1. The latency of an application is from its arrival to the end of its last request; that of a request from when
   its client could send it (for whole applications: when it was ready) to its end.
2. Slowdown: an application's latency over that of its longest path on one empty engine, without network, with
   nothing shared. Sharing can bring it below 1.
3. Jain's index is that of the slowdowns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from teltheory.systems.apps.fairness import jain, largest_slowdown, slowdowns
from teltheory.systems.apps.simulation.timing import IterationTiming
from teltheory.systems.apps.workloads.application import ClientApp


@dataclass
class SimulatedRequest:
    """One request: whose, and when what happened, in seconds.

    Attributes
    ----------
    application, request : int
        The application by order of arrival, and the request's number in it.
    sent, arrived, started, first_token, finished : float
        Its inputs were there; it was at the server; it began on an engine; its first token came, and its last.
    engine : int
        Where it ran.
    filled, forked, generated : int
        Tokens of its prompt that were computed, that were there, and of its outputs.
    """

    application: int
    request: int
    sent: float
    arrived: float
    started: float = 0.0
    first_token: float = 0.0
    finished: float = 0.0
    engine: int = -1
    filled: int = 0
    forked: int = 0
    generated: int = 0

    @property
    def latency(self) -> float:
        """Seconds from `sent` to `finished`."""
        return self.finished - self.sent

    @property
    def per_token(self) -> float:
        """Seconds of its latency for each token of its outputs; the seed's normalized latency."""
        return self.latency / self.generated

    @property
    def decoding(self) -> float:
        """Seconds for each token after the first; 0 if there is none."""
        return (self.finished - self.first_token) / max(1, self.generated - 1)


@dataclass(frozen=True)
class Simulated:
    """A run of a workload.

    Attributes
    ----------
    system : str
        Name of the system.
    applications : tuple of Application
        In order of arrival.
    served : tuple of tuple of Served
        Requests of each application, by number.
    alone : tuple of float
        Seconds of each application's longest path on an empty engine.
    busy, peak : tuple
        Seconds that each engine worked, and the most tokens that it held.
    """

    system: str
    applications: tuple[ClientApp, ...]
    served: tuple[tuple[SimulatedRequest, ...], ...]
    alone: tuple[float, ...]
    busy: tuple[float, ...]
    peak: tuple[int, ...]

    @property
    def latencies(self) -> list[float]:
        """Seconds of each application."""
        ends = (max(one.finished for one in own) for own in self.served)
        return [end - application.arrival for end, application in zip(ends, self.applications, strict=True)]

    @property
    def filled(self) -> int:
        """Tokens of prompts that were computed."""
        return sum(one.filled for own in self.served for one in own)

    @property
    def slowdowns(self) -> list[float]:
        """Slowdown of each application."""
        return [float(x) for x in slowdowns(self.latencies, self.alone)]

    @property
    def largest_slowdown(self) -> float:
        """That of the application that suffers most."""
        return float(largest_slowdown(self.latencies, self.alone))

    @property
    def jain(self) -> float:
        """Jain's index of the slowdowns."""
        return float(jain(self.slowdowns))

    def mean_latency(self, kind: str | None = None) -> float:
        """Return the mean latency of the applications, of one kind if that is given."""
        pairs = zip(self.applications, self.latencies, strict=True)
        return fmean(seconds for application, seconds in pairs if kind in (None, application.kind))

    def mean_of(self, measure: Callable[[SimulatedRequest], float], kind: str | None = None) -> float:
        """Return the mean of a measure of all requests, of applications of one kind if that is given."""
        pairs = zip(self.applications, self.served, strict=True)
        return fmean(measure(one) for app, own in pairs if kind in (None, app.kind) for one in own)


def alone(application: ClientApp, timing: IterationTiming) -> float:
    """Return the seconds of an application's longest path on an empty engine that shares nothing."""
    graph, ends = application.graph, dict[int, float]()
    for k in graph.order:
        before = max((ends[other] for other in graph.before[k]), default=0.0)
        ends[k] = before + timing.alone(*application.sizes[k])
    return max(ends.values())
