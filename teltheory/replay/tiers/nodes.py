"""What a cache of whole nodes is, and which policies run in tiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from teltheory.errors import ArgumentError
from teltheory.model.forest import Forest
from teltheory.model.instance import ForestInstance
from teltheory.model.numbers import whole_number
from teltheory.model.tiers import Tiers
from teltheory.policies.hinted import Telling
from teltheory.policies.memory import Memory, goes_by_key
from teltheory.policies.node import Node
from teltheory.policies.policy import AnyPolicy, Policy, mark_of, runs_on_forests, settled
from teltheory.replay.tiers.budgets import in_tiers


@dataclass(frozen=True)
class WholeNodes:
    """A tree whose nodes are those of the forest, cached whole or not at all: a value for `cache` of `replay`.

    Caching is forced: a path stays until its request has ended, and has to fit into the first tier.

    Parameters
    ----------
    block : int
        Units that memory comes in: a node's last block takes as much room as a full one. 1 is exact.
    """

    block: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "block", whole_number("block", self.block))
        if self.block < 1:
            raise ArgumentError("block", self.block, "1 unit or more")


@dataclass(slots=True, eq=False)
class TieredNode(Node):
    """A node as policies see it; `turn` is the start that asked for it last, which says the rest, too."""

    end: int = field(kw_only=True)
    units: int = field(kw_only=True)
    since: int = field(init=False)
    reads: int = field(init=False)
    turn: int = field(init=False)

    @property
    def depth(self) -> int:
        """Units from the root to its end."""
        return self.end

    @property
    def length(self) -> int:
        """Units of its own."""
        return self.units


def policy_of_each_tier(policies: Any, tiers: Tiers, rounds: bool = False) -> tuple[Policy, ...]:
    """Return a policy for each tier, with its budgets there, given one for all of them or one for each.

    `rounds` says whether trimming in rounds has a meaning: of units of a tree it has none.

    Raises
    ------
    ArgumentError
        For a wrong number of policies, and for one without rules.
    """
    several = isinstance(policies, (tuple, list))
    each = tuple(policies) if several else (policies,) * len(tiers)
    if len(each) != len(tiers):
        raise ArgumentError("policy", policies, f"one, or one for each of the tiers, {len(tiers)}")
    for policy in each:
        if isinstance(policy, type) or not runs_on_forests(policy):
            raise ArgumentError("policy", policy, "one with rules, as tiers are replayed by those alone")
    return in_tiers(settled(each, rounds=rounds), tiers)


def listens(policies: Any) -> bool:
    """Whether a policy, or one of several, listens to what applications say."""
    return any(hasattr(one, "told") for one in (policies if isinstance(policies, (tuple, list)) else (policies,)))


def unhinted(policies: Any) -> Any:
    """Return a policy, or several, without the hints that they listen to."""
    if isinstance(policies, (tuple, list)):
        return type(policies)([unhinted(one) for one in policies])
    return policies.policy if hasattr(policies, "told") else policies


def tellings_of(policies: Any, forest: Forest, tiers: int, whole: bool) -> list[Telling | None]:
    """Return for each tier what hears of hints there, None where nothing does."""
    if whole and listens(policies):
        raise ArgumentError("cache", "whole nodes", "'strict' under hints")
    each = policies if isinstance(policies, (tuple, list)) else (policies,) * tiers
    return [policy.told(forest) if hasattr(policy, "told") else None for policy in each]


def mark_of_all(policies: Sequence[Policy]) -> str:
    """Return what the tiers' policies take for the past of a node; see `teltheory.policies.policy.mark_of`."""
    marks = {mark_of(policy) for policy in policies if hasattr(policy, "mark")}
    if len(marks) > 1:
        raise ArgumentError("policy", policies, "policies with the same mark")
    return marks.pop() if marks else mark_of(None)


def memory_of(policy: AnyPolicy, forest: Forest, capacity: int, whole: bool = True) -> Memory | None:
    """Return a tier's memory, None for a policy without one.

    Raises
    ------
    ArgumentError
        For a memory whose order is more than a key that the node's own requests change.
    """
    if not hasattr(policy, "memory"):
        return None
    memory: Memory = policy.memory(ForestInstance(forest, capacity, True, whole=whole))
    if not goes_by_key(memory):
        raise ArgumentError("policy", policy, "one that orders nodes by a key of each, as tiers do")
    return memory


def room_of(lengths: Sequence[int], block: int) -> list[int]:
    """Return the units that nodes take, their last blocks full."""
    return [-(-length // block) * block for length in lengths]
