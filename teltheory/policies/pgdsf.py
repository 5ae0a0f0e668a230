"""Greedy-Dual policies of forests: a clock ages what is not read.

1. A block that was read has the value H = clock + frequency x cost / size, by the clock at the end of the request;
   the clock begins with 0.
2. The block of the least value goes first, and the clock becomes its value if that is more.

The frequency is how often the block was read since it was added to the cache. On a forest of shared prefixes the
block that is evicted is a unit, of size 1, so GDSF is LFU with aging there; PGDSF has a cost for each node.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import FloatArray
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed


@dataclass(frozen=True)
class GDSF(LeastRecentlyUsed):
    """Greedy-Dual-Size-Frequency (Cherkasova 1998) with cost 1 a unit."""

    name = "gdsf"
    loop = "residence"

    def weights(self, forest: Forest) -> FloatArray:
        """Return cost / size of each unit of the forest."""
        return np.ones(forest.peak)

    def node_weights(self, forest: Forest) -> FloatArray:
        """Return cost / size of each node of the forest, the mean of its units."""
        return np.ones(forest.nodes)

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what keeps values and the clock."""
        weights = self.node_weights if instance.whole else self.weights
        return _Values(weights(instance.requests).tolist())


@dataclass(frozen=True)
class PGDSF(GDSF):
    """Prefix-aware GDSF (RAGCache, Jin et al. 2024, equations 1 and 2) with given costs.

    Parameters
    ----------
    cost : sequence of float, shape (V,), optional
        What computing each node of the forest costs, 0 or more; its units share it. Left out, a unit at depth d
        costs 1 + per_depth (d - 1), as in a prefill with attention.
    per_depth : float
        What a unit costs more for each unit above it, 0 or more, in costs of a first unit.
    """

    name = "pgdsf"
    loop = "residence"
    made_by = "by_depth"
    cost: Sequence[float] | FloatArray | None = None
    per_depth: float = 0.0

    def __post_init__(self) -> None:
        if self.cost is not None:
            object.__setattr__(self, "cost", tuple(np.asarray(self.cost, np.float64).ravel().tolist()))
        if not 0 <= self.per_depth < float("inf"):
            raise ArgumentError("per_depth", self.per_depth, "0 or more")

    @classmethod
    def by_depth(cls, per_depth: float = 0.0) -> "PGDSF":
        """Make the policy that knows costs by depth alone."""
        return cls(None, per_depth)

    def weights(self, forest: Forest) -> FloatArray:
        """Return cost / size of each unit of the forest."""
        if self.cost is None:
            return np.asarray(1 + self.per_depth * (forest.by_units().depth - 1), np.float64)
        return np.repeat(self.node_weights(forest), forest.length)

    def node_weights(self, forest: Forest) -> FloatArray:
        """Return cost / size of each node of the forest, the mean of its units."""
        if self.cost is None:
            return np.asarray(1 + self.per_depth * (forest.depth - (forest.length + 1) / 2), np.float64)
        cost = np.asarray(self.cost, np.float64)
        if cost.shape != (forest.nodes,) or not (cost >= 0).all() or not np.isfinite(cost).all():
            raise ArgumentError("cost", self.cost, f"a cost of 0 or more for each of {forest.nodes} nodes")
        return cost / forest.length


class _Values(Memory):
    by_key = True

    def __init__(self, weights: list[float]) -> None:
        self.weights, self.values, self.clock = weights, dict[int, float](), 0.0

    def released(self, node: Node) -> None:
        self.values[node.code] = self.clock + node.reads * self.weights[node.code]

    def key(self, node: Node) -> float:
        return self.values[node.code]

    def victim(self, nodes: Sequence[Node], held: Sequence[Node]) -> Node:
        gone = super().victim(nodes, held)
        self.clock = max(self.clock, self.key(gone))
        return gone
