"""The compiled engine: private conversations, a latency that is a formula, and routers that remember no inputs.

It takes the steps of `teltheory.serving.engine` one after the other, with every sum and product in the same order,
so that seconds are the same bit for bit. A turn's slot is on one replica, so slots are those of a replay in tiers,
and each replica only knows which of them a conversation has there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.cost.latency import LatencyModel
from teltheory.model.instance import Instance
from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.tiers import tiers_of
from teltheory.policies.policy import NotCompiledError
from teltheory.replay.chains.rules import Nodes
from teltheory.replay.compiled import inlined, uncounted
from teltheory.replay.tiers.kernel import Stock, cut, empty, serve
from teltheory.replay.tiers.replays import Moves, check_cache
from teltheory.replay.tiers.rules import Seen, Writes, layout_of, moved_of
from teltheory.serving.parts import RequestTimes, ToServe, replica_of_each, served_by_parts
from teltheory.serving.routers import Affinity, LeastLoaded, MinTTFT

GIVEN, IDLEST, HOME, SOONEST = range(4)
"""Ways to choose: as was said before, the idlest, the session's, or that with the least TTFT."""


class Inputs(NamedTuple):
    """Requests, what a token takes as `LatencyModel` has it and a unit of each tier to load, and how to choose."""

    arrival: FloatArray
    session: IntArray
    inputs: IntArray
    block_size: int
    formula: tuple[float, float, float, float, float]
    load_of_unit: FloatArray
    overlapped: bool
    forced: bool
    way: int
    given: IntArray


class Homes(NamedTuple):
    """When each is free, its slot of each session and its latest one, -1 for none; and each session's replica."""

    free: FloatArray
    slot: IntArray
    latest: IntArray
    home: IntArray


@inlined
def _seconds(asked: Inputs, layout: Seen, state: Stock, k: int, slot: int) -> tuple[float, float, float]:
    """Return what loading, computing and both take of request k, at a replica where its session has a slot."""
    load, left = 0.0, layout.history[k]
    for i in range(len(layout.capacity)):
        reused = min(state.held[slot, i], left) if slot >= 0 else 0
        load = load + reused * asked.load_of_unit[i]
        left -= reused
    cached = (layout.history[k] - left) * asked.block_size
    u, c = float(asked.inputs[k] - cached), float(cached)
    alpha, gamma, beta, floor, one = asked.formula
    compute = max(alpha * u + gamma * u * (u + 2 * c) + beta, floor) / one
    return load, compute, max(load, compute) if asked.overlapped else load + compute


@inlined
def _candidates(asked: Inputs, replicas: Homes, k: int) -> tuple[int, int]:
    """Return the first replica that may serve request k, and the first after it that may not."""
    if asked.way == SOONEST:
        return 0, len(replicas.free)
    home = replicas.home[asked.session[k]]
    chosen = asked.given[k] if asked.way == GIVEN else home if asked.way == HOME else -1
    if chosen < 0:
        least = np.inf
        for r in range(len(replicas.free)):
            work = max(replicas.free[r] - asked.arrival[k], 0.0)
            if r == 0 or work < least:
                chosen, least = r, work
    return int(chosen), int(chosen) + 1


@uncounted
def serve_all(
    asked: Inputs, layout: Seen, state: Stock, moved: Writes, replicas: Homes, times: RequestTimes
) -> None:
    """Send the requests to the replicas, and serve them; among replicas that are equally good the first one."""
    for k in range(len(asked.arrival)):
        session = asked.session[k]
        first, end = _candidates(asked, replicas, k)
        r, least, load, compute, service = first, np.inf, 0.0, 0.0, 0.0
        for q in range(first, end):
            found = _seconds(asked, layout, state, k, replicas.slot[q, session])
            ttft = max(replicas.free[q] - asked.arrival[k], 0.0) + found[2]
            if q == first or ttft < least:
                r, least = q, ttft
                load, compute, service = found
        serve(layout, state, moved, r, k, replicas.slot[r, session])
        cut(layout, state, moved, r, k, replicas.latest[r] if asked.forced else k)
        start = max(asked.arrival[k], replicas.free[r])
        replicas.free[r] = start + service
        replicas.slot[r, session] = replicas.latest[r] = k
        replicas.home[session] = r
        times.replica[k], times.start[k], times.service[k] = r, start, service
        times.load[k], times.compute[k] = load, compute


class OnReplicas(Nodes):
    """Nodes of which a replica sees only some turns: how many, and which came first, depends on the router."""

    @property
    def first(self) -> IntArray:
        """Refuse."""
        raise NotCompiledError("policy", "rules that look at first arrivals", "engine='reference' for it")

    @property
    def hits(self) -> IntArray:
        """Refuse."""
        raise NotCompiledError("policy", "rules that count turns", "engine='reference' for it")


def run_compiled(asked: ToServe) -> tuple[RequestTimes, Moves]:
    """Serve requests; `NotCompiledError` if no loop does what is asked."""
    try:
        times, moved = served_by_parts(asked)
    except NotCompiledError:
        times, moved = served_turn_by_turn(asked)
    for array in (*times, *moved):
        readonly(array)
    return times, moved


def served_turn_by_turn(asked: ToServe) -> tuple[RequestTimes, Moves]:
    """Serve private conversations; `NotCompiledError` if the engine does not do what is asked."""
    work, tiers, price = asked.work, tiers_of(asked.memory), asked.price
    if work.requests.shared:
        raise NotCompiledError("trace", "a Forest", "engine='reference' for it")
    check_cache(asked.cache)
    instance = Instance.of(work.requests, tiers.capacities[0], forced=asked.forced)  # type: ignore[arg-type]
    way, given = _way_of(asked)
    inputs = Inputs(
        work.arrival,
        work.session,
        work.inputs,
        work.block_size,
        _formula_of(price.latency),
        np.array(price.load_of_unit, np.float64),
        price.overlapped,
        asked.forced,
        way,
        given,
    )
    layout = layout_of(instance, asked.policy, tiers, OnReplicas)
    n, sessions, replicas = len(work), instance.requests.conversations, asked.replicas
    moved, times = moved_of(len(tiers), n), RequestTimes(np.empty(n, np.int64), *(np.empty(n) for _ in range(4)))
    slots = np.full((replicas, sessions), -1, np.int64)
    busy = Homes(
        np.full(replicas, -np.inf), slots, np.full(replicas, -1, np.int64), np.full(sessions, -1, np.int64)
    )
    serve_all(inputs, layout, empty(layout, replicas), moved, busy, times)
    return times, Moves(moved.cached, moved.written, moved.copied, moved.cached[1:])


def _way_of(asked: ToServe) -> tuple[int, IntArray]:
    """Return how a router chooses, and what it says before."""
    ways = {LeastLoaded: IDLEST, Affinity: HOME, MinTTFT: SOONEST}
    if asked.replicas > 1 and type(asked.router) in ways:
        return ways[type(asked.router)], readonly(np.zeros(len(asked.work), np.int64))
    return GIVEN, replica_of_each(asked.router, asked.work, asked.replicas)


def _formula_of(latency: Any) -> tuple[float, float, float, float, float]:
    if type(latency).ttft is not LatencyModel.ttft:
        raise NotCompiledError("latency", latency, "engine='reference' for one that is no formula")
    alpha, gamma, beta, floor, one = latency.floats
    return alpha, gamma, beta, floor, one
