"""What the loop of ``queues.c`` knows of priorities: those of requests, and the cuts at which they end."""

from __future__ import annotations

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import ForestInstance
from teltheory.model.outcome import Outcome
from teltheory.policies.policy import NotCompiledError
from teltheory.policies.retention import PriorityQueues, asked_by, checked_arrival
from teltheory.replay.trees.visits import TreeLayout, Visits


def replay_queues(instance: ForestInstance, policy: PriorityQueues, strict: bool) -> Outcome:
    """Replay queues of priorities by the compiled loop; `NotCompiledError` where blocks outlive their parents."""
    if not strict:
        raise NotCompiledError("cache", "holes", f"'strict', or engine='reference', for {policy!r}")
    forest, arrival = instance.requests, checked_arrival(instance.requests)
    layout = TreeLayout.of(instance, Visits.of(forest, by_units=True))
    n, pieces, visits = layout.sizes
    said, until = np.full(n, -1.0), np.full(n, np.inf)
    for column, values in zip((said, until), asked_by(forest), strict=True):
        column[list(values)] = list(values.values())
    at = np.maximum(np.searchsorted(arrival, until, "left"), np.arange(n))
    about = np.argsort(at, kind="stable")[: int((at < n).sum())]
    state = np.zeros(3 * pieces, np.int64), np.empty(pieces), np.empty(pieces), np.empty(12 * visits)
    call("replay_queues", layout.sizes, layout, arrival, said, until, len(about), at[about], about, state)
    return Outcome.of_forest(forest, layout.cached, layout.written)
