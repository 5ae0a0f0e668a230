"""The forest under a trace: prefixes that requests share, and the path that each request walks.

1. A node is a run of units (blocks or tokens) with one content and one past: its parent is the node before it.
   Nodes are numbered so that a parent comes before its children; -1 is the parent of a root.
2. A request is a path from a root down to its `leaf`, so memory is O(nodes + requests). The first `ask` units of
   the path are its input, the rest is output that it makes available. `total` is what a prefill with an empty
   cache computes; total - ask is a tail that no cache holds.
3. A private conversation is a chain: each turn walks down to its end and makes it longer. Where a history is
   shorter than the past, the chain engine cuts (what is cut is gone), while the forest branches (it stays).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from teltheory.errors import TraceError
from teltheory.model.columns import arrivals, checked_block_size, lengths
from teltheory.model.numbers import FloatArray, IntArray, readonly

NO_NODE = -1


@dataclass(frozen=True, eq=False)
class Forest:
    """Nodes of shared prefixes and the requests that walk them. Make one with `Forest.from_paths`.

    Attributes
    ----------
    parent : ndarray of int64, shape (V,)
        Node before each node, -1 for a root; always a smaller number than the node's own.
    length : ndarray of int64, shape (V,)
        Units in each node, 1 or more.
    leaf : ndarray of int64, shape (n,)
        Deepest node of each request's path, -1 for an empty path.
    ask : ndarray of int64, shape (n,)
        Units of the path that are the request's input.
    total : ndarray of int64, shape (n,)
        Units that a prefill with an empty cache computes, `ask` or more.
    arrival : ndarray of float64, shape (n,), or None
        Seconds, never decreasing.
    block_size : int
        Tokens per unit.
    """

    parent: IntArray
    length: IntArray
    leaf: IntArray
    ask: IntArray
    total: IntArray
    arrival: FloatArray | None = None
    block_size: int = 1

    @classmethod
    def from_paths(
        cls,
        paths: Sequence[Sequence[int]],
        ask: Sequence[int] | None = None,
        total: Sequence[int] | None = None,
        arrival: Sequence[float] | None = None,
        *,
        block_size: int = 1,
    ) -> Forest:
        """Make a forest of nodes of length 1 from the blocks of each request.

        Parameters
        ----------
        paths : sequence of sequences of int
            Block ids of each request, root first. An id stands for a block and everything before it.
        ask : sequence of int, optional
            Blocks of each path that are input; the whole path when left out.
        total : sequence of int, optional
            Blocks that a prefill with an empty cache computes; `ask` when left out.
        arrival : sequence of float, optional
            Seconds, finite, never decreasing.
        block_size : int
            Tokens per block.

        Raises
        ------
        TraceError
            For a block with two parents, an ask beyond its path, a total below its ask: names the request
            (counted from 0), the value and what was expected.
        """
        nodes: dict[int, int] = {}
        parents: list[int] = []
        leaves = [_walk(k, path, nodes, parents) for k, path in enumerate(paths)]
        ends = readonly(np.array([len(path) for path in paths], np.int64))
        asked = ends if ask is None else lengths("ask", ask, len(paths))
        for k in np.flatnonzero(asked > ends)[:1]:
            raise TraceError("ask", int(k), int(asked[k]), f"at most {int(ends[k])}, the length of its path")
        computed = asked if total is None else lengths("total", total, len(paths))
        for k in np.flatnonzero(computed < asked)[:1]:
            raise TraceError("total", int(k), int(computed[k]), f"at least {int(asked[k])}, what it asks for")
        parent, leaf = readonly(np.array(parents, np.int64)), readonly(np.array(leaves, np.int64))
        times = None if arrival is None else arrivals(arrival, len(paths))
        length = readonly(np.ones(len(parent), np.int64))
        return cls(parent, length, leaf, asked, computed, times, checked_block_size(block_size))

    @classmethod
    def of_turns(
        cls,
        conversation: IntArray,
        history: IntArray,
        prompt: IntArray,
        response: IntArray,
        arrival: FloatArray | None = None,
        block_size: int = 1,
    ) -> Forest:
        """Make the forest of conversations: a turn's prompt and response are a node below its history.

        A history that ends inside a node splits it there; what it leaves out stays as a branch.

        Parameters
        ----------
        conversation, history, prompt, response : ndarray of int64, shape (n,)
            Columns of a trace.
        arrival : ndarray of float64, shape (n,), optional
            Seconds.
        block_size : int
            Tokens per unit.
        """
        growing = _Growing()
        columns = zip(*(c.tolist() for c in (conversation, history, prompt + response)), strict=True)
        parent, length, leaf = growing.numbered([growing.turn(*row) for row in columns])
        asked = readonly(history + prompt)
        return cls(parent, length, leaf, asked, asked, arrival, block_size)

    def __len__(self) -> int:
        return len(self.leaf)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        same = [np.array_equal(*pair) for pair in zip(self._columns(), other._columns(), strict=True)]
        return self.block_size == other.block_size and all(same)

    __hash__ = None  # type: ignore[assignment]

    def _columns(self) -> list[Any]:
        arrival = () if self.arrival is None else self.arrival
        return [self.parent, self.length, self.leaf, self.ask, self.total, arrival]

    @property
    def nodes(self) -> int:
        """Number of nodes V."""
        return len(self.parent)

    @property
    def units(self) -> int:
        """Units of all nodes: the most that an endless cache holds."""
        return sum(self.length.tolist())

    @cached_property
    def depth(self) -> IntArray:
        """Units from the root to the end of each node, itself included; shape (V,)."""
        depth = self.length.tolist()
        for node, parent in enumerate(self.parent.tolist()):
            depth[node] += depth[parent] if parent >= 0 else 0
        return readonly(np.array(depth, np.int64))

    @cached_property
    def root(self) -> IntArray:
        """Root of the tree of each node; shape (V,)."""
        root = list(range(self.nodes))
        for node, parent in enumerate(self.parent.tolist()):
            root[node] = root[parent] if parent >= 0 else node
        return readonly(np.array(root, np.int64))

    @cached_property
    def end(self) -> IntArray:
        """Length of each request's path, input and output; shape (n,)."""
        return readonly(_at(self.depth, self.leaf, 0))

    @cached_property
    def first(self) -> IntArray:
        """First request through each node, n if there is none; shape (V,)."""
        first = [len(self)] * self.nodes
        for k, leaf in reversed(list(enumerate(self.leaf.tolist()))):
            if leaf >= 0:
                first[leaf] = k
        for node in range(self.nodes - 1, -1, -1):
            parent = self.parent[node]
            if parent >= 0:
                first[parent] = min(first[parent], first[node])
        return readonly(np.array(first, np.int64))

    @cached_property
    def known(self) -> IntArray:
        """Leading units of each request's input that an earlier request made available; shape (n,)."""
        known = np.array(self.end)
        above = _at(self.first, self.parent, NO_NODE)
        (topmost,) = np.nonzero((self.first < len(self)) & (above != self.first))
        known[self.first[topmost]] = (self.depth - self.length)[topmost]
        return readonly(np.minimum(known, self.ask))

    @cached_property
    def is_chains(self) -> bool:
        """Whether requests are turns of private conversations that never shorten their past.

        No node has two children, no request asks for less than what the one before it in its tree left, and
        no request has a tail.
        """
        parents = self.parent[self.parent >= 0]
        if len(np.unique(parents)) < len(parents) or bool((self.total > self.ask).any()):
            return False
        return bool((self.ask >= self.left_before).all())

    @cached_property
    def tree(self) -> IntArray:
        """Root of each request's path; for an empty path -1, -2, ..., a number of its own; shape (n,)."""
        return readonly(np.where(self.leaf >= 0, _at(self.root, self.leaf, NO_NODE), -1 - np.arange(len(self))))

    @cached_property
    def left_before(self) -> IntArray:
        """Length of the path of the request before each in its tree, 0 if it is the first; shape (n,)."""
        left: dict[int, int] = {}
        before = np.zeros(len(self), np.int64)
        for k, (tree, end) in enumerate(zip(self.tree.tolist(), self.end.tolist(), strict=True)):
            before[k] = left.get(tree, 0)
            left[tree] = end
        return readonly(before)

    def path(self, request: int) -> list[int]:
        """Return the nodes of a request, root first."""
        nodes: list[int] = []
        node = int(self.leaf[request])
        while node >= 0:
            nodes.append(node)
            node = int(self.parent[node])
        return nodes[::-1]


class _Growing:
    """Conversations as chains that grow; a shortened history splits a node and the next turn branches there."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.length: list[int] = []
        self._paths: dict[int, list[tuple[int, int]]] = {}

    def turn(self, conversation: int, history: int, new: int) -> int:
        """Add a turn's node below its history; return the leaf of its path."""
        path = self._paths.setdefault(conversation, [])
        self._shorten(path, history)
        node, end = path[-1] if path else (NO_NODE, 0)
        if history + new > end:
            node = self._add(node, history + new - end)
            path.append((node, history + new))
        return node

    def _shorten(self, path: list[tuple[int, int]], history: int) -> None:
        """Cut a path, of nodes and their depths, to its first units."""
        while path and path[-1][1] > history:
            node, end = path.pop()
            start = end - self.length[node]
            if start < history:
                # The node stays the lower part, so that leaves and children that point to it stay right.
                self.parent[node] = self._add(self.parent[node], history - start)
                self.length[node] = end - history
                path.append((self.parent[node], history))

    def _add(self, parent: int, length: int) -> int:
        self.parent.append(parent)
        self.length.append(length)
        return len(self.parent) - 1

    def numbered(self, leaves: Sequence[int]) -> tuple[IntArray, IntArray, IntArray]:
        """Return parents, lengths and leaves with nodes in order of their first request, parents first."""
        number = {NO_NODE: NO_NODE}
        for leaf in leaves:
            fresh, node = [], leaf
            while node not in number:
                fresh.append(node)
                node = self.parent[node]
            number.update(zip(reversed(fresh), count(len(number) - 1), strict=False))
        order = list(number)[1:]
        parent = [number[self.parent[node]] for node in order]
        columns = parent, [self.length[node] for node in order], [number[leaf] for leaf in leaves]
        parents, sizes, renumbered = (readonly(np.array(column, np.int64)) for column in columns)
        return parents, sizes, renumbered


def _walk(request: int, path: Sequence[int], nodes: dict[int, int], parents: list[int]) -> int:
    """Return the last node of a path, adding the blocks that no earlier path has."""
    node = NO_NODE
    for block in path:
        here = nodes.setdefault(block, len(parents))
        if here == len(parents):
            parents.append(node)
        elif parents[here] != node:
            raise TraceError("paths", request, block, "a block with one parent, as in the requests before it")
        node = here
    return node


def _at(values: IntArray, nodes: IntArray, absent: int) -> IntArray:
    """Return the value of each node, `absent` for -1."""
    return np.append(values, absent)[nodes]
