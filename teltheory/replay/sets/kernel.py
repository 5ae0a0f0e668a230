"""Which compiled loop replays module sets under a policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from teltheory.model.instance import ModuleInstance
from teltheory.model.numbers import readonly
from teltheory.model.outcome import Outcome
from teltheory.policies.pgdsf import GDSF, PGDSF
from teltheory.policies.policy import AnyPolicy, NotCompiledError, has_rules, own_loop
from teltheory.policies.residence import FIFO, LFU, SLRU
from teltheory.replay.chains.rules import SlotRules, constant, places
from teltheory.replay.sets import loops
from teltheory.replay.sets.loops import SetLayout, replay_by_orders, replay_in_rounds, replay_residence
from teltheory.replay.sets.memories import as_forest
from teltheory.replay.sets.uses import Uses, ranks, slots_of

KINDS = {
    FIFO: loops.BY_ENTRY,
    LFU: loops.BY_READS,
    SLRU: loops.PROTECTED,
    GDSF: loops.BY_VALUE,
    PGDSF: loops.BY_VALUE,
}


def replay_kernel(instance: ModuleInstance, policy: AnyPolicy) -> Outcome:
    """Replay module sets by a compiled loop; `NotCompiledError` if none does what the policy does."""
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
    weight.setflags(write=False)
    replay_residence(layout, KINDS[type(policy)], weight)


def _by_rules(instance: ModuleInstance, layout: SetLayout, policy: Any) -> None:
    slots = slots_of(instance.requests)
    asked: Any = instance
    rules = SlotRules.of(policy, asked, slots, Uses)
    by_rounds = policy.trim == "round-robin" and rules.trims
    least = readonly(rules.kept * (rules.least > 0)) if instance.whole else rules.least
    full = least if rules.eager else rules.kept
    if by_rounds and not instance.whole:
        if not constant(rules.eviction):
            raise NotCompiledError(
                "engine", "kernel", f"'reference' for {policy!r}, which evicts in its own order"
            )
        replay_in_rounds(layout, full, least, ranks(instance.requests))
        return
    keys = ranks(instance.requests) if by_rounds else rules.trimming, rules.eviction
    trimming, eviction = (places(each, len(slots.past)) for each in keys)
    replay_by_orders(layout, (full, least, trimming, eviction))
