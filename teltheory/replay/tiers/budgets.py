"""What a budget is in a slower tier.

A turn whose past is L and whose next prompt is Q keeps the threshold if what it reuses is worth b = L + Q - xi
tokens that it does not compute. A token of tier i is worth 1 - rho_i of them, so b tokens are not enough there:

    b_i = min(L, b / (1 - rho_i), rounded up)

is what tiers 0 to i together have to hold of a conversation if all of it may be in tier i. A policy whose
`budgets` are "flat" has b in every tier.

A policy whose `budgets` are "next" knows the next turn, and its budget is what that turn needs. What is beyond the
turn's history h serves nobody, however long the past is:

    b_i = min(h, need / (1 - rho_i), rounded up)

T-LRU with these budgets is proved to be no worse than LRU at any turn in two tiers, if the estimate of a
conversation stays the same; that is refuted for three tiers, estimates that change and overlapped loading. There
run LRU before and T-LRU in the last tier: docs/tiers-theory.md, rows `tiers.tlru.*` of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from teltheory.model.tiers import Tiers
from teltheory.policies.node import Deferred, Node, on_arrays, smaller
from teltheory.policies.policy import LeastRecentlyUsed, Policy


class Scaled:
    """A policy in a tier that loads in `load` of the time that computing takes; all but its budget is the same."""

    def __init__(self, policy: Policy, load: Fraction) -> None:
        self.policy, self.trim, self.drops = policy, policy.trim, policy.drops
        self.trim_key, self.eviction_key = policy.trim_key, policy.eviction_key
        self.of, self.parts = (1 / (1 - load)).as_integer_ratio()
        self.knows_next = getattr(policy, "budgets", None) == "next"

    @property
    def budget(self) -> Callable[[Node], int]:
        """The policy's budget over 1 - load, rounded up, at most what may serve; on arrays if the policy's is."""
        return self._on_arrays if getattr(self.policy.budget, "on_arrays", False) else self._of_node

    def _most(self, node: Node) -> int:
        """Return the past, or what of it the next turn begins with."""
        return node.coming.history if self.knows_next else node.past

    def _of_node(self, node: Node) -> int:
        return smaller(self._most(node), -(-self.policy.budget(node) * self.of // self.parts))

    @on_arrays
    def _on_arrays(self, node: Node) -> int:
        budget: Any = self.policy.budget(node)
        if isinstance(budget, int):
            return smaller(self._most(node), -(-budget * self.of // self.parts))
        if isinstance(budget, Deferred):
            budget = budget.computed()
        return scaled(budget, self._most(node), self.of, self.parts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.policy, name)

    def __repr__(self) -> str:
        return repr(self.policy)


def scaled(budget: int, most: int, up: int, down: int) -> int:
    """Return a budget times up / down >= 1, rounded up, at most `most`; nothing is larger on the way."""
    whole = smaller(budget // down, most // up)
    part = -(-smaller(budget - whole * down, down) * up // down)
    return whole * up + smaller(part, most - whole * up)


def in_tiers(policies: Sequence[Policy], tiers: Tiers) -> tuple[Any, ...]:
    """Return each tier's policy with the budget that it has there."""
    loads = (Fraction(load) for load in tiers.loads)
    return tuple(
        Scaled(policy, load) if load and has_scaled_budget(policy) else policy
        for policy, load in zip(policies, loads, strict=True)
    )


def has_scaled_budget(policy: Any) -> bool:
    """Whether a policy has budgets of its own, and they are not flat."""
    return has_budget(policy) and getattr(policy, "budgets", "scaled") != "flat"


def has_budget(policy: Any) -> bool:
    """Whether a policy has budgets of its own; one without keeps all, whatever another tier's takes for a past."""
    return getattr(type(policy), "budget", None) is not LeastRecentlyUsed.budget
