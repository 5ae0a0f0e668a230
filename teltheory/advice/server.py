"""The server that advice is for: its memory, its speed, and settings served on it.

Where nobody can wait a server replays: what a turn computes is its time. Else it serves turn by turn, in a queue
for each replica. Both say the same of turns of which none waits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from teltheory.advice.overflow import first_overflow
from teltheory.advice.run import Run
from teltheory.advice.search import Candidate
from teltheory.advice.settings import Settings
from teltheory.base.progress import Count
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.hints import CLOSE
from teltheory.model.numbers import INT64_MAX
from teltheory.model.tiers import Tiers, resized, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.hinted import Hinted
from teltheory.policies.online import LRU
from teltheory.policies.policy import AnyPolicy
from teltheory.replay import replay
from teltheory.replay.engine_rules import STRICT, Rules
from teltheory.serving.serve import Serving, serve, stretch_for

ENDLESS = INT64_MAX // 4
"""A capacity that nothing overflows."""


@dataclass(frozen=True, eq=False)
class Server(ABC):
    """What settings are tried on.

    Attributes
    ----------
    requests : Trace or Forest
        The whole trace.
    start : int
        First turn of the rest.
    memory : int or Tiers
        Of each replica, in the unit of the requests.
    latency : Latency
        Turns tokens into seconds.
    settings : Settings
        Makes the policy of a margin.
    count : Count
        Of the runs.
    hears : bool
        Whether T-LRU hears when agents are closed; LRU next to it never does.
    """

    requests: Trace | Forest
    start: int
    memory: int | Tiers
    latency: Latency
    settings: Settings
    count: Count = field(default_factory=Count)
    hears: bool = field(default=False, kw_only=True)
    tries_again: ClassVar[bool] = False
    """Whether all that was tried on the first part is tried on the rest too."""

    @cached_property
    def tiers(self) -> Tiers:
        """The memory as tiers."""
        return tiers_of(self.memory)

    @cached_property
    def lru(self) -> Candidate:
        """LRU in every tier."""
        return Candidate((False,) * len(self.tiers), False, 0)

    @cached_property
    def first(self) -> Trace | Forest:
        """The first part of the trace."""
        return self.requests[: self.start]

    def policies(self, candidate: Candidate) -> Any:
        """Return a candidate's policy, or one for each tier."""
        if candidate.is_lru:
            return LRU()
        own: Any = self.settings.made(candidate.margin)
        if candidate.flat:
            own = replace(own, budget="flat")
        own = Hinted(own, (CLOSE,)) if self.hears else own
        each = tuple(own if on else LRU() for on in candidate.on)
        return each if len(each) > 1 else own

    def warm_up(self, base: Run) -> int:
        """Return the first turn of the first part on which policies may differ, given how LRU serves that."""
        return first_overflow(self.first, base.served.replica, self.tiers.capacities[0])

    def chosen(self, candidates: Iterable[Candidate], tried: Candidate) -> None:
        """Count the runs that are left, if all that was tried early is tried late: End-Aware T-LRU beside it."""
        if self.tries_again:
            self.count.left(len({self.lru, tried, *candidates}) + 1)

    @property
    @abstractmethod
    def tries_all(self) -> bool:
        """Whether every margin is tried on the first part."""

    @abstractmethod
    def early(self, candidate: Candidate) -> Run:
        """Run a candidate on the first part alone."""

    @abstractmethod
    def late(self, candidate: Candidate) -> Run:
        """Run a candidate on the whole trace, and return the rest."""

    @abstractmethod
    def under(self, policy: Any) -> Run:
        """Run a policy on the whole trace, and return the rest."""


@dataclass(frozen=True, eq=False)
class Replaying(Server):
    """An idle server with one cache, where each turn is computed at once.

    Attributes
    ----------
    rules : Rules
        What its cache does.
    """

    rules: Rules = STRICT
    tries_again: ClassVar[bool] = True

    @property
    def tries_all(self) -> bool:
        """Whether every margin is tried on the first part: a replay is fast."""
        return True

    @property
    def room(self) -> int:
        """The memory, in the unit of the requests."""
        found: int = self.tiers.capacities[0]
        return found

    def early(self, candidate: Candidate) -> Run:
        """Replay a candidate on the first part alone."""
        return self._replayed(self.first, self.policies(candidate))

    def late(self, candidate: Candidate) -> Run:
        """Replay a candidate on the whole trace, and return the rest."""
        return self.under(self.policies(candidate))

    def under(self, policy: Any) -> Run:
        """Replay a policy on the whole trace, and return the rest."""
        return self._replayed(self.requests, policy).since(self.start)

    def _replayed(self, asked: Trace | Forest, policy: AnyPolicy) -> Run:
        policy, rules = heard_under(self.rules, policy)
        outcome = replay(asked, policy, self.room, rules=rules)
        self.count.step()
        return Run.at_once(asked, outcome, self.latency)


@dataclass(frozen=True, eq=False)
class Queueing(Server):
    """Replicas with queues.

    Attributes
    ----------
    serving : Serving
        Replicas, router, speed.
    """

    serving: Serving = field(default_factory=Serving)

    @property
    def tries_all(self) -> bool:
        """Whether every margin is tried on the first part: with one tier and private conversations."""
        return len(self.tiers) == 1 and self.requests.is_private

    def warm_up(self, base: Run) -> int:
        """Return the first turn on which policies may differ: one store of all replicas may overflow first."""
        found = super().warm_up(base)
        if not self.serving.shared:
            return found
        return min(found, first_overflow(self.first, base.served.replica * 0, self.tiers.capacities[-1]))

    def early(self, candidate: Candidate) -> Run:
        """Serve a candidate on the first part alone."""
        return self._served(self.first, self.policies(candidate))

    def late(self, candidate: Candidate, router: Any = None) -> Run:
        """Serve a candidate, by a router that may not be the server's own, and return the rest."""
        serving = self.serving if router is None else replace(self.serving, router=router)
        own = replace(self, serving=serving)
        return own._served(self.requests, self.policies(candidate)).since(self.start)

    def under(self, policy: Any) -> Run:
        """Serve a policy on the whole trace, and return the rest."""
        return self._served(self.requests, policy).since(self.start)

    def endless(self) -> Run:
        """Serve LRU with memory that never overflows, and return the rest."""
        alone = replace(self, memory=ENDLESS, serving=replace(self.serving, shared=False))
        return alone.late(alone.lru)

    def _served(self, asked: Trace | Forest, policy: Any) -> Run:
        served = serve(asked, policy, self.memory, latency=self.latency, **vars(self.serving))
        self.count.step()
        return Run.of(asked, served)


def heard_under(rules: Rules, policy: Any) -> tuple[Any, Rules]:
    """Return a policy and the rules by which it hears closes: of whole nodes sessions do, as SGLang has them."""
    if rules.nodes is None or not hasattr(policy, "told"):
        return policy, rules
    return policy.policy, replace(rules, nodes=replace(rules.nodes, sessions=True))


def in_units(memory: int | Tiers, unit: int) -> int | Tiers:
    """Return memory in tokens as whole blocks."""
    found: int | Tiers = resized(memory, lambda size, _: size // unit)
    return found


def at_load(
    trace: Trace | Forest, memory: int | Tiers, latency: Latency, serving: Serving | None, load: Any
) -> Serving | None:
    """Return how requests are served if LRU is to have a load, None by an idle server; memory in their unit."""
    if serving is None:
        if load is not None or len(tiers_of(memory)) > 1:
            argument, value = ("capacity", memory) if load is None else ("load", load)
            raise ArgumentError(argument, str(value), "serving=Serving(...) with it")
        return None
    if load is None:
        return serving
    if serving.stretch != 1:
        raise ArgumentError("load", str(load), f"none with a stretch, {serving.stretch}")
    return replace(serving, stretch=stretch_for(trace, memory, latency, serving.replicas, load, serving.ticks))
