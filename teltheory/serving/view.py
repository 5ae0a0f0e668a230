"""What a router sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from teltheory.model.numbers import FloatArray
from teltheory.replay.tiers.chains import Row
from teltheory.serving.work import Price


class Cache(Protocol):
    """The cache of a replica."""

    def found(self, k: int, /) -> tuple[int, ...]:
        """Return the units that request k would reuse of each tier; nothing changes."""
        ...

    def serve(self, k: int, /) -> Row:
        """Serve request k."""
        ...


@dataclass(frozen=True)
class View:
    """What a router sees of a request and of the replicas.

    Attributes
    ----------
    turn : int
        Number of the request, in order of arrival.
    time : float
        Its arrival, in seconds.
    session : int
        Its conversation, or the tree of its path.
    tokens : int
        Tokens of its input.
    work : sequence of float
        Seconds of unfinished work of each replica: how long the request would wait there.
    pending : sequence of int
        Requests at each replica whose first token is not there yet.
    home : int or None
        Replica of the session's request before; None if this is the first.
    caches : sequence of Cache
        Those of the replicas; ask them by `found`.
    price : Price
        What serving takes.
    """

    turn: int
    time: float
    session: int
    tokens: int
    work: Sequence[float]
    pending: Sequence[int]
    home: int | None
    caches: Sequence[Cache]
    price: Price

    @property
    def replicas(self) -> int:
        """Number of replicas."""
        return len(self.work)

    @property
    def idlest(self) -> int:
        """The replica with the least unfinished work."""
        return int(np.argmin(self.work))

    def found(self, replica: int) -> tuple[int, ...]:
        """Return the units that the request will reuse of each tier at a replica, after all that waits there."""
        return self.caches[replica].found(self.turn)

    def service(self) -> FloatArray:
        """Return the seconds of load and computing that it would take at each replica; shape (replicas,)."""
        cached = np.array([self.found(replica) for replica in range(self.replicas)], np.int64).T
        seconds: FloatArray = self.price.service(self.price.load(cached), self.price.compute(cached, self.tokens))
        return seconds
