"""Conversations as paths of a forest: turns make them longer, a shortened history makes them branch."""

from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np

from teltheory.model.numbers import IntArray, readonly

NO_NODE = -1


class Growing:
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


def grown(
    turns: Iterable[tuple[int, int, int]], before: Iterable[tuple[int, int]] = ()
) -> tuple[IntArray, IntArray, IntArray]:
    """Return parents and lengths of nodes, and the leaf of each turn, after those of what was there `before`.

    A turn is its conversation, history and what it adds; before the first one a conversation has a past.
    """
    growing = Growing()
    begun = [growing.turn(conversation, 0, past) for conversation, past in before]
    return growing.numbered([*begun, *(growing.turn(*turn) for turn in turns)])


def leaves_out(parent: IntArray, conversation: IntArray, leaf: IntArray) -> bool:
    """Whether any request leaves out some of the path of its conversation's request before."""
    above, latest = parent.tolist(), dict[int, int]()
    for own, end in zip(conversation.tolist(), leaf.tolist(), strict=True):
        node, before = end, latest.get(own, NO_NODE)
        latest[own] = end
        while node > before:  # parents have smaller numbers
            node = above[node]
        if node != before:
            return True
    return False


def with_next_trees(tree: IntArray, conversation: IntArray) -> IntArray:
    """Return trees of requests, where a negative one is that of the conversation's next request, if it has one."""
    if tree.min(initial=0) == 0:
        return tree
    found, upcoming = tree.copy(), dict[int, int]()
    for k, own in reversed(list(enumerate(conversation.tolist()))):
        if found[k] < 0:
            found[k] = upcoming.get(own, found[k])
        upcoming[own] = int(found[k])
    return found
