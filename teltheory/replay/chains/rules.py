"""What a policy's rules say of every slot, asked once before a compiled loop starts.

Each rule is asked in one call and has to be marked `on_arrays`. SlotRules see conversations as they are after the
slots' turns, as arrays under the names of `teltheory.policies.Node`, but not what is cached of them, which changes
from cut to cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from teltheory.base.loops import call
from teltheory.errors import ArgumentError
from teltheory.model.instance import Instance
from teltheory.model.numbers import BoolArray, FloatArray, IntArray, readonly
from teltheory.policies.node import ALL_BUT, ENDED_FIRST, FURTHEST_FIRST, Deferred, NextTurn
from teltheory.policies.policy import NotCompiledError, Policy
from teltheory.replay.chains.slots import Slots, first_arrival_ranks

Keys: TypeAlias = int | Deferred | NDArray[Any]
"""Of an order: one key for all, or one per slot."""


@dataclass(frozen=True)
class SlotRules:
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
    def of(cls, policy: Policy, instance: Instance, slots: Slots, kind: type[Nodes] | None = None) -> SlotRules:
        """Ask a policy for its rules, which may not look at what is cached, and keep 0 or more."""
        nodes = (kind or Nodes)(instance, slots)
        kept = _kept(answer(policy, "drops", nodes), slots.before_first_cut)
        budget = answer(policy, "budget", nodes)
        if budget is slots.past:
            budget = kept
        elif _kind(budget) != ALL_BUT:
            budget = whole_lengths(budget, policy)
        trimming = answer(policy, "trim_key", nodes) if policy.trim == "least-recent" else 0
        return cls(kept, budget, trimming, answer(policy, "eviction_key", nodes), policy.trim == "eager")

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
        return constant(self.trimming) and constant(self.eviction)

    @property
    def by_next_use(self) -> bool:
        """Whether what never returns is trimmed first, and the furthest next turn evicted first."""
        return _kind(self.trimming) == ENDED_FIRST and _kind(self.eviction) == FURTHEST_FIRST


def answer(policy: Policy, rule: str, nodes: Any) -> Any:
    """Ask a rule about all nodes at once; one value, or one per node."""
    ask = getattr(policy, rule)
    if not getattr(ask, "on_arrays", False):
        raise NotCompiledError("policy", policy, f"engine='reference', or {rule} marked on_arrays")
    try:
        said = ask(nodes)
    except ValueError as error:
        if "truth value" not in str(error):
            raise
        raise ArgumentError(
            "policy", policy, f"{rule} to hold for arrays: larger, smaller and choose for max, min and if"
        ) from None
    if said is None:
        raise ArgumentError("policy", policy, f"one whose {rule} returns a value")
    if not isinstance(said, Deferred) and np.ndim(said) and np.shape(said) != nodes.past.shape:
        raise ArgumentError("policy", policy, f"one whose {rule} is one value, or one per node")
    return said


def _kept(dropped: Any, held: IntArray) -> IntArray:
    if np.ndim(dropped) == 0:
        return readonly(np.zeros_like(held)) if dropped else held
    return readonly(held * ~np.asarray(dropped, np.bool_))


def whole_lengths(budget: Any, policy: Policy) -> IntArray:
    """Return budgets as whole numbers, and refuse any other."""
    values = np.asarray(budget)
    if values.dtype.kind not in "iub":
        raise ArgumentError(
            "policy", policy, f"one whose budget is whole numbers, not {values.dtype}: // in place of /"
        )
    if values.min(initial=0) < 0:
        raise ArgumentError("policy", policy, "one that keeps 0 or more of each conversation")
    return values.astype(np.int64, copy=False)


def _kind(values: Any) -> str | None:
    return values.kind if isinstance(values, Deferred) else None


def constant(keys: Keys) -> bool:
    """Whether an order is by recency alone."""
    if isinstance(keys, np.ndarray):
        return keys.ndim == 0 or bool((keys == keys[:1]).all())
    return not isinstance(keys, Deferred)


def places(keys: Keys, slots: int) -> IntArray:
    """Return the place of each slot, greatest for the smallest key and among equals for the least recent."""
    found = np.empty(slots, np.int64)
    order = np.argsort(np.broadcast_to(np.asarray(keys), slots), kind="stable")
    found[order] = np.arange(slots)[::-1]
    return readonly(found)


@dataclass(frozen=True)
class NextTurns:
    """The next turns of all slots: n, 0 and 0 for what never returns."""

    instance: Instance
    slots: Slots

    @property
    def turn(self) -> IntArray:
        """Number of the turn."""
        return self.slots.following

    @cached_property
    def history(self) -> IntArray:
        """History of the turn."""
        return self.slots.of_following(self.instance.history)

    @cached_property
    def prompt(self) -> IntArray:
        """Prompt of the turn."""
        return self.slots.of_following(self.instance.requests.prompt)

    def need(self, xi: int) -> IntArray:
        """Return what each turn can use; see `NextTurn.need`."""
        columns: Any = self.slots.following, self.instance.history, self.instance.requests.prompt
        needs: Any = NextTurn(*columns).need(xi)
        return self.slots.of_following(needs)


@dataclass(frozen=True)
class Nodes:
    """Every slot's conversation after its turn; arrays of shape (m + n,), computed when a rule reads them."""

    instance: Instance
    slots: Slots

    @property
    def past(self) -> IntArray:
        """L of each conversation."""
        return self.slots.past

    depth = length = asked = past

    @property
    def ahead(self) -> IntArray:
        """Length of what a request asked for after it: a conversation comes alone."""
        return np.zeros_like(self.past)

    @property
    def cached(self) -> IntArray:
        """Refuse: it changes from cut to cut."""
        raise NotCompiledError("policy", "rules that look at what is cached", "engine='reference' for it")

    @cached_property
    def first(self) -> IntArray:
        """Rank by first arrival."""
        return first_arrival_ranks(self.instance)

    @cached_property
    def code(self) -> IntArray:
        """Number of the conversation, as in `Trace.code`."""
        starts = [start.code for start in self.instance.initial]
        return np.concatenate((np.array(starts, np.int64), self.instance.requests.code))

    @cached_property
    def last(self) -> IntArray:
        """Last turn, -1 for the initial cache."""
        n = len(self.instance.requests)
        return np.maximum(np.arange(n - len(self.slots.past), n), -1)

    @cached_property
    def hits(self) -> IntArray:
        """How many turns the conversation has had."""
        hits = np.empty(len(self.slots.past), np.int64)
        call("count_hits", len(self.slots.previous), self.slots.previous, len(hits), hits)
        return hits

    @cached_property
    def time(self) -> FloatArray:
        """Arrival of the last turn in seconds."""
        arrival = self.instance.requests.arrival
        if arrival is None:
            raise ArgumentError("trace", "no arrival times", "arrival times, which the policy looks at")
        return np.asarray(arrival[np.maximum(self.last, 0)], np.float64)

    @property
    def ended(self) -> BoolArray:
        """Whether the conversation never returns."""
        return self.slots.ended

    @cached_property
    def coming(self) -> NextTurns:
        """The next turns."""
        return NextTurns(self.instance, self.slots)

    @property
    def next(self) -> NextTurns:
        """The next turns, as `coming`."""
        return self.coming
