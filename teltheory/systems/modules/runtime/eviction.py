"""The order in which items leave a tier of a store, by the policies of `teltheory.policies`.

An item is a private conversation whose past is its size in tokens, and goes whole, so that surplus is an item
whose budget is 0. Surplus goes first, then what the policy's order of eviction says; among equals the least recent
goes. GDSF's cost is the tokens that encoding the item computes, and each tier has a clock of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from teltheory.errors import ArgumentError
from teltheory.policies import GDSF, AnyPolicy, NextTurn
from teltheory.policies.policy import has_rules, settled
from teltheory.policies.residence import ByResidence
from teltheory.replay.sets.reference import ItemNode

Tier = Literal["fast", "slow"]
TIERS: tuple[Tier, ...] = ("fast", "slow")
Key: TypeAlias = tuple[int, Any, int]


@dataclass(slots=True)
class Entry(ItemNode):
    """What a policy sees of an item (see `teltheory.replay.sets`), and where the item is.

    Attributes
    ----------
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

    cost: int = 0
    value: float = 0.0
    tier: Tier | None = None
    nbytes: int = 0
    held: Any = None

    @property
    def coming(self) -> NextTurn:
        """What comes next is not known."""
        raise ArgumentError("policy", "one that knows what comes next", "one that a running server can follow")

    @property
    def ended(self) -> bool:
        """Whether it never returns is not known."""
        return self.coming.turn < 0


class Order:
    """The order of a policy; it remembers GDSF's clocks."""

    def __init__(self, policy: AnyPolicy) -> None:
        if not (has_rules(policy) or isinstance(policy, ByResidence) or type(policy) is GDSF):
            raise ArgumentError("policy", policy, "one with rules, such as LRU, LFU, GDSF or T-LRU")
        self.policy: Any = settled(policy)
        self.clocks = dict.fromkeys(TIERS, 0.0)
        probe = Entry(0, 1, 1, None)
        probe.since = probe.reads = probe.asked = probe.ahead = 0
        self.unwanted(probe)
        self.key(probe)

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
