"""What the loop for policies by what happened to a unit since it was added (``residence.c``) knows of a policy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import FloatArray
from teltheory.model.outcome import Outcome
from teltheory.policies.pgdsf import GDSF
from teltheory.policies.queues import S3FIFO, TwoQ
from teltheory.policies.residence import FIFO, LFU, SLRU, Priority
from teltheory.replay.trees.visits import TreeLayout, Visits

BY_ENTRY, BY_READS, PROTECTED, BY_PRIORITY, BY_VALUE, TWO_QUEUES, SECOND_CHANCES = range(7)
KINDS = {FIFO: BY_ENTRY, LFU: BY_READS, SLRU: PROTECTED, TwoQ: TWO_QUEUES, S3FIFO: SECOND_CHANCES}


class LoopPolicy(NamedTuple):
    """A policy as the loop reads it.

    `weight` is the cost / size of each unit, or the priority of each request. The first queue loses a unit while
    it has more than `limit`, and the latest `ghosts` of those are remembered.
    """

    kind: int
    weight: FloatArray
    limit: int
    ghosts: int


def way_of(policy: Any, instance: ForestInstance) -> LoopPolicy:
    """Return what the loop needs to know of a policy."""
    if isinstance(policy, Priority):
        return LoopPolicy(BY_PRIORITY, policy.of_requests(instance.requests), 0, 0)
    if isinstance(policy, GDSF):
        return LoopPolicy(BY_VALUE, policy.weights(instance.requests), 0, 0)
    sizes = policy.sizes(instance.capacity) if isinstance(policy, TwoQ | S3FIFO) else (0, 0)
    return LoopPolicy(KINDS[type(policy)], np.zeros(0), *sizes)


def replay_residence(instance: ForestInstance, policy: Any, strict: bool) -> Outcome:
    """Replay a policy on units."""
    visits, way = Visits.of(instance.requests, by_units=True), way_of(policy, instance)
    layout = TreeLayout.of(instance, visits)
    _, units, walks = layout.sizes
    numbers, places = np.zeros(7 * units, np.int64), np.full(3 * units, -1, np.int64)
    facts, key, ghosts = np.zeros(3 * units, np.bool_), np.zeros(units), np.empty(walks + 1, np.int64)
    asked = way.kind, len(way.weight), *way[1:], strict
    call("replay_residence", layout.sizes, layout, asked, numbers, places, facts, key, ghosts)
    return Outcome.of_forest(instance.requests, layout.cached, layout.written)
