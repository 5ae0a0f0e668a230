"""The compiled engines: a latency that is a formula, and a router by name.

They take the steps of `teltheory.serving.engine` one after the other, with every sum and product in the same order
(``queues.h``), so that seconds are the same bit for bit. ``chains.c`` has private conversations in any tiers,
``forests.c`` forests in strict caches by policies that go by recency alone, in one tier or where tiers are
differences of caches.
"""

from __future__ import annotations

from functools import partial, singledispatch
from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.cost.latency import LatencyModel
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.numbers import INT64_MAX, FloatArray, IntArray, readonly
from teltheory.model.tiers import tiers_of
from teltheory.model.trace import Trace
from teltheory.policies.policy import NotCompiledError, has_rules
from teltheory.replay.chains.rules import Nodes
from teltheory.replay.tiers import differences
from teltheory.replay.tiers.nodes import listens
from teltheory.replay.tiers.replays import Moves, check_cache
from teltheory.replay.tiers.rules import empty, layout_of, moved_of
from teltheory.replay.trees.recency import said_by_recency
from teltheory.serving.cache_aware import CacheAware, sent
from teltheory.serving.parts import (
    RequestTimes,
    ToServe,
    copied_by_parts,
    policies_of,
    replica_of_each,
    served_by_parts,
)
from teltheory.serving.routers import Affinity, LeastLoaded, MinTTFT

GIVEN, IDLEST, HOME, SOONEST, SENT = range(5)
"""Ways to choose: as was said before, the idlest, the session's, that with the least TTFT, by what was sent."""
WAYS = {LeastLoaded: IDLEST, Affinity: HOME, MinTTFT: SOONEST, CacheAware: SENT}
MOST_TOKENS = 2**53
"""Inputs below are floats too."""


class Queues(NamedTuple):
    """What ``queues.h`` reads, `options` and `price` as it says, and then what it writes."""

    options: IntArray
    price: FloatArray
    arrival: FloatArray
    session: IntArray
    inputs: IntArray
    free: FloatArray
    home: IntArray
    replica: IntArray
    times: FloatArray


class Sent(NamedTuple):
    """What ``sent.h`` reads: nodes, the numbers of `CacheAware`, and paths in tokens; then room for its trees."""

    nodes: int
    limits: IntArray
    rates: FloatArray
    parent: IntArray
    length: IntArray
    leaf: IntArray | None
    ask: IntArray | None
    trees: IntArray


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
    first, second = served_by_parts, served_one_by_one
    if asked.work.requests.shared and asked.replicas > 1:  # one loop is faster there than a replay a replica
        first, second = second, first
    try:
        times, moved = first(asked)
    except NotCompiledError:
        times, moved = second(asked)
    for array in (*times, *moved):
        if not callable(array):  # what finds the copies once somebody asks
            readonly(array)
    return times, moved


def served_one_by_one(asked: ToServe) -> tuple[RequestTimes, Moves]:
    """Serve requests one after the other; `NotCompiledError` if no loop does what is asked."""
    check_cache(asked.cache)
    if listens(asked.policy):
        raise NotCompiledError("policy", asked.policy, "engine='reference' for it")
    return _served(asked.work.requests, asked)


@singledispatch
def _served(requests: Any, asked: ToServe) -> tuple[RequestTimes, Moves]:
    raise NotCompiledError("trace", type(requests).__name__, "a Trace or a Forest")


@_served.register(Trace)
def _turns(trace: Trace, asked: ToServe) -> tuple[RequestTimes, Moves]:
    """Serve private conversations."""
    tiers, replicas, sessions = tiers_of(asked.memory), asked.replicas, trace.conversations
    instance = Instance.of(trace, tiers.capacities[0], forced=asked.forced)
    queues, trees = queues_of(asked, trace.code, sessions), sent_of(asked)
    layout, moved = layout_of(instance, asked.policy, tiers, OnReplicas), moved_of(len(tiers), len(trace))
    known = np.full((replicas, sessions), -1, np.int64), np.full(replicas, -1, np.int64)
    caches = layout, replicas, empty(layout, replicas), moved
    reused = np.empty(len(tiers), np.int64)
    call("serve_conversations", layout.sizes, *caches, sessions, queues, trees, asked.forced, known, reused)
    times = RequestTimes(queues.replica, *queues.times)
    return times, Moves(moved.cached, moved.written, moved.copied, moved.cached[1:])


@_served.register(Forest)
def _paths(forest: Forest, asked: ToServe) -> tuple[RequestTimes, Moves]:
    """Serve a forest by a policy that goes by recency alone, in one strict tier or in differences of such."""
    sizes, replicas, n, nodes = tiers_of(asked.memory).pooled, asked.replicas, len(forest), forest.nodes
    kept, tiers = _kept_of(forest, asked), len(sizes)
    names, session = np.unique(asked.work.session, return_inverse=True)
    queues, trees = queues_of(asked, session, len(names)), sent_of(asked)
    runs = np.full(nodes * replicas, -1, np.int64), np.full(n, -1, np.int64), *np.zeros((2, n), np.int64)
    slots = np.zeros((tiers, n), np.int64), np.empty(n, np.int64)
    pointers = np.full(replicas, -1, np.int64), *np.full((2, tiers, replicas), n, np.int64)
    overflow = np.repeat([-min(size, INT64_MAX) for size in sizes], replicas)
    moved = tuple(np.empty(shape, np.int64) for shape in (2 * tiers, (tiers, n), n, (tiers - 1, n)))
    columns = forest.parent, forest.depth, forest.leaf, forest.ask, forest.past
    caches = runs, slots, pointers, overflow, moved
    call("serve_forest", n, nodes, columns, tiers, replicas, asked.forced, kept, caches, len(names), queues, trees)
    _, cached, written, loaded = moved
    copied: Any = partial(copied_by_parts, asked, queues.replica) if tiers > 1 else loaded
    return RequestTimes(queues.replica, *queues.times), Moves(cached, written, copied, loaded)


def _kept_of(forest: Forest, asked: ToServe) -> tuple[IntArray | None, ...]:
    """Return what the policy keeps of each path by itself, None for all of it, and how much is no surplus."""
    tiers = tiers_of(asked.memory)
    instance = ForestInstance.of(forest, tiers.capacities[0], forced=asked.forced)
    each = policies_of(asked)
    one = len(tiers) == 1 or differences.covered(instance, each, tiers)
    if not one or asked.cache != "strict" or not instance.is_plain:
        raise NotCompiledError("trace", "a Forest", "one strict tier and no cut history, or engine='reference'")
    simple = has_rules(each[0]) and each[0].trim != "round-robin"
    said = said_by_recency(each[0], forest.past, strict=True) if simple else None
    if said is None:
        raise NotCompiledError("policy", asked.policy, "one by recency alone, or engine='reference' for it")
    full = None if said.full is forest.past else said.full
    return tuple(None if kept is None else np.array(kept) for kept in (full, said.least))  # to be raised


def queues_of(asked: ToServe, session: IntArray, sessions: int) -> Queues:
    """Return empty queues, given the session of each request, below `sessions`."""
    work, price, n = asked.work, asked.price, len(asked.work)
    way = WAYS.get(type(asked.router), GIVEN) if asked.replicas > 1 else GIVEN
    replica = np.zeros(n, np.int64) if way else np.array(replica_of_each(asked.router, work, asked.replicas))
    options = np.array([work.block_size, price.overlapped, way], np.int64)
    seconds = np.array([*_formula_of(price.latency), *price.load_of_unit], np.float64)
    free, home = np.full(asked.replicas, -np.inf), np.full(sessions, -1, np.int64)
    return Queues(options, seconds, work.arrival, session, work.inputs, free, home, replica, np.empty((4, n)))


def sent_of(asked: ToServe) -> Sent:
    """Return empty trees of what is sent, if the router looks at that."""
    n, replicas, router = len(asked.work), asked.replicas, asked.router
    none, fixed = np.empty(0, np.int64), 5 * replicas + n
    if type(router) is not CacheAware or replicas == 1:
        nothing = np.zeros(2, np.int64), np.zeros(3)
        return Sent(0, *nothing, none, none, None, None, np.zeros(fixed, np.int64))
    forest, size = sent(asked.work.requests), asked.work.block_size
    ask = forest.ask * size
    if forest.peak * size > INT64_MAX or ask.max(initial=0) >= MOST_TOKENS:
        raise NotCompiledError("trace", "inputs of 2**53 tokens or more", "engine='reference' for them")
    limits = router.balance_abs_threshold, router.max_tree_size
    rates = router.cache_threshold, router.balance_rel_threshold, router.eviction_interval
    if any(type(rate) not in (int, float) for rate in rates):
        raise NotCompiledError("router", router, "floats, or engine='reference' for it")
    trees = np.zeros((2 * replicas + 1) * forest.nodes + fixed, np.int64)
    return Sent(
        forest.nodes,
        np.array([min(limit, INT64_MAX) for limit in limits], np.int64),
        np.array(rates, np.float64),
        forest.parent,
        forest.length * size,
        forest.leaf,
        ask,
        trees,
    )


def _formula_of(latency: Any) -> tuple[float, float, float, float, float]:
    if type(latency).ttft is not LatencyModel.ttft:
        raise NotCompiledError("latency", latency, "engine='reference' for one that is no formula")
    alpha, gamma, beta, floor, one = latency.floats
    return alpha, gamma, beta, floor, one
