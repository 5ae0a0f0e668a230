"""The reference replay of a forest: plain Python, unit by unit, to be read beside docs/forest.md.

For every request k, in order of arrival, after what has expired has gone:

1. it hits the leading units of its input that are cached;
2. its whole path is available, and its units become the most recent;
3. units of the path that the policy does not keep go, overflow or not; with eager trimming surplus goes too, which
   is what lies deeper than its budget or is not kept;
4. while more than C units are cached the policy says what goes: first surplus, in its order of trimming or, of
   private conversations, the deepest unit of each tree a round, then the rest in its order of eviction, or as the
   policy's memory says (`teltheory.policies.memory`).

In a cache with holes any unit may go. A strict cache is closed towards the root: only units without a cached unit
below them may go, and the policy's order is over those of the moment. Units with equal keys go by their last
request, the least recent first, and of one path the deepest first.

Under forced caching the paths of the requests that run are left out of the cut: a path comes under its first cut
when its request has ended. The cut after the last request is left out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

from teltheory.model.instance import ForestInstance
from teltheory.model.outcome import Outcome
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node, Turn
from teltheory.policies.policy import Policy, mark_of, memory_of, settled, unlike


@dataclass(slots=True)
class Unit(Node):
    """One unit of the forest; `place` is its depth, `since` and `reads` are what happened to it in the cache."""

    place: int = field(kw_only=True)
    since: int = field(init=False)
    reads: int = field(init=False)

    @property
    def depth(self) -> int:
        """Units from the root to this one, itself included."""
        return self.place

    @property
    def length(self) -> int:
        """A unit."""
        return 1


def replay_reference(instance: ForestInstance, policy: Policy, strict: bool = True) -> Outcome:
    """Replay the requests of an instance under a policy; `strict` says that the cache is closed to the root."""
    forest = instance.requests
    served = list(replayed_requests(instance, settled(policy, forest), strict))
    return Outcome.of_forest(forest, [hits for hits, _ in served], [added for _, added in served])


def replayed_requests(
    instance: ForestInstance, policy: Policy, strict: bool, lost: Iterable[Iterable[int]] = ()
) -> Iterator[tuple[int, int]]:
    """Replay request by request; yield the units that each hits, and those that it adds.

    `lost` has the units that are gone before each request, as where a private conversation is cut.
    """
    forest = instance.requests.by_units()
    times = [None] * len(forest) if forest.arrival is None else forest.arrival.tolist()
    following = following_requests(instance)
    units: dict[int, Unit] = {}
    held = Held(forest.parent.tolist(), strict, forest.tree.tolist())
    memory = memory_of(policy, instance) if hasattr(policy, "memory") else None
    paths: list[list[int]] = []
    for k, (ask, gone) in enumerate(zip(forest.ask.tolist(), chain(lost, repeat(())), strict=False)):
        path = forest.path(k)
        held.lose(gone)
        if memory is not None:
            running = {node for path in paths[max(k + 1 - instance.exempt, 0) :] for node in path}
            expire(held, units, memory, running, times[k])
        hits = next((i for i, node in enumerate(path[:ask]) if node not in held.units), ask)
        for i, node in enumerate(path):
            unit = units.setdefault(node, Unit(len(units), 0, 1, None, node, place=i + 1))
            unit.next = following[k][i]
            unit.past = marked(mark_of(policy), unit, len(path), node in held.units)
            unit.last, unit.seen = k, times[k]
            unit.hits += 1
            unit.since, unit.reads = (unit.since, unit.reads + 1) if node in held.units else (k, 1)
        for node in reversed(path):
            if memory is not None:
                memory.used(units[node], node in held.units)
        paths.append(path)
        yield hits, held.add(path)
        if k < len(forest) - 1 or not instance.forced:
            ended = k - instance.exempt
            exempt = {node for path in paths[ended + 1 :] for node in path}
            released = [node for node in paths[ended] if node not in exempt] if ended >= 0 else []
            drop(held, units, policy, released)
            if memory is None:
                cut(held, units, policy, instance.capacity, exempt)
            else:
                for node in reversed(released):
                    if node in held.units:
                        memory.released(units[node])
                cut_by_memory(held, units, policy, memory, instance.capacity, exempt)


def following_requests(instance: ForestInstance) -> list[list[Turn | None]]:
    """Return for each request, per unit of its path, the next request through it."""
    forest = instance.requests.by_units()
    known, total = forest.known.tolist(), forest.total.tolist()
    upcoming: dict[int, Turn] = {}
    following: list[list[Turn | None]] = []
    for k in range(len(forest) - 1, -1, -1):
        path = forest.path(k)
        following.append([upcoming.get(node) for node in path])
        upcoming.update(dict.fromkeys(path, Turn(k, known[k], total[k] - known[k])))
    return following[::-1]


def marked(mark: str, unit: Unit, end: int, resident: bool) -> int:
    """Return the mark L of a unit after a request of length `end` through it."""
    if mark == "next":
        return unit.coming.history
    if mark == "last" or (mark == "resident" and not resident):
        return end
    return max(unit.past, end)


class Held:
    """The units that are cached, how many cached children each has, and the trees in order of first arrival."""

    def __init__(self, parent: list[int], strict: bool, trees: Iterable[int] = ()) -> None:
        self.parent, self.strict = parent, strict
        self.trees = {root: rank for rank, root in enumerate(dict.fromkeys(trees))}
        self.units: set[int] = set()
        self.children: dict[int, int] = {}

    def add(self, path: Iterable[int]) -> int:
        """Add the units of a path, root first; return how many were missing."""
        missing = [node for node in path if node not in self.units]
        for node in missing:
            self.units.add(node)
            self.children[self.parent[node]] = self.children.get(self.parent[node], 0) + 1
        return len(missing)

    def remove(self, node: int) -> None:
        """Remove a unit."""
        self.units.remove(node)
        self.children[self.parent[node]] -= 1

    def root(self, node: int) -> int:
        """Return the first unit of the path to a unit."""
        while self.parent[node] >= 0:
            node = self.parent[node]
        return node

    def lose(self, nodes: Iterable[int]) -> None:
        """Remove what is cached of some units, the deepest first."""
        for node in nodes:
            if node in self.units:
                self.remove(node)

    def may_go(self, node: int) -> bool:
        """Whether a unit is cached and the cache may lose it."""
        return node in self.units and not (self.strict and self.children.get(node, 0) > 0)


def drop(held: Held, units: dict[int, Unit], policy: Policy, released: list[int]) -> None:
    """Of a path that comes under its first cut drop what is not kept, the deepest first."""
    for node in reversed(released):
        if held.may_go(node) and unwanted(policy, units[node]):
            held.remove(node)


def cut(held: Held, units: dict[int, Unit], policy: Policy, capacity: int, exempt: set[int]) -> None:
    """Cut the cache to the capacity."""
    if policy.trim == "round-robin":
        trim_in_rounds(held, units, policy, capacity, exempt)
    queue = [(order(policy, units[node]), node) for node in held.units if node not in exempt and held.may_go(node)]
    heapq.heapify(queue)
    while len(held.units) > capacity:
        _, node = heapq.heappop(queue)
        held.remove(node)
        above = held.parent[node]
        if held.strict and above not in exempt and held.may_go(above):
            heapq.heappush(queue, (order(policy, units[above]), above))


def trim_in_rounds(held: Held, units: dict[int, Unit], policy: Policy, capacity: int, exempt: set[int]) -> None:
    """Of private conversations take a unit of each that has surplus a round, in order of first arrival."""
    while len(held.units) > capacity:
        ends = [node for node in held.units - exempt if not held.children.get(node, 0)]
        spare = sorted((held.trees[held.root(node)], node) for node in ends if surplus(policy, units[node]))
        if not spare:
            return
        for _, node in spare[: len(held.units) - capacity]:
            held.remove(node)


def cut_by_memory(
    held: Held, units: dict[int, Unit], policy: Policy, memory: Memory, capacity: int, exempt: set[int]
) -> None:
    """Cut the cache to the capacity; what is no surplus goes as the memory says."""
    while len(held.units) > capacity:
        cached = [units[node] for node in held.units if node not in exempt]
        nodes = [unit for unit in cached if held.may_go(unit.code)]
        spare = [unit for unit in nodes if surplus(policy, unit)]
        gone = min(spare, key=lambda unit: order(policy, unit)) if spare else memory.victim(nodes, cached)
        held.remove(gone.code)


def expire(held: Held, units: dict[int, Unit], memory: Memory, running: set[int], now: float | None) -> None:
    """Remove what has expired when a request arrives; what runs does not expire."""
    for node in [node for node in held.units if node not in running and memory.expired(units[node], now)]:
        held.remove(node)


def unwanted(policy: Policy, unit: Unit) -> bool:
    """Whether a unit goes even if there is room."""
    return policy.drops(unit) or (policy.trim == "eager" and surplus(policy, unit))


def surplus(policy: Policy, unit: Unit) -> bool:
    """Whether a unit is not worth keeping: it is deeper than its budget, or not kept."""
    return unit.place > policy.budget(unit) or policy.drops(unit)


def order(policy: Policy, unit: Unit) -> tuple[Any, ...]:
    """Return by what a unit goes: the smallest first."""
    if surplus(policy, unit):
        key = policy.trim_key(unit) if policy.trim == "least-recent" else 0
        return (0, key, unit.last, -unit.place)
    key = policy.eviction_key(unit)
    if key is None:
        raise unlike(policy, "eviction_key returns a number", None)
    return (1, key, unit.last, -unit.place)
