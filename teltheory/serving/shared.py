"""A store that all replicas share: the last tier is one for all of them (Mooncake, Qin et al. 2025; LMCache).

1. A replica's own tiers are all but the last. They are asked when a request arrives, in order of arrival, as in
   the plain engine; what leaves them is gone.
2. When a request is finished its whole past is written to the store, which then is cut by its own policy. A turn
   that finishes after a later turn of its conversation was written changes nothing there.
3. A request that starts loads from the store what that holds beyond what its replica's own tiers have, at the
   store's ratio. So it sees what every replica has finished by then, and nothing of what still runs.
4. At one instant requests finish first, then start, then arrive; each by their numbers.
5. What a router is told of the store is what it holds at that moment; the work of a queue is what its requests
   would have taken from the store as it was when each arrived.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.chains import Conversations, Row
from teltheory.replay.tiers.nodes import policy_of_each_tier
from teltheory.serving.engine import ServedRows, caches_of
from teltheory.serving.view import Cache, View
from teltheory.serving.work import Price, Work

FINISH, START, ARRIVE = 0, 1, 2


@dataclass
class SharedTier:
    """The tier that all replicas share.

    Attributes
    ----------
    cache : Cache
        What it holds.
    session : list of int or None
        Conversation of each turn; None of a forest, whose tree takes requests in any order.
    latest : dict
        The last turn of each conversation that was written.
    """

    cache: Cache
    session: list[int] | None
    latest: dict[int, int]

    def beyond(self, k: int, own: tuple[int, ...]) -> int:
        """Return the units that request k would reuse of the store, given those of its replica's own tiers."""
        return max(sum(self.cache.found(k)) - sum(own), 0)

    def write(self, k: int) -> int:
        """Write the past of request k; return the units that the store did not have."""
        if self.session is not None:
            if self.latest.get(self.session[k], -1) > k:
                return 0
            self.latest[self.session[k]] = k
        return self.cache.serve(k)[1]


@dataclass(frozen=True)
class Both:
    """A replica's own tiers and the store, as a router looks at them."""

    own: Cache
    store: SharedTier

    def found(self, k: int) -> tuple[int, ...]:
        """Return the units that request k would reuse of each tier."""
        own = self.own.found(k)
        return (*own, self.store.beyond(k, own))

    def serve(self, k: int) -> Row:
        """Serve request k by the replica's own tiers."""
        return self.own.serve(k)


def stored(
    work: Work, policy: Any, tiers: Tiers, forced: bool, cache: object, replicas: int
) -> tuple[list[Both], SharedTier]:
    """Return the empty tiers of each replica, with the empty store of all."""
    if len(tiers) < 2:
        raise ArgumentError("shared", True, "two tiers or more with it, of which the last is shared")
    several = isinstance(policy, (tuple, list))
    own = replace(tiers, capacities=tiers.capacities[:-1], loads=tiers.loads[:-1])
    last = policy_of_each_tier(policy, tiers, work.requests.is_private)[-1]
    alone = Tiers(tiers.capacities[-1:])
    (shared,) = caches_of(work, last, alone, False, cache, 1)
    session = work.session.tolist() if isinstance(shared, Conversations) else None
    store = SharedTier(shared, session, {})
    each = caches_of(work, tuple(policy)[:-1] if several else policy, own, forced, cache, replicas)
    return [Both(one, store) for one in each], store


class Replica:
    """Who waits and who runs."""

    def __init__(self) -> None:
        self.queue: deque[int] = deque()
        self.running: int | None = None
        self.end = 0.0


class Sharing:
    """Replicas with their own tiers, the store, and what happens in order of time."""

    def __init__(self, work: Work, caches: Sequence[Both], store: SharedTier, price: Price) -> None:
        self.work, self.caches, self.store, self.price = work, caches, store, price
        self.replicas = [Replica() for _ in caches]
        self.columns = [c.tolist() for c in (work.arrival, work.session, work.inputs)]
        self.events = [(time, ARRIVE, k) for k, time in enumerate(self.columns[0])]
        heapify(self.events)
        self.home: dict[int, int] = {}
        n = len(work)
        self.expected = [0.0] * n
        self.rows = ServedRows([0] * n, [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n)
        self.moved: list[Any] = [None] * n

    def run(self, choose: Callable[[View], int]) -> ServedRows:
        """Let everything happen."""
        while self.events:
            now, kind, k = heappop(self.events)
            if kind == ARRIVE:
                self._arrive(k, now, choose)
            elif kind == START:
                self._start(k, now)
            else:
                self._finish(k, now)
        self.rows.moved = self.moved
        return self.rows

    def _arrive(self, k: int, now: float, choose: Callable[[View], int]) -> None:
        _, session, tokens = (column[k] for column in self.columns)
        left = [self._left(one, now) for one in self.replicas]
        counts = [len(one.queue) + (one.running is not None) for one in self.replicas]
        home = self.home.get(session)
        chosen = choose(View(k, now, session, tokens, left, counts, home, self.caches, self.price))
        self.expected[k] = self._seconds(k, self.caches[chosen].found(k))[-1]
        self.moved[k] = self.caches[chosen].serve(k)
        self.home[session] = self.rows.replica[k] = chosen
        replica = self.replicas[chosen]
        replica.queue.append(k)
        self._next(replica, now)

    def _next(self, replica: Replica, now: float) -> None:
        """Let the first that waits start now, if nobody runs."""
        if replica.running is None and replica.queue:
            replica.running = replica.queue.popleft()
            replica.end = now + self.expected[replica.running]
            heappush(self.events, (now, START, replica.running))

    def _start(self, k: int, now: float) -> None:
        cached, written, copied, loaded = self.moved[k]
        beyond = self.store.beyond(k, cached)
        self.moved[k] = (*cached, beyond), written - beyond, copied, (*loaded, beyond)
        rows, replica = self.rows, self.replicas[self.rows.replica[k]]
        rows.start[k] = now
        rows.load[k], rows.compute[k], rows.service[k] = self._seconds(k, self.moved[k][0])
        replica.end = now + rows.service[k]
        heappush(self.events, (replica.end, FINISH, k))

    def _finish(self, k: int, now: float) -> None:
        cached, written, copied, loaded = self.moved[k]
        self.moved[k] = cached, written, (*copied, self.store.write(k)), loaded
        replica = self.replicas[self.rows.replica[k]]
        replica.running = None
        self._next(replica, now)

    def _seconds(self, k: int, found: tuple[int, ...]) -> tuple[float, float, float]:
        cached = np.array(found, np.int64)
        load, compute = float(self.price.load(cached)), float(self.price.compute(cached, self.columns[2][k]))
        return load, compute, float(self.price.service(load, compute))

    def _left(self, replica: Replica, now: float) -> float:
        """Return the seconds of unfinished work."""
        running = 0.0 if replica.running is None else replica.end - now
        return running + sum(self.expected[k] for k in replica.queue)
