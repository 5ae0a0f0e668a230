"""The nodes of the tree: what policies see of each, and what the tree does.

A node is made when a path goes through it first; its parent is there then.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from teltheory.model.forest import Forest
from teltheory.policies.memory import Memory
from teltheory.policies.node import NextTurn, Node
from teltheory.replay.tiers.nodes import room_of

NOWHERE = -1


class Document(Node):
    """A node of the tree as policies see it, and where it is.

    Attributes
    ----------
    parent : Document or None
        The node before it.
    depth, length : int
        Units from the root to its end; its own.
    room : int
        Units that it takes in a tier, its last block full.
    tier : int
        Where it is; `NOWHERE` if it is not cached.
    hosted : bool
        Whether it is in the first tier and the second has a copy of it that it keeps.
    below : list of int
        Its children in each tier.
    pins : int
        Running requests whose path goes through it.
    turn : int
        When it was asked for last, counted in starts.
    since, reads : int
        The start that computed it, and how many there were through it since then.
    """

    __slots__ = (
        "below", "depth", "following", "hosted", "length", "parent", "pins", "reads", "room", "since", "tier",
        "turn",
    )  # fmt: skip
    depth: int
    length: int
    since: int
    reads: int

    def __init__(
        self, code: int, parent: Document | None, length: int, room: int, following: Any, tiers: int
    ) -> None:
        self.code, self.parent, self.length, self.room, self.following = code, parent, length, room, following
        self.depth = length + (parent.depth if parent else 0)
        self.first = self.last = self.turn = -1
        self.past = self.hits = self.pins = self.since = self.reads = 0
        self.cached, self.tier, self.hosted = length, NOWHERE, False
        self.below = [0] * tiers
        self.seen = None

    @property
    def next(self) -> NextTurn | None:  # type: ignore[override]
        """The next request of the forest through the node, after the last that asked for it."""
        found: NextTurn | None = self.following(self.code, self.last)
        return found


class Documents:
    """The nodes that were asked for, and what requests do to what policies see of them."""

    def __init__(
        self, forest: Forest, block: int, mark: str, memories: Sequence[Memory], whole: bool, tiers: int
    ) -> None:
        self.forest, self.mark, self.memories, self.whole, self.tiers = forest, mark, memories, whole, tiers
        self.nodes: list[Document | None] = [None] * forest.nodes
        self.columns = forest.parent.tolist(), forest.length.tolist(), room_of(forest.length.tolist(), block)
        self.arrival = None if forest.arrival is None else forest.arrival.tolist()
        self.coming: Coming | None = None
        self.turns = self.known = 0

    def __iter__(self) -> Iterator[Document]:
        """Go through the nodes, parents before their children."""
        return (node for node in self.nodes if node is not None)

    def node(self, code: int) -> Document | None:
        """Return a node of the forest by its number, None for -1."""
        parent, length, room = self.columns
        missing = []
        while code >= 0 and self.nodes[code] is None:
            missing.append(code)
            code = parent[code]
        node = self.nodes[code] if code >= 0 else None
        for new in reversed(missing):
            node = self.nodes[new] = Document(new, node, length[new], room[new], self.following, self.tiers)
        return node

    def path(self, leaf: int) -> list[Document]:
        """Return the nodes down to a leaf, root first."""
        nodes = []
        node = self.node(leaf)
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def hear(self, path: list[Document], k: int, cached: int, tail: int, now: float | None) -> None:
        """Tell nodes and memories that request k asks for a path, of which so much is cached."""
        seen = now if now is not None or self.arrival is None else self.arrival[k]
        end = path[-1].depth if path else 0
        self.turns += 1
        for node in path:
            self._asked(node, k, seen, end)
        for memory in self.memories:
            if self.whole:
                memory.retrieved(path, cached, end - cached, tail)
            for node in reversed(path):
                memory.used(node, node.tier != NOWHERE)

    def _asked(self, node: Document, k: int, seen: float | None, end: int) -> None:
        if node.first < 0:
            node.first, self.known = self.known, self.known + 1
        node.last, node.turn, node.seen = k, self.turns, seen
        node.hits += 1
        resident = node.tier != NOWHERE
        node.since, node.reads = (node.since, node.reads + 1) if resident else (self.turns, 1)
        if self.mark == "next":
            node.past = node.coming.history
        elif self.mark == "last" or (self.mark == "resident" and not resident):
            node.past = end
        else:
            node.past = max(node.past, end)

    def following(self, code: int, last: int) -> NextTurn | None:
        """Return the next request of the forest through a node after one."""
        if self.coming is None:
            self.coming = Coming(self.forest)
        return self.coming.after(code, last)


class Coming:
    """The requests of a forest through each node, for policies that know the future."""

    def __init__(self, forest: Forest) -> None:
        known, total = forest.known.tolist(), forest.total.tolist()
        self.turns = [NextTurn(k, h, t - h) for k, (h, t) in enumerate(zip(known, total, strict=True))]
        self.through: list[list[int]] = [[] for _ in range(forest.nodes)]
        for k in range(len(forest)):
            for node in forest.path(k):
                self.through[node].append(k)

    def after(self, code: int, last: int) -> NextTurn | None:
        """Return the next request through a node after one."""
        requests = self.through[code]
        place = bisect_right(requests, last)
        return self.turns[requests[place]] if place < len(requests) else None
