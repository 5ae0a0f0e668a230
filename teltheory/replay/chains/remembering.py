"""Private conversations under policies with a memory: FIFO, LFU, SLRU, priorities, GDSF, 2Q, S3-FIFO, TTL.

A conversation is the chain of its units, as in `Trace.forest`, so that a trace and its forest have one outcome;
where a history is shorter than the past, what is cut is gone, as for every policy of a trace. The loop is in
``remembering.c``; `teltheory.replay.trees.reference` says the same unit by unit (`replay_units`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.instance import ForestInstance, Instance
from teltheory.model.outcome import Outcome
from teltheory.policies.expiry import TTL
from teltheory.policies.pgdsf import GDSF, PGDSF
from teltheory.policies.policy import NotCompiledError
from teltheory.policies.queues import S3FIFO, TwoQ
from teltheory.policies.residence import FIFO, LFU, SLRU, Priority
from teltheory.replay.trees.reference import replay_reference

KEYS = {TTL: 0, TwoQ: 0, S3FIFO: 0, FIFO: 1, LFU: 2, SLRU: 3, GDSF: 4, PGDSF: 4, Priority: 5}
"""By what the ends of conversations go, as the loop numbers it."""
QUEUES = {TwoQ: 1, S3FIFO: 2}


def forest_of(instance: Instance) -> ForestInstance:
    """Return private conversations, which begin with an empty cache, as the forest of their units."""
    _check_empty(instance)
    return instance.as_forest()


def _check_empty(instance: Instance) -> None:
    if instance.initial:
        raise ArgumentError("initial", instance.initial, "none, under a policy with a memory")


def replay_units(instance: Instance, policy: Any) -> Outcome:
    """Replay unit by unit, in plain Python: the reference."""
    return Outcome.of(instance, replay_reference(forest_of(instance), policy).cached)


def replay_runs(instance: Instance, policy: Any) -> Outcome:
    """Replay by runs; `NotCompiledError` for a policy that is none of the toolkit's own."""
    kind, trace = type(policy), instance.requests
    if kind not in KEYS or (kind is PGDSF and policy.cost is not None):
        raise NotCompiledError("policy", policy, "engine='reference' for one with a memory of its own")
    _check_empty(instance)
    reused = np.empty(len(instance), np.int64)
    size = len(instance), trace.conversations
    asked = trace.code, instance.history, instance.past, instance.capacity, instance.forced
    limits = policy.sizes(instance.capacity) if kind in QUEUES else (0, 0)
    rule = KEYS[kind], QUEUES.get(kind, 0), limits, float(getattr(policy, "per_depth", 0))
    priority = policy.of_requests(forest_of(instance).requests) if kind is Priority else None
    if call("replay_remembering", size, asked, rule, priority, _silence(policy, instance), reused):
        raise MemoryError
    return Outcome.of(instance, reused)


def _silence(policy: Any, instance: Instance) -> tuple[Any, float]:
    """Return when each request came, None if nothing gets too old, and the greatest float that is not too old."""
    if type(policy) is not TTL:
        return None, 0.0
    forest = forest_of(instance)
    policy.memory(forest)
    nearest = float(policy.seconds)
    return forest.requests.arrival, nearest if nearest <= policy.seconds else math.nextafter(nearest, -math.inf)
