"""Mooncake traces: requests with hashes of their 512-token blocks, chained into conversations.

A hash id stands for the whole prefix up to its block. Of each request the last id is dropped (it may stand for
a partial block), then the ids that stand in more than 1 % of all requests (a shared system prompt). A request's
parent is the earlier request whose remaining ids are the longest prefix of its own, the latest such in file
order; a request with nothing left is nobody's parent. A child joins its parent's conversation, a branch too.

A chained request has h = min(parent's input + output, the conversation's past after its last turn, its own
input), a request without a parent starts a conversation with h = 0; prompt = input - h, response = output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from teltheory.trace import Trace

POPULAR_SHARE = 0.01


@dataclass(frozen=True)
class Request:
    """One line of a Mooncake trace: seconds, tokens in, tokens out, hash ids."""

    arrival: float
    input_length: int
    output_length: int
    hash_ids: Sequence[int]


@dataclass(frozen=True)
class ChainingReport:
    """What the chaining did.

    Attributes
    ----------
    requests, chained, conversations : int
        Requests in the file, those with a parent, and conversations made of them.
    continued_conversations, longest_conversation : int
        Conversations of more than one turn, and the turns of the longest.
    branches : int
        Requests that are the parent of more than one.
    shorter_children : int
        Chained requests whose input is shorter than their parent's input.
    edited : int
        Chained requests whose input is shorter than their parent's input + output (edits, regenerations).
    shortened_histories : int
        Turns whose history is shorter than their conversation's past.
    shared_ids : int
        Hash ids that stand in more than 1 % of all requests.
    """

    requests: int
    chained: int
    conversations: int
    continued_conversations: int
    longest_conversation: int
    branches: int
    shorter_children: int
    edited: int
    shortened_histories: int
    shared_ids: int

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name."""
        return asdict(self)

    def sentence(self) -> str:
        """Return the counts in words."""
        counts = ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in self.as_dict().items())
        return f"Chaining: {counts}."

    def sentences(self) -> list[str]:
        """Return the report in sentences, one a line."""
        return [self.sentence()]


def chain(requests: Sequence[Request]) -> Trace:
    """Chain requests into conversations, as the module's first lines say.

    Parameters
    ----------
    requests : sequence of Request
        In file order, which is the order of arrival.

    Returns
    -------
    Trace
        One turn a request; its `report` is a `ChainingReport`.
    """
    shared = _shared_ids(requests)
    parents = find_parents([[i for i in r.hash_ids[:-1] if i not in shared] for r in requests])
    conversation, history, shortened = _histories(requests, parents)
    report = _report(requests, parents, conversation, shortened, len(shared))
    return Trace.from_turns(
        np.array(conversation, np.int64),
        [r.input_length - h for r, h in zip(requests, history, strict=True)],
        [r.output_length for r in requests],
        [r.arrival for r in requests],
        history,
        report=report,
    )


def _shared_ids(requests: Sequence[Request]) -> set[int]:
    counts = Counter(i for r in requests for i in set(r.hash_ids))
    return {i for i, count in counts.items() if count > POPULAR_SHARE * len(requests)}


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


def _histories(requests: Sequence[Request], parents: Sequence[int | None]) -> tuple[list[int], list[int], int]:
    """Return conversation and history of each request, and how many histories are shorter than the past."""
    conversation: list[int] = []
    history: list[int] = []
    past: list[int] = []
    shortened = 0
    for request, parent in zip(requests, parents, strict=True):
        if parent is None:
            conversation.append(len(past))
            history.append(0)
            past.append(0)
        else:
            source, c = requests[parent], conversation[parent]
            conversation.append(c)
            history.append(min(source.input_length + source.output_length, past[c], request.input_length))
            shortened += history[-1] < past[c]
        past[conversation[-1]] = request.input_length + request.output_length
    return conversation, history, shortened


def _report(
    requests: Sequence[Request],
    parents: Sequence[int | None],
    conversation: Sequence[int],
    shortened: int,
    shared_ids: int,
) -> ChainingReport:
    links = [(requests[p], child) for p, child in zip(parents, requests, strict=True) if p is not None]
    children = Counter(p for p in parents if p is not None)
    turns = Counter(conversation)
    return ChainingReport(
        requests=len(requests),
        chained=len(links),
        conversations=len(turns),
        continued_conversations=sum(count > 1 for count in turns.values()),
        longest_conversation=max(turns.values(), default=0),
        branches=sum(count > 1 for count in children.values()),
        shorter_children=sum(child.input_length < parent.input_length for parent, child in links),
        edited=sum(child.input_length < parent.input_length + parent.output_length for parent, child in links),
        shortened_histories=shortened,
        shared_ids=shared_ids,
    )
