"""TensorRT-LLM's queues of priorities, as read in its `evictionPolicy.cpp`: rules ``trtllm:priorities=yes``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.hints import PRIORITY, RETAIN, WHAT
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import FloatArray
from teltheory.policies.memory import Memory
from teltheory.policies.node import Node
from teltheory.policies.policy import LeastRecentlyUsed

DEFAULT, MOST = 35, 100


@dataclass(frozen=True)
class PriorityQueues(LeastRecentlyUsed):
    """LRU in a queue for each priority, 0 to 100; the least goes first.

    1. A block comes with the priority of its request, else with 35. A request that reads it and has a priority
       puts its own in the place of the old one.
    2. A priority other than 35 lasts until its last request's `retain_until`; a request without one lets it last.
       When it ends the block goes to the most recent end of 35's queue.
    3. What is said later than at a request's own cut is not heard.
    """

    loop = "queues"

    def memory(self, instance: ForestInstance) -> Memory:
        """Return what remembers priorities."""
        checked_arrival(instance.requests)
        return _Queues(instance.requests)


class _Queues(Memory):
    """The priority of each block, until when it lasts, and when the block came to its queue."""

    def __init__(self, forest: Forest) -> None:
        self.priority, self.until = asked_by(forest)
        self.of: dict[int, tuple[float, float, float]] = {}
        self.now = 0.0

    def used(self, node: Node, resident: bool) -> None:
        """Put a block at the end of the queue of its request's priority, else of its own."""
        self.now = node.time
        own = self.queued(node)[0] if resident else DEFAULT
        said = self.priority.get(node.last, own)
        self.of[node.code] = said, self.until.get(node.last, np.inf), node.time

    def queued(self, node: Node) -> tuple[float, float]:
        """Return in which queue a block is by now, and since when."""
        priority, until, since = self.of[node.code]
        ended = priority != DEFAULT and until <= self.now
        return (DEFAULT, max(until, since)) if ended else (priority, since)

    def victim(self, nodes: Sequence[Node], held: Sequence[Node]) -> Node:
        """Return the block that came first to the least queue."""
        return min(nodes, key=lambda node: (*self.queued(node), node.last, -node.depth))


def asked_by(forest: Forest) -> tuple[dict[int, float], dict[int, float]]:
    """Return the priorities of requests and until when they last, where they have them."""
    priority, until = (_at_arrival(forest, what) for what in (PRIORITY, RETAIN))
    for value in priority.values():
        if not 0 <= value <= MOST:
            raise ArgumentError("priority", value, f"0 to {MOST}, as TensorRT-LLM has it")
    return priority, until


def checked_arrival(forest: Forest) -> FloatArray:
    """Return when requests arrive, an error if that is not known."""
    if forest.arrival is None:
        raise ArgumentError("forest", "no arrival times", "arrival times, which the policy looks at")
    return forest.arrival


def _at_arrival(forest: Forest, what: str) -> dict[int, float]:
    """Return what hints of a kind say of each request at its own cut, the later line where there are two."""
    hints = forest.hints
    if hints is None:
        return {}
    own = (hints.what == WHAT.index(what)) & (hints.cuts(checked_arrival(forest)) == hints.request)
    return dict(zip(hints.request[own].tolist(), hints.value[own].tolist(), strict=True))
