"""Private conversations in tiers: plain Python, each tier cut as `teltheory.replay.reference` cuts a cache.

1. A conversation's cached prefix is split once: its first units are in the first tier, the rest in the second.
2. At a turn what is cached beyond its history is gone; what it reuses is loaded, and its whole past is in the
   first tier.
3. The first tier is cut by its policy. What that takes is the end of each conversation's part, and becomes the
   beginning of its part of the second tier, which is cut by its own policy then. A budget is counted from the
   root, so what the first tier holds is part of it. What goes at once was not copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from teltheory.errors import ArgumentError, ForcedCachingError
from teltheory.model.instance import Instance
from teltheory.model.tiers import Tiers
from teltheory.policies.node import Node, Turn
from teltheory.policies.policy import Policy, refuse_chains
from teltheory.replay.reference import cut
from teltheory.replay.tiers.nodes import policy_of_each_tier


class Beneath:
    """A policy as the cut of a slower tier asks it: budgets begin where the parts of the tiers before end."""

    def __init__(self, policy: Policy, above: dict[int, int]) -> None:
        self.policy, self.above, self.trim = policy, above, policy.trim
        self.drops, self.trim_key, self.eviction_key = policy.drops, policy.trim_key, policy.eviction_key

    def budget(self, node: Node) -> int:
        """Return how much of the tier's part is worth keeping."""
        return max(self.policy.budget(node) - self.above[node.code], 0)


class Conversations:
    """All that have arrived, least recent first, and what each tier holds of them beside the tiers before it."""

    def __init__(self, instance: Instance, policies: tuple[Policy, ...], tiers: Tiers) -> None:
        self.instance, self.policies, self.tiers = instance, policies, tiers
        self.nodes: dict[int, Node] = {}
        self.held: list[dict[int, int]] = [{} for _ in policies]

    def arrive(self, theta: int, history: int) -> tuple[int, ...]:
        """Let a conversation arrive with a history; return what it reuses of each tier."""
        reused, left = [], history
        for held in self.held:
            reused.append(min(held.get(theta, 0), left))
            left -= reused[-1]
            held[theta] = 0
        return tuple(reused)

    def cut(self, exempt: Node | None) -> int:
        """Cut every tier, the first one first; return what was copied from tier to tier."""
        above = dict.fromkeys(self.nodes, 0)
        sunk, copied = dict(above), 0
        for tier, held in enumerate(self.held):
            for code, units in sunk.items():
                held[code] += units
            lost = self._cut(
                tier, Beneath(self.policies[tier], above), None if tier else exempt, sum(above.values())
            )
            copied += sum(min(units, held[code]) for code, units in sunk.items())
            sunk = lost
            above = {code: units + held[code] for code, units in above.items()}
        return copied

    def _cut(self, tier: int, policy: Any, exempt: Node | None, above: int) -> dict[int, int]:
        """Cut a tier; return what each conversation lost."""
        held, room = self.held[tier], self.tiers.capacities[tier]
        before = dict(held)
        for code, node in self.nodes.items():
            node.cached = held[code]
        cached = {code: node for code, node in self.nodes.items() if node.cached}
        cut(cached, policy, room - above if self.tiers.mode == "inclusive" else room, exempt)
        held.update((code, node.cached) for code, node in self.nodes.items())
        return {code: before[code] - units for code, units in held.items()}


def replayed_turns(instance: Any, policies: Any, tiers: Tiers) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """Replay turn by turn.

    Yields
    ------
    tuple
        What the turn reuses of each tier, what it adds to the cache, what is copied and what is loaded.

    Raises
    ------
    ArgumentError
        For policies that need a forest, and for copies that stay, which only a tree has.
    ForcedCachingError
        For a past that the first tier does not hold, under forced caching.
    """
    each = policy_of_each_tier(policies, tiers)
    for policy in each:
        refuse_chains(policy)
    if tiers.keeps_copies and len(tiers) > 1:
        raise ArgumentError("mode", tiers.mode, "'exclusive' for private conversations; trace.forest is a tree")
    trace = instance.trace
    times = [None] * len(trace) if trace.arrival is None else trace.arrival.tolist()
    rows = zip(*(c.tolist() for c in (trace.code, instance.history, instance.past, trace.next_turn)), strict=True)
    turns = [*map(Turn, range(len(trace)), instance.history.tolist(), trace.prompt.tolist()), None]
    cache = Conversations(instance, each, tiers)
    for k, (theta, history, past, following) in enumerate(rows):
        node = cache.nodes.pop(theta, None) or Node(len(cache.nodes), 0, 0, None, theta)
        reused = cache.arrive(theta, history)
        node.past, node.next, node.last, node.seen = past, turns[following], k, times[k]
        node.hits += 1
        cache.nodes[theta] = node
        cache.held[0][theta] = past
        if instance.forced and past > tiers.capacities[0]:
            raise ForcedCachingError(k, past, tiers.capacities[0])
        copied = cache.cut(node if instance.forced else None)
        yield reused, past - sum(reused), copied, sum(reused[1:])
