"""What a policy remembers of its cache, besides the facts of a node; private conversations are a forest of units.

A policy by rules may have a method `memory(instance)` in addition, which returns a `Memory` for one replay. It
takes the place of `eviction_key`; what the policy drops and its surplus still go first.

1. Before a request, units that have `expired` go, unless a running request holds them.
2. At the request `retrieved` is called once, in tiers of whole nodes alone; then `used` for each unit of its path,
   the deepest first.
3. Once the request has ended `released` is called for them in the same order, but for those that another running
   request has read since. Under optional caching that is at once.
4. While the cache overflows, `victim` says which of the units that may go is the next.
"""

from collections.abc import Sequence
from typing import Any

from teltheory.policies.node import Node


class Memory:
    """The memory of LRU, which is none; derive from it what a policy remembers.

    A node is a unit of the forest: `code` is its number (units are numbered node by node, each node's from its
    root end), `last` the request through it, `since` the request that added it to the cache, `reads` the requests
    through it since then. In tiers of whole nodes (`teltheory.replay.tiers`) it is a node of the forest, with the
    forest's number, and every tier has a memory of its own that hears of every request.

    Attributes
    ----------
    by_key : bool
        Whether the class's `victim` is the unit of the smallest `key`, among equals the least recent, of one path
        the deepest, and a key changes at the node's own requests alone. A class with another `victim` has to say
        so itself.
    """

    by_key = True

    def retrieved(self, nodes: Sequence[Node], cached: int, fresh: int, tail: int) -> None:
        """Note a request in tiers of whole nodes, before `used`.

        Parameters
        ----------
        nodes : sequence of Node
            Its path, root first.
        cached : int
            Units of the path that are found, in any tier.
        fresh : int
            Units of the path that are to be computed.
        tail : int
            Units that are computed after the path, such as the question; no cache holds them.
        """

    def used(self, node: Node, resident: bool) -> None:
        """Note that request `node.last` goes through a unit, and whether the unit was cached."""

    def released(self, node: Node) -> None:
        """Note that the last request through a unit has ended, so that the unit may go."""

    def expired(self, node: Node, now: float | None) -> bool:
        """Return whether a cached unit goes before a request that arrives `now`, in seconds: no."""
        return False

    def key(self, node: Node) -> Any:
        """Return the order of eviction, the smallest first: the least recent first."""
        return 0

    def victim(self, nodes: Sequence[Node], held: Sequence[Node]) -> Node:
        """Return which unit goes: of the smallest key, the least recent, of one path the deepest.

        Parameters
        ----------
        nodes : sequence of Node
            The units that may go, one or more.
        held : sequence of Node
            All that is cached, without the paths of running requests.
        """
        return min(nodes, key=lambda node: (self.key(node), node.last, -node.depth))


def goes_by_key(memory: Memory) -> bool:
    """Whether what goes next is the smallest key; the class that says how to choose says whether it is."""
    owner = next(kind for kind in type(memory).__mro__ if "victim" in vars(kind))
    return bool(vars(owner).get("by_key", False)) and type(memory).expired is Memory.expired
