"""What a RAG server did with a workload: when each request got its first token, and what that took."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.tiers import TieredOutcome, Tiers
from teltheory.systems.rag.workload import Workload


@dataclass(frozen=True)
class Totals:
    """What the server did in all.

    Attributes
    ----------
    busy : float
        Seconds in which the GPU computed or loaded.
    wasted_seconds, wasted_tokens : float, int
        What speculative generations that were not used took of them, and the tokens they set out to compute.
    lost_seconds, lost_tokens : float, int
        Seconds of generations that failed; tokens that the cache lost with the GPU.
    resumed_seconds : float
        Seconds of retries after the first token.
    copied, freed, loaded : int
        Tokens copied from the GPU to the host; freed in the GPU without a copy, as the host had one already; moved
        from the host to the GPU.
    speculated, cancelled, used : int
        Speculative generations that joined the queue; that were cancelled before they ended; whose documents were
        the answer.
    given_up : int
        Requests without a first token, as all retries failed.
    """

    busy: float = 0.0
    wasted_seconds: float = 0.0
    wasted_tokens: int = 0
    lost_seconds: float = 0.0
    lost_tokens: int = 0
    resumed_seconds: float = 0.0
    copied: int = 0
    freed: int = 0
    loaded: int = 0
    speculated: int = 0
    cancelled: int = 0
    used: int = 0
    given_up: int = 0


@dataclass(frozen=True, eq=False)
class RagServed:
    """Requests in order of arrival, times in seconds. `serve` makes it.

    Attributes
    ----------
    workload, tiers : Workload, Tiers
        What was asked, and in which memory.
    found, start, first_token : ndarray of float64, shape (n,)
        When retrieval ended; when the iteration began that gave the first token, and when that came, not before
        retrieval ended. Both are infinite for a request that was given up.
    prefill : ndarray of float64, shape (n,)
        Seconds of the prefill that gave the first token, loading included.
    cached : ndarray of int64, shape (tiers, n)
        Tokens that it found in each tier.
    written, copied, loaded : ndarray of int64, shape (n,)
        Tokens of documents that all generations of the request added to the cache, copied out to the host to make
        room or as replicas, and loaded from there.
    failures : ndarray of int64, shape (n,)
        Generations for the answer that failed, before or after the first token.
    totals : Totals
        What the server did in all.
    """

    workload: Workload
    tiers: Tiers
    found: FloatArray
    start: FloatArray
    first_token: FloatArray
    prefill: FloatArray
    cached: IntArray
    written: IntArray
    copied: IntArray
    loaded: IntArray
    failures: IntArray
    totals: Totals

    def __len__(self) -> int:
        return len(self.workload)

    @property
    def arrival(self) -> FloatArray:
        """When each request came; shape (n,)."""
        return self.workload.arrival

    @property
    def ttft(self) -> FloatArray:
        """Seconds from arrival to the first token; shape (n,)."""
        return self.first_token - self.arrival

    @property
    def uncached(self) -> IntArray:
        """Tokens that the prefill of each request computed, question included; shape (n,)."""
        return readonly(self.workload.forest.total - self.cached.sum(axis=0))

    @property
    def outcome(self) -> TieredOutcome:
        """What the requests reused, as any other replay in tiers says it."""
        total = self.workload.forest.total
        copied, loaded = (column[np.newaxis][: len(self.tiers) - 1] for column in (self.copied, self.loaded))
        return TieredOutcome(self.cached, total, self.tiers, self.written, copied, loaded)

    @cached_property
    def documents(self) -> IntArray:
        """Documents that each request found in each tier; shape (tiers, n)."""
        ends = np.cumsum(self.cached, axis=0)
        within = np.array([documents_within(self.workload, end) for end in ends])
        return readonly(np.diff(within, axis=0, prepend=0))


def documents_within(workload: Workload, tokens: IntArray) -> IntArray:
    """Count the documents of each request's path that end within so many tokens; shape (n,)."""
    forest = workload.forest
    count, node = np.zeros(len(tokens), np.int64), np.array(forest.leaf)
    while (node >= 0).any():
        here = (node >= 0) & (workload.document[node] >= 0)
        count += here & (forest.depth[node] <= tokens)
        node = np.where(node >= 0, forest.parent[node], node)
    return count
