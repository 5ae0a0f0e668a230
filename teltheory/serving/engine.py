"""The plain engine: one pass over the requests, in order of arrival.

1. A request arrives; the router sees how much unfinished work each replica has, and what the request would reuse
   there, and chooses one.
2. A replica serves one request at a time, in order of arrival (ties by number), so that it starts once all that
   was sent there before is finished (Lindley 1952): start = max(arrival, free), free = start + service.
3. So a replica's cache sees its requests one after the other, whatever the times are. It is asked for the request
   at once: nothing that comes later is served before it.

With 3 the KV cache of a request is there for the next one on its replica, even if that arrives before this one is
finished; on other replicas it never is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.model.instance import instance_of
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.chains import Row
from teltheory.replay.tiers.replays import servers
from teltheory.serving.view import Cache, View
from teltheory.serving.work import Price, Work


@dataclass
class ServedRows:
    """What happened to each request, in order of arrival, and how long each replica had iterations."""

    replica: list[int] = field(default_factory=list)
    start: list[float] = field(default_factory=list)
    load: list[float] = field(default_factory=list)
    compute: list[float] = field(default_factory=list)
    service: list[float] = field(default_factory=list)
    moved: list[Row] = field(default_factory=list)
    iterated: list[float] | None = None

    def add(self, replica: int, start: float, load: float, compute: float, service: float, moved: Row) -> None:
        """Add a request."""
        columns = self.replica, self.start, self.load, self.compute, self.service, self.moved
        for column, value in zip(columns, (replica, start, load, compute, service, moved), strict=True):
            column.append(value)  # type: ignore[attr-defined]


def caches_of(work: Work, policy: Any, tiers: Tiers, forced: bool, cache: object, replicas: int) -> list[Cache]:
    """Return an empty cache for each replica.

    Policies that know the future know the next turn of a conversation, whatever replica it goes to.
    """
    instance = instance_of(work.requests, tiers.capacities[0], forced=forced)
    return servers(instance, policy, tiers, cache, replicas)


def run(work: Work, caches: Sequence[Cache], choose: Callable[[View], int], price: Price) -> ServedRows:
    """Send the requests to the replicas, and serve them."""
    rows, free, home = ServedRows(), [-np.inf] * len(caches), dict[int, int]()
    pending = [deque[float]() for _ in caches]
    columns = zip(work.arrival.tolist(), work.session.tolist(), work.inputs.tolist(), strict=True)
    for k, (arrival, session, tokens) in enumerate(columns):
        work_left = [max(until - arrival, 0.0) for until in free]
        for ends in pending:
            while ends and ends[0] <= arrival:
                ends.popleft()
        counts = [len(ends) for ends in pending]
        replica = choose(View(k, arrival, session, tokens, work_left, counts, home.get(session), caches, price))
        moved = caches[replica].serve(k)
        cached = np.array(moved[0], np.int64)
        load, compute = float(price.load(cached)), float(price.compute(cached, tokens))
        start, service = max(arrival, free[replica]), float(price.service(load, compute))
        free[replica] = start + service
        pending[replica].append(free[replica])
        home[session] = replica
        rows.add(replica, start, load, compute, service, moved)
    return rows
