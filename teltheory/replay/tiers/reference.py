"""The reference of the tree in tiers: plain Python with linear scans, to be read beside docs/tiers.md.

Where a node is stands in `tier`, and nowhere else: what a tier holds, its leaves, their order, and what is pinned
are found anew by looking at all nodes. For every request, in order of its start:

1. it finds the longest head of its path that is cached, and everybody hears of it;
2. its path is pinned, what slower tiers hold of it is loaded, and what the first tier's policy does not keep of
   paths that have ended sinks;
3. while there is no room in the first tier for what is pinned, reserved and cached, its first leaf sinks; while
   the next tier is too full, its first leaf sinks further, out of the last it is gone; inclusive tiers are cut one
   after the other, beside what the tiers before them hold;
4. once its first token is there, what was computed is in the first tier, and the path is unpinned.

Under optional caching a request is over at once, and then the first tier is cut to its capacity, its own path
among the rest.

A tier may listen to applications (`teltheory.policies.hinted`), before its policy's order. What is dead and goes
from it leaves the cache with all below it; what is to be demoted goes a tier down before the first tier is cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from teltheory.errors import ForcedCachingError
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.policies.node import NextTurn
from teltheory.policies.policy import Policy
from teltheory.replay.tiers.budgets import has_budget
from teltheory.replay.tiers.nodes import (
    TieredNode,
    mark_of_all,
    memory_of,
    policy_of_each_tier,
    room_of,
    tellings_of,
    unhinted,
)


class PlainTree:
    """What `TieredTree` is, obviously right; the same steps, with the same answers."""

    def __init__(
        self,
        forest: Forest,
        tiers: Tiers | int,
        policies: Any,
        block: int = 1,
        replicas: Any = None,
        whole: bool = True,
    ) -> None:
        """Make the tree; if not `whole`, each unit of the forest is a node of its own."""
        self.tiers, self.whole = tiers_of(tiers), whole
        self.forest = forest if whole else forest.by_units()
        self.policies = policy_of_each_tier(unhinted(policies), self.tiers)
        self.tellings = tellings_of(policies, forest, len(self.tiers), whole)
        self.mark = mark_of_all(self.policies)
        sizes = zip(self.policies, self.tiers.capacities, strict=True)
        self.memories = [memory_of(policy, forest, size, whole) for policy, size in sizes]
        self.through: dict[int, list[int]] = {}
        for k in range(len(forest)):
            for node in self.forest.path(k):
                self.through.setdefault(node, []).append(k)
        self.parent, self.length = self.forest.parent.tolist(), self.forest.length.tolist()
        self.room = room_of(self.length, block)
        self.levels: int = replicas.levels if replicas else 0
        self.most: int = replicas.nodes if replicas else 0
        self.items: dict[int, TieredNode] = {}  # all that were asked for
        self.tier: dict[int, int] = {}  # of what is cached
        self.copies: set[int] = set()  # nodes of the first tier of which the second has a copy
        self.running: dict[tuple[int, int], tuple[list[int], int]] = {}  # paths, and the room reserved
        self.ended: list[int] = []
        self.sunk: list[tuple[int, int, bool]] = []  # in this step, to where, and whether there was a copy
        self.before: list[set[int]] = []  # what inclusive tiers held before this step, the slower ones
        self.turns = 0
        self.written = self.freed = self.dropped = self.lost = self.replicated = 0
        self.copied_to, self.loaded_from = ([0] * (len(self.tiers) - 1) for _ in range(2))

    @property
    def copied(self) -> int:
        """Units so far that were written to slower tiers."""
        return sum(self.copied_to)

    @property
    def loaded(self) -> int:
        """Units so far that came back."""
        return sum(self.loaded_from)

    def path(self, leaf: int) -> list[int]:
        """Return the nodes down to a leaf, root first."""
        nodes = []
        while leaf >= 0:
            nodes.append(leaf)
            leaf = self.parent[leaf]
        return nodes[::-1]

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the units of the longest cached head of a path, by tier."""
        cached = [0] * len(self.tiers)
        for node in self.path(leaf):
            if node not in self.tier:
                break
            cached[self.tier[node]] += self.length[node]
        return tuple(cached)

    def start(self, leaf: int, k: int, tail: int = 0, now: float | None = None) -> Any:
        """Start request k; see `TieredTree.start`. Returns (cached, uncached, loaded, copied) or None."""
        path = self.path(leaf)
        if sum(self.room[node] for node in path) > self.tiers.capacities[0]:
            raise ForcedCachingError(k, sum(self.room[node] for node in path), self.tiers.capacities[0])
        fresh = [node for node in path if node not in self.tier]
        room = sum(self.room[node] for node in fresh)
        held = {node for node in self.pinned() | set(path) if node in self.tier}
        if sum(self.room[node] for node in held) + self.reserved() + room > self.tiers.capacities[0]:
            return None
        self.before = self.hold()
        found, before = self.found(leaf), (self.loaded, self.copied)
        self.hear(path, k, sum(found), tail, now)
        self.running[leaf, k] = path, room
        self.load(path)
        self.prune(self.ended)
        self.ended = []
        self.demote()
        self.fit()
        self.settle()
        uncached = sum(self.length[node] for node in fresh)
        return found, uncached, self.loaded - before[0], self.copied - before[1]

    def finish(self, leaf: int, k: int) -> None:
        """End request k's prefill: what was computed is cached."""
        path, _ = self.running.pop((leaf, k))
        self.before = self.hold()
        self.enter(path)
        self.release(path)
        self.replicate(path)
        self.settle()
        self.ended.append(leaf)

    def cancel(self, leaf: int, k: int) -> None:
        """End request k with nothing computed."""
        path, _ = self.running.pop((leaf, k))
        self.release(path)

    def optional(self, leaf: int, k: int, tail: int = 0) -> tuple[int, ...]:
        """Serve request k under optional caching; return what it found, by tier."""
        path, found = self.path(leaf), self.found(leaf)
        self.before = self.hold()
        self.hear(path, k, sum(found), tail, None)
        self.load(path)
        self.enter(path)
        self.release(path)
        self.prune([leaf])
        self.demote()
        self.fit()
        self.settle()
        return found

    def hold(self) -> list[set[int]]:
        """Return what each slower tier holds with those before it."""
        tiers = range(1, len(self.tiers))
        return [{node for node in self.tier if self.tier[node] <= number} for number in tiers]

    def fit(self) -> None:
        """Let leaves of the first tier sink until it fits, then of inclusive ones beside what those above hold."""
        for number, size in enumerate(self.tiers.capacities):
            over = range(number + 1) if self.tiers.mode == "inclusive" else (number,)
            while sum(map(self.used, over)) + (self.reserved() if 0 in over else 0) > size:
                self.sink(self.first(number))

    def lose(self) -> int:
        """Lose the first tier and what hangs on it; return the units lost."""
        before = sum(self.length[node] for node in self.tier)
        held = {node: tier for node, tier in self.tier.items() if tier > 0} | dict.fromkeys(self.copies, 1)
        if self.tiers.mode == "inclusive" and len(self.tiers) > 1:
            held = {node: max(tier, 1) for node, tier in self.tier.items()}
        self.tier = {node: tier for node, tier in held.items() if all(above in held for above in self.path(node))}
        self.copies, self.ended = set(), []
        gone: int = before - sum(self.length[node] for node in self.tier)
        self.lost += gone
        return gone

    def pinned(self) -> set[int]:
        """Return the nodes on paths of running requests."""
        return {node for path, _ in self.running.values() for node in path}

    def reserved(self) -> int:
        """Return the room that running requests reserved."""
        return sum(room for _, room in self.running.values())

    def used(self, tier: int) -> int:
        """Return the room that is taken in a tier, copies included."""
        copies = self.copies if tier == 1 else ()
        return sum(self.room[node] for node in self.tier if self.tier[node] == tier or node in copies)

    def leaves(self, tier: int) -> list[TieredNode]:
        """Return the nodes of a tier without a child in it that nobody pins."""
        above = {self.parent[node] for node in self.tier if self.tier[node] == tier}
        pinned = self.pinned()
        may_go = (n for n in self.tier if self.tier[n] == tier and n not in above and n not in pinned)
        return [self.items[node] for node in may_go]

    def first(self, tier: int) -> int:
        """Return which leaf of a tier goes: as hints say, surplus first, then as its order or its memory says."""
        policy, memory = self.policies[tier], self.memories[tier]
        heads = [(self.head(tier, leaf), leaf) for leaf in self.leaves(tier)]
        first = min(head for head, _ in heads)
        leaves = [leaf for head, leaf in heads if head == first]
        if surplus(policy, leaves[0]):
            trim = policy.trim_key if policy.trim == "least-recent" else lambda _: 0
            return min(leaves, key=lambda leaf: (trim(leaf), leaf.turn, -leaf.end)).code
        if memory is not None:
            return memory.victim(leaves, [self.items[node] for node in self.tier]).code
        return min(leaves, key=lambda leaf: (policy.eviction_key(leaf), leaf.turn, -leaf.end)).code

    def head(self, tier: int, leaf: TieredNode) -> tuple[Any, ...]:
        """Return what stands before the policy's own order: what hints say, and that surplus goes first."""
        spare, telling = surplus(self.policies[tier], leaf), self.tellings[tier]
        return (not spare,) if telling is None else telling.key(leaf.code, spare)

    def sink(self, node: int) -> None:
        """Let a leaf of a tier go to the next, or out of the cache."""
        number, telling = self.tier[node] + 1, self.tellings[self.tier[node]]
        if telling is not None and telling.is_dead(node):
            return self.forget(node)
        if number == len(self.tiers):
            return self.drop(node)
        self.tier[node] = number
        copy = node in self.copies
        self.copies.discard(node)
        if unwanted(self.policies[number], self.items[node]) and node in [n.code for n in self.leaves(number)]:
            return self.sink(node)
        while self.tiers.mode != "inclusive" and self.used(number) > self.tiers.capacities[number]:
            self.sink(self.first(number))
        self.sunk.append((node, number, copy))
        return None

    def settle(self) -> None:
        """Account for what sank in a step, is still there and had no copy, or, inclusive, is held anew."""
        sunk, self.sunk = self.sunk, []
        if self.tiers.mode == "inclusive":
            for number, (after, before) in enumerate(zip(self.hold(), self.before, strict=True)):
                self.copied_to[number] += sum(self.length[node] for node in after - before)
            return
        for node, number, copy in sunk:
            if self.tier.get(node) == number:
                self.freed += self.length[node] if copy else 0
                self.copied_to[number - 1] += 0 if copy else self.length[node]

    def drop(self, node: int) -> None:
        """Let a node leave the cache."""
        del self.tier[node]
        self.dropped += self.length[node]

    def forget(self, node: int) -> None:
        """Let a node and what is below it leave the cache; nobody holds that either."""
        for below in [one for one in self.tier if self.parent[one] == node]:
            self.forget(below)
        self.copies.discard(node)
        self.drop(node)

    def demote(self) -> None:
        """Move a tier down what applications say may go there, slower tiers first; what runs now waits."""
        running = {k for _, k in self.running}
        for number, telling in reversed([*enumerate(self.tellings[:-1])]):
            if telling is None or not telling.lowers:
                continue
            for request in [k for k in telling.lowered if k not in running]:
                telling.lowered.remove(request)
                for node in reversed(self.path(int(self.forest.leaf[request]))):
                    if self.tier.get(node) == number and telling.may_be_lowered(node, request):
                        self.lower(node)

    def lower(self, node: int) -> None:
        """Move a node a tier down, with what is below it in the same tier, unless something of that is pinned."""
        number = self.tier[node]
        for below in [one for one, tier in self.tier.items() if self.parent[one] == node and tier == number]:
            self.lower(below)
        if node in self.tier and node in [item.code for item in self.leaves(number)]:
            self.sink(node)

    def load(self, path: list[int]) -> None:
        """Move what slower tiers hold of a path to the first."""
        for node in path:
            if self.tier.get(node, 0) > 0:
                self.loaded_from[self.tier[node] - 1] += self.length[node]
                self.tier[node] = 0
                if self.tiers.keeps_copies or node in self.hottest():
                    self.copies.add(node)

    def enter(self, path: list[int]) -> None:
        """Put what is nowhere into the first tier."""
        for node in path:
            if node not in self.tier:
                self.tier[node] = 0
                self.written += self.length[node]

    def release(self, path: list[int]) -> None:
        """Tell memories of the nodes of a path that nobody reads any longer, the deepest first."""
        pinned = self.pinned()
        for node in reversed(path):
            for memory in self.memories:
                if memory is not None and node in self.tier and node not in pinned:
                    memory.released(self.items[node])

    def prune(self, ended: Iterable[int]) -> None:
        """Sink what the first tier's policy does not keep of paths, the deepest first."""
        for leaf in ended:
            for node in reversed(self.path(leaf)):
                may_go = node in [item.code for item in self.leaves(0)]
                if may_go and unwanted(self.policies[0], self.items[node]):
                    self.sink(node)

    def replicate(self, path: list[int]) -> None:
        """Give up copies of what is no longer among the hottest, and copy what is of a path."""
        hottest = self.hottest()
        if not self.tiers.keeps_copies:
            self.copies &= hottest
        for node in path:
            copies = sum(self.room[copy] for copy in self.copies)
            room = len(self.tiers) == 2 and copies + self.room[node] <= self.tiers.capacities[1]
            if node in hottest and node not in self.copies and room:
                self.copies.add(node)
                self.copied_to[0] += self.length[node]
                self.replicated += self.length[node]
                while self.used(1) > self.tiers.capacities[1]:
                    self.drop(self.first(1))

    def hottest(self) -> set[int]:
        """Return the nodes of the upper levels, and those asked for most."""
        order = sorted(self.items.values(), key=lambda item: (-item.hits, item.first))
        upper = {node for node in self.items if len(self.path(node)) <= self.levels}
        return upper | {item.code for item in order[: self.most]}

    def hear(self, path: list[int], k: int, cached: int, tail: int, now: float | None) -> None:
        """Tell nodes and memories that request k asks for a path."""
        self.turns += 1
        for telling in self.tellings:
            if telling is not None:
                telling.hear(k, path)
        for node in path:
            self.note(node, k, now, sum(self.length[node] for node in path))
        items = [self.items[node] for node in path]
        fresh = sum(self.length[node] for node in path) - cached
        for memory in self.memories:
            if memory is not None:
                if self.whole:
                    memory.retrieved(items, cached, fresh, tail)
                for item in reversed(items):
                    memory.used(item, item.code in self.tier)

    def note(self, node: int, k: int, now: float | None, end: int) -> None:
        """Note a request of length `end` through a node."""
        deep = sum(self.length[above] for above in self.path(node))
        new = TieredNode(len(self.items), 0, self.length[node], None, node, end=deep, units=self.length[node])
        item = self.items.setdefault(node, new)
        arrival = self.forest.arrival
        item.last, item.turn, item.hits = k, self.turns, item.hits + 1
        item.seen = now if now is not None or arrival is None else float(arrival[k])
        item.next = self.following(node, k)
        cached = node in self.tier
        item.since, item.reads = (item.since, item.reads + 1) if cached else (self.turns, 1)
        if self.mark == "next":
            item.past = item.coming.history
        else:
            anew = self.mark == "last" or (self.mark == "resident" and not cached)
            item.past = end if anew else max(item.past, end)

    def following(self, node: int, k: int) -> NextTurn | None:
        """Return the next request of the forest through a node after request k."""
        for j in (j for j in self.through.get(node, ()) if j > k):
            known, total = int(self.forest.known[j]), int(self.forest.total[j])
            return NextTurn(j, known, total - known)
        return None


def surplus(policy: Policy, item: TieredNode) -> bool:
    """Whether a node is not worth keeping: it begins where the budget ends, or is not kept."""
    over = has_budget(policy) and item.end - item.units >= policy.budget(item)
    return over or policy.drops(item)


def unwanted(policy: Policy, item: TieredNode) -> bool:
    """Whether a node goes even if there is room."""
    return policy.drops(item) or (policy.trim == "eager" and surplus(policy, item))
