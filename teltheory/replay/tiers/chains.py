"""Private conversations in tiers: plain Python, each tier cut as `teltheory.replay.reference` cuts a cache.

1. A conversation's cached prefix is split once: its first units are in the first tier, the rest in the second.
2. At a turn what is cached beyond its history is gone; what it reuses is loaded, and its whole past is in the
   first tier.
3. The first tier is cut by its policy. What that takes is the end of each conversation's part, and becomes the
   beginning of its part of the second tier, which is cut by its own policy then. A budget is counted from the
   root, so what the first tier holds is part of it. What goes at once was not copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from teltheory.errors import ArgumentError, ForcedCachingError
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

    def __init__(self, policies: Any, tiers: Tiers, turns: Sequence[Asked], forced: bool = False) -> None:
        self.policies, self.tiers, self.turns = policies_of_chains(policies, tiers), tiers, turns
        self.forced = forced
        self.nodes: dict[int, Node] = {}
        self.held: list[dict[int, int]] = [{} for _ in self.policies]

    def found(self, k: int) -> tuple[int, ...]:
        """Return what turn k would reuse of each tier; nothing changes."""
        theta, left, *_ = self.turns[k]
        reused = []
        for held in self.held:
            reused.append(min(held.get(theta, 0), left))
            left -= reused[-1]
        return tuple(reused)

    def serve(self, k: int) -> tuple[tuple[int, ...], int, int, int]:
        """Serve turn k; return what it reuses of each tier, what it adds to the cache, is copied and is loaded."""
        turn, reused = self.turns[k], self.found(k)
        node = self.nodes.pop(turn.theta, None) or Node(len(self.nodes), 0, 0, None, turn.theta)
        node.past, node.next, node.last, node.seen = turn.past, turn.next, k, turn.time
        node.hits += 1
        self.nodes[turn.theta] = node
        for held in self.held:
            held[turn.theta] = 0
        self.held[0][turn.theta] = turn.past
        if self.forced and turn.past > self.tiers.capacities[0]:
            raise ForcedCachingError(k, turn.past, self.tiers.capacities[0])
        copied = self.cut(node if self.forced else None)
        return reused, turn.past - sum(reused), copied, sum(reused[1:])

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
    turns = turns_of(instance)
    cache = Conversations(policies, tiers, turns, instance.forced)
    for k in range(len(turns)):
        yield cache.serve(k)


class Asked(NamedTuple):
    """A turn: its conversation, its history, the past after it, the conversation's next turn, and its arrival."""

    theta: int
    history: int
    past: int
    next: Turn | None
    time: float | None


def policies_of_chains(policies: Any, tiers: Tiers) -> tuple[Policy, ...]:
    """Return each tier's policy; private conversations have none with a memory, and keep no copies."""
    each = policy_of_each_tier(policies, tiers)
    for policy in each:
        refuse_chains(policy)
    if tiers.keeps_copies and len(tiers) > 1:
        raise ArgumentError("mode", tiers.mode, "'exclusive' for private conversations; trace.forest is a tree")
    return each


def turns_of(instance: Any) -> list[Asked]:
    """Return the turns of an instance."""
    trace = instance.trace
    times = [None] * len(trace) if trace.arrival is None else trace.arrival.tolist()
    turns = [*map(Turn, range(len(trace)), instance.history.tolist(), trace.prompt.tolist()), None]
    following = [turns[k] for k in trace.next_turn.tolist()]
    columns = (column.tolist() for column in (trace.code, instance.history, instance.past))
    return [Asked(*row) for row in zip(*columns, following, times, strict=True)]
