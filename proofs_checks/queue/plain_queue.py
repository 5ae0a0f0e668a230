"""A server that serves one request at a time, first come, first served, in plain Python and whole seconds.

A token that is not found takes a second; a turn is found by what its conversation has in the cache when it arrives
at the head of the queue, and as turns are served in order that is a plain replay of one cache.
"""

from dataclasses import dataclass, replace
from typing import Any

from proofs_checks.tiers.chains import Chain, Row
from proofs_checks.tiers.plain_chains import found, totals
from teltheory.claims.listed import ToldCase, told


@dataclass(frozen=True)
class Queued(ToldCase):
    """A trace in one cache, and when its turns arrive."""

    chain: Chain
    arrivals: Row

    def size(self) -> tuple[Any, ...]:
        """Return the order of the chains, then the arrivals."""
        return (*self.chain.size(), self.arrivals)

    def measures(self) -> dict[str, int]:
        """Return turns, conversations and tokens."""
        return self.chain.measures()

    def as_counterexample(self, values: Any) -> dict[str, Any]:
        """Return the case with its values, in seconds."""
        chain = self.chain.as_counterexample(values)
        kept = {name: chain[name] for name in ("trace", "xi", "q_hat")}
        return told({**kept, "capacity": self.chain.capacities[0], "arrivals": self.arrivals, "values": values})

    def work(self, tail_aware: bool) -> list[int]:
        """Return what each turn computes, under T-LRU or LRU."""
        hits = found(self.chain, ("flat",)) if tail_aware else found(self.chain)
        return [total - hit for total, (hit,) in zip(totals(self.chain), hits, strict=True)]

    def waits(self, work: list[int]) -> list[int]:
        """Return the waits, from when the server is free."""
        free, waits = 0, []
        for arrival, seconds in zip(self.arrivals, work, strict=True):
            start = max(free, arrival)
            waits.append(start - arrival)
            free = start + seconds
        return waits

    def excess(self, tail_aware: bool) -> list[int]:
        """Return what wait and prefill of each turn have above xi."""
        work = self.work(tail_aware)
        waited = zip(self.waits(work), work, strict=True)
        return [max(0, wait + seconds - self.chain.xi) for wait, seconds in waited]


def unfinished(case: Queued, work: list[int]) -> list[int]:
    """Return the unfinished seconds of work at each arrival, second by second."""
    left, now, seen = 0, 0, []
    for arrival, seconds in zip(case.arrivals, work, strict=True):
        for _ in range(arrival - now):
            left = max(0, left - 1)
        now = arrival
        seen.append(left)
        left += seconds
    return seen


def at_once(chain: Chain) -> Queued:
    """Return a trace whose turns all arrive at time 0."""
    return Queued(chain, (0,) * len(chain.trace))


def with_xi(case: Queued, xi: int, q_hat: int) -> Queued:
    """Return a case with another threshold and estimate."""
    return replace(case, chain=replace(case.chain, xi=xi, q_hat=q_hat))
