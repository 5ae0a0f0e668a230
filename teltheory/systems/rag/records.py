"""What a simulation writes down while it runs; `RagServed` is made of it."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from teltheory.model.numbers import FloatArray, IntArray, readonly
from teltheory.model.tiers import Tiers
from teltheory.systems.rag.generation import Generation
from teltheory.systems.rag.served import RagServed, Totals
from teltheory.systems.rag.tree import StartedGeneration
from teltheory.systems.rag.workload import Workload


class Records:
    """A column a fact, one entry a request, and sums.

    Parameters
    ----------
    workload, tiers : Workload, Tiers
        What is served, and in which memory.
    """

    def __init__(self, workload: Workload, tiers: Tiers) -> None:
        n = len(workload)
        self.workload, self.tiers = workload, tiers
        self.found = [inf] * n
        self.start, self.first_token, self.prefill = [inf] * n, [inf] * n, [0.0] * n
        self.cached = [(0,) * len(tiers)] * n
        self.written, self.copied, self.loaded, self.failures = [0] * n, [0] * n, [0] * n, [0] * n
        self.busy = self.wasted_seconds = self.lost_seconds = self.resumed_seconds = 0.0
        self.wasted_tokens = self.lost_tokens = 0
        self.speculated = self.cancelled = self.used = self.given_up = 0

    def started(self, generation: Generation, start: StartedGeneration) -> None:
        """Note what a prefill found, and what moved to make room for it."""
        generation.cached = start.cached
        self.copied[generation.request] += start.copied
        self.loaded[generation.request] += start.loaded

    def finished(self, generation: Generation, written: int, copied: int) -> None:
        """Note that a prefill ended, what it adds to the cache, and what is copied as a replica then."""
        self.written[generation.request] += written
        self.copied[generation.request] += copied

    def delivered(self, generation: Generation, now: float) -> None:
        """Note the first token of a request."""
        k = generation.request
        self.start[k], self.first_token[k] = generation.iteration, now
        self.prefill[k], self.cached[k] = generation.seconds, generation.cached

    def wasted(self, generation: Generation, seconds: float) -> None:
        """Note that a speculative prefill that began was for nothing, and what it took."""
        self.wasted_seconds += seconds
        self.wasted_tokens += generation.total - sum(generation.cached)

    def served(self, freed: int) -> RagServed:
        """Return all of it as a value."""
        found, start, first_token, prefill = map(_floats, (self.found, self.start, self.first_token, self.prefill))
        cached = _whole(np.array(self.cached, np.int64).reshape(-1, len(self.tiers)).T)
        written, copied, loaded, failures = map(_whole, (self.written, self.copied, self.loaded, self.failures))
        totals = self._totals(freed)
        times = (found, start, first_token, prefill)
        return RagServed(self.workload, self.tiers, *times, cached, written, copied, loaded, failures, totals)

    def _totals(self, freed: int) -> Totals:
        noted = vars(self)
        known: dict[str, Any] = {name: noted[name] for name in Totals.__annotations__ if name in noted}
        return Totals(**known | {"copied": sum(self.copied), "loaded": sum(self.loaded), "freed": freed})


def _floats(column: list[float]) -> FloatArray:
    values = np.array(column, np.float64)
    values.flags.writeable = False
    return values


def _whole(column: list[int] | IntArray) -> IntArray:
    return readonly(np.array(column, np.int64, order="C"))
