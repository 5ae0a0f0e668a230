"""Mooncake traces: requests with hashes of their 512-token blocks, chained into conversations.

A hash id stands for the whole prefix up to its block. Of each request the last id is dropped (it may stand for
a partial block), then the ids that stand in more than 1 % of all requests (a shared system prompt). A request's
parent is the earlier request whose remaining ids are the longest prefix of its own, the latest such in file
order; a request with nothing left is nobody's parent. A child joins its parent's conversation, a branch too.

A chained request has h = min(parent's input + output, the conversation's past after its last turn, its own
input), a request without a parent starts a conversation with h = 0; prompt = input - h, response = output.

What remains of a request is the end of a path in the forest of blocks, below the shared ones: an id has one
parent, and stands in every request in which a later one stands. So the parent is found by walking up, and no path
is kept.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from teltheory.formats.blocks import RequestBlocks
from teltheory.formats.requests import RequestColumns, chained
from teltheory.model.branching import NO_NODE
from teltheory.model.numbers import BoolArray
from teltheory.model.trace import Trace

POPULAR_SHARE = 0.01


@dataclass
class Hashed:
    """Requests with block hashes, in the order of the file.

    Attributes
    ----------
    blocks : Blocks
        Of each request the path of its full blocks.
    columns : Requests
        Lengths and times; the conversations are found at last.
    ends : list of int
        Last block of each request without its last id.
    partial : Counter
        In how many requests an id stands that is none of their full blocks, being their last.
    """

    blocks: RequestBlocks
    columns: RequestColumns = field(default_factory=RequestColumns)
    ends: list[int] = field(default_factory=list)
    partial: Counter[int] = field(default_factory=Counter)

    def add(self, seconds: float, tokens: int, output: int, leaf: int, last: int | None) -> None:
        """Add a request whose full blocks end at a leaf; `last` is its last id, if it is none of these."""
        self.columns.add(0, tokens, output, seconds)
        if last is not None:
            self.partial[last] += 1
        self.ends.append(leaf if last is not None or leaf < 0 else self.blocks.before(leaf))


def chain(found: Hashed) -> Trace:
    """Chain requests, in the order of the file, into conversations; the report is a `ChainingReport`."""
    shared = find_conversations(found)
    return chained(found.columns, shared)


def find_conversations(found: Hashed) -> int:
    """Fill in conversations, parents and blocks of the columns; return how many ids more than 1 % of all share."""
    columns, limit = found.columns, POPULAR_SHARE * len(found.columns)
    shared = found.blocks.reads() > limit
    conversations = 0
    for request, parent in enumerate(find_parents(found.blocks, found.ends, shared)):
        columns.conversation[request] = conversations if parent < 0 else columns.conversation[parent]
        conversations += parent < 0
        columns.parent.append(parent)
    columns.blocks = found.blocks
    return int(shared.sum()) + sum(count > limit for count in found.partial.values())


def find_parents(blocks: RequestBlocks, ends: Sequence[int], shared: BoolArray) -> list[int]:
    """Return each request's parent, -1 for none: the latest that ends at the deepest block on its path.

    Shared blocks end nothing; they are closed towards the root.
    """
    latest, parents, above, before = dict[int, int](), list[int](), shared.tolist(), blocks.parents()
    for request, end in enumerate(ends):
        node = end
        while node >= 0 and node not in latest and not above[node]:
            node = before[node]
        parents.append(latest.get(node, NO_NODE))
        if end >= 0 and not above[end]:
            latest[end] = request
    return parents
