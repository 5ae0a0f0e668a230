"""PGDSF with costs that it learns from retrievals (RAGCache, Jin et al. 2024, equations 1 to 3 and Algorithm 1).

A cache of whole nodes, each a document after the documents before it, hears of every request's path (`retrieved`).
Then, for each node of the path, root first:

1. frequency: how many retrievals there were within the window, this one included;
2. if the node was cached nowhere: its cost per token is the mean, over all m requests that did not find it, of
   Cost_i / NewSize_i (equation 3), where Cost_i = T(alpha, beta), alpha the cached and beta the uncached tokens of
   request i, by interpolation of a profile;
3. priority = clock + frequency x cost per token (equation 1), which stands until the node is retrieved again.

Each tier has its own clock, from 0. The leaf of the least priority goes first, and the clock becomes the largest
priority of what went (equation 2); a parent that becomes a leaf is a candidate like any other.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import IntArray, real_number
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed

Unit = Literal["seconds", "requests"]
Of = Literal["node", "document"]
Size = Literal["request", "document"]
Clock = Literal["never-falls", "as-printed"]
When = Literal["retrieval", "end"]
WORDS = {"window_in": Unit, "frequency": Of, "new_size": Size, "clock": Clock, "clock_at": When}


class Prefill(Protocol):
    """T(alpha, beta), such as a `PrefillProfile`."""

    def prefill(self, cached: int, uncached: int) -> float:
        """Return the seconds of a prefill of `uncached` tokens after `cached` ones."""
        ...


@dataclass(frozen=True)
class RetrievalPGDSF(LeastRecentlyUsed):
    """Prefix-aware Greedy-Dual-Size-Frequency for documents; every choice that its paper leaves open has a name.

    Parameters
    ----------
    profile : Prefill
        T(alpha, beta) in seconds; a `tt.PrefillProfile`.
    window : float, optional
        How long a retrieval counts; for ever if left out.
    window_in : {"seconds", "requests"}
        What the window is counted in. A retrieval counts while less than the window has passed since; a window of
        1 request is the request itself.
    frequency : {"node", "document"}
        Whether the retrievals of a node count, or those of its document, wherever it stands.
    documents : sequence of int, shape (V,), optional
        Document of each node of the forest, such as `Workload.document`; needed for frequencies of documents.
    new_size : {"request", "document"}
        Whether NewSize_i is beta, so that all documents that a request computes cost the same per token, or the
        document's own tokens.
    question : bool
        Whether the question, which no cache holds, is among the uncached tokens beta.
    remembers : bool
        Whether cost and frequency of a node outlive its eviction. If not, a request that does not find the node
        begins anew, also one that comes before the first token of another that computes it.
    clock : {"never-falls", "as-printed"}
        Whether the clock is the largest priority of all that went so far, or, as equation 2 has it, of what went
        in the last operation: since a request before.
    clock_at : {"retrieval", "end"}
        Whether a priority has the clock of the retrieval, before the request evicts, or that of the request's end.
    """

    profile: Prefill
    window: float | None = None
    window_in: Unit = "seconds"
    frequency: Of = "node"
    documents: Sequence[int] | IntArray | None = None
    new_size: Size = "request"
    question: bool = True
    remembers: bool = True
    clock: Clock = "never-falls"
    clock_at: When = "retrieval"

    def __post_init__(self) -> None:
        for name, words in WORDS.items():
            if getattr(self, name) not in get_args(words):
                raise ArgumentError(name, getattr(self, name), "one of " + ", ".join(get_args(words)))
        if self.window is not None:
            object.__setattr__(self, "window", real_number("window", self.window, 0))
        if self.documents is not None:
            object.__setattr__(self, "documents", tuple(np.asarray(self.documents, np.int64).tolist()))
        if self.frequency == "document" and self.documents is None:
            raise ArgumentError("documents", None, "the document of each node, whose frequency is asked for")

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what keeps frequencies, costs, priorities and the clock of one tier."""
        if self.documents is not None and len(self.documents) != instance.requests.nodes:
            expected = f"a document for each of {instance.requests.nodes} nodes"
            raise ArgumentError("documents", len(self.documents), expected)
        return _Learnt(self)


class _Learnt(Memory):
    by_key = True

    def __init__(self, policy: RetrievalPGDSF) -> None:
        self.policy, self.clock, self.requests = policy, 0.0, 0
        self.retrievals = Retrievals(policy.window)
        self.cost = dict[int, float]()
        self.missed = Counter[int]()
        self.values = dict[int, float]()
        self.evicts = False

    def retrieved(self, nodes: Sequence[Node], cached: int, fresh: int, tail: int) -> None:
        self.requests += 1
        self.evicts = False
        beta = fresh + (tail if self.policy.question else 0)
        seconds = self.policy.profile.prefill(cached, beta) if fresh else 0.0
        for node in nodes:
            if node.depth > cached:
                self._missed(node, seconds, beta)
            self.retrievals.add(self._counted_as(node), self._now(node))
            self.values[node.code] = self._priority(node)

    def released(self, node: Node) -> None:
        if self.policy.clock_at == "end":
            self.values[node.code] = self._priority(node)

    def key(self, node: Node) -> float:
        if node.code not in self.values:
            expected = "tt.WholeNodes(), as the policy's costs are those of whole nodes"
            raise ArgumentError("cache", "one that does not tell what was retrieved", expected)
        return self.values[node.code]

    def victim(self, nodes: Sequence[Node], held: Sequence[Node]) -> Node:
        gone = super().victim(nodes, held)
        same = self.policy.clock == "never-falls" or self.evicts
        self.clock = max(self.clock, self.key(gone)) if same else self.key(gone)
        self.evicts = True
        return gone

    def _missed(self, node: Node, seconds: float, beta: int) -> None:
        """Add Cost_i / NewSize_i of a request that does not find a node (Algorithm 1, lines 6 to 9)."""
        code = node.code
        if not self.policy.remembers:
            self.cost[code], self.missed[code] = 0.0, 0
            if self.policy.frequency == "node":
                self.retrievals.forget(code)
        size = beta if self.policy.new_size == "request" else node.length
        self.cost[code] = self.cost.get(code, 0.0) + seconds / size
        self.missed[code] += 1

    def _priority(self, node: Node) -> float:
        """Return clock + frequency x cost / size."""
        cost = self.cost.get(node.code, 0.0) / max(self.missed[node.code], 1)
        return self.clock + self.retrievals.count(self._counted_as(node), self._now(node)) * cost

    def _counted_as(self, node: Node) -> int:
        documents = self.policy.documents
        return node.code if self.policy.frequency == "node" or documents is None else documents[node.code]

    def _now(self, node: Node) -> float:
        if self.policy.window is None or self.policy.window_in == "requests":
            return self.requests
        return node.time


class Retrievals:
    """How often what was retrieved within a window; `None` is for ever."""

    def __init__(self, window: float | None) -> None:
        self.window = window
        self.ever = Counter[Hashable]()
        self.times = dict[Hashable, deque[float]]()

    def add(self, what: Hashable, now: float) -> None:
        """Count a retrieval."""
        if self.window is None:
            self.ever[what] += 1
        else:
            self.times.setdefault(what, deque()).append(now)

    def forget(self, what: Hashable) -> None:
        """Count from 0."""
        self.ever.pop(what, None)
        self.times.pop(what, None)

    def count(self, what: Hashable, now: float) -> int:
        """Return how many there were less than the window ago."""
        if self.window is None:
            return self.ever[what]
        times = self.times.get(what, deque())
        while times and now - times[0] >= self.window:
            times.popleft()
        return len(times)
