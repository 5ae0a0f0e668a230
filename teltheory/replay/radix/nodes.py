"""What a radix tree of whole nodes is: the cache of SGLang, in this toolkit's terms.

1. A node is a run of units that one insert added. A request inserts its path when its prefill is done, so that its
   new input is one node; with chunked prefill each chunk is one. Its output is a node of its own.
2. A request that leaves a node in the middle splits it. The part that it did not read counts as read by it: it is
   as recent as the request, as in both of SGLang's cores. Its other facts stay.
3. Nodes on the path of a running request are pinned. Before its new units are computed, whole nodes without a node
   below them go until there is room for all of them, in the policy's order, pinned nodes never. So caching is
   forced, and an eviction may free more than it has to.
4. The policy sees nodes: a node is worth keeping if it begins above the budget, whatever its end.
"""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.errors import ArgumentError
from teltheory.model.numbers import whole_number


@dataclass(frozen=True)
class RadixNodes:
    """A radix tree whose nodes are evicted whole, as SGLang's: a value for `cache` of `replay`.

    Parameters
    ----------
    chunk : int, optional
        Most tokens of a node: the size of a prefill chunk, rounded down to whole units of the forest. None: a
        request's new input is one node, however long.
    split : bool
        Whether a node that reaches over the policy's budget is cut there, so that what lies deeper can go alone.
        SGLang does not do it.
    renew : bool
        Whether a split makes the part that was not read as recent as the request. SGLang does it; without it that
        part stays as old as it was.
    sessions: bool
        Whether nodes that fewer sessions use go first (`teltheory.replay.radix.sessions`), as SGLang has it
        with ``--enable-session-radix-cache``.
    """

    chunk: int | None = None
    split: bool = False
    renew: bool = True
    sessions: bool = False

    def __post_init__(self) -> None:
        if self.chunk is not None:
            object.__setattr__(self, "chunk", whole_number("chunk", self.chunk))
            if self.chunk < 1:
                raise ArgumentError("chunk", self.chunk, "1 or more tokens, or None for whole prompts")
        for option in ("split", "renew", "sessions"):
            if not isinstance(getattr(self, option), bool):
                raise ArgumentError(option, getattr(self, option), "True or False")

    def most_units(self, block_size: int) -> int | None:
        """Return the most units of a node on a forest with so many tokens per unit, None for whole prompts.

        Raises
        ------
        ArgumentError
            If a chunk is shorter than a unit.
        """
        if self.chunk is None:
            return None
        if self.chunk < block_size:
            raise ArgumentError("chunk", self.chunk, f"at least {block_size} tokens, a block of the forest")
        return self.chunk // block_size
