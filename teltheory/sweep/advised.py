"""Policies of a board that are known once a trace is: T-LRU as an advice sets it, and those of libcachesim.

1. ``tlru:q_hat=advised`` has the margin that `teltheory.advise` chooses on the first half of the requests; the
   whole trace is replayed, so half of what counts had a part in the choice. Where the first half has none it is
   LRU.
2. ``libcachesim:ARC`` is an algorithm of that library, for a forest whose blocks may outlive their parents: each
   unit is an object of size 1. A request asks for its units from the deepest up, as engines evict, and reuses
   those before the first one that is missing when it comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from teltheory.base.extras import needed
from teltheory.cost.latency import Latency
from teltheory.errors import ArgumentError
from teltheory.model.outcome import Outcome
from teltheory.policies.spec import parse_policies, parse_policy
from teltheory.serving.serve import Serving

ADVISED = "tlru:q_hat=advised"
LIBRARY = "libcachesim"
HASH_POWER = 15
"""Logarithm of the slots of the library's hash table; its own choice, 24, makes it many times slower."""
NOT_BLOCKS = "shared blocks with --cache holes: its objects are whole, and know no parents"


@dataclass(frozen=True)
class AsAdvised:
    """T-LRU with the setting of an advice; `tokens` is the threshold of the SLO, `slo` its seconds."""

    tokens: int
    slo: Fraction
    name: ClassVar[str] = ADVISED

    def settled(self, requests: Any, memory: Any, latency: Latency, serving: Serving | None) -> tuple[Any, str]:
        """Return the policy, one for each tier, and its setting in words; memory is in the requests' unit."""
        from teltheory.advice.choice import choose
        from teltheory.advice.goal import CostLimits, Goal
        from teltheory.advice.server import Queueing, Replaying, Server
        from teltheory.advice.settings import HALF, Settings, start_of_rest

        if serving is None and hasattr(memory, "loads"):
            raise ArgumentError("policy", ADVISED, "one cache, or a queue: an advice sets tiers where turns wait")
        start, settings = start_of_rest(requests, HALF), Settings(self.tokens, None, requests.block_size)
        asked = requests, start, memory, latency, settings
        server: Server = Replaying(*asked) if serving is None else Queueing(*asked, serving=serving)
        choice = choose(server, Goal(self.slo, latency), CostLimits(), "conversation", np.random.default_rng(0))
        xi, q_hat = settings.of(choice.margin)
        text = (
            f"ξ = {xi:,}, Q̂ = {q_hat:,}"
            if choice.margin
            else "LRU, as no setting within the limits gains on the first half"
        )
        return server.policies(choice.candidate), text


@dataclass(frozen=True)
class Borrowed:
    """An algorithm of libcachesim, such as ``ARC``."""

    algorithm: str
    name: ClassVar[str] = LIBRARY

    def replayed(self, requests: Any, capacity: int, cache: Any) -> Outcome:
        """Return what requests reuse in a cache of so many units."""
        if not (requests.shared and cache == "holes"):
            raise ArgumentError("policy", f"{LIBRARY}:{self.algorithm}", NOT_BLOCKS)
        units, request = requests.by_units(), _library().Request()
        held, hits, written = self._cache(capacity), [], []
        request.obj_size = 1
        for k in range(len(units)):
            path = units.path(k)
            found = [_there(held, request, node) for node in path]
            hits.append(min([*found, False].index(False), int(units.ask[k])))
            written.append(found.count(False))
            for node in reversed(path if capacity else []):
                request.obj_id = node + 1
                held.get(request)
        return Outcome.of_forest(requests, hits, written)

    def _cache(self, capacity: int) -> Any:
        return getattr(_library(), self.algorithm)(max(capacity, 1), hashpower=HASH_POWER)


def _library() -> Any:
    return needed(LIBRARY, "bench")


def _there(held: Any, request: Any, node: int) -> bool:
    request.obj_id = node + 1
    return held.find(request, update_cache=False) is not None


@dataclass(frozen=True)
class OfBoard:
    """What stands in the place of a short form for policies that only a board knows."""

    text: str
    rules: ClassVar[None] = None
    given: ClassVar[tuple[()]] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the policy, alone."""
        return (self.text,)

    def needs(self, parameter: str) -> bool:
        """Whether the policy has this parameter and it was left out: the threshold of T-LRU."""
        return self.text == ADVISED and parameter == "xi"

    def build(self, xi: int, _: int, __: int = 0, latency: Latency | None = None, slo: Any = None) -> Any:
        """Make the policy; a threshold without seconds stands for the TTFT of so many tokens."""
        if self.text != ADVISED:
            return Borrowed(self.text.partition(":")[2])
        if latency is None:
            raise ArgumentError("policy", ADVISED, "a latency with it")
        return AsAdvised(xi, Fraction(float(latency.ttft(xi))) if slo is None else slo)


def read_policy(text: Any, in_tiers: bool = False) -> Any:
    """Return what makes a policy of a board, of its short form; anything else unchanged."""
    if not isinstance(text, str):
        return text
    if text.strip().lower().replace("t-lru", "tlru") == ADVISED:
        return OfBoard(ADVISED)
    name, _, algorithm = text.partition(":")
    if name.strip().lower() != LIBRARY:
        return parse_policies(text) if in_tiers else parse_policy(text)
    known = [one for one in vars(_library()) if one.lower() == algorithm.lower()]
    if not known or not issubclass(kind := getattr(_library(), known[0]), _library().LRU.__base__):
        some = "LRU, ARC, LIRS, S3FIFO, Sieve, WTinyLFU"
        raise ArgumentError("policy", text, f"an algorithm of libcachesim, such as {some}")
    return OfBoard(f"{LIBRARY}:{kind.__name__}")


def learns(policy: Any) -> bool:
    """Whether a policy, or one of several, learns from the requests: it says so, or stands among those that do."""
    if isinstance(policy, tuple):
        return any(map(learns, policy))
    return bool(getattr(policy, "learned", ".policies.learned." in type(policy).__module__))
