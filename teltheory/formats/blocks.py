"""Forests of block hashes, made while a file is read: no path is kept, memory is O(blocks + requests).

1. Ids of prefixes: an id stands for its block and everything before it, so it has one parent.
2. Ids of content: an id stands for what its block holds, wherever it is; a node is a pair, its parent and its id.
3. Of a request only the blocks count that its input fills. A last block that is not full is input
   (`Forest.tokens`), but nothing that another request could share.
4. Outputs have no ids in most files. Then the path of a request ends with its input.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Hashable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from teltheory.errors import listed
from teltheory.formats.reading import ints
from teltheory.formats.records import Record
from teltheory.formats.walks import in_order_of_use
from teltheory.model.branching import NO_NODE
from teltheory.model.forest import Forest
from teltheory.model.numbers import FloatArray, IntArray, readonly

FIELD = "hash_ids"


class RequestBlocks:
    """Blocks of requests, in the order in which a file has them.

    Parameters
    ----------
    block_size : int
        Tokens per block.
    content : bool
        Whether an id stands for a block's content alone, not for everything before it.
    field : str
        What the file calls the ids.
    """

    def __init__(self, block_size: int, content: bool = False, field: str = FIELD) -> None:
        self.field = field
        self.block_size = block_size
        self.content = content
        self._parent, self._leaf = array("q"), array("q")
        self._ask, self._tokens = array("q"), array("q")
        self._nodes: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._leaf)

    def new_scope(self) -> None:
        """Forget the ids: those that follow are local to another file."""
        self._nodes = {}

    def read(self, record: Record, tokens: int, exact: bool = True) -> list[Any]:
        """Return the ids of the blocks that an input of some tokens fills; `exact` allows at most one id more."""
        ids, size = ids_of(record, self.field, texts=self.content), self.block_size
        full = tokens // size
        if len(ids) < full or (exact and len(ids) > -(-tokens // size)):
            most = -(-tokens // size) if exact else full
            expected = f"{_numbers(full, most)} ids for {tokens} tokens in blocks of {size}"
            record.fail(self.field, len(ids), f"{expected}; blocks=N (--blocks N) names another size")
        return ids if len(ids) == full else ids[:full]

    def add(self, record: Record, ids: Sequence[Any], tokens: int, ask: int | None = None) -> int:
        """Add a request whose path has these blocks, `ask` of them input; return its leaf."""
        leaf = self._by_content(ids) if self.content else self.below(record, ids, NO_NODE)
        self.add_path(leaf, len(ids) if ask is None else ask, tokens)
        return leaf

    def add_path(self, leaf: int, ask: int, tokens: int) -> None:
        """Add a request whose path ends at a block that is there."""
        self._leaf.append(leaf)
        self._ask.append(ask)
        self._tokens.append(tokens)

    def go_on(self, request: int, leaf: int, more_asked: int) -> None:
        """Let the path of a request end deeper; of its new blocks some are input."""
        self._leaf[request] = leaf
        self._ask[request] += more_asked
        self._tokens[request] += more_asked * self.block_size

    def node_of(self, block: Hashable) -> int | None:
        """Return the block with an id that stands for everything before it, None if there is none."""
        return self._nodes.get(block)

    def before(self, node: int) -> int:
        """Return the block before a block, -1 if it is a root."""
        return self._parent[node]

    def parents(self) -> list[int]:
        """Return the block before each block, -1 for a root."""
        return self._parent.tolist()

    def reads(self) -> IntArray:
        """Return how many paths go through each block."""
        reads, parents = [0] * len(self._parent), self.parents()
        for leaf in self._leaf:
            if leaf >= 0:
                reads[leaf] += 1
        for node in range(len(reads) - 1, -1, -1):
            if parents[node] >= 0:
                reads[parents[node]] += reads[node]
        return np.array(reads, np.int64)

    def below(self, record: Record, ids: Sequence[Any], node: int) -> int:
        """Return the last of some blocks that follow each other below a block, -1 for none."""
        nodes, parents = self._nodes, self._parent
        for block in ids:
            here = nodes.get(block)
            if here is None:
                here = nodes[block] = len(parents)
                parents.append(node)
            elif parents[here] != node:
                self._fail(record, ids, block, self._id_of(parents[here]))
            node = here
        return node

    def _id_of(self, node: int) -> Any:
        return next((block for block, here in self._nodes.items() if here == node), "nothing")

    def _fail(self, record: Record, ids: Sequence[Any], block: Any, before: Any) -> None:
        if list(ids).count(block) > 1:
            record.fail(self.field, block, "each id once in a request, as an id stands for all blocks before it")
        place = list(ids).index(block)
        known, after = (listed([str(one)]) for one in (before, ids[place - 1] if place else "nothing"))
        expected = f"it after {known}, as in an earlier request, not after {after}; are ids local to a file?"
        record.fail(self.field, block, expected)

    def _by_content(self, ids: Sequence[Any]) -> int:
        nodes, parents, node = self._nodes, self._parent, NO_NODE
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
        parent = np.array(ints(self._parent))
        size = self.block_size
        forest = Forest.of_nodes(parent, leaf, ask, None, arrival, block_size=size, tokens=tokens)
        return forest if (np.diff(order) == 1).all() else in_order_of_use(forest)


class Ends:
    """Which request a path goes on from: the latest that ends at the deepest block of it."""

    def __init__(self, blocks: RequestBlocks) -> None:
        self._blocks = blocks
        self._latest: dict[int, int] = {}

    def before(self, node: int) -> int:
        """Return the request that a path with this last block goes on from, -1 if there is none."""
        while node >= 0 and node not in self._latest:
            node = self._blocks.before(node)
        return self._latest.get(node, NO_NODE)

    def at(self, node: int) -> int:
        """Return the latest request that ends at a block, -1 if there is none."""
        return self._latest.get(node, NO_NODE)

    def move(self, request: int, node: int, since: int = NO_NODE) -> None:
        """Let a request end at a block, no longer at another."""
        if self._latest.get(since) == request:
            del self._latest[since]
        if node >= 0:
            self._latest[node] = request


def ids_of(record: Record, field: str = FIELD, texts: bool = False) -> list[Any]:
    """Return the ids of a request's blocks, which may be `texts`; in a CSV file they are a JSON list."""
    ids = record.needed(field)
    if not record.typed:
        with suppress(ValueError, RecursionError):
            ids = json.loads(ids)
    if not isinstance(ids, list) or not set(map(type, ids)) <= ({int, str} if texts else {int}):
        record.fail(field, ids, "a list of whole numbers" + " or texts" * texts)
    return ids


def _numbers(full: int, all_blocks: int) -> str:
    return f"{full}" if full == all_blocks else f"{full} or {all_blocks}"
