"""Policies of forests by what happened to a block since it was added to the cache: FIFO, LFU, SLRU, priorities.

An evicted block is forgotten, as in SGLang (`evict_policy.py`) and libCacheSim: when it comes back it is new, and
was read once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import FloatArray
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed


class ByResidence(LeastRecentlyUsed):
    """Rules whose `eviction_key` may look at `since` and `reads`."""

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what asks the rule."""
        return _ByRule(self.eviction_key)


class _ByRule(Memory):
    def __init__(self, rule: Callable[[Node], int]) -> None:
        self.rule = rule

    def key(self, node: Node) -> int:
        return self.rule(node)


@dataclass(frozen=True)
class FIFO(ByResidence):
    """First In, First Out: what was added to the cache first goes first, however often it was read since."""

    name = "fifo"
    loop = "residence"

    def eviction_key(self, node: Node) -> int:
        """Order by the request that added the block."""
        return node.since


@dataclass(frozen=True)
class LFU(ByResidence):
    """Least Frequently Used: what was read least since it was added goes first, among equals the least recent."""

    name = "lfu"
    loop = "residence"

    def eviction_key(self, node: Node) -> int:
        """Order by reads."""
        return node.reads


@dataclass(frozen=True)
class SLRU(ByResidence):
    """Segmented LRU as SGLang has it: what was read once goes before what was read again, in each part LRU.

    The protected part has no bound of its own (Karedla, Love and Wherry 1994 have one).
    """

    name = "slru"
    loop = "residence"

    def eviction_key(self, node: Node) -> int:
        """Protect what was read twice or more."""
        return int(node.reads >= 2)


@dataclass(frozen=True)
class Priority(LeastRecentlyUsed):
    """Requests have priorities; blocks of the least priority go first, among equals the least recent.

    A block has the greatest priority of the requests through it since it was added, as in SGLang.

    Parameters
    ----------
    of : sequence of int, shape (n,), or mapping of str to int
        Priority of each request, or of each kind (`Hints.kind`); a kind that is left out has priority 0.
    """

    name = "priority"
    loop = "residence"
    made_by = "by_kinds"
    example = "priority:kinds=agent+chat"
    of: Sequence[int] | Mapping[str, int]

    def __post_init__(self) -> None:
        of = sorted(self.of.items()) if isinstance(self.of, Mapping) else np.asarray(self.of).ravel().tolist()
        object.__setattr__(self, "of", tuple(of))

    @classmethod
    def by_kinds(cls, kinds: str) -> "Priority":
        """Order kinds: ``a+b`` has requests of kind a before those of b, and both before all others."""
        names = kinds.split("+")
        return cls({name: len(names) - i for i, name in enumerate(names)})

    def of_requests(self, forest: Forest) -> FloatArray:
        """Return the priority of each request; shape (n,)."""
        if any(isinstance(one, tuple) for one in self.of):
            return self._of_kinds(forest)
        if len(self.of) != len(forest):
            raise ArgumentError("of", self.of, f"a priority for each of {len(forest)} requests")
        return np.array(self.of, np.float64)

    def _of_kinds(self, forest: Forest) -> FloatArray:
        if forest.hints is None or forest.hints.kind is None:
            raise ArgumentError("forest", "no kinds", "kinds of requests, by which the policy has priorities")
        pairs: Any = self.of
        priorities = dict(pairs)
        return np.array([priorities.get(kind, 0) for kind in forest.hints.kind], np.float64)

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what notes the greatest priority of each block."""
        return _Greatest(self.of_requests(instance.requests).tolist())


class _Greatest(Memory):
    def __init__(self, of_requests: list[float]) -> None:
        self.of_requests, self.of_units = of_requests, dict[int, float]()

    def used(self, node: Node, resident: bool) -> None:
        arriving = self.of_requests[node.last]
        self.of_units[node.code] = max(arriving, self.of_units[node.code]) if resident else arriving

    def key(self, node: Node) -> Any:
        return self.of_units[node.code]
