"""What a policy with a memory is told of module sets: a forest in which every item is a root of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance, ModuleInstance
from teltheory.model.numbers import readonly
from teltheory.policies.memory import Memory


def as_forest(instance: ModuleInstance) -> ForestInstance:
    """Return items as roots without children, kept as nodes, and each use as a request."""
    trace = instance.requests
    size = readonly(trace.sizes[trace.members])
    arrival = None if trace.arrival is None else trace.arrival[trace.request]
    alone = readonly(np.full(len(trace.sizes), -1, np.int64))
    forest = Forest(alone, trace.sizes, trace.members, size, size, arrival)
    return ForestInstance(forest, instance.capacity, instance.forced, whole=True)


def memory_of(policy: Any, instance: ModuleInstance) -> Memory | None:
    """Return what a policy remembers of items during one replay; None if it has no memory."""
    return policy.memory(as_forest(instance)) if hasattr(policy, "memory") else None
