"""Forests of block hashes, made while a file is read: no path is kept, memory is O(blocks + requests).

1. Ids of prefixes: an id stands for its block and everything before it, so it has one parent.
2. Ids of content: an id stands for what its block holds, wherever it is; a node is a pair, its parent and its id.
3. Of a request only the blocks count that its input fills. A last block that is not full is input
   (`Forest.tokens`), but nothing that another request could share.
4. Outputs have no ids in most files. Then the path of a request ends with its input.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from teltheory.formats.reading import ints
from teltheory.formats.records import Record
from teltheory.formats.walks import in_order_of_use
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, IntArray, readonly

FIELD = "hash_ids"


class Blocks:
    """Blocks of requests, in the order in which a file has them.

    Parameters
    ----------
    block_size : int
        Tokens per block.
    content : bool
        Whether an id stands for a block's content alone, not for everything before it.
    """

    def __init__(self, block_size: int, content: bool = False) -> None:
        self.block_size = block_size
        self.content = content
        self.tags: list[str] = []
        self._parent, self._leaf = array("q"), array("q")
        self._ask, self._tokens = array("q"), array("q")
        self._nodes: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._leaf)

    def new_scope(self) -> None:
        """Forget the ids: those that follow are local to another file."""
        self._nodes = {}

    def read(self, record: Record, tokens: int, exact: bool = True) -> list[int]:
        """Return the ids of the blocks that an input of some tokens fills; `exact` allows at most one id more."""
        ids, size = ids_of(record), self.block_size
        full = tokens // size
        if len(ids) < full or (exact and len(ids) > -(-tokens // size)):
            most = -(-tokens // size) if exact else full
            expected = f"{_numbers(full, most)} ids for {tokens} tokens in blocks of {size}"
            record.fail(FIELD, len(ids), f"{expected}; blocks=N (--blocks N) names another size")
        return ids if len(ids) == full else ids[:full]

    def add(self, record: Record, ids: Sequence[Any], tokens: int, ask: int | None = None, tag: str = "") -> int:
        """Add a request whose path has these blocks, `ask` of them input; return its leaf."""
        leaf = self._by_content(ids) if self.content else self._by_prefix(record, ids)
        self._leaf.append(leaf)
        self._ask.append(len(ids) if ask is None else ask)
        self._tokens.append(tokens)
        if tag:
            self.tags.append(tag)
        return leaf

    def _by_prefix(self, record: Record, ids: Sequence[Any]) -> int:
        nodes, parents, node = self._nodes, self._parent, -1
        for block in ids:
            here = nodes.get(block)
            if here is None:
                here = nodes[block] = len(parents)
                parents.append(node)
            elif parents[here] != node:
                _fail(record, ids, block, self._id_of(parents[here]))
            node = here
        return node

    def _id_of(self, node: int) -> Any:
        return next((block for block, here in self._nodes.items() if here == node), "nothing")

    def _by_content(self, ids: Sequence[Any]) -> int:
        nodes, parents, node = self._nodes, self._parent, -1
        for block in ids:
            here = nodes.get((node, block))
            if here is None:
                here = nodes[node, block] = len(parents)
                parents.append(node)
            node = here
        return node

    def forest(self, order: IntArray, arrival: FloatArray | None) -> Forest:
        """Return the forest of the requests in the order of their arrivals, blocks numbered as they occur."""
        leaf, ask, tokens = (readonly(ints(column)[order]) for column in (self._leaf, self._ask, self._tokens))
        tags = [self.tags[k] for k in order.tolist()] if self.tags else None
        parent = np.array(ints(self._parent))
        size = self.block_size
        forest = Forest.of_nodes(parent, leaf, ask, None, arrival, block_size=size, tokens=tokens, tags=tags)
        return forest if (np.diff(order) == 1).all() else in_order_of_use(forest)


def ids_of(record: Record) -> list[int]:
    """Return the ids of a request's blocks."""
    ids = record.needed(FIELD)
    if not isinstance(ids, list) or not all(type(i) is int for i in ids):
        record.fail(FIELD, ids, "a list of whole numbers")
    return ids


def _numbers(full: int, all_blocks: int) -> str:
    return f"{full}" if full == all_blocks else f"{full} or {all_blocks}"


def _fail(record: Record, ids: Sequence[Any], block: Any, before: Any) -> None:
    if list(ids).count(block) > 1:
        record.fail(FIELD, block, "each id once in a request, as an id stands for all blocks before it")
    place = list(ids).index(block)
    after = ids[place - 1] if place else "nothing"
    record.fail(
        FIELD, block, f"it after {before}, as in an earlier request, not after {after}; are ids local to a file?"
    )
