"""The reference replay of module sets: plain Python, to be read beside docs/module-sets.md.

For every request k, in order of arrival, after what has expired has gone:

1. each of its items, in ascending order, is reused as far as it is cached, is at hand whole, and becomes the most
   recent;
2. the cache is cut: first goes what the policy does not keep at all, then surplus above the budgets (with eager
   trimming overflow or not), then the rest in the policy's order of eviction, until no more than C is left.

A divisible item loses tokens from its end. A whole one goes at once: it is surplus if its budget is 0.

Under forced caching the items of a request are left out of the cut right after it, and the cut after the last
request is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teltheory.model.instance import ModuleInstance
from teltheory.model.module_trace import ModuleTrace
from teltheory.model.numbers import readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.memory import Memory
from teltheory.policies.node import NextTurn, Node
from teltheory.policies.policy import Policy
from teltheory.replay.chains.reference import evict, trim_all, trim_in_order, trim_in_rounds
from teltheory.replay.sets.memories import memory_of


@dataclass(slots=True)
class ItemNode(Node):
    """What a policy sees of an item; a request that uses it says the rest."""

    since: int = field(init=False)
    reads: int = field(init=False)
    asked: int = field(init=False)
    ahead: int = field(init=False)


Items = dict[int, ItemNode]


def replay_reference(instance: ModuleInstance, policy: Policy) -> Outcome:
    """Replay the requests of an instance under a policy."""
    reused = readonly(np.array([taken for taken, _ in replayed_requests(instance, policy)], np.int64))
    return Outcome(reused, readonly(instance.total - reused))


def replayed_requests(instance: ModuleInstance, policy: Policy) -> Iterator[tuple[int, Items]]:
    """Replay request by request; yield what each reuses, and the cache after its cut, least recent first."""
    trace, memory = instance.requests, memory_of(policy, instance)
    following = next_uses(trace)
    items, cache = Items(), Items()
    for k in range(len(trace)):
        now = None if trace.arrival is None else float(trace.arrival[k])
        for node in [node for node in cache.values() if memory is not None and memory.expired(node, now)]:
            cache.pop(node.code).cached = 0
        reused = touch(trace, k, items, cache, following, [memory])
        if k < len(trace) - 1 or not instance.forced:
            release(instance, k, items, [memory])
            cut(cache, policy, memory, instance, trace.items(k).tolist() if instance.forced else ())
        yield reused, cache


def touch(
    trace: ModuleTrace,
    k: int,
    items: Items,
    cache: Items,
    following: Sequence[NextTurn | None],
    memories: Sequence[Memory | None],
) -> int:
    """Use the items of request k, which become the most recent of the cache; return what it reuses."""
    reused, asked, ahead = 0, trace.items(k).tolist(), int(trace.total[k] - trace.fresh[k])
    together = ahead
    for place, code in enumerate(asked, int(trace.offsets[k])):
        size = int(trace.sizes[code])
        node = items.setdefault(code, ItemNode(len(items), size, 0, None, code))
        resident = node.cached > 0
        reused += node.cached
        node.cached = size
        node.last, node.next, node.hits = place, following[place], node.hits + 1
        node.seen = None if trace.arrival is None else float(trace.arrival[k])
        node.since, node.reads = (node.since, node.reads + 1) if resident else (place, 1)
        ahead -= size
        node.asked, node.ahead = together, ahead
        for memory in memories:
            if memory is not None:
                memory.used(node, resident)
        cache.pop(code, None)
        cache[code] = node
    return reused


def release(instance: ModuleInstance, k: int, items: Items, memories: Sequence[Memory | None]) -> None:
    """Tell what remembers which items come under their first cut after request k."""
    trace, ended = instance.requests, k - instance.exempt
    arriving = set(trace.items(k).tolist()) if instance.forced else set()
    for code in trace.items(ended).tolist() if ended >= 0 else ():
        for memory in memories:
            if memory is not None and code not in arriving:
                memory.released(items[code])


def next_uses(trace: ModuleTrace) -> list[NextTurn | None]:
    """Return for each use the next use of its item."""
    found: list[NextTurn | None] = [None] * len(trace.members)
    last: dict[int, int] = {}
    for k in range(len(trace)):
        uses = dict(zip(trace.items(k).tolist(), range(int(trace.offsets[k]), len(found)), strict=False))
        ahead = 0
        for code in sorted(last.keys() & uses, key=last.__getitem__, reverse=True):
            size = int(trace.sizes[code])
            found[last[code]] = NextTurn(uses[code], size, int(trace.total[k]) - size, ahead)
            ahead += size
        last |= uses
    return found


def cut(
    cache: Items, policy: Policy, memory: Memory | None, instance: ModuleInstance, exempt: Collection[int]
) -> None:
    """Cut the cache to the capacity; exempt items lose nothing."""
    candidates = [node for node in cache.values() if node.code not in exempt]
    for node in candidates:
        if policy.drops(node):
            node.cached = 0
    free = free_whole if instance.whole else free_tokens
    free(candidates, policy, memory, lambda: sum(node.cached for node in cache.values()) - instance.capacity)
    for node in candidates:
        if node.cached == 0:
            del cache[node.code]


def free_tokens(nodes: Sequence[ItemNode], policy: Policy, memory: Memory | None, overflow: Any) -> None:
    """Free tokens from the ends of items until there is no overflow."""
    if policy.trim == "eager":
        trim_all(nodes, policy)
    if overflow() > 0:
        trim = trim_in_rounds if policy.trim == "round-robin" else trim_in_order
        trim(nodes, policy, overflow())
    if memory is None:
        evict(nodes, policy, max(overflow(), 0))
    while memory is not None and overflow() > 0:
        gone = _victim(memory, nodes)
        gone.cached -= min(gone.cached, overflow())


def free_whole(nodes: Sequence[ItemNode], policy: Policy, memory: Memory | None, overflow: Any) -> None:
    """Free whole items until there is no overflow."""
    spare = [node for node in nodes if policy.budget(node) == 0]
    trim_key = (lambda node: node.first) if policy.trim == "round-robin" else policy.trim_key
    for node in sorted(spare, key=trim_key):
        if policy.trim == "eager" or overflow() > 0:
            node.cached = 0
    for node in sorted(nodes, key=policy.eviction_key) if memory is None else ():
        if overflow() > 0:
            node.cached = 0
    while memory is not None and overflow() > 0:
        _victim(memory, nodes).cached = 0


def _victim(memory: Memory, nodes: Sequence[ItemNode]) -> Node:
    held = [node for node in nodes if node.cached > 0]
    return memory.victim(held, held)
