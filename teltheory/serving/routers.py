"""Routers: which replica serves a request, decided when it arrives.

A router is a value with `choose`, which is asked about one request after the other, in order of arrival, and sees
it through a `View`. It remembers nothing; one that does has `begin(requests, replicas)` instead, which returns
what chooses during one run. Among replicas that are equally good the first one is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray
from teltheory.model.trace import Trace
from teltheory.serving.cache_aware import CacheAware
from teltheory.serving.view import View


class Router(Protocol):
    """What decides which replica serves a request."""

    def choose(self, view: View, /) -> int:
        """Return the number of a replica, counted from 0."""
        ...


@dataclass(frozen=True)
class RoundRobin:
    """One replica after the other."""

    def choose(self, view: View) -> int:
        """Return the request's number modulo the replicas."""
        return view.turn % view.replicas


@dataclass(frozen=True)
class LeastLoaded:
    """The replica with the least unfinished work, in seconds."""

    def choose(self, view: View) -> int:
        """Return the idlest replica."""
        return view.idlest


@dataclass(frozen=True)
class Affinity:
    """A session begins at the replica with the least unfinished work, and stays there."""

    def choose(self, view: View) -> int:
        """Return the session's replica."""
        return view.idlest if view.home is None else view.home


@dataclass(frozen=True)
class Hash:
    """A session is always at the replica that a hash of its number says."""

    def choose(self, view: View) -> int:
        """Return the hash of the session modulo the replicas."""
        return int(hashed(np.array([view.session]))[0] % np.uint64(view.replicas))


@dataclass(frozen=True)
class MinTTFT:
    """The replica at which the first token will be there first: least wait + load + compute.

    The prefill part of what Mooncake (Qin et al. 2025), Preble (Srivatsa et al. 2025) and NVIDIA Dynamo route by.
    """

    def choose(self, view: View) -> int:
        """Return the replica with the least TTFT for this request."""
        return int(np.argmin(np.asarray(view.work) + view.service()))


def hashed(numbers: IntArray) -> Any:
    """Return 64 well-mixed bits of each number: the output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = numbers.astype(np.int64).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


ROUTERS: dict[str, Any] = {
    "round-robin": RoundRobin(),
    "least-loaded": LeastLoaded(),
    "affinity": Affinity(),
    "hash": Hash(),
    "cache-aware": CacheAware(),
    "min-ttft": MinTTFT(),
}
"""By name."""


def router_of(router: Any) -> Any:
    """Return a router, given one or the name of one."""
    if isinstance(router, str) and router in ROUTERS:
        return ROUTERS[router]
    if isinstance(router, (str, type)) or not (hasattr(router, "choose") or hasattr(router, "begin")):
        raise ArgumentError("router", router, "one of " + ", ".join(ROUTERS) + ", or an object with choose(view)")
    return router


def chooser_of(router: Any, requests: Trace | Forest, replicas: int) -> Callable[[View], int]:
    """Return what chooses during one run; whatever it answers is checked."""
    found = router_of(router)
    choose = (found.begin(requests, replicas) if hasattr(found, "begin") else found).choose

    def chosen(view: View) -> int:
        replica = choose(view)
        if isinstance(replica, (bool, np.bool_)) or not isinstance(replica, (int, np.integer)):
            raise ArgumentError("router", replica, f"the number of a replica for request {view.turn}")
        if not 0 <= replica < replicas:
            raise ArgumentError("router", replica, f"a replica from 0 to {replicas - 1} for request {view.turn}")
        return int(replica)

    return chosen
