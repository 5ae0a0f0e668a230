"""The policies that SGLang's radix tree has besides LRU and T-LRU, as rules on its nodes.

Among nodes with equal keys the least recent goes first. `hits` are the requests through a node since it is in the
tree, `created` the one that added it, `stamp` its last use, which a split renews for the part that was not read.
"""

from __future__ import annotations

from typing import Any

from teltheory.policies.node import on_arrays
from teltheory.policies.online import LRU, TLRU
from teltheory.policies.policy import LeastRecentlyUsed, Policy

PROTECTED = 2
"""Requests through a node from which on SLRU protects it, SGLang's default."""


class LeastFrequent(LeastRecentlyUsed):
    """LFU: the node with the fewest requests goes first."""

    name = "lfu"

    @on_arrays
    def eviction_key(self, node: Any) -> int:
        """Return the requests through the node."""
        requests: int = node.hits
        return requests


class Segmented(LeastRecentlyUsed):
    """SLRU: nodes with one request go before those with more."""

    name = "slru"

    @on_arrays
    def eviction_key(self, node: Any) -> bool:
        """Return whether the node is protected."""
        protected: bool = node.hits >= PROTECTED
        return protected


class FirstIn(LeastRecentlyUsed):
    """FIFO: the node that was added first goes first."""

    name = "fifo"

    @on_arrays
    def eviction_key(self, node: Any) -> int:
        """Return the request that added the node."""
        request: int = node.created
        return request


class LastIn(LeastRecentlyUsed):
    """FILO: the node that was added last goes first."""

    name = "filo"

    @on_arrays
    def eviction_key(self, node: Any) -> int:
        """Return less the request that added the node."""
        request: int = -node.created
        return request


class MostRecent(LeastRecentlyUsed):
    """MRU: the node that was used last goes first."""

    name = "mru"

    @on_arrays
    def eviction_key(self, node: Any) -> int:
        """Return less the time of the last use."""
        time: int = -node.stamp
        return time


UNTOLD: dict[str, Policy] = {
    "lru": LRU(),
    "lfu": LeastFrequent(),
    "slru": Segmented(),
    "fifo": FirstIn(),
    "filo": LastIn(),
    "mru": MostRecent(),
}
"""The policies without parameters, by SGLang's names."""


def policy_of(name: str, config: dict[str, int] | None = None) -> Policy:
    """Return the policy that SGLang knows by a name and a configuration."""
    if name != "tlru":
        return UNTOLD[name]
    told = config or {}
    return TLRU(told["threshold"], told["next_prompt_estimate"], "least-recent", "resident")
