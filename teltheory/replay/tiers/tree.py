"""The knowledge tree in tiers of memory (RAGCache, Jin et al. 2024), step by step.

1. A request pins its path when its generation starts. What of it is in a slower tier is loaded; what is in no tier
   gets room in the first: leaves go in the policy's order (Algorithm 1), a parent as soon as it is one.
2. A leaf that goes from a tier sinks to the next, from the last it is gone. If that is too full, its leaves go in
   its own policy's order until it fits, the one that came among them; what goes on in the same step is not copied.
   A leaf of a tier is a node without a child there, so that parents are never below their children.
3. What was computed enters the first tier, and is found, once the first token is there. Then the path is unpinned.
4. What a policy does not keep at all sinks, overflow or not: from the first tier when the next request starts.
5. What is in an inclusive tier is in all slower ones too; a slower one is cut when those before it fit.

Each tier has its own policy, memory and clock, and hears of every request. A node's order is asked once it may go.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.forest import Forest
from teltheory.model.tiers import Tiers, tiers_of
from teltheory.replay.tiers.documents import NOWHERE, Document, Documents
from teltheory.replay.tiers.level import TierLevel
from teltheory.replay.tiers.nodes import mark_of_all, policy_of_each_tier
from teltheory.replay.tiers.replicas import Hottest, Replicas, replicas_in

__all__ = ["TieredTree"]


class Started(NamedTuple):
    """What a request finds when its generation starts, in units of the forest.

    Attributes
    ----------
    cached : tuple of int
        What of its path was in each tier.
    uncached : int
        What of its path is to be computed.
    loaded, copied : int
        What is loaded from slower tiers, where it was found; and copied to them, to make room or if inclusive.
    """

    cached: tuple[int, ...]
    uncached: int
    loaded: int
    copied: int


class TieredTree:
    """Nodes of a forest in tiers, each node whole.

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
        Which nodes are copied to the second of two tiers as soon as they are computed; inclusive tiers copy all.
    whole : bool
        Whether the forest's nodes are cached whole; else each of their units is a node of its own.

    Attributes
    ----------
    written, freed, dropped, lost : int
        Units so far that entered the first tier; that left it without a copy, as the second had one; that left the
        cache from the last tier; that were lost with the first. What is cached is always written - dropped - lost.
    copied_to, loaded_from : list of int
        Units so far that were written to each slower tier, and that came back from each.
    replicated : int
        How many of the copied units are replicas, made before their node went.

    Raises
    ------
    ArgumentError
        For policies that do not run in tiers, and for replicas in inclusive tiers or more than two.
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
        self.levels = [TierLevel(i, size, policy, forest, whole) for i, (size, policy) in enumerate(sizes)]
        self.gpu, self.host = self.levels[0], self.levels[1] if len(self.levels) > 1 else None
        self.memories = [level.memory for level in self.levels if level.memory is not None]
        nodes = forest if whole else forest.by_units()
        self.documents = Documents(nodes, block, mark_of_all(each), self.memories, whole, len(self.levels))
        self.inclusive = self.tiers.mode == "inclusive"
        self.hottest = Hottest(replicas_in(self.tiers, replicas)) if self.host else None
        self.running: dict[tuple[int, int], int] = {}
        self.ended: list[Document] = []
        self.sunk: list[tuple[Document, int, bool]] = []
        self.risen: list[tuple[Document, int]] = []
        self.pinned = self.reserved = self.copies = 0
        self.written = self.freed = self.dropped = self.lost = self.replicated = 0
        self.copied_to, self.loaded_from = ([0] * (len(self.levels) - 1) for _ in range(2))

    @property
    def copied(self) -> int:
        """Units so far that were written to slower tiers."""
        return sum(self.copied_to)

    @property
    def loaded(self) -> int:
        """Units so far that came back."""
        return sum(self.loaded_from)

    def fits(self, leaf: int) -> bool:
        """Return whether the path to a leaf fits into the first tier, if there is nothing else."""
        return sum(node.room for node in self.documents.path(leaf)) <= self.gpu.capacity

    def found(self, leaf: int) -> tuple[int, ...]:
        """Return the units of the longest cached head of the path to a leaf, by tier; nothing changes."""
        node = self.documents.node(leaf)
        while node is not None and node.tier == NOWHERE:
            node = node.parent
        cached = [node.depth if node else 0, *[0] * (len(self.levels) - 1)]
        for tier in range(len(self.levels) - 1, 0, -1):
            while node is not None and node.tier == tier:
                node = node.parent
            fast = node.depth if node else 0
            cached[0], cached[tier] = fast, cached[0] - fast
        return tuple(cached)

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
        path, cached = self.documents.path(leaf), self.found(leaf)
        if not self._fits(path, k):
            return None
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
        if self.risen:
            self._settle()
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
        """Lose the first tier, and in the others what has no parent left there; return the units lost.

        Raises
        ------
        ArgumentError
            While requests run; cancel them first.
        """
        if self.running:
            raise ArgumentError("running", sorted(self.running), "no request: cancel those that run first")
        cached = [node for node in self.documents if node.tier != NOWHERE]
        gone = sum(node.length for node in cached if not self._survives(node))
        self.copies, self.ended = 0, []
        for level in self.levels:
            level.begin_anew([node for node in cached if node.tier == level.number])
        self.lost += gone
        return gone

    def _survives(self, node: Document) -> bool:
        """Move a node to the slower tier that has it if its parent is in one too, else nowhere; parents first."""
        above, copy = node.parent, node.hosted or (self.inclusive and self.host is not None)
        tier = node.tier or (1 if copy else NOWHERE)
        node.tier = tier if above is None or above.tier > 0 else NOWHERE
        node.hosted, node.below = False, [0] * len(self.levels)
        if node.tier > 0 and above is not None:
            above.below[tier] += 1
        return node.tier > 0

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
        """Pin a path, root first, and load what is in slower tiers; return the units loaded."""
        loaded = 0
        for node in path:
            if node.tier > 0:
                loaded += self._load(node)
            if node.tier == 0 and not node.pins:
                self.pinned += node.room
            node.pins += 1
        return loaded

    def _load(self, node: Document) -> int:
        """Move a node from a slower tier to the first."""
        level, hottest = self.levels[node.tier], self.hottest
        assert hottest is not None
        self.loaded_from[node.tier - 1] += node.length
        if self.inclusive:
            self.risen.append((node, node.tier))
        self._move(node, 0)
        if self.tiers.keeps_copies or node in hottest:
            node.hosted = True
            self.copies += node.room
        else:
            level.used -= node.room
        self.gpu.used += node.room
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
        if self.inclusive:
            self.risen.append((node, len(self.levels)))
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
        if self.inclusive:
            above = self.gpu.used + self.reserved + room
            for level in self.levels[1:]:
                self._fit(level, above)
                above += level.used

    def _sink(self, node: Document) -> None:
        """Move a leaf of a tier to the next, from the last out of the cache."""
        level, above = self.levels[node.tier], node.parent
        level.used -= node.room
        if level is self.levels[-1]:
            self._move(node, NOWHERE)
            self.dropped += node.length
        else:
            self._move(node, level.number + 1)
            self._receive(node, self.levels[node.tier])
        if above is not None and level.may_go(above):
            level.offer(above)

    def _receive(self, node: Document, level: TierLevel) -> None:
        """Take what sank into a tier, and make room for it there; inclusive tiers are cut later."""
        held = node.hosted
        if held:
            node.hosted = False
            self.copies -= node.room
        else:
            level.used += node.room
        if not node.below[level.number]:
            if level.is_unwanted(node):
                return self._sink(node)
            level.offer(node)
        if not self.inclusive:
            self._fit(level)
            self.sunk.append((node, level.number, held))
        return None

    def _settle(self) -> None:
        """Account for what sank in this step, is still there and had no copy, or, inclusive, for what rose."""
        for node, tier, held in self.sunk:
            if node.tier == tier and held:
                self.freed += node.length
            elif node.tier == tier:
                self.copied_to[tier - 1] += node.length
        for node, tier in self.risen:
            if node.tier != NOWHERE:
                for below in range(max(node.tier, 1), tier):
                    self.copied_to[below - 1] += node.length
        self.sunk, self.risen = [], []

    def _fit(self, level: TierLevel, above: int = 0) -> None:
        """Let leaves of a slower tier go until it fits, beside what it holds of the tiers above."""
        while level.used + above > level.capacity:
            self._sink(level.first())

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
                self.copied_to[0] += node.length
                self.replicated += node.length
                self._fit(host)
