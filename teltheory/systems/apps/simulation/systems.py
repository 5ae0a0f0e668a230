"""Parrot, and what it is measured against (Parrot, Section 8).

1. `PARROT`: applications come whole, so that only their first call crosses the network; labels are deduced;
   Algorithm 1; contexts are shared wherever prompts agree; shared tokens are read once.
2. `PAGED`, `UNSHARED`, `NO_AFFINITY`: that without its kernel, without sharing, without asking where a prefix is.
3. `LATENCY`: clients send each call when they have its inputs; it goes to the engine with the shortest queue;
   each engine is first in, first out, and takes no more than its latency capacity, as all calls may be urgent.
4. `THROUGHPUT`: the same with the whole capacity. `STATIC`: that with the first text of prompts shared, paged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from teltheory.errors import ArgumentError
from teltheory.systems.apps.queues import Placing, PlacingRules
from teltheory.systems.apps.simulation.borders import SHARING
from teltheory.systems.apps.simulation.timing import READS

__all__ = ["LATENCY", "PARROT"]

BINDING = Placing(worth=256)
"""A request is sent where its prefix is kept if that has so many tokens."""


@dataclass(frozen=True)
class System:
    """What a server knows of applications and does with it.

    Attributes
    ----------
    name : str
        What tables call it.
    whole : bool
        Whether it is given applications whole, or a call once its inputs are at the client.
    label : str or None
        The label of every request; None: deduced from what is got.
    algorithm : bool
        Whether Algorithm 1 assigns requests; if not, the shortest queue gets them.
    sharing : str
        Where prompts are cut, see `teltheory.systems.apps.simulation.borders`.
    reads : str
        What a decode step reads, see `teltheory.systems.apps.simulation.timing`.
    rules : Placing or {"parrot", "parrotserve"}
        How requests are placed, as a server's.
    """

    name: str
    whole: bool = True
    label: str | None = None
    algorithm: bool = True
    sharing: str = "dynamic"
    reads: str = "kernel"
    rules: PlacingRules | str = BINDING

    def __post_init__(self) -> None:
        for name, allowed in (("sharing", SHARING), ("reads", READS)):
            if getattr(self, name) not in allowed:
                raise ArgumentError(name, getattr(self, name), f"one of {', '.join(allowed)}")


PARROT = System("parrot")
PAGED = replace(PARROT, name="parrot, paged", reads="paged")
UNSHARED = replace(PARROT, name="parrot, nothing shared", sharing="none", reads="all")
NO_AFFINITY = replace(PARROT, name="parrot, no affinity", rules=replace(BINDING, affinity=False))
LATENCY = System("latency baseline", whole=False, label="latency", algorithm=False, sharing="none", reads="all")
THROUGHPUT = replace(LATENCY, name="throughput baseline", label="throughput")
STATIC = replace(THROUGHPUT, name="static sharing", sharing="static", reads="paged")
SYSTEMS = {one.name: one for one in (PARROT, PAGED, UNSHARED, NO_AFFINITY, LATENCY, THROUGHPUT, STATIC)}
