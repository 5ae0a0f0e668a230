"""What stands beside a setting in a queue: other routers, memory that never overflows, and a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial, singledispatch
from typing import Any

from teltheory.advice.alone import least_tel
from teltheory.advice.goal import Goal
from teltheory.advice.held_out import HeldOut, Judge, Row
from teltheory.advice.reasons import reasons_of
from teltheory.advice.server import Queueing
from teltheory.model.forest import Forest
from teltheory.model.numbers import readonly
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.optimal.pooled import least_seconds
from teltheory.serving.routers import ROUTERS


@dataclass(frozen=True, kw_only=True)
class HeldInQueue(HeldOut):
    """What was served on the whole trace, the rest counted.

    Attributes
    ----------
    routers : tuple of Row
        LRU under each router by name; none of one replica.
    best : Row or None
        The setting that was tried under the router that is best for LRU; None if that is the one asked for.
    endless : Row
        LRU with memory that never overflows, under the router asked for.
    bound : float or None
        Seconds above the SLO that no router, no policy and no queue gets below on the rest (`least`); None
        of a latency that is not linear, and with a shared store, which requests reach in another order.
    """

    routers: tuple[Row, ...]
    best: Row | None
    endless: Row
    bound: float | None

    @property
    def best_router(self) -> Row | None:
        """LRU under the router with the least TEL, None of one replica."""
        return min(self.routers, key=lambda row: row.tel, default=None)

    def reasons(self, goal: Goal, idle: bool) -> Iterator[str]:
        """Yield what speaks for LRU."""
        return reasons_of(self.rows[0], self.rows[1], self.endless, goal, idle)


def hold_in_queue(server: Queueing, judge: Judge) -> HeldInQueue:
    """Judge a setting, and serve what stands beside it."""
    own = router_name(server.serving.router)
    held = judge.held(own)
    routed = tuple(_routed(server, judge, held.rows[0], own))
    best = min(routed, key=lambda row: row.tel, default=held.rows[0])
    beside = None
    if best.router != own:
        beside = judge.row(held.rows[1].policy, best.router, server.late(judge.tried, best.router))
    endless = judge.row("LRU, endless memory", own, server.endless())
    where = server.requests, server.start, server.memory, server.serving.replicas
    bound = None if server.serving.shared else least(*where, judge.goal)
    return HeldInQueue(**vars(held), routers=routed, best=beside, endless=endless, bound=bound)


def _routed(server: Queueing, judge: Judge, lru: Row, own: str) -> Iterator[Row]:
    """Yield LRU under each router by name."""
    if server.serving.replicas == 1:
        return
    yield from (lru,) if own not in ROUTERS else ()
    for name in ROUTERS:
        yield lru if name == own else judge.row(lru.policy, name, server.late(server.lru, name))


def least(requests: Trace | Forest, start: int, memory: int | Tiers, replicas: int, goal: Goal) -> float | None:
    """Return a lower bound on the seconds above the SLO from turn `start` on, of any replicas of such memory.

    See `teltheory.optimal.pooled`; the optimum is that of the rest alone. Of a block at an input's end that is not
    full nothing is counted, as units are whole.
    """
    requests = of_full_units(requests)
    room = tiers_of(memory).pooled[-1] * replicas
    optimum = partial(least_tel, requests, start, room)
    bound = least_seconds(optimum, len(requests) - start, requests.block_size, goal.slo, goal.latency)
    return None if bound is None else float(bound)


@singledispatch
def of_full_units(requests: Trace | Forest) -> Trace | Forest:
    """Return requests whose inputs end with their last full unit."""
    return requests


@of_full_units.register(Forest)
def _(requests: Forest) -> Forest:
    return replace(requests, total=readonly(requests.inputs // requests.block_size), tokens=None)


def router_name(router: Any) -> str:
    """Return what a router is called."""
    return router if isinstance(router, str) else type(router).__name__
