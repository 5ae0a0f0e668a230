"""What settings did on the rest of a trace, in the queue, next to LRU, to other routers, and to endless memory.

Every setting is served on the whole trace, so that the rest begins with the caches and the queues that it has by
then, and only the turns of the rest count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from teltheory.advice.choice import BLOCKS, DRAWS
from teltheory.advice.goal import Goal, Limits, gain_interval
from teltheory.advice.held_out import least_tel
from teltheory.advice.in_queue import Queued
from teltheory.advice.search import Candidate, sets_of_tiers
from teltheory.advice.server import Server
from teltheory.cost.bootstrap import Blocks, Estimate
from teltheory.model.forest import Forest
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.model.trace import Trace
from teltheory.serving.pooled import least_seconds
from teltheory.serving.routers import ROUTERS

LEVELS = (0.5, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class QueueRow:
    """A setting under a router on the rest.

    Attributes
    ----------
    policy, router : str
        Their names; of tiers a policy for each.
    utilisation : float
        Busy seconds over those of all replicas between the first and the last arrival; of chunks, those of the
        whole run.
    hit_rate : float
        Share of the input that was reused, of any tier.
    prefilled : int
        Tokens that were computed.
    busy : float
        Seconds that the replicas were busy, loading and computing.
    p50, p90, p95, p99 : float
        TTFT in seconds, waits included.
    slow : int
        Turns above the SLO.
    tel : float
        Sum of the seconds above the SLO.
    wait, load, compute : float
        What of `tel` that is, as `Served.tail` charges it: the wait first, then loading, then computing.
    alone : float
        `tel` if no turn waited.
    hits, written : tuple of int
        Tokens that were reused of each tier, and written to it.
    loaded : tuple of int
        Tokens that were loaded from each tier but the first.
    gain : Estimate
        Share by which the goal is below that of LRU under the router that was asked for.
    """

    policy: str
    router: str
    utilisation: float
    hit_rate: float
    prefilled: int
    busy: float
    p50: float
    p90: float
    p95: float
    p99: float
    slow: int
    tel: float
    wait: float
    load: float
    compute: float
    alone: float
    hits: tuple[int, ...]
    written: tuple[int, ...]
    loaded: tuple[int, ...]
    gain: Estimate


@dataclass(frozen=True)
class HeldInQueue:
    """What was served on the whole trace, the rest counted.

    Attributes
    ----------
    rows : tuple of QueueRow
        LRU; the setting that was tried; the same margin with other tiers running T-LRU.
    routers : tuple of QueueRow
        LRU under each router by name; none of one replica.
    best : QueueRow or None
        The setting that was tried under the router that is best for LRU; None if that is the one asked for.
    endless : QueueRow
        LRU with memory that never overflows, under the router asked for.
    broken : tuple of str
        Limits that the setting breaks on the rest.
    bound : float or None
        Seconds above the SLO that no router, no policy and no queue gets below on the rest (`least`); None
        of a latency that is not linear, and with a shared store, which requests reach in another order.
    """

    rows: tuple[QueueRow, ...]
    routers: tuple[QueueRow, ...]
    best: QueueRow | None
    endless: QueueRow
    broken: tuple[str, ...]
    bound: float | None

    @property
    def gain(self) -> Estimate:
        """Share by which the setting's goal is below LRU's."""
        return self.rows[1].gain

    @property
    def best_router(self) -> QueueRow | None:
        """LRU under the router with the least TEL, None of one replica."""
        return min(self.routers, key=lambda row: row.tel, default=None)


@dataclass(frozen=True, eq=False)
class Judge:
    """Rows next to LRU's, on the same draws of blocks.

    Attributes
    ----------
    goal : Goal
        What is to be small.
    lru : Queued
        The rest under LRU and the router asked for.
    blocks : Blocks
        Of the rest.
    draws : ndarray of int64
        How often each block is in each draw.
    """

    goal: Goal
    lru: Queued
    blocks: Blocks
    draws: IntArray

    @classmethod
    def of(cls, goal: Goal, lru: Queued, rng: np.random.Generator) -> Judge:
        """Draw blocks of the rest."""
        blocks = Blocks.of(len(lru), BLOCKS)
        return cls(goal, lru, blocks, blocks.draw(len(blocks), DRAWS, rng))

    def row(self, policy: str, router: str, run: Queued) -> QueueRow:
        """Return a run on the rest as a row."""
        slo, cost, served = self.goal.slo, run.cost(self.goal), run.served
        p50, p90, p95, p99 = served.quantiles(LEVELS).tolist()
        tail, (written, loaded) = served.tail(slo), run.moved
        return QueueRow(
            policy=policy,
            router=router,
            utilisation=served.utilisation,
            hit_rate=cost.hit_rate,
            prefilled=cost.prefilled,
            busy=float(served.busy.sum()),
            p50=p50,
            p90=p90,
            p95=p95,
            p99=p99,
            slow=served.slow(slo),
            tel=served.tail_seconds(slo),
            wait=tail.wait,
            load=tail.load,
            compute=tail.compute,
            alone=float(np.maximum(served.service - float(slo), 0.0).sum()),
            hits=run.hits,
            written=written,
            loaded=loaded,
            gain=self.gain(run),
        )

    def gain(self, run: Queued) -> Estimate:
        """Return by what share a run's goal is below LRU's."""
        before, after = (one.losses(self.goal) for one in (self.lru, run))
        drawn = self.goal.gain(before, after, self.blocks, self.draws)
        value = self.goal.gain(before, after, self.blocks, self.blocks.all)
        return gain_interval(float(value[0]), drawn, len(self.blocks))


def hold_in_queue(
    server: Server, start: int, goal: Goal, limits: Limits, tried: Candidate, kind: str, rng: np.random.Generator
) -> HeldInQueue:
    """Serve settings on the whole trace, and count the turns from `start` on."""
    own, lru = router_name(server.serving.router), Candidate((False,) * len(tried.on), False, 0)
    base = server.served(lru).since(start)
    judge = Judge.of(goal, base, rng)
    after = server.served(tried).since(start)
    others = [replace(tried, on=on, flat=False) for on in sets_of_tiers(len(tried.on)) if on != tried.on]
    rows = [judge.row(named(lru, kind), own, base), judge.row(named(tried, kind), own, after)]
    rows += [judge.row(named(one, kind), own, server.served(one).since(start)) for one in others]
    routed = tuple(_routed(server, start, judge, rows[0], own))
    best = min(routed, key=lambda row: row.tel, default=rows[0])
    beside = None
    if best.router != own:
        beside = judge.row(named(tried, kind), best.router, server.served(tried, best.router).since(start))
    endless = judge.row("LRU, endless memory", own, server.endless().since(start))
    broken = tuple(limits.broken(base.cost(goal), after.cost(goal), goal.slo))
    where = server.requests, start, server.memory, server.serving.replicas
    bound = None if server.serving.shared else least(*where, goal)
    return HeldInQueue(tuple(rows), routed, beside, endless, broken, bound)


def _routed(server: Server, start: int, judge: Judge, lru: QueueRow, own: str) -> Iterator[QueueRow]:
    """Yield LRU under each router by name."""
    if server.serving.replicas == 1:
        return
    candidate = Candidate((False,) * len(server.tiers), False, 0)
    yield from (lru,) if own not in ROUTERS else ()
    for name in ROUTERS:
        yield lru if name == own else judge.row(lru.policy, name, server.served(candidate, name).since(start))


def least(requests: Trace | Forest, start: int, memory: int | Tiers, replicas: int, goal: Goal) -> float | None:
    """Return a lower bound on the seconds above the SLO from turn `start` on, of any replicas of such memory.

    See `teltheory.serving.pooled`; the optimum is that of the rest alone. Of a block at an input's end that is not
    full nothing is counted, as units are whole.
    """
    if isinstance(requests, Forest):
        requests = replace(requests, total=readonly(requests.inputs // requests.block_size), tokens=None)
    room = tiers_of(memory).pooled[-1] * replicas
    optimum = partial(least_tel, requests, start, room)
    bound = least_seconds(optimum, len(requests) - start, requests.block_size, goal.slo, goal.latency)
    return None if bound is None else float(bound)


def router_name(router: Any) -> str:
    """Return what a router is called."""
    return router if isinstance(router, str) else type(router).__name__


def named(candidate: Candidate, kind: str) -> str:
    """Return what a candidate's policies are called: one name, or one for each tier."""
    if candidate.is_lru:
        return "LRU"
    budgets = " (flat)" if candidate.flat else ""
    return " / ".join(kind if on else "LRU" for on in candidate.on) + budgets
