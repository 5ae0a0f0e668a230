"""The reference replay of a forest: plain Python, unit by unit, to be read beside docs/forest.md.

What the initial cache holds was there before request 0. For every request k, in order of arrival, after what has
expired has gone, and on a forest that cuts what k leaves out of its conversation's path before it:

1. it hits the leading units of its input that are cached;
2. its whole path is available, and its units become the most recent;
3. units of the path that the policy does not keep go, overflow or not; with eager trimming surplus goes too, which
   is what lies deeper than its budget or is not kept;
4. while more than C units are cached the policy says what goes: first surplus, in its order of trimming or, of
   private conversations, the deepest unit of each tree a round, then the rest in its order of eviction, or as the
   policy's memory says (`teltheory.policies.memory`). What applications have told stands before that
   (`teltheory.policies.hinted`).

In a cache with holes any unit may go. A strict cache is closed towards the root: only units without a cached unit
below them may go, and the policy's order is over those of the moment. Units with equal keys go by their last
request, the least recent first, and of one path the deepest first.

Under forced caching the paths of the requests that run are left out of the cut: a path comes under its first cut
when its request has ended. The cut after the last request is left out.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.model.nodes import path_to
from teltheory.model.outcome import Outcome
from teltheory.policies.hinted import Telling
from teltheory.policies.learned.return_aware import LearntOrder
from teltheory.policies.memory import Memory
from teltheory.policies.node import NextTurn, Node
from teltheory.policies.policy import Policy, Seen, mark_of, memory_of, settled, unlike
from teltheory.replay.learned.units import learnt_units

Following = list[list[NextTurn | None]]


@dataclass(slots=True)
class Unit(Node):
    """One unit of the forest; `place` is its depth, `since` and `reads` are what happened to it in the cache.

    `recent` is its last request, below 0 what was last before request 0.
    """

    place: int = field(kw_only=True)
    recent: int = field(init=False)
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

    def used(self, request: int, time: float | None, resident: bool) -> None:
        """Write down that a request went through it."""
        self.last, self.recent, self.seen = request, request, time
        self.hits += 1
        self.since, self.reads = (self.since, self.reads + 1) if resident else (request, 1)


def replay_reference(instance: ForestInstance, policy: Policy, strict: bool = True) -> Outcome:
    """Replay the requests of an instance under a policy; `strict` says that the cache is closed to the root."""
    forest = instance.requests
    served = [row[:2] for row in replayed_requests(instance, policy, strict)]
    return Outcome.of_forest(forest, [hits for hits, _ in served], [added for _, added in served])


def listening(policy: Any, instance: ForestInstance) -> tuple[Telling | None, Any]:
    """Return what hears of hints, None where nothing does, and the policy behind it."""
    if not hasattr(policy, "told"):
        return None, policy
    if instance.initial:
        raise ArgumentError("initial", instance.initial, "none, under hints")
    return policy.told(instance.requests), policy.policy


def rules_for(policy: Any, instance: ForestInstance, strict: bool, rounds: bool = True) -> Callable[[int], Policy]:
    """Return what says by which rules to cut after a request, given its number."""
    if isinstance(policy, LearntOrder):
        return learnt_units(policy.xi, instance)
    settled_once = settled(policy, instance.requests, rounds)
    if not hasattr(policy, "shadows"):
        return lambda k: settled_once
    watched = [replayed_requests(instance, one, strict) for one in policy.shadows(instance)]
    says = policy.beside(instance)
    return lambda k: says(k, [*map(seen, watched)])


def seen(watched: Iterator[tuple[int, int, set[int]]]) -> Seen:
    """Return what a cache in shadow hits, and what says how much it holds of a unit's path."""
    hits, _, held = next(watched)
    return hits, lambda unit: unit.past if unit.code in held else 0


def replayed_requests(instance: ForestInstance, policy: Any, strict: bool) -> Iterator[tuple[int, int, set[int]]]:
    """Replay request by request; yield the units that each hits, those that it adds, and what is held after it."""
    telling, policy = listening(policy, instance)
    rules, mark = rules_for(policy, instance, strict, telling is None), mark_of(policy)
    memory, instance = remembered(policy, instance), instance.by_units()
    forest, mark = instance.requests, "last" if instance.requests.cut else mark
    times = [None] * len(forest) if forest.arrival is None else forest.arrival.tolist()
    following = following_requests(instance)
    held, units = begun(instance, mark, strict, following, times[0] if times else None)
    paths: list[list[int]] = []
    for k, (ask, gone) in enumerate(zip(forest.ask.tolist(), left_out(instance), strict=True)):
        path = forest.path(k)
        held.lose(gone)
        if memory is not None:
            running = {node for path in paths[max(k + 1 - instance.exempt, 0) :] for node in path}
            expire(held, units, memory, running, times[k])
        hits = next((i for i, node in enumerate(path[:ask]) if node not in held.units), ask)
        for place, (node, coming) in enumerate(zip(path, following[k], strict=True)):
            unit = units.setdefault(node, Unit(len(units), 0, 1, None, node, place=place + 1))
            unit.next = coming
            unit.past = marked(mark, unit, len(path), node in held.units)
            unit.used(k, times[k], node in held.units)
        for node in reversed(path):
            if memory is not None:
                memory.used(units[node], node in held.units)
        paths.append(path)
        if telling is not None:
            telling.hear(k, path)
        added = held.add(path)
        if k < len(forest) - 1 or not instance.forced:
            ended = k - instance.exempt
            exempt = {node for path in paths[max(ended + 1, 0) :] for node in path}
            over = [*(paths_before(instance) if k == 0 else ()), *paths[max(ended, 0) : max(ended + 1, 0)]]
            released = [node for path in over for node in path if node not in exempt]
            brought_down(held, units, (rules(k), memory, telling), released, instance.capacity, exempt)
        yield hits, added, held.units


def brought_down(
    held: HeldUnits,
    units: dict[int, Unit],
    says: tuple[Policy, Memory | None, Telling | None],
    released: list[int],
    capacity: int,
    exempt: set[int],
) -> None:
    """Drop what is not kept of paths that come under their first cut, and cut the cache to the capacity."""
    policy, memory, telling = says
    drop(held, units, policy, released)
    if memory is None:
        return cut(held, units, policy, capacity, exempt, telling)
    release(held, units, memory, released)
    return cut_by_memory(held, units, policy, memory, capacity, exempt, telling)


def remembered(policy: Policy, instance: ForestInstance) -> Memory | None:
    """Return the policy's memory, None if it has none; a memory knows of nothing before the first request."""
    memory = memory_of(policy, instance) if hasattr(policy, "memory") else None
    if memory is not None and instance.initial:
        raise ArgumentError("initial", instance.initial, "none, under a policy with a memory")
    return memory


def begun(
    instance: ForestInstance, mark: str, strict: bool, following: Following, time: float | None
) -> tuple[HeldUnits, dict[int, Unit]]:
    """Return the initial cache, and the units of its paths: the least recent path was last before all others."""
    paths, units = paths_before(instance), dict[int, Unit]()
    held = HeldUnits(instance.requests.parent.tolist(), strict, ranks_of_trees(instance))
    for i, (start, path) in enumerate(zip(instance.initial, paths, strict=True)):
        for place, node in enumerate(path):
            unit = units.setdefault(node, Unit(len(units), 0, 1, None, node, place=place + 1))
            unit.next, unit.recent, unit.seen = following[i - len(paths)][place], i - len(paths), time
            unit.past = marked(mark, unit, start.past, node in held.units)
            unit.since, unit.reads = -1, 0
        held.add(path[: start.cached])
    return held, units


def paths_before(instance: ForestInstance) -> list[list[int]]:
    """Return the paths that were there before the first request."""
    return [path_to(instance.requests.parent, start.leaf) for start in instance.initial]


def ranks_of_trees(instance: ForestInstance) -> dict[int, int]:
    """Return the place of each tree by first arrival, on a forest that cuts of the conversation that it is of."""
    forest = instance.requests
    roots = [path[0] if path else -1 for path in paths_before(instance)] + forest.tree.tolist()
    owners = roots
    if forest.cut and forest.conversation is not None:
        owners = [start.code for start in instance.initial] + forest.conversation.tolist()
    rank = {owner: i for i, owner in enumerate(dict.fromkeys(owners))}
    return {root: rank[owner] for root, owner in zip(roots, owners, strict=True)}


def left_out(instance: ForestInstance) -> Iterator[list[int]]:
    """Yield for each request the units that it cuts off its conversation's path before it, the deepest first."""
    forest = instance.requests
    if not forest.cut or forest.conversation is None:
        yield from ([] for _ in range(len(forest)))
        return
    latest = dict(zip((start.code for start in instance.initial), paths_before(instance), strict=True))
    for k, conversation in enumerate(forest.conversation.tolist()):
        before, latest[conversation] = latest.get(conversation, []), forest.path(k)
        kept = set(latest[conversation])
        yield [node for node in reversed(before) if node not in kept]


def following_requests(instance: ForestInstance) -> Following:
    """Return for each request, per unit of its path, the next request through it, or that cuts it off.

    Those of the paths before request 0 are the last of the list, in their order.
    """
    forest, lost = instance.requests, list(left_out(instance))
    known, total = instance.known.tolist(), forest.total.tolist()
    upcoming: dict[int, NextTurn] = {}
    following: Following = []
    for k in range(len(forest) - 1, -1, -1):
        path = forest.path(k)
        following.append([upcoming.get(node) for node in path])
        upcoming.update(dict.fromkeys((*path, *lost[k]), NextTurn(k, known[k], total[k] - known[k])))
    return following[::-1] + [[upcoming.get(node) for node in path] for path in paths_before(instance)]


def marked(mark: str, unit: Unit, end: int, resident: bool) -> int:
    """Return the mark L of a unit after a request of length `end` through it; where histories cut it is "last"."""
    if mark == "next":
        return unit.coming.history
    if mark == "last" or (mark == "resident" and not resident):
        return end
    return max(unit.past, end)


class HeldUnits:
    """The units that are cached, how many cached children each has, and the trees in order of first arrival."""

    def __init__(self, parent: list[int], strict: bool, trees: Mapping[int, int] | None = None) -> None:
        self.parent, self.strict, self.trees = parent, strict, trees or {}
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


def drop(held: HeldUnits, units: dict[int, Unit], policy: Policy, released: list[int]) -> None:
    """Of a path that comes under its first cut drop what is not kept, the deepest first."""
    for node in reversed(released):
        if held.may_go(node) and unwanted(policy, units[node]):
            held.remove(node)


def release(held: HeldUnits, units: dict[int, Unit], memory: Memory, released: list[int]) -> None:
    """Tell a memory what of a path is cached that comes under its first cut, the deepest first."""
    for node in reversed(released):
        if node in held.units:
            memory.released(units[node])


def cut(
    held: HeldUnits,
    units: dict[int, Unit],
    policy: Policy,
    capacity: int,
    exempt: set[int],
    telling: Telling | None = None,
) -> None:
    """Cut the cache to the capacity."""
    if policy.trim == "round-robin":
        trim_in_rounds(held, units, policy, capacity, exempt)
    ends = [node for node in held.units if node not in exempt and held.may_go(node)]
    queue = [(order(policy, units[node], telling), node) for node in ends]
    heapq.heapify(queue)
    while len(held.units) > capacity:
        _, node = heapq.heappop(queue)
        held.remove(node)
        above = held.parent[node]
        if held.strict and above not in exempt and held.may_go(above):
            heapq.heappush(queue, (order(policy, units[above], telling), above))


def trim_in_rounds(
    held: HeldUnits, units: dict[int, Unit], policy: Policy, capacity: int, exempt: set[int]
) -> None:
    """Of private conversations take a unit of each that has surplus a round, in order of first arrival."""
    while len(held.units) > capacity:
        ends = [node for node in held.units - exempt if not held.children.get(node, 0)]
        spare = sorted((held.trees[held.root(node)], node) for node in ends if surplus(policy, units[node]))
        if not spare:
            return
        for _, node in spare[: len(held.units) - capacity]:
            held.remove(node)


def cut_by_memory(
    held: HeldUnits,
    units: dict[int, Unit],
    policy: Policy,
    memory: Memory,
    capacity: int,
    exempt: set[int],
    telling: Telling | None = None,
) -> None:
    """Cut the cache to the capacity; what hints leave equal and is no surplus goes as the memory says."""
    while len(held.units) > capacity:
        cached = [units[node] for node in held.units if node not in exempt]
        nodes = [unit for unit in cached if held.may_go(unit.code)]
        first = min(head(policy, unit, telling) for unit in nodes)
        equal = [unit for unit in nodes if head(policy, unit, telling) == first]
        spare = surplus(policy, equal[0])
        gone = min(equal, key=lambda unit: order(policy, unit)) if spare else memory.victim(equal, cached)
        held.remove(gone.code)


def expire(held: HeldUnits, units: dict[int, Unit], memory: Memory, running: set[int], now: float | None) -> None:
    """Remove what has expired when a request arrives; what runs does not expire."""
    for node in [node for node in held.units if node not in running and memory.expired(units[node], now)]:
        held.remove(node)


def unwanted(policy: Policy, unit: Unit) -> bool:
    """Whether a unit goes even if there is room."""
    return policy.drops(unit) or (policy.trim == "eager" and surplus(policy, unit))


def surplus(policy: Policy, unit: Unit) -> bool:
    """Whether a unit is not worth keeping: it is deeper than its budget, or not kept."""
    return unit.place > policy.budget(unit) or policy.drops(unit)


def head(policy: Policy, unit: Unit, telling: Telling | None) -> tuple[Any, ...]:
    """Return what stands before the policy's own order: surplus goes first, as far as hints say nothing else."""
    spare = surplus(policy, unit)
    return (not spare,) if telling is None else telling.key(unit.code, spare)


def order(policy: Policy, unit: Unit, telling: Telling | None = None) -> tuple[Any, ...]:
    """Return by what a unit goes: the smallest first."""
    if surplus(policy, unit):
        key = policy.trim_key(unit) if policy.trim == "least-recent" else 0
    else:
        key = policy.eviction_key(unit)
    if key is None:
        raise unlike(policy, "eviction_key returns a number", None)
    return (*head(policy, unit, telling), key, unit.recent, -unit.place)
