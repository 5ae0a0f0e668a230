"""Serving a trace or a forest by replicas, each with a cache of its own and a queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from teltheory.base.progress import Count, Progress, reporting
from teltheory.cost.given import LatencyGiven, Model, Size, Units, latency_of
from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.numbers import readonly
from teltheory.model.tiers import Tiers, number_of, tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.future import looks_ahead
from teltheory.policies.named import policy_of
from teltheory.policies.online import LRU
from teltheory.policies.policy import NotCompiledError
from teltheory.replay import KERNEL_FROM, Engine, replay
from teltheory.replay.asked import or_reference
from teltheory.replay.tiers.nodes import listens
from teltheory.replay.tiers.replays import made_in, outcome_of
from teltheory.serving.batching import batching_of, run_in_batches
from teltheory.serving.engine import ServedRows, caches_of, run
from teltheory.serving.parts import ToServe, replayed_caches
from teltheory.serving.routers import chooser_of, router_of
from teltheory.serving.served import Served, seconds
from teltheory.serving.shared import Sharing, stored
from teltheory.serving.view import Cache, View
from teltheory.serving.work import Price, Ticks, span, work_of


@dataclass(frozen=True)
class Serving:
    """Options of `serve` that belong together: ``serve(trace, policy, capacity, **vars(serving))``.

    Parameters
    ----------
    replicas : int
        How many there are, 1 or more.
    router : str or Router
        Who decides which one serves a request: "round-robin", "least-loaded", "affinity", "hash", "cache-aware",
        "min-ttft", or an object with ``choose(view)``; see `teltheory.serving.routers`.
    stretch : float or Fraction
        What arrivals are multiplied by, above 0; see `stretch_for`.
    ticks : {"raw", "spread"}
        Whether arrivals with the same time stay so, or are spread evenly up to the next time (the last ones over
        as much as the gap before them).
    batching : Chunked or None
        Prompts in chunks, with decoding beside them or without; None for one request at a time.
    shared : bool
        Whether the last tier is one store for all replicas, to which every past is written through; see
        `teltheory.serving.shared`.
    """

    replicas: int = 1
    router: Any = "round-robin"
    stretch: float | Fraction = 1
    ticks: Ticks = "raw"
    batching: Any = None
    shared: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "replicas", number_of(self.replicas))
        router_of(self.router)


def serve(
    trace: Trace | Forest,
    policy: Any,
    capacity: Size | Tiers,
    *,
    replicas: int = 1,
    router: Any = "round-robin",
    latency: LatencyGiven | None = None,
    model: Model | None = None,
    stretch: float | Fraction = 1,
    ticks: Ticks = "raw",
    forced: bool = False,
    cache: object = "strict",
    batching: Any = None,
    shared: bool = False,
    engine: Engine = "auto",
    progress: Progress = None,
) -> Served:
    """Serve a trace by replicas, each with a cache of its own and a queue: first come, first served.

    Parameters
    ----------
    trace, capacity, forced, cache, model, latency : as in `Problem`
        Requests have arrival times; each replica has the capacity; without any latency it is `A100_LLAMA2_7B`.
    policy : Policy or str, or a sequence of them
        One with rules, as `replay` in tiers takes it, for every tier or one for each; all replicas have the same.
    replicas, router, stretch, ticks, batching, shared : as in `Serving`
    engine : {"auto", "kernel", "reference"}
        The kernel replays each replica's requests alone where the router looks at nothing: one replica,
        "round-robin" and "hash". Under other routers by name it serves requests one at a time, by a
        `LatencyModel`: private conversations by policies that it replays in tiers, unless they count turns; a
        forest in strict caches by policies that go by recency alone, in one tier or in exclusive ones with flat
        budgets. The reference is plain Python. "auto" takes the kernel from 2,000 requests on. Both say the same,
        bit for bit.
    progress : callable or bool, optional
        Called with the requests served and all of them; True shows a bar on standard error.

    Returns
    -------
    Served
        In order of arrival.

    Raises
    ------
    ArgumentError
        For a trace without arrivals, no replica, an unknown router, a latency that is none, a stretch.
    """
    units = Units.of(trace, model, latency)
    memory, policy = units.memory(capacity), policy_of(policy, trace, units)
    work, tiers, number = work_of(trace, stretch, ticks), tiers_of(memory), number_of(replicas)
    price = Price(tiers, latency_of(latency, model), work.block_size)
    if engine not in get_args(Engine):
        raise ArgumentError("engine", engine, "'auto', 'kernel' or 'reference'")
    asked = ToServe(work, policy, memory, forced, cache, router_of(router), number, price)
    with reporting(progress, "Serving") as report:
        served = None if engine == "reference" else _compiled(asked, batching, shared, engine)
        if served is None:
            choose = counted(chooser_of(router, work.requests, number), Count(report, len(work)))
            served = _served_of(asked, _rows(asked, choose, batching, shared, engine))
        else:
            report(len(work), len(work))
    return replace(served, looks_ahead=looks_ahead(policy))


def _compiled(asked: ToServe, batching: Any, shared: bool, engine: Engine) -> Served | None:
    """Serve by the compiled engine; None where "auto" takes the plain one."""
    if engine == "auto" and len(asked.work) < KERNEL_FROM and not listens(asked.policy):
        return None
    with or_reference(engine, len(asked.work)):
        if batching is not None:
            raise NotCompiledError("batching", batching, "engine='reference' for it")
        if shared:
            raise NotCompiledError("shared", shared, "engine='reference' for it")
        from teltheory.serving.compiled import run_compiled

        times, moved = run_compiled(asked)
        replica, start, load, compute, service = times
        outcome = made_in(asked.memory, asked.work.requests, moved)
        return Served(outcome, replica, asked.work.arrival, start, load, compute, service, asked.replicas)
    return None


def counted(choose: Callable[[View], int], count: Count) -> Callable[[View], int]:
    """Return a router's choice that also counts the requests."""

    def chosen(view: View) -> int:
        count.step()
        return choose(view)

    return chosen


def _rows(
    asked: ToServe, choose: Callable[[View], int], batching: Any, shared: bool, engine: Engine
) -> ServedRows:
    """Serve by the plain engine that is asked for."""
    work, policy, memory, forced, cache, _, replicas, price = asked
    caches = work, policy, tiers_of(memory), forced, cache, replicas
    if shared:
        if batching is not None:
            raise ArgumentError("batching", batching, "None with a shared store")
        return Sharing(work, *stored(*caches), price).run(choose)
    if batching is None:
        return run(work, caches_of(*caches), choose, price)
    each = _replayed(asked) if engine == "auto" and (len(work) >= KERNEL_FROM or listens(policy)) else None
    return run_in_batches(work, each or caches_of(*caches), choose, price, batching_of(batching))


def _replayed(asked: ToServe) -> Sequence[Cache] | None:
    """Return caches whose requests were replayed before, where a router looks at none."""
    with or_reference("auto", len(asked.work)):
        return replayed_caches(asked)
    return None


def _served_of(asked: ToServe, rows: ServedRows) -> Served:
    """Return what rows of requests say."""
    work, memory = asked.work, asked.memory
    outcome, replica = outcome_of(memory, work.requests, rows.moved), np.array(rows.replica, np.int64)
    columns = rows.start, rows.load, rows.compute, rows.service
    start, load, compute, service = (readonly(np.array(column, np.float64)) for column in columns)
    iterated = None if rows.iterated is None else readonly(np.array(rows.iterated, np.float64))
    times = work.arrival, start, load, compute, service
    return Served(outcome, readonly(replica), *times, asked.replicas, iterated)


def stretch_for(
    trace: Trace | Forest,
    capacity: Size | Tiers,
    latency: LatencyGiven,
    replicas: int,
    load: float | Fraction,
    ticks: Ticks = "raw",
    model: Model | None = None,
) -> float:
    """Return the stretch at which replicas have a load.

    Load is the seconds of service under LRU in one cache of this capacity (these tiers), over replicas times the
    seconds from the first arrival to the last. So it is one number for all policies and routers; what a replica
    is really busy is `Served.utilisation`.

    Parameters
    ----------
    trace, capacity, latency, model : as in `Problem`
    replicas, ticks : as in `Serving`
    load : float or Fraction
        Above 0; from 1 on queues grow as long as requests come.

    Raises
    ------
    ArgumentError
        For a load, and for a trace that has no arrivals or all at one time, or that takes no time to serve.
    """
    memory = Units.of(trace, model, latency).memory(capacity)
    work, tiers, number = work_of(trace, 1, ticks), tiers_of(memory), number_of(replicas)
    if not seconds("load", load):
        raise ArgumentError("load", load, "a load above 0")
    if not span(work.arrival):
        raise ArgumentError("trace", "arrivals at one time", "arrivals that a stretch can move")
    cached = replay(work.requests, LRU(), memory).by_tier
    price = Price(tiers, latency_of(latency, None), work.block_size)
    busy = float(price.service(price.load(cached), price.compute(cached, work.inputs)).sum())
    if not busy:
        raise ArgumentError("trace", "requests that take no time", "seconds of service that replicas are busy for")
    return busy / (number * span(work.arrival) * seconds("load", load))
