"""The knowledge tree in tiers of memory (RAGCache, Jin et al. 2024), step by step.

1. A request pins its path when its generation starts. What of it is in the second tier is loaded; what is in no
   tier gets room in the first, for which leaves go in the policy's order (Algorithm 1). A parent that became a
   leaf is a candidate from then on.
2. A leaf that goes from the first tier sinks to the second. If that is too full, its leaves go in its own policy's
   order until it fits, the one that came among them; what goes in the same step is not copied. A leaf of a tier is
   a node without a child there, so that parents are never below their children.
3. What was computed enters the first tier, and is found, once the first token is there. Then the path is unpinned.
4. What the first tier's policy does not keep at all sinks when the next request starts, overflow or not; what the
   second tier's does not keep is gone once it sinks.

Each tier has its own policy, its own memory and its own clock, and hears of every request. Only a request changes
what a policy knows of the nodes on its path, so a node's order is asked once it may go.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.replay.tiers.documents import NOWHERE, Document, Documents
from teltheory.replay.tiers.level import Level
from teltheory.replay.tiers.nodes import mark_of_all, policy_of_each_tier
from teltheory.replay.tiers.replicas import Hottest, Replicas


class Started(NamedTuple):
    """What a request finds when its generation starts, in units of the forest.

    Attributes
    ----------
    cached : tuple of int
        What of its path was in each tier.
    uncached : int
        What of its path is to be computed.
    loaded : int
        What is loaded from the second tier: what was found there.
    copied : int
        What had to be copied out to the second tier to make room.
    """

    cached: tuple[int, ...]
    uncached: int
    loaded: int
    copied: int


class TieredTree:
    """Nodes of a forest in one tier or two, each node whole.

    Parameters
    ----------
    forest : Forest
        The nodes, and the requests that clairvoyant policies know of.
    tiers : Tiers or int
        Capacities and mode.
    policies : policy or sequence of policies
        One for all tiers, or one for each.
    block : int
        Units that memory comes in: a node's last block takes as much room as a full one.
    replicas : Replicas
        Which nodes are copied to the second tier as soon as they are computed.
    whole : bool
        Whether the forest's nodes are cached whole; else each of their units is a node of its own.

    Attributes
    ----------
    written, copied, freed, loaded, dropped, lost : int
        Units so far that entered the first tier; that were copied from there to the second; that left the first
        without a copy, as the second had one; that came back; that left the cache from the last tier; that were
        lost with the first. What is cached is always written - dropped - lost.
    replicated : int
        How many of the copied units are replicas, made before their node went.

    Raises
    ------
    ArgumentError
        For policies that do not run in tiers.
    """

    def __init__(
        self,
        forest: Forest,
        tiers: Tiers | int,
        policies: Any,
        block: int = 1,
        replicas: Replicas | None = None,
        whole: bool = True,
    ) -> None:
        self.tiers = tiers_of(tiers)
        each = policy_of_each_tier(policies, self.tiers)
        sizes = zip(self.tiers.capacities, each, strict=True)
        self.levels = [Level(i, size, policy, forest, whole) for i, (size, policy) in enumerate(sizes)]
        self.gpu, self.host = self.levels[0], self.levels[1] if len(self.levels) > 1 else None
        self.memories = [level.memory for level in self.levels if level.memory is not None]
        nodes = forest if whole else forest.by_units()
        self.documents = Documents(nodes, block, mark_of_all(each), self.memories, whole)
        self.hottest = Hottest(replicas or Replicas()) if self.host else None
        self.running: dict[tuple[int, int], int] = {}
        self.ended: list[Document] = []
        self.sunk: list[tuple[Document, bool]] = []
        self.pinned = self.reserved = self.copies = 0
        self.written = self.copied = self.freed = self.loaded = self.dropped = self.lost = self.replicated = 0

    def fits(self, leaf: int) -> bool:
        """Return whether the path to a leaf fits into the first tier, if there is nothing else."""
        return sum(node.room for node in self.documents.path(leaf)) <= self.gpu.capacity

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the units of the longest cached head of the path to a leaf, by tier; nothing changes."""
        node = self.documents.node(leaf)
        while node is not None and node.tier == NOWHERE:
            node = node.parent
        cached = node.depth if node else 0
        while node is not None and node.tier:
            node = node.parent
        fast = node.depth if node else 0
        return (fast, cached - fast) if self.host else (fast,)

    def start(self, leaf: int, k: int, tail: int = 0, now: float | None = None) -> Started | None:
        """Start the generation of request k on the path to a leaf.

        Parameters
        ----------
        leaf : int
            Node of the forest at the end of the path, -1 for an empty path.
        k : int
            Request, counted from 0; a request has one generation on a path at a time.
        tail : int
            Units that it computes after the path, which policies may look at.
        now : float, optional
            Seconds; the request's arrival when left out.

        Returns
        -------
        Started or None
            None, with nothing changed, if pinned paths leave no room for its own now.

        Raises
        ------
        ForcedCachingError
            For a path that does not fit into the first tier.
        """
        path = self.documents.path(leaf)
        if not self._fits(path, k):
            return None
        cached = self.found(leaf)
        fresh = [node for node in path if node.tier == NOWHERE]
        before = self.copied
        self.documents.hear(path, k, sum(cached), tail, now)
        if self.hottest:
            self.hottest.hear(path)
        loaded = self._pin(path)
        self._prune()
        room = sum(node.room for node in fresh)
        self._make_room(room)
        self._settle()
        self.reserved += room
        self.running[leaf, k] = room
        return Started(cached, sum(node.length for node in fresh), loaded, self.copied - before)

    def finish(self, leaf: int, k: int) -> None:
        """Let what request k computed enter the first tier, and unpin its path: its first token is there."""
        self.reserved -= self._ended(leaf, k)
        path = self.documents.path(leaf)
        for node in path:
            if node.tier == NOWHERE:
                self._enter(node)
        self._release(path)
        if self.hottest and self.hottest.any:
            self._replicate(path)
        self.ended.extend(path[-1:])

    def optional(self, leaf: int, k: int, tail: int = 0) -> tuple[int, ...]:
        """Serve request k under optional caching: its path is in the first tier, then that is cut to its capacity.

        Returns what was found, by tier, as `found` does.
        """
        path, cached = self.documents.path(leaf), self.found(leaf)
        self.documents.hear(path, k, sum(cached), tail, None)
        self._pin(path)
        for node in path:
            if node.tier == NOWHERE:
                self._enter(node)
        self._release(path)
        self.ended = path[-1:]
        self._prune()
        self._make_room(0)
        self._settle()
        return cached

    def cancel(self, leaf: int, k: int) -> None:
        """Unpin request k's path and give its room back; nothing enters, and what was loaded stays."""
        self.reserved -= self._ended(leaf, k)
        self._release(self.documents.path(leaf))

    def lose(self) -> int:
        """Lose the first tier, and in the second what has no parent left there; return the units lost.

        Raises
        ------
        ArgumentError
            While requests run; cancel them first.
        """
        if self.running:
            raise ArgumentError("running", sorted(self.running), "no request: cancel those that run first")
        gone = sum(node.length for node in self._cached() if not self._survives(node))
        self.gpu.used = self.copies = 0
        self.ended = []
        for level in self.levels:
            level.begin_anew([node for node in self._cached() if node.tier == level.number])
        self.lost += gone
        return gone

    def _cached(self) -> list[Document]:
        """Return what is cached, parents before their children."""
        return [node for node in self.documents if node.tier != NOWHERE]

    def _survives(self, node: Document) -> bool:
        """Move a node to the second tier if that holds it and its parent, else nowhere; parents come first."""
        above, host = node.parent, self.host
        survives = node.hosted and (above is None or above.tier > 0)
        if node.hosted and not survives and host is not None:
            host.used -= node.room
        node.tier, node.hosted, node.below = (1 if survives else NOWHERE), survives, [0, 0]
        if survives and above is not None:
            above.below[1] += 1
        return survives

    def _fits(self, path: list[Document], k: int) -> bool:
        """Whether there is room for a path beside the pinned ones."""
        whole = sum(node.room for node in path)
        if whole > self.gpu.capacity:
            raise ForcedCachingError(k, whole, self.gpu.capacity)
        held = sum(node.room for node in path if node.tier == 0 and node.pins)
        return self.pinned + self.reserved + whole - held <= self.gpu.capacity

    def _ended(self, leaf: int, k: int) -> int:
        """Return the room that a running request reserved, and forget it."""
        if (leaf, k) not in self.running:
            raise ArgumentError("k", k, f"a request that runs on the path to node {leaf}")
        return self.running.pop((leaf, k))

    def _pin(self, path: list[Document]) -> int:
        """Pin a path, root first, and load what is in the second tier; return the units loaded."""
        loaded = 0
        for node in path:
            if node.tier > 0:
                loaded += self._load(node)
            if node.tier == 0 and not node.pins:
                self.pinned += node.room
            node.pins += 1
        return loaded

    def _load(self, node: Document) -> int:
        """Move a node from the second tier to the first."""
        host, hottest = self.host, self.hottest
        assert host is not None
        assert hottest is not None
        self._move(node, 0)
        if self.tiers.keeps_copies or node in hottest:
            self.copies += node.room
        else:
            node.hosted = False
            host.used -= node.room
        self.gpu.used += node.room
        self.loaded += node.length
        return node.length

    def _move(self, node: Document, tier: int) -> None:
        """Count a node in another tier than before."""
        above = node.parent
        for level, change in ((node.tier, -1), (tier, 1)):
            if level >= 0:
                self.levels[level].members += change
                if above is not None:
                    above.below[level] += change
        node.tier = tier

    def _enter(self, node: Document) -> None:
        """Put what was computed into the first tier."""
        self._move(node, 0)
        self.gpu.used += node.room
        self.pinned += node.room
        self.written += node.length

    def _release(self, path: list[Document]) -> None:
        """Unpin a path, the deepest first; a leaf that nobody pins may go."""
        for node in reversed(path):
            node.pins -= 1
            if not node.pins and node.tier == 0:
                self.pinned -= node.room
                for memory in self.memories:
                    memory.released(node)
                if not node.below[0]:
                    self.gpu.offer(node)

    def _prune(self) -> None:
        """Sink what the first tier's policy does not keep of the paths that ended, the deepest first."""
        for leaf in self.ended:
            node: Document | None = leaf
            while node is not None:
                if self.gpu.may_go(node) and self.gpu.is_unwanted(node):
                    self._sink(node)
                node = node.parent
        self.ended = []

    def _make_room(self, room: int) -> None:
        """Evict leaves from the first tier until there is so much room (Algorithm 1, EVICT_IN_GPU)."""
        while self.gpu.used + self.reserved + room > self.gpu.capacity:
            self._sink(self.gpu.first())

    def _sink(self, node: Document) -> None:
        """Move a leaf of the first tier to the second, or out of the cache."""
        self.gpu.used -= node.room
        above, host = node.parent, self.host
        if host is None:
            self._drop(node)
        else:
            self._move(node, 1)
            self._receive(node, host)
        if above is not None and self.gpu.may_go(above):
            self.gpu.offer(above)

    def _receive(self, node: Document, host: Level) -> None:
        """Take what sank into the second tier, and make room for it there."""
        held = node.hosted
        if held:
            self.copies -= node.room
        else:
            node.hosted = True
            host.used += node.room
        if not node.below[1]:
            if host.is_unwanted(node):
                return self._drop(node)
            host.offer(node)
        self._fit(host)
        self.sunk.append((node, held))
        return None

    def _settle(self) -> None:
        """Account for what sank in this step and is still there: what the second tier had is no copy."""
        for node, held in self.sunk:
            if node.tier > 0 and held:
                self.freed += node.length
            elif node.tier > 0:
                self.copied += node.length
        self.sunk = []

    def _fit(self, host: Level) -> None:
        """Let leaves of the second tier go until it fits."""
        while host.used > host.capacity:
            self._drop(host.first())

    def _drop(self, node: Document) -> None:
        """Let a leaf of the last tier leave the cache."""
        above = node.parent
        self._move(node, NOWHERE)
        self.dropped += node.length
        if node.hosted and self.host is not None:
            node.hosted = False
            self.host.used -= node.room
            if above is not None and self.host.may_go(above):
                self.host.offer(above)

    def _replicate(self, path: list[Document]) -> None:
        """Copy the hottest nodes of a path to the second tier, and give up copies of those that no longer are."""
        host, hottest = self.host, self.hottest
        assert host is not None
        assert hottest is not None
        for node in hottest.left(keep=self.tiers.keeps_copies):
            if node.tier == 0 and node.hosted:
                node.hosted = False
                host.used -= node.room
                self.copies -= node.room
        for node in path:
            if node in hottest and not node.hosted and self.copies + node.room <= host.capacity:
                node.hosted = True
                host.used += node.room
                self.copies += node.room
                self.copied += node.length
                self.replicated += node.length
                self._fit(host)
