"""The server that advice is for: its memory, its replicas and their speed, and settings served on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from teltheory.advice.in_queue import Queued
from teltheory.advice.search import Candidate
from teltheory.base.progress import Count
from teltheory.cost.latency import Latency
from teltheory.model.forest import Forest
from teltheory.model.numbers import INT64_MAX
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy
from teltheory.serving.serve import Serving, serve

ENDLESS = INT64_MAX // 4
"""A capacity that nothing overflows."""


@dataclass(frozen=True, eq=False)
class Server:
    """What settings are served by.

    Attributes
    ----------
    requests : Trace or Forest
        The whole trace.
    memory : int or Tiers
        Of each replica, in the unit of the requests.
    latency : Latency
        Turns tokens into seconds.
    serving : Serving
        Replicas, router, speed.
    make : callable
        Makes the policy of a margin, in the unit of the requests.
    count : Count
        Of the runs.
    """

    requests: Trace | Forest
    memory: int | Tiers
    latency: Latency
    serving: Serving
    make: Callable[[int], AnyPolicy]
    count: Count = field(default_factory=Count)

    @property
    def tiers(self) -> Tiers:
        """The memory as tiers."""
        return tiers_of(self.memory)

    def served(self, candidate: Candidate, router: Any = None, turns: int | None = None) -> Queued:
        """Serve a candidate, by a router that is not the server's own or on the first turns alone."""
        asked = self.requests if turns is None else self.requests[:turns]
        return self._run(asked, self.policies(candidate), self.memory, router)

    def endless(self) -> Queued:
        """Serve LRU with memory that never overflows."""
        alone = replace(self, serving=replace(self.serving, shared=False))
        return alone._run(self.requests, LRU(), ENDLESS, None)

    def policies(self, candidate: Candidate) -> Any:
        """Return a candidate's policy, or one for each tier."""
        if candidate.is_lru:
            return LRU()
        own: Any = self.make(candidate.margin)
        if candidate.flat:
            own = replace(own, budget="flat")
        each = tuple(own if on else LRU() for on in candidate.on)
        return each if isinstance(self.memory, Tiers) else own

    def _run(self, asked: Trace | Forest, policy: Any, memory: int | Tiers, router: Any) -> Queued:
        serving = self.serving if router is None else replace(self.serving, router=router)
        served = serve(asked, policy, memory, latency=self.latency, **vars(serving))
        self.count.step()
        return Queued.of(asked, served)


def in_units(memory: int | Tiers, unit: int) -> int | Tiers:
    """Return memory in tokens as whole blocks."""
    return memory.in_blocks(unit) if isinstance(memory, Tiers) else memory // unit
