"""Copies of the hottest upper nodes in the second tier, made before the first tier is lost (RAGCache).

A parent is asked for whenever its child is, so at least as often: the nodes asked for most are closed towards the
root, and a copy is of use after a loss, as its parents have copies too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers
from teltheory.replay.tiers.documents import Document

__all__ = ["Replicas"]


@dataclass(frozen=True)
class Replicas:
    """Which nodes have a copy in the second tier while they are in the first.

    Parameters
    ----------
    levels : int
        Nodes with fewer nodes above them than this: 1 is the roots, such as the system prompt.
    nodes : int
        So many of the nodes that were asked for most, among equals those that were asked for first.
    """

    levels: int = 0
    nodes: int = 0

    def __post_init__(self) -> None:
        for option in ("levels", "nodes"):
            object.__setattr__(self, option, whole_number(option, getattr(self, option)))


def replicas_in(tiers: Tiers, replicas: Replicas | None) -> Replicas:
    """Return which nodes have copies in tiers, none if nothing is said; two tiers have them, not inclusive."""
    if replicas and (len(tiers) > 2 or tiers.mode == "inclusive"):
        raise ArgumentError("replicas", replicas, f"none in {len(tiers)} {tiers.mode} tiers")
    return replicas or Replicas()


@dataclass
class Hottest:
    """The nodes that have a copy, as requests come."""

    replicas: Replicas
    most: dict[int, Document] = field(default_factory=dict)
    gone: list[Document] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether there are any copies."""
        return self.replicas.levels + self.replicas.nodes > 0

    def __contains__(self, node: Document) -> bool:
        return node.code in self.most or self._is_upper(node)

    def _is_upper(self, node: Document) -> bool:
        level, above = 0, node.parent
        while above is not None and level < self.replicas.levels:
            level, above = level + 1, above.parent
        return level < self.replicas.levels

    def hear(self, path: list[Document]) -> None:
        """Note that a request asks for a path."""
        for node in path if self.replicas.nodes else ():
            self.most[node.code] = node
            if len(self.most) > self.replicas.nodes:
                least = min(self.most.values(), key=lambda one: (one.hits, -one.first))
                self.gone.append(self.most.pop(least.code))

    def left(self, keep: bool) -> list[Document]:
        """Return the nodes that are no longer among them, once; none if copies are kept anyway."""
        left = [] if keep else [node for node in self.gone if node not in self]
        self.gone = []
        return left
