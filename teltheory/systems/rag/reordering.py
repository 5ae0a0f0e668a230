"""Which waiting generation has the largest OrderPriority, without a look at each.

OrderPriority = cached / (total - cached) grows with cached / total, which has no zero to divide by. Let v be a
cached node of the knowledge tree. The generations whose cached head ends with v are those that end there and those
that go on to a child that is not cached. All have depth(v) cached tokens, so the first of them is that of the
fewest tokens in all, then of the smallest ticket. So

1. a node has a heap, by (total, ticket), of the generations that end there and of one entry a child, that of the
   child's first; the entry of a cached child does not count;
2. a cached node offers its first to one heap of all, by (-cached / total, ticket);
3. generations without any cached token have priority 0: if none is offered, the earliest of the queue goes.

Nodes enter the cache where the server says so, and leave it unseen: a node counts as cached until an offer of its
comes up that the tree does not confirm. Until then it offers more than it has, so an offer on top that is
confirmed is the largest. Entries are renewed in the same way when they come up. Joining, serving and entering take
O(height log queue) steps each, and so does a node that left. Quotients of whole numbers below 2 ** 26 are in the
same order as floats, and equal only if they are.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush, heapreplace

from teltheory.systems.rag.generation import WAITING, Generation

NOBODY = -1


class Reordering:
    """The order of generations that wait.

    Parameters
    ----------
    parent, depth : list of int, shape (V,)
        The knowledge tree; depths in tokens.
    cached : callable
        Tokens of the cached head of the path to a node, in any tier.
    """

    def __init__(self, parent: list[int], depth: list[int], cached: Callable[[int], int]) -> None:
        self.parent, self.depth, self.cached = parent, depth, cached
        self.heaps: list[list[tuple[int, int, Generation, int]]] = [[] for _ in parent]
        self.offers: list[tuple[float, int, int, Generation]] = []
        self.known = [False] * len(parent)
        self.shown = [NOBODY] * len(parent)

    def add(self, generation: Generation) -> None:
        """Add a generation that joined the queue."""
        if generation.leaf >= 0:
            self._lift(generation, NOBODY, generation.leaf)

    def entered(self, leaf: int) -> None:
        """Note that the path to a node is cached."""
        node = leaf
        while node >= 0:
            if not self.known[node]:
                self.known[node] = True
                self._offer(node, self._first(node))
            node = self.parent[node]

    def first(self) -> Generation | None:
        """Return the generation of the largest priority above 0, None if there is none."""
        while self.offers:
            _, ticket, node, _ = self.offers[0]
            first = self._first(node) if self._stands(node, ticket) else None
            if first is None:
                heappop(self.offers)
            elif first.ticket != ticket:
                self.shown[node] = first.ticket
                heapreplace(self.offers, (-self.depth[node] / first.total, first.ticket, node, first))
            elif self.cached(node) == self.depth[node]:
                return first
            else:
                heappop(self.offers)
                self._left(node, first)
        return None

    def _stands(self, node: int, ticket: int) -> bool:
        return self.known[node] and self.shown[node] == ticket

    def _left(self, node: int, first: Generation) -> None:
        self.known[node] = False
        self._lift(first, node, self.parent[node])

    def _lift(self, generation: Generation, child: int, node: int) -> None:
        """Enter a generation, the first of `child`, from a node upwards to the first that is cached."""
        while node >= 0:
            if child != NOBODY:
                self.shown[child] = generation.ticket
            entry = (generation.total, generation.ticket, generation, child)
            heappush(self.heaps[node], entry)
            if self.heaps[node][0] is not entry:
                return
            if self.known[node]:
                self._offer(node, generation)
                return
            child, node = node, self.parent[node]

    def _offer(self, node: int, first: Generation | None) -> None:
        if first is not None:
            self.shown[node] = first.ticket
            heappush(self.offers, (-self.depth[node] / first.total, first.ticket, node, first))

    def _first(self, node: int) -> Generation | None:
        """Return the first of a node, without those that go on to a cached child."""
        heap = self.heaps[node]
        while heap:
            _, ticket, generation, child = heap[0]
            first: Generation | None = generation
            if child != NOBODY:
                hidden = self.known[child] or self.shown[child] != ticket
                first = None if hidden else self._first(child)
            elif generation.state != WAITING:
                first = None
            if first is None:
                heappop(heap)
            elif first.ticket != ticket:
                self.shown[child] = first.ticket
                heapreplace(heap, (first.total, first.ticket, first, child))
            else:
                return first
        return None
