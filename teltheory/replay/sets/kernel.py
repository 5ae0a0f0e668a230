"""Which loop of ``loops.c`` replays module sets under a policy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from teltheory.base.loops import call
from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import IntArray, readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.pgdsf import GDSF, PGDSF
from teltheory.policies.policy import AnyPolicy, NotCompiledError, has_rules, own_loop
from teltheory.policies.residence import FIFO, LFU, SLRU
from teltheory.replay.chains.rules import SlotRules, constant, places
from teltheory.replay.sets.memories import as_forest
from teltheory.replay.sets.uses import Uses, ranks, slots_of

BY_ENTRY, BY_READS, PROTECTED, BY_VALUE = range(4)
KINDS = {FIFO: BY_ENTRY, LFU: BY_READS, SLRU: PROTECTED, GDSF: BY_VALUE, PGDSF: BY_VALUE}


class SetLayout(NamedTuple):
    """What the loops read, and `cached`, which they write.

    Use p is of item ``item[p]`` of size ``size[p]``, whose use before is ``previous[p]``; request k has the uses
    from ``offsets[k]`` to ``offsets[k + 1]``.
    """

    offsets: IntArray
    item: IntArray
    size: IntArray
    previous: IntArray
    capacity: int
    forced: bool
    whole: bool
    cached: IntArray

    @property
    def sizes(self) -> tuple[int, int]:
        """Requests and uses."""
        return len(self.cached), len(self.item)


def replay_kernel(instance: ModuleInstance, policy: AnyPolicy) -> Outcome:
    """Replay module sets by a loop in C; `NotCompiledError` if none does what the policy does."""
    layout = layout_of(instance)
    if own_loop(policy) is not None and type(policy) in KINDS:
        _by_residence(instance, layout, policy)
    elif has_rules(policy):
        _by_rules(instance, layout, policy)
    else:
        raise NotCompiledError("engine", "kernel", f"'reference' for {policy!r}")
    return Outcome(readonly(layout.cached), readonly(instance.total - layout.cached))


def layout_of(instance: ModuleInstance) -> SetLayout:
    """Return what the loops read and write."""
    trace = instance.requests
    return SetLayout(
        trace.offsets,
        trace.members,
        readonly(trace.sizes[trace.members]),
        trace.previous,
        instance.capacity,
        instance.forced,
        instance.whole,
        cached=np.zeros(len(trace), np.int64),
    )


def _by_residence(instance: ModuleInstance, layout: SetLayout, policy: Any) -> None:
    greedy_dual = isinstance(policy, GDSF)
    forest = as_forest(instance).requests
    weight = policy.node_weights(forest) if greedy_dual else np.zeros(forest.nodes)
    n = len(weight)
    numbers, place, key = np.zeros((5, n), np.int64), np.full(n, -1, np.int64), np.zeros(n)
    call("replay_sets_by_residence", layout.sizes, layout, KINDS[type(policy)], n, weight, *numbers, place, key)


def _by_rules(instance: ModuleInstance, layout: SetLayout, policy: Any) -> None:
    slots = slots_of(instance.requests)
    asked: Any = instance
    rules = SlotRules.of(policy, asked, slots, Uses)
    holds = np.zeros(len(slots.past), np.int64)
    by_rounds = policy.trim == "round-robin" and rules.trims
    least = readonly(rules.kept * (rules.least > 0)) if instance.whole else rules.least
    full = least if rules.eager else rules.kept
    if by_rounds and not instance.whole:
        if not constant(rules.eviction):
            raise NotCompiledError(
                "engine", "kernel", f"'reference' for {policy!r}, which evicts in its own order"
            )
        rank = ranks(instance.requests)
        leaves = int(rank.max(initial=0)) + 1
        tree = leaves, np.empty(12 * leaves, np.int64)
        call("replay_sets_in_rounds", layout.sizes, layout, full, least, rank, holds, tree)
        return
    uses = len(holds)
    keys = ranks(instance.requests) if by_rounds else rules.trimming, rules.eviction
    orders = tuple(places(each, uses) for each in keys)
    slots_at, words = np.empty(2 * uses, np.int64), np.empty(2 * (uses // 63 + 12), np.uint64)
    call("replay_sets_by_orders", layout.sizes, layout, full, least, orders, holds, slots_at, words)
