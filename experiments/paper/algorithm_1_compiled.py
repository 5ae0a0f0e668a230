"""The readings of `experiments.paper.algorithm_1`, compiled: whole rounds of trimming at once.

While every conversation with surplus has at least r of it and r rounds do not exceed the overflow, r rounds are
one step. LRU never looks at a slot again that it emptied or found without anything to evict: a conversation gets
more by arriving alone, and then it has a new slot.
"""

from __future__ import annotations

import numpy as np

from experiments.paper.algorithm_1 import Form
from teltheory.instance import Instance
from teltheory.numbers import IntArray
from teltheory.replay.compiled import compiled, inlined

NO_LIMIT = 1 << 60


@inlined
def _trim(held: IntArray, worth: IntArray, arrived: int, overflow: int, passes: int) -> tuple[int, bool]:
    """Trim in at most so many rounds; return the overflow left, and whether a round trimmed nothing."""
    while overflow > 0 and passes > 0:
        active, least = 0, NO_LIMIT
        for i in range(arrived):
            surplus = held[i] - worth[i]
            if surplus > 0:
                active += 1
                least = min(least, surplus)
        if active == 0:
            return overflow, True
        rounds = min(overflow // active, least, passes)
        each, visited = (rounds, active) if rounds > 0 else (1, overflow)
        overflow -= each * visited
        passes -= each
        for i in range(arrived):
            if visited > 0 and held[i] > worth[i]:
                held[i] -= each
                visited -= 1
    return overflow, False


@compiled
def _replay(
    code: IntArray,
    history: IntArray,
    past: IntArray,
    worth_of: IntArray,
    capacity: int,
    passes: int,
    reused: IntArray,
) -> int:
    """Fill `reused`; return the cuts at which a round trimmed nothing and the cache was too full."""
    n = len(code)
    held = np.zeros(n, np.int64)
    worth = np.zeros(n, np.int64)
    slot = np.full(n, -1, np.int64)
    arrived = tail = endless = full = 0
    for k in range(n):
        i = code[k]
        reused[k] = min(held[i], history[k])
        full += past[k] - held[i]
        held[i], worth[i], slot[i] = past[k], worth_of[k], k
        arrived = max(arrived, i + 1)
        overflow, stuck = _trim(held, worth, arrived, full - capacity, passes)
        full = min(full, capacity)
        endless += stuck
        while overflow > 0:
            j = code[tail]
            if slot[j] == tail and held[j] > 0:
                evicted = min(held[j], overflow)
                held[j] -= evicted
                overflow -= evicted
            if overflow > 0:
                tail += 1
    return endless


def replayed(instance: Instance, xi: int, q_hat: int, form: Form) -> tuple[IntArray, int]:
    """Replay a reading, as `experiments.paper.algorithm_1.replayed_slowly` does."""
    worth = instance.past + (q_hat - xi - form.at_budget)
    if not form.below_zero:
        worth = np.maximum(worth, 0)
    reused = np.empty(len(instance.trace), np.int64)
    passes = 1 if form.one_pass else NO_LIMIT
    arrays = (instance.trace.code, instance.history, instance.past, worth)
    endless = _replay(*arrays, instance.capacity, passes, reused)
    return reused, 0 if form.one_pass else int(endless)
