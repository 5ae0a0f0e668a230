"""Mooncake traces: requests with hashes of their 512-token blocks, chained into conversations.

A hash id stands for the whole prefix up to its block. Of each request the last id is dropped (it may stand for
a partial block), then the ids that stand in more than 1 % of all requests (a shared system prompt). A request's
parent is the earlier request whose remaining ids are the longest prefix of its own, the latest such in file
order; a request with nothing left is nobody's parent. A child joins its parent's conversation, a branch too.

A chained request has h = min(parent's input + output, the conversation's past after its last turn, its own
input), a request without a parent starts a conversation with h = 0; prompt = input - h, response = output.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from teltheory.formats.blocks import Blocks
from teltheory.formats.requests import Requests, chained
from teltheory.model.trace import Trace

POPULAR_SHARE = 0.01


@dataclass(frozen=True)
class Request:
    """One line of a Mooncake trace: seconds, tokens in, tokens out, hash ids."""

    arrival: float
    input_length: int
    output_length: int
    hash_ids: Sequence[int]


def chain(requests: Sequence[Request], blocks: Blocks | None = None) -> Trace:
    """Chain requests, in the order of the file, into conversations; the report is a `ChainingReport`."""
    counts = Counter(i for request in requests for i in set(request.hash_ids))
    shared = {i for i, count in counts.items() if count > POPULAR_SHARE * len(requests)}
    parents = find_parents([[i for i in r.hash_ids[:-1] if i not in shared] for r in requests])
    columns, conversations = Requests(blocks=blocks), 0
    for request, parent in zip(requests, parents, strict=True):
        conversation = conversations if parent is None else columns.conversation[parent]
        conversations += parent is None
        columns.parent.append(-1 if parent is None else parent)
        columns.add(conversation, request.input_length, request.output_length, request.arrival)
    return chained(columns, len(shared))


def find_parents(paths: Sequence[Sequence[int]]) -> list[int | None]:
    """Return each path's parent: the earlier non-empty path that is its longest prefix, the latest of equals.

    The paths are kept in a trie that remembers at each node the latest path that ends there.
    """
    node_of: dict[tuple[int, int], int] = {}
    latest: dict[int, int] = {}
    parents: list[int | None] = []
    for k, path in enumerate(paths):
        node, parent = 0, None
        for step in path:
            node = node_of.setdefault((node, step), len(node_of) + 1)
            parent = latest.get(node, parent)
        parents.append(parent)
        if path:
            latest[node] = k
    return parents
