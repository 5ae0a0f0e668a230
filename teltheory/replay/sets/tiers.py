"""Module sets in exclusive tiers: plain Python, each tier cut as `teltheory.replay.sets.reference` cuts a cache.

1. An item's cached prefix is split between tiers: its first tokens are in the first tier, the next in the second,
   and so on. A whole item is in one tier.
2. A request loads what it reuses of its items, which are then whole in the first tier.
3. The first tier is cut by its policy. What that takes of an item becomes the beginning of its part of the next
   tier, which is cut by its own policy then, and so on; out of the last tier it is gone. Budgets are counted from
   the beginning of an item, so that what the tiers before hold is part of them.
4. Each tier's policy has a memory of its own, which hears of every request. Uses are counted anew when an item was
   in no tier.
5. Under forced caching the items of a request are exempt from the first tier's cut right after it. After the last
   request alone they may be larger than that tier; then nothing is cut.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.instance import ModuleInstance
from teltheory.model.tiers import Tiers
from teltheory.replay.sets.memories import memory_of
from teltheory.replay.sets.reference import ItemNode, Items, cut, next_uses, release, touch
from teltheory.replay.tiers.chains import Beneath, Row
from teltheory.replay.tiers.nodes import policy_of_each_tier


class SetsInTiers:
    """The items, least recent first, and what each tier holds of them."""

    def __init__(self, instance: ModuleInstance, policies: Any, tiers: Tiers) -> None:
        if tiers.mode != "exclusive":
            raise ArgumentError("mode", tiers.mode, "'exclusive' for module sets")
        self.trace, self.instance, self.tiers = instance.requests, instance, tiers
        self.policies = policy_of_each_tier(policies, tiers, rounds=True)
        self.instances = [replace(instance, capacity=capacity) for capacity in tiers.capacities]
        self.memories = [memory_of(*pair) for pair in zip(self.policies, self.instances, strict=True)]
        self.following = next_uses(self.trace)
        self.items, self.recent = Items(), Items()
        self.held: list[dict[int, int]] = [{} for _ in self.policies]

    def serve(self, k: int) -> Row:
        """Serve request k."""
        arriving = self.trace.items(k).tolist()
        reused = tuple(sum(held.get(code, 0) for code in arriving) for held in self.held)
        for code in arriving:
            if code in self.items:
                self.items[code].cached = sum(held.get(code, 0) for held in self.held)
        touch(self.trace, k, self.items, self.recent, self.following, self.memories)
        for held in self.held:
            held.update(dict.fromkeys(arriving, 0))
        self.held[0].update((code, self.items[code].past) for code in arriving)
        sunk, asked = (0,) * len(reused[1:]), int(self.instance.asked[k])
        if asked <= self.tiers.capacities[0] or not self.instance.forced:
            release(self.instance, k, self.items, self.memories)
            sunk = self.cut(arriving if self.instance.forced else ())
        return reused, asked - sum(reused), sunk, reused[1:]

    def cut(self, exempt: Collection[int]) -> tuple[int, ...]:
        """Cut every tier, the first one first; return what sank to each slower tier and is there."""
        above = dict.fromkeys(self.recent, 0)
        sunk, copied = dict(above), []
        for tier, held in enumerate(self.held):
            before = {code: held.get(code, 0) + sunk[code] for code in self.recent}
            held.update(before)
            self.cut_tier(tier, above, () if tier else exempt)
            copied.append(sum(min(sunk[code], held[code]) for code in self.recent))
            sunk = {code: before[code] - held[code] for code in self.recent}
            above = {code: above[code] + held[code] for code in self.recent}
        return tuple(copied[1:])

    def cut_tier(self, tier: int, above: dict[int, int], exempt: Collection[int]) -> None:
        """Cut a tier to its capacity below what the tiers before hold."""
        held = self.held[tier]
        for code, node in self.recent.items():
            node.cached = held[code]
        cached: dict[int, ItemNode] = {code: node for code, node in self.recent.items() if node.cached}
        policy: Any = Beneath(self.policies[tier], above)
        cut(cached, policy, self.memories[tier], self.instances[tier], exempt)
        held.update((code, node.cached) for code, node in self.recent.items())
