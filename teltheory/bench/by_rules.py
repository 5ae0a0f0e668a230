"""Policies of one's own in the kernel, against the reference and against the loops of the same rules.

A rule that a class overrides without marking it `on_arrays` is asked turn by turn. T-LRU goes by recency, so that
only the asking is added to its own loop; Tail-Optimized Belady with a key of its own has another loop, that of
`teltheory.replay.generic`.
"""

from __future__ import annotations

from dataclasses import dataclass

from teltheory.bench.ours import LEAST_RECENT, TAIL_OPTIMIZED, chosen, jobs
from teltheory.bench.timing import Job
from teltheory.bench.workload import Q_HAT, XI
from teltheory.model.trace import Trace
from teltheory.policies import TLRU, Node, Policy, TailOptimizedBelady

NAMES = (LEAST_RECENT, TAIL_OPTIMIZED)
BY_RULES = "{}, by its rules"
REFERENCE = "reference {}"
RATIOS = tuple(
    pair
    for name in NAMES
    for pair in ((REFERENCE.format(name), BY_RULES.format(name)), (BY_RULES.format(name), name))
)


@dataclass(frozen=True)
class RuledTLRU(TLRU):
    """T-LRU as a custom policy, whose budgets are asked one by one."""

    def budget(self, node: Node) -> int:
        """Return T-LRU's."""
        return super().budget(node)


@dataclass(frozen=True)
class RuledBelady(TailOptimizedBelady):
    """Tail-Optimized Belady as a custom policy, whose order is asked one by one."""

    def eviction_key(self, node: Node) -> int:
        """Return Tail-Optimized Belady's."""
        return super().eviction_key(node)


def ruled() -> dict[str, Policy]:
    """Return the policies of one's own by the names of those whose rules they have."""
    return {LEAST_RECENT: RuledTLRU(XI, Q_HAT, "least-recent"), TAIL_OPTIMIZED: RuledBelady(XI)}


def ruled_jobs(trace: Trace, capacity: int) -> list[Job]:
    """Return jobs for each policy by its own loop, by its rules, and in the reference."""
    return [
        *jobs(trace, capacity, chosen(NAMES)),
        *jobs(trace, capacity, ruled(), label=BY_RULES),
        *jobs(trace, capacity, chosen(NAMES), "reference", REFERENCE),
    ]
