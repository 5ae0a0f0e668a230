"""Private conversations in tiers: plain Python, each tier cut as `teltheory.replay.chains.reference` cuts a cache.

1. A conversation's cached prefix is split between tiers: its first units are in the first tier, the next in the
   second, and so on.
2. At a turn what is cached beyond its history is gone; what it reuses is loaded, and its whole past is in the
   first tier.
3. The first tier is cut by its policy. What that takes is the end of each conversation's part, and becomes the
   beginning of its part of the next tier, which is cut by its own policy then. A budget is counted from the root,
   so what the tiers before hold is part of it. Inclusive tiers hold what the tiers before them hold too.
4. What sinks is copied unless it goes on at once. Inclusive, what a tier did not hold before is copied instead.
5. Under forced caching the first tier has to hold the past, as one cache has to: after the last turn alone it may
   be longer, and is not cut, so that nothing sinks.

`teltheory.replay.tiers.copies` has tiers that swap out only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from teltheory.errors import ForcedCachingError
from teltheory.model.tiers import Tiers
from teltheory.policies.node import NextTurn, Node
from teltheory.policies.policy import Policy, refuse_chains
from teltheory.replay.chains.reference import cut
from teltheory.replay.tiers.nodes import policy_of_each_tier

Row = tuple[tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]
"""Of a request: what it reuses of each tier, what it writes, and what it copies to and loads from slower ones."""


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

    def __init__(self, policies: Any, tiers: Tiers, turns: Sequence[TierTurn], forced: bool = False) -> None:
        self.policies, self.tiers, self.turns = policies_of_chains(policies, tiers), tiers, turns
        self.forced, self.inclusive = forced, tiers.mode == "inclusive"
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

    def serve(self, k: int) -> Row:
        """Serve turn k."""
        turn, reused = self.turns[k], self.found(k)
        node = self.nodes.pop(turn.theta, None) or Node(len(self.nodes), 0, 0, None, turn.theta)
        node.past, node.next, node.last, node.seen = turn.past, turn.next, k, turn.time
        node.hits += 1
        self.nodes[turn.theta] = node
        self.load(turn.theta, reused, turn.past)
        if self.forced and turn.past > self.tiers.capacities[0]:
            if k < len(self.turns) - 1:
                raise ForcedCachingError(k, turn.past, self.tiers.capacities[0])
            return reused, turn.past - sum(reused), (0,) * len(reused[1:]), reused[1:]
        sunk = self.cut(node if self.forced else None)
        copied = self.risen(turn.theta, reused) if self.inclusive else sunk
        return reused, turn.past - sum(reused), copied, reused[1:]

    def load(self, theta: int, reused: tuple[int, ...], past: int) -> None:
        """Load what a turn reuses, and put its whole past into the first tier."""
        for held in self.held:
            held[theta] = 0
        self.held[0][theta] = past

    def cut(self, exempt: Node | None) -> tuple[int, ...]:
        """Cut every tier, the first one first; return what sank to each slower tier and is there."""
        above = dict.fromkeys(self.nodes, 0)
        sunk, copied = dict(above), []
        for tier, held in enumerate(self.held):
            for code, units in sunk.items():
                held[code] += units
            room = self.tiers.capacities[tier] - (sum(above.values()) if self.inclusive else 0)
            lost = self.cut_tier(tier, above, room, None if tier else exempt)
            copied.append(sum(min(units, held[code]) for code, units in sunk.items()))
            sunk = lost
            above = {code: units + held[code] for code, units in above.items()}
        return tuple(copied[1:])

    def cut_tier(self, tier: int, above: dict[int, int], room: int, exempt: Node | None = None) -> dict[int, int]:
        """Cut a tier to its room below what the tiers above hold; return what each conversation lost."""
        held = self.held[tier]
        before = dict(held)
        for code, node in self.nodes.items():
            node.cached = held[code]
        cached = {code: node for code, node in self.nodes.items() if node.cached}
        cut(cached, Beneath(self.policies[tier], above), room, exempt)
        held.update((code, node.cached) for code, node in self.nodes.items())
        return {code: before[code] - units for code, units in held.items()}

    def risen(self, theta: int, reused: tuple[int, ...]) -> tuple[int, ...]:
        """Return what inclusive tiers, without the first, hold of a conversation and did not before its turn."""
        now, before = accumulate(held[theta] for held in self.held), accumulate(reused)
        return tuple(max(one - other, 0) for one, other in zip(now, before, strict=True))[1:]


class TierTurn(NamedTuple):
    """A turn: its conversation, its history, the past after it, the conversation's next turn, and its arrival."""

    theta: int
    history: int
    past: int
    next: NextTurn | None
    time: float | None


def policies_of_chains(policies: Any, tiers: Tiers) -> tuple[Policy, ...]:
    """Return each tier's policy; private conversations have none with a memory."""
    each = policy_of_each_tier(policies, tiers, rounds=True)
    for policy in each:
        refuse_chains(policy)
    return each


def turns_of(instance: Any) -> list[TierTurn]:
    """Return the turns of an instance."""
    trace = instance.requests
    times = [None] * len(trace) if trace.arrival is None else trace.arrival.tolist()
    turns = [*map(NextTurn, range(len(trace)), instance.history.tolist(), trace.prompt.tolist()), None]
    following = [turns[k] for k in trace.next_turn.tolist()]
    columns = (column.tolist() for column in (trace.code, instance.history, instance.past))
    return [TierTurn(*row) for row in zip(*columns, following, times, strict=True)]
