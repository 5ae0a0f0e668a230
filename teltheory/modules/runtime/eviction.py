"""The order in which items leave a tier of a store, by the policies of `teltheory.policies`.

An item is a private conversation whose past is its size in tokens, and goes whole, so that surplus is an item
whose budget is 0. Surplus goes first, then what the policy's order of eviction says; among equals the least recent
goes. GDSF's cost is the tokens that encoding the item computes, and each tier has a clock of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from teltheory.errors import ArgumentError
from teltheory.policies import GDSF, AnyPolicy, Node
from teltheory.policies.policy import has_rules
from teltheory.policies.residence import ByResidence

Tier = Literal["fast", "slow"]
TIERS: tuple[Tier, ...] = ("fast", "slow")
Key: TypeAlias = tuple[int, Any, int]


@dataclass(slots=True)
class Entry(Node):
    """What a policy sees of an item, and where the item is.

    Attributes
    ----------
    since, reads : int
        The use that it came with, and how many uses it had since then, that one included.
    cost : int
        Tokens that encoding it computes.
    value : float
        GDSF's value.
    tier : {"fast", "slow"} or None
        Where it is.
    nbytes : int
        What it takes there.
    held : object
        It itself; None while room is only reserved.
    """

    since: int = 0
    reads: int = 0
    cost: int = 0
    value: float = 0.0
    tier: Tier | None = None
    nbytes: int = 0
    held: Any = None


class Order:
    """The order of a policy; it remembers GDSF's clocks."""

    def __init__(self, policy: AnyPolicy) -> None:
        if not (has_rules(policy) or isinstance(policy, ByResidence) or type(policy) is GDSF):
            raise ArgumentError("policy", policy, "one with rules, such as LRU, LFU, GDSF or T-LRU")
        self.policy: Any = policy
        self.clocks = dict.fromkeys(TIERS, 0.0)

    def unwanted(self, entry: Entry) -> bool:
        """Whether an item goes even if there is room."""
        return bool(self.policy.drops(entry) or (self.policy.trim == "eager" and self._surplus(entry)))

    def key(self, entry: Entry) -> Key:
        """Return what the smallest of goes first."""
        if self._surplus(entry):
            in_rounds = self.policy.trim == "round-robin"
            return 0, entry.first if in_rounds else self.policy.trim_key(entry), entry.last
        if type(self.policy) is GDSF:
            return 1, entry.value, entry.last
        return 1, self.policy.eviction_key(entry), entry.last

    def entered(self, entry: Entry) -> None:
        """Note that an item's prompt has ended, or that the item came to another tier."""
        if entry.tier is not None:
            entry.value = self.clocks[entry.tier] + entry.reads * entry.cost / entry.past

    def left(self, entry: Entry) -> None:
        """Note that an item is evicted from its tier."""
        if entry.tier is not None:
            self.clocks[entry.tier] = max(self.clocks[entry.tier], entry.value)

    def _surplus(self, entry: Entry) -> bool:
        return bool(self.policy.budget(entry) == 0)
