"""The compiled loop for policies whose order depends on what happened to a unit since it was added to the cache.

Each unit that is cached and not held by a running request counts for one of two queues, and waits in that queue's
heap while it may go. Policies of one order have the first queue alone. A unit gets its key when the request that
read it ends, and its turn, which decides among equal keys, when it enters a queue: for most policies at each end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import BoolArray, FloatArray, IntArray
from teltheory.policies.pgdsf import GDSF
from teltheory.policies.queues import S3FIFO, TwoQ
from teltheory.policies.residence import FIFO, LFU, SLRU, Priority
from teltheory.replay.compiled import compiled, inlined
from teltheory.replay.trees.heap import Heaps, new_heaps, pull, push
from teltheory.replay.trees.orders import TreeLayout

BY_ENTRY, BY_READS, PROTECTED, BY_PRIORITY, BY_VALUE, TWO_QUEUES, SECOND_CHANCES = range(7)
KINDS = {FIFO: BY_ENTRY, LFU: BY_READS, SLRU: PROTECTED, TwoQ: TWO_QUEUES, S3FIFO: SECOND_CHANCES}


class LoopPolicy(NamedTuple):
    """A policy as the loop reads it.

    `weight` is the cost / size of each unit, or the priority of each request. The first queue loses a unit while
    it has more than `limit`, and the latest `ghosts` of those are remembered.
    """

    kind: int
    weight: FloatArray
    limit: int
    ghosts: int


def way_of(policy: Any, instance: ForestInstance) -> LoopPolicy:
    """Return what the loop needs to know of a policy."""
    if isinstance(policy, Priority):
        return LoopPolicy(BY_PRIORITY, policy.of_requests(instance.requests), 0, 0)
    if isinstance(policy, GDSF):
        return LoopPolicy(BY_VALUE, policy.weights(instance.requests), 0, 0)
    sizes = policy.sizes(instance.capacity) if isinstance(policy, TwoQ | S3FIFO) else (0, 0)
    return LoopPolicy(KINDS[type(policy)], np.zeros(0), *sizes)


class Cached(NamedTuple):
    """What is known of each unit, and of the whole: units that count for each queue, the clock, turns so far.

    `since` is the request that added the unit; under priorities the one of the greatest priority since then.
    """

    held: BoolArray
    counts: BoolArray
    entered: BoolArray
    children: IntArray
    visit: IntArray
    reads: IntArray
    since: IntArray
    queue: IntArray
    size: IntArray
    clock: FloatArray
    turns: IntArray
    heaps: Heaps


class GhostQueue(NamedTuple):
    """What left the first queue, oldest first; where each unit is in it, or -1; and its begin, end and number."""

    order: IntArray
    place: IntArray
    bounds: IntArray


@inlined
def _is_ghost(ghosts: GhostQueue, u: int) -> bool:
    """Whether a unit comes back; its ghost is gone then."""
    came_back = bool(ghosts.place[u] >= 0)
    if came_back:
        ghosts.place[u] = -1
        ghosts.bounds[2] -= 1
    return came_back


@inlined
def _remember(ghosts: GhostQueue, u: int, most: int) -> None:
    begin, end = ghosts.bounds[0], ghosts.bounds[1]
    ghosts.order[end] = u
    ghosts.place[u] = end
    ghosts.bounds[1] += 1
    ghosts.bounds[2] += 1
    if ghosts.bounds[2] > most:
        while ghosts.place[ghosts.order[begin]] != begin:
            begin += 1
        _is_ghost(ghosts, ghosts.order[begin])
        ghosts.bounds[0] = begin + 1


@inlined
def _read(layout: TreeLayout, way: LoopPolicy, cached: Cached, ghosts: GhostQueue, k: int, j: int) -> int:
    """Read a unit; return 1 if it was not cached."""
    u = layout.piece[j]
    resident = cached.held[u]
    if cached.counts[u]:
        pull(cached.heaps, cached.queue[u], u)
        cached.counts[u] = False
        cached.size[cached.queue[u]] -= 1
    if not resident:
        cached.held[u] = True
        cached.entered[u] = False
        cached.reads[u] = 0
        cached.queue[u] = 1 if way.kind >= TWO_QUEUES and _is_ghost(ghosts, u) else 0
        cached.since[u] = k
        if layout.parent[u] >= 0:
            cached.children[layout.parent[u]] += 1
    if way.kind == BY_PRIORITY and (not resident or way.weight[k] > way.weight[cached.since[u]]):
        cached.since[u] = k
    cached.visit[u] = j
    cached.reads[u] += 1
    if way.kind == SECOND_CHANCES:
        cached.reads[u] = min(cached.reads[u], 4)
    return 0 if resident else 1


@inlined
def _serve(layout: TreeLayout, way: LoopPolicy, cached: Cached, ghosts: GhostQueue, k: int) -> None:
    """Read the path of request k; write what it hits and what it adds."""
    hits = 0
    for j in range(layout.start[k], layout.start[k + 1]):
        if not cached.held[layout.piece[j]]:
            break
        hits += 1
    added = 0
    for j in range(layout.start[k + 1] - 1, layout.start[k] - 1, -1):
        added += _read(layout, way, cached, ghosts, k, j)
    layout.cached[k] = min(hits, layout.ask[k])
    layout.written[k] = added


@inlined
def _key(way: LoopPolicy, cached: Cached, u: int) -> float:
    """Return by what a unit goes, the smallest first."""
    if way.kind == BY_ENTRY:
        return float(cached.since[u])
    if way.kind == BY_PRIORITY:
        return float(way.weight[cached.since[u]])
    if way.kind == BY_READS:
        return float(cached.reads[u])
    if way.kind == PROTECTED:
        return 1.0 if cached.reads[u] >= 2 else 0.0
    if way.kind == BY_VALUE:
        return float(cached.clock[0] + cached.reads[u] * way.weight[u])
    return 0.0


@inlined
def _enter(way: LoopPolicy, cached: Cached, u: int) -> None:
    """Give a unit its key, and a place at the end of its queue unless it keeps the one that it has."""
    cached.heaps.key[u] = _key(way, cached, u)
    stays = way.kind == SECOND_CHANCES or (way.kind == TWO_QUEUES and cached.queue[u] == 0)
    if not (cached.entered[u] and stays):
        cached.turns[0] += 1
        cached.heaps.turn[u] = cached.turns[0]
    cached.entered[u] = True


@inlined
def _release(layout: TreeLayout, way: LoopPolicy, cached: Cached, ended: int, strict: bool) -> None:
    """Let the path of a request that has ended count for the queues, unless a running one has read it since."""
    for j in range(layout.start[ended + 1] - 1, layout.start[ended] - 1, -1):
        u = layout.piece[j]
        if cached.visit[u] == j:
            _enter(way, cached, u)
            cached.counts[u] = True
            cached.size[cached.queue[u]] += 1
            if not strict or cached.children[u] == 0:
                push(cached.heaps, cached.queue[u], u)


@inlined
def _queue(cached: Cached, due: bool) -> int:
    """Return the queue that loses a unit: the first if it is due, unless only the other has one that may go."""
    waiting = cached.heaps.number
    return 0 if waiting[1] == 0 or (waiting[0] > 0 and due) else 1


@inlined
def _move_on(way: LoopPolicy, cached: Cached, q: int) -> bool:
    """Give the next unit of a queue a place at the end of the large one, if it was read often enough."""
    u = cached.heaps.order[q, 0]
    if way.kind != SECOND_CHANCES or cached.reads[u] <= (1 if q == 1 else 2):
        return False
    pull(cached.heaps, q, u)
    cached.reads[u] = cached.reads[u] - 1 if q == 1 else 1
    cached.size[q] -= 1
    cached.size[1] += 1
    cached.queue[u] = 1
    cached.turns[0] += 1
    cached.heaps.turn[u] = cached.turns[0]
    push(cached.heaps, 1, u)
    return True


@inlined
def _evict(layout: TreeLayout, way: LoopPolicy, cached: Cached, ghosts: GhostQueue, q: int, strict: bool) -> None:
    """Remove the next unit of a queue; in a strict cache its parent may be the next."""
    u = cached.heaps.order[q, 0]
    pull(cached.heaps, q, u)
    cached.held[u] = False
    cached.counts[u] = False
    cached.size[q] -= 1
    if way.kind == BY_VALUE:
        cached.clock[0] = max(cached.clock[0], cached.heaps.key[u])
    if way.kind >= TWO_QUEUES and q == 0:
        _remember(ghosts, u, way.ghosts)
    above = layout.parent[u]
    if above >= 0:
        cached.children[above] -= 1
        if strict and cached.children[above] == 0 and cached.counts[above]:
            push(cached.heaps, cached.queue[above], above)


@compiled
def replay_residence(layout: TreeLayout, way: LoopPolicy, strict: bool, last: int) -> None:
    """Replay a policy on units; the cut after request `last` is left out."""
    units, visits = len(layout.parent), len(layout.piece)
    cached = Cached(
        np.zeros(units, np.bool_),
        np.zeros(units, np.bool_),
        np.zeros(units, np.bool_),
        np.zeros(units, np.int64),
        np.full(units, -1, np.int64),
        np.zeros(units, np.int64),
        np.zeros(units, np.int64),
        np.zeros(units, np.int64),
        np.zeros(2, np.int64),
        np.zeros(1, np.float64),
        np.zeros(1, np.int64),
        new_heaps(units),
    )
    remembered = visits + 1 if way.kind >= TWO_QUEUES else 0
    ghosts = GhostQueue(np.empty(remembered, np.int64), np.full(units, -1, np.int64), np.zeros(3, np.int64))
    overflow = -layout.capacity
    for k in range(len(layout.ask)):
        _serve(layout, way, cached, ghosts, k)
        overflow += layout.written[k]
        ended = k - layout.exempt
        if k == last or ended < 0:
            continue
        _release(layout, way, cached, ended, strict)
        while overflow > 0:
            due = cached.size[0] > way.limit
            q = _queue(cached, due)
            while _move_on(way, cached, q):
                q = _queue(cached, due)
            _evict(layout, way, cached, ghosts, q, strict)
            overflow -= 1
