"""A tier of memory with the leaves that may go from it, first the first in its policy's order.

The order waits in a heap. An entry counts as long as its node is still a leaf of the tier that nobody pins and
that has not been asked for since: those that do not are thrown away when they come up, or when they are the most.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from teltheory.model.forest import Forest
from teltheory.policies.memory import Memory
from teltheory.policies.policy import Policy
from teltheory.replay.tiers.budgets import has_budget
from teltheory.replay.tiers.documents import Document
from teltheory.replay.tiers.nodes import memory_of


class TierLevel:
    """A tier: its room, its policy, its memory and its leaves in order."""

    def __init__(self, number: int, capacity: int, policy: Policy, forest: Forest, whole: bool) -> None:
        self.number, self.capacity, self.policy = number, capacity, policy
        self.memory: Memory | None = memory_of(policy, forest, capacity, whole)
        self.key: Callable[[Any], Any] = self.memory.key if self.memory else policy.eviction_key
        self.by_trim_key, self.has_budget = policy.trim == "least-recent", has_budget(policy)
        self.used = self.members = 0
        self.heap: list[tuple[Any, ...]] = []

    def is_surplus(self, node: Document) -> bool:
        """Whether a node is not worth keeping: it begins where the policy's budget ends, or is not kept."""
        over = self.has_budget and self.policy.budget(node) <= node.depth - node.length
        return over or self.policy.drops(node)

    def is_unwanted(self, node: Document) -> bool:
        """Whether a node goes even if there is room."""
        return self.policy.drops(node) or (self.policy.trim == "eager" and self.is_surplus(node))

    def may_go(self, node: Document) -> bool:
        """Whether a node is a leaf of the tier that nobody pins."""
        return node.tier == self.number and not node.pins and not node.below[self.number]

    def offer(self, node: Document) -> None:
        """Make a leaf a candidate."""
        if self.is_surplus(node):
            order = (0, self.policy.trim_key(node) if self.by_trim_key else 0)
        else:
            order = (1, self.key(node))
        heapq.heappush(self.heap, (*order, node.turn, -node.depth, node.code, node))
        if len(self.heap) > 2 * self.members + 64:
            self.heap = [entry for entry in self.heap if self._counts(entry)]
            heapq.heapify(self.heap)

    def begin_anew(self, nodes: list[Document]) -> None:
        """Take nodes as all that the tier holds."""
        self.heap, self.members, self.used = [], len(nodes), sum(node.room for node in nodes)
        for node in nodes:
            if self.may_go(node):
                self.offer(node)

    def _counts(self, entry: tuple[Any, ...]) -> bool:
        node = entry[-1]
        return node.turn == entry[2] and self.may_go(node)

    def first(self) -> Document:
        """Return the leaf that goes first, no candidate any longer, and tell the memory."""
        entry = heapq.heappop(self.heap)
        while not self._counts(entry):
            entry = heapq.heappop(self.heap)
        node: Document = entry[-1]
        if entry[0] == 1 and self.memory is not None:
            self.memory.victim([node], [node])
        return node
