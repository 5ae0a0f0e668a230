"""The policies of SGLang's radix tree, as ours on its nodes, by the names that SGLang gives them.

Among nodes with equal keys the least recent goes first. `since` is the request that added a node, `stamp` its last
use, which a split renews for the part that was not read.
"""

from __future__ import annotations

from typing import Any

from teltheory.policies.node import on_arrays
from teltheory.policies.online import LRU, TLRU
from teltheory.policies.policy import LeastRecentlyUsed, Policy
from teltheory.policies.residence import FIFO, LFU, SLRU


class LastIn(LeastRecentlyUsed):
    """FILO: the node that was added last goes first."""

    name = "filo"

    @on_arrays
    def eviction_key(self, node: Any) -> int:
        """Return less the request that added the node."""
        request: int = -node.since
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
    "lfu": LFU(),
    "slru": SLRU(),
    "fifo": FIFO(),
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
