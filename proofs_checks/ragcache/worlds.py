"""Small knowledge trees and what is asked of them: each once, by growing size.

A node is a document after what stands before it; it has a size in tokens and is cached whole or not at all. Nodes
are numbered in the order in which requests bring them up, so that no two worlds differ by names alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

from teltheory.claims.listed import Listed, ToldCase, told

Row: TypeAlias = tuple[int, ...]
Limits: TypeAlias = dict[int, int]
"""Most tokens of all documents, by the number of requests."""


@dataclass(frozen=True)
class Tree:
    """The parent of each node (-1 for a root, else a smaller number), and its size in tokens."""

    parent: Row
    size: Row

    @cached_property
    def paths(self) -> tuple[Row, ...]:
        """The nodes from a root down to each node."""
        return tuple(self._path(node) for node in range(len(self.parent)))

    def _path(self, node: int) -> Row:
        return () if node < 0 else (*self._path(self.parent[node]), node)

    @property
    def numbered(self) -> list[list[int]]:
        """Each node as [the number of the one above it or 0, its size], numbers from 1."""
        return [[above + 1, size] for above, size in zip(self.parent, self.size, strict=True)]

    def tokens(self, nodes: Sequence[int] | set[int]) -> int:
        """Return the size of some nodes together."""
        return sum(self.size[node] for node in nodes)

    def leaves(self, nodes: set[int]) -> list[int]:
        """Return the nodes of a set that have no child in it."""
        inner = {self.parent[node] for node in nodes}
        return [node for node in sorted(nodes) if node not in inner]


@dataclass(frozen=True)
class Asked(ToldCase):
    """A tree, the node at which each request's path ends, and the room of GPU and host in tokens."""

    parent: Row
    size_of: Row
    asked: Row
    gpu: int
    host: int = 0

    @cached_property
    def tree(self) -> Tree:
        """The tree."""
        return Tree(self.parent, self.size_of)

    def measures(self) -> dict[str, int]:
        """Return requests, tokens and documents."""
        return {"requests": len(self.asked), "tokens": sum(self.size_of), "documents": len(self.parent)}

    def size(self) -> tuple[Any, ...]:
        """Return the order of "smallest": requests, tokens, documents, then the room."""
        return (*self.measures().values(), self.gpu, self.host, self.parent, self.size_of, self.asked)

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the documents, requests as the numbers of the documents that end them, and the room."""
        requests = [node + 1 for node in self.asked]
        facts = {"documents": self.tree.numbered, "requests": requests, "gpu": self.gpu, "host": self.host}
        return told({**facts, "values": values})


def shapes(requests: int, nodes: int) -> Iterator[tuple[Row, Row]]:
    """Yield parents and the node that each request ends with: so many requests that bring up so many nodes."""
    partial: list[tuple[Row, Row]] = [((), ())]
    for _ in range(requests):
        partial = [longer for one in partial for longer in _one_more(one, nodes)]
    return (one for one in partial if len(one[0]) == nodes)


def _one_more(shape: tuple[Row, Row], nodes: int) -> Iterator[tuple[Row, Row]]:
    parent, asked = shape
    for above in range(-1, len(parent)):
        if above >= 0:
            yield parent, (*asked, above)
        for more in range(1, nodes - len(parent) + 1):
            chain = (above, *range(len(parent), len(parent) + more - 1))
            yield (*parent, *chain), (*asked, len(parent) + more - 1)


def sizes(nodes: int, tokens: int, largest: int) -> Iterator[Row]:
    """Yield the sizes of nodes, 1 to the largest, that are so many tokens together."""
    if nodes == 0:
        if tokens == 0:
            yield ()
        return
    for first in range(1, min(largest, tokens - nodes + 1) + 1):
        for rest in sizes(nodes - 1, tokens - first, largest):
            yield (first, *rest)


@dataclass(frozen=True)
class Worlds:
    """What is enumerated: `limits` of tokens by requests, the largest document, and the room of the host.

    The GPU has room from the longest path on, and too little for all; `hosts` gives the host's room, from a world.
    """

    limits: Limits
    largest: int = 99
    most_documents: int = 99
    hosts: Callable[[Asked], Sequence[int]] = lambda world: (0,)
    given: Callable[[Asked], bool] = lambda world: True

    def classes(self) -> Iterator[Iterator[Asked]]:
        """Yield the worlds by requests, then by tokens."""
        for requests, most in self.limits.items():
            for tokens in range(1, most + 1):
                yield self._class(requests, tokens)

    def _class(self, requests: int, tokens: int) -> Iterator[Asked]:
        for nodes in range(1, min(tokens, self.most_documents) + 1):
            for parent, asked in shapes(requests, nodes):
                for size in sizes(nodes, tokens, self.largest):
                    yield from self._with_room(Asked(parent, size, asked, 0))

    def _with_room(self, world: Asked) -> Iterator[Asked]:
        tree = world.tree
        longest = max(tree.tokens(tree.paths[node]) for node in world.asked)
        for gpu in range(longest, max(tree.tokens(range(len(tree.size))), longest + 1)):
            for host in self.hosts(sized := replace(world, gpu=gpu)):
                if self.given(one := replace(sized, host=host)):
                    yield one


def listed(quick: Worlds, full: Worlds, what: str) -> Listed[Asked]:
    """Return worlds as the space of a claim; `what` says more of them."""
    return Listed(Worlds.classes, quick, full, lambda worlds: cases(ALL_TREES, worlds.limits, what))


ALL_TREES = "all knowledge trees with"


def cases(of: str, limits: Limits, what: str) -> dict[str, Any]:
    """Return what is enumerated, as a verdict's bounds say it."""
    most = ", ".join(f"{requests}: {tokens}" for requests, tokens in limits.items())
    return {"cases": f"{of} most tokens by requests {most}; {what}"}


def one_root(world: Asked) -> bool:
    """Whether all paths begin with one document, the system prompt."""
    return world.parent.count(-1) == 1


def flat(world: Asked) -> bool:
    """Whether no document stands before another."""
    return set(world.parent) == {-1}


def any_host(world: Asked) -> range:
    """Return rooms of the host from none to all documents."""
    return range(sum(world.size_of) + 1)
