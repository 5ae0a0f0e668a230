"""Our replays: the policies that are timed, in tokens or in blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from teltheory.bench.timing import Job
from teltheory.bench.workload import CUTOFF, Q_HAT, XI
from teltheory.model.outcome import Outcome
from teltheory.model.trace import Trace
from teltheory.policies import LRU, TLRU, Belady, EndAwareTLRU, LengthAwareTLRU, TailOptimizedBelady, ThresholdLRU
from teltheory.policies.policy import AnyPolicy, Policy
from teltheory.replay import Engine, replay

LEAST_RECENT = "T-LRU, least-recent"
ROUND_ROBIN = "T-LRU, round-robin"
TAIL_OPTIMIZED = "Tail-Optimized Belady"
GROWING = ("LRU", LEAST_RECENT, ROUND_ROBIN, TAIL_OPTIMIZED)


def policies(block: int = 1) -> dict[str, Policy]:
    """Return every policy by its name, with its lengths in blocks of so many tokens."""
    xi, q_hat = XI // block, -(-Q_HAT // block)
    return {
        "LRU": LRU(),
        LEAST_RECENT: TLRU(xi, q_hat, "least-recent"),
        "T-LRU, eager": TLRU(xi, q_hat, "eager"),
        ROUND_ROBIN: TLRU(xi, q_hat, "round-robin"),
        "Threshold-LRU": ThresholdLRU(CUTOFF // block),
        "End-Aware, least-recent": EndAwareTLRU(xi, q_hat, "least-recent"),
        "Length-Aware, least-recent": LengthAwareTLRU(xi, "least-recent"),
        "Belady": Belady(),
        TAIL_OPTIMIZED: TailOptimizedBelady(xi),
    }


def jobs(
    trace: Trace, capacity: int, chosen: Mapping[str, AnyPolicy], engine: Engine = "kernel", label: str = "{}"
) -> list[Job]:
    """Return a job for each policy: the whole call of `replay`, on a trace whose index an earlier call built."""
    return [
        Job(label.format(name), partial(_replay, trace, policy, capacity, engine))
        for name, policy in chosen.items()
    ]


def _replay(trace: Trace, policy: AnyPolicy, capacity: int, engine: Engine, _: object) -> Outcome:
    return replay(trace, policy, capacity, engine=engine)


def chosen(names: Sequence[str], block: int = 1) -> dict[str, Policy]:
    """Return some policies by their names."""
    every = policies(block)
    return {name: every[name] for name in names}
