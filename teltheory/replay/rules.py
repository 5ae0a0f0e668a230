"""What a policy's rules say of every slot, asked once before a compiled loop starts.

Each rule is asked in one call and has to be marked `on_arrays`. Rules see conversations as they are after the
slots' turns, but not what is cached of them, which changes from cut to cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.numbers import IntArray, readonly
from teltheory.policies.node import ALL_BUT, ENDED_FIRST, FURTHEST_FIRST, Deferred
from teltheory.policies.policy import NotCompiledError, Policy
from teltheory.replay.nodes import Nodes
from teltheory.replay.slots import Slots

Keys: TypeAlias = int | Deferred | NDArray[Any]
"""Of an order: one key for all, or one per slot."""


@dataclass(frozen=True)
class Rules:
    """What a policy's rules say of every slot; arrays of shape (m + n,).

    `kept` is what a slot holds unless the policy drops it, and `budget` is `kept` itself if nothing is surplus. In
    either order the smallest goes first, among equals the least recent. With `eager` surplus goes at once.
    """

    kept: IntArray
    budget: IntArray | Deferred
    trimming: Keys
    eviction: Keys
    eager: bool

    @classmethod
    def of(cls, policy: Policy, instance: Instance, slots: Slots) -> Rules:
        """Ask a policy for its rules, which may not look at what is cached, and keep 0 or more."""
        nodes = Nodes(instance, slots)
        kept = _kept(_answer(policy, "drops", nodes), slots.before_first_cut)
        budget = _answer(policy, "budget", nodes)
        if budget is slots.past:
            budget = kept
        elif _kind(budget) != ALL_BUT:
            budget = _whole_lengths(budget, policy)
        trimming = _answer(policy, "trim_key", nodes) if policy.trim == "least-recent" else 0
        return cls(kept, budget, trimming, _answer(policy, "eviction_key", nodes), policy.trim == "eager")

    @cached_property
    def least(self) -> IntArray:
        """What of `kept` is no surplus."""
        if self.budget is self.kept:
            return self.kept
        return readonly(np.minimum(self.budget, self.kept))

    @property
    def full(self) -> IntArray:
        """What a slot holds once it came under a cut."""
        return self.least if self.eager else self.kept

    @property
    def trims(self) -> bool:
        """Whether there may be surplus that waits for an overflow."""
        return not self.eager and self.budget is not self.kept

    @property
    def safe(self) -> int | None:
        """The most that is surplus of any slot, if slots hold whole pasts and budgets are all but that."""
        if not isinstance(self.budget, Deferred) or self.kept is not self.budget.of or not self.trims:
            return None
        return self.budget.safe

    @property
    def by_recency(self) -> bool:
        """Whether both orders are by recency alone."""
        return _constant(self.trimming) and _constant(self.eviction)

    @property
    def by_next_use(self) -> bool:
        """Whether what never returns is trimmed first, and the furthest next turn evicted first."""
        return _kind(self.trimming) == ENDED_FIRST and _kind(self.eviction) == FURTHEST_FIRST


def _answer(policy: Policy, rule: str, nodes: Nodes) -> Any:
    ask = getattr(policy, rule)
    if not getattr(ask, "on_arrays", False):
        raise NotCompiledError("policy", policy, f"engine='reference', or {rule} marked on_arrays")
    said = ask(nodes)
    if not isinstance(said, Deferred) and np.ndim(said) and np.shape(said) != nodes.past.shape:
        raise ArgumentError("policy", policy, f"one whose {rule} is one value, or one per node")
    return said


def _kept(dropped: Any, held: IntArray) -> IntArray:
    if np.ndim(dropped) == 0:
        return readonly(np.zeros_like(held)) if dropped else held
    return readonly(held * ~np.asarray(dropped, np.bool_))


def _whole_lengths(budget: Any, policy: Policy) -> IntArray:
    values = np.asarray(budget)
    if values.dtype.kind not in "iub" or values.min(initial=0) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return values.astype(np.int64, copy=False)


def _kind(values: Any) -> str | None:
    return values.kind if isinstance(values, Deferred) else None


def _constant(keys: Keys) -> bool:
    if isinstance(keys, np.ndarray):
        return keys.ndim == 0 or bool((keys == keys[:1]).all())
    return not isinstance(keys, Deferred)


def places(keys: Keys, slots: int) -> IntArray:
    """Return the place of each slot, greatest for the smallest key and among equals for the least recent."""
    found = np.empty(slots, np.int64)
    order = np.argsort(np.broadcast_to(np.asarray(keys), slots), kind="stable")
    found[order] = np.arange(slots)[::-1]
    return readonly(found)
